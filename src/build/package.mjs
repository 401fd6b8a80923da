// Makes the VSIX of a platform: builds, packs exactly the files that are named, and looks into what came out.
//   node src/build/package.mjs [--target name]… [--all] [--out file] [--no-build]
// --target  the platform, as the editor names it; by default the one of this machine. Parts of other platforms come
//           from npm's registry, prebuilt; what has to be compiled is in the package of this machine's platform only.
// --all     every platform.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkPackage, describePackage } from './checkPackage.mjs';
import { packageNote } from './packageNote.mjs';
import { packageParts } from './packageParts.mjs';
import { shippedFiles, thirdPartyNotices } from './shippedFiles.mjs';
import { TARGETS, targetNamed, targetOfThisMachine } from './targets.mjs';
import { writeVsix } from './writeVsix.mjs';
import { zipEntries } from './zipEntries.mjs';

const root = join(import.meta.dirname, '../..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

try {
  const { targets, out, build } = readArguments(process.argv.slice(2));
  if (build) {
    execFileSync(process.execPath, [join(root, 'src/build/bundle.mjs'), '--package'], { stdio: 'inherit' });
  }
  for (const target of targets) await makePackage(target, out ?? join(root, `${name}-${target}-${version}.vsix`));
} catch (error) {
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
}

function readArguments(args) {
  const targets = [];
  const found = { targets, out: undefined, build: true };
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--all') targets.push(...Object.keys(TARGETS));
    else if (args[at] === '--no-build') found.build = false;
    else if (args[at] === '--target' && args[at + 1] !== undefined) targets.push(args[++at]);
    else if (args[at] === '--out' && args[at + 1] !== undefined) found.out = args[++at];
    else
      throw new Error(`${args[at]} is not understood; known are --target <platform>, --all, --out <file>, --no-build`);
  }
  if (targets.length === 0) targets.push(targetOfThisMachine());
  targets.forEach(targetNamed);
  if (found.out !== undefined && targets.length > 1) throw new Error('--out is for one package; name one --target');
  return found;
}

async function makePackage(target, out) {
  const scratch = mkdtempSync(join(tmpdir(), 'landmark-vsix-'));
  try {
    const parts = packageParts(root, target);
    const written = {
      'README.md': `${readFileSync(join(root, 'README.md'), 'utf8').trimEnd()}\n\n${packageNote(target, parts)}`,
      'dist/ThirdPartyNotices.txt': thirdPartyNotices(root, parts),
    };
    const sources = {};
    for (const [path, text] of Object.entries(written)) {
      sources[path] = join(scratch, basename(path));
      writeFileSync(sources[path], text);
    }
    const files = shippedFiles(root, parts, sources);
    await writeVsix(root, { target, files, out });
    report(target, files, out);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function report(target, files, out) {
  const archive = readFileSync(out);
  const found = checkPackage(archive, target);
  for (const line of describePackage(basename(out), found)) console.log(line);
  const names = new Set(zipEntries(archive).map(entry => entry.name));
  const wanted = new Set([
    ...files.map(file => nameInPackage(file.path)),
    'extension.vsixmanifest',
    '[Content_Types].xml',
  ]);
  const faults = [
    ...[...names].filter(path => !wanted.has(path)).map(path => `${path} must not ship`),
    ...[...wanted].filter(path => !names.has(path)).map(path => `${path} is not in the package`),
    ...found.faults,
  ];
  for (const fault of faults) console.error(`package: ${basename(out)}: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** vsce gives the files that the editor shows names of its own. */
function nameInPackage(path) {
  const shown = { 'README.md': 'readme.md', 'CHANGELOG.md': 'changelog.md', LICENSE: 'LICENSE.txt' };
  return `extension/${shown[path] ?? path}`;
}
