// Makes the VSIX of this platform: builds, packs exactly the files that are named, and looks into what came out.
//   node src/build/package.mjs [--out file] [--no-build]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { shippedFiles, thirdPartyNotices } from './shippedFiles.mjs';
import { zipEntries } from './zipEntries.mjs';

const LARGEST_BYTES = 60 * 2 ** 20;
const NATIVE = /\.(node|so(\.\d+)*|dylib|dll)$/;

const root = join(import.meta.dirname, '../..');
const args = process.argv.slice(2);
const { platform, arch } = process;
const target = `${platform}-${arch}`;
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outAt = args.indexOf('--out');
const out = outAt < 0 ? join(root, `${name}-${target}-${version}.vsix`) : args[outAt + 1];

if (!args.includes('--no-build')) {
  execFileSync(process.execPath, [join(root, 'src/build/bundle.mjs'), '--package'], { stdio: 'inherit' });
}
writeFileSync(join(root, 'dist/ThirdPartyNotices.txt'), thirdPartyNotices(root, platform, arch));
const files = shippedFiles(root, platform, arch);
pack(files);
check(files);

function pack(keep) {
  const folder = mkdtempSync(join(tmpdir(), 'landmark-vsix-'));
  try {
    // An exclamation mark wins over everything for vsce, so the list names files and no patterns.
    const ignoreFile = join(folder, 'ignore');
    writeFileSync(ignoreFile, ['**', ...keep.map(path => `!${path}`), ''].join('\n'));
    const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
    const options = ['--target', target, '--ignoreFile', ignoreFile, '--out', out];
    const links = ['--allow-missing-repository', '--no-rewrite-relative-links'];
    execFileSync(process.execPath, [vsce, 'package', ...options, ...links], { cwd: root, stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function check(expected) {
  const entries = zipEntries(readFileSync(out));
  const found = new Map(entries.map(entry => [entry.name, entry]));
  const wanted = new Set([...expected.map(nameInPackage), 'extension.vsixmanifest', '[Content_Types].xml']);
  const extra = [...found.keys()].filter(path => !wanted.has(path));
  const missing = [...wanted].filter(path => !found.has(path));
  const { size } = statSync(out);
  const native = entries.filter(entry => NATIVE.test(entry.name));
  const megabytes = bytes => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  console.log(`${basename(out)}: ${megabytes(size)}, ${entries.length} files`);
  for (const entry of native) console.log(`  native: ${entry.name} (${megabytes(entry.size)})`);
  const faults = [
    ...extra.map(path => `${path} must not ship`),
    ...missing.map(path => `${path} is not in the package`),
    ...(size > LARGEST_BYTES ? [`it is larger than ${megabytes(LARGEST_BYTES)}`] : []),
  ];
  if (faults.length === 0) return;
  for (const fault of faults) console.error(`package: ${fault}`);
  process.exit(1);
}

/** vsce gives the files that the editor shows names of its own. */
function nameInPackage(path) {
  const shown = { 'README.md': 'readme.md', 'CHANGELOG.md': 'changelog.md', LICENSE: 'LICENSE.txt' };
  return `extension/${shown[path] ?? path}`;
}
