// Bundles the programs into dist/.
//   node src/build/bundle.mjs [--watch] [--package]
// --watch    builds again on every change.
// --package  leaves no reference to the source maps, which do not ship.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, context } from 'esbuild';
import { BUNDLED_PACKAGES } from './shippedFiles.mjs';

const root = join(import.meta.dirname, '../..');
const flags = new Set(process.argv.slice(2));
const unknownFlag = [...flags].find(flag => !['--watch', '--package'].includes(flag));
if (unknownFlag !== undefined) fail(`there is no flag ${unknownFlag}; known are --watch and --package`);

const outsideModules = ['vscode', 'onnxruntime-node', 'hnswlib-node', 'lmdb'];
const engineModules = ['onnxruntime-node', 'hnswlib-node', 'lmdb'];

/** Nothing that ships opens a connection, whatever the packages in it could do. */
const networkModules = /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises|undici)$/;

/**
 * What each program may load from outside its bundle: anything else of `outsideModules` in it breaks the build.
 * apart: sources that are programs of their own and loaded when they are needed.
 */
const programs = [
  { name: 'extension', entry: 'src/extension/extension.ts', outside: ['vscode'] },
  { name: 'search', entry: 'src/host/searchMain.ts', outside: engineModules },
  { name: 'embedder', entry: 'src/host/embedderMain.ts', outside: ['onnxruntime-node'] },
  {
    name: 'cli',
    entry: 'src/cli/main.ts',
    outside: engineModules,
    apart: { './mcp/serveMcp': 'mcp' },
    banner: '#!/usr/bin/env node',
  },
  { name: 'mcp', entry: 'src/cli/mcp/serveMcp.ts', outside: [] },
];

const dist = join(root, 'dist');
// Written apart and moved into place when all is there: programs that run meanwhile, and other builds, see whole files.
const outdir = flags.has('--watch') ? dist : mkdtempSync(join(root, 'dist-'));
const outfile = program => join(outdir, `${program.name}.js`);

/** Keeps the allowed modules outside the bundle and refuses the others by name, with the file that asked for them. */
const outsideModulesPlugin = program => ({
  name: 'outside-modules',
  setup(plugin) {
    const filter = new RegExp(`^(${outsideModules.join('|')})(/|$)`);
    plugin.onResolve({ filter }, ({ path }) => {
      const name = outsideModules.find(candidate => path === candidate || path.startsWith(`${candidate}/`));
      if (program.outside.includes(name)) return { path, external: true };
      return { errors: [{ text: `${name} must not be part of dist/${program.name}.js` }] };
    });
    plugin.onResolve({ filter: networkModules }, ({ path, importer }) => ({
      errors: [{ text: `${importer} must not bring ${path} into dist/${program.name}.js` }],
    }));
    plugin.onResolve({ filter: /^\.\// }, ({ path }) => {
      const other = program.apart?.[path];
      return other === undefined ? undefined : { path: `./${other}.js`, external: true };
    });
  },
});

const executablePlugin = {
  name: 'executable',
  setup(plugin) {
    plugin.onEnd(({ errors }) => {
      if (errors.length === 0) chmodSync(plugin.initialOptions.outfile, 0o755);
    });
  },
};

const optionsFor = program => ({
  absWorkingDir: root,
  entryPoints: [program.entry],
  outfile: outfile(program),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  charset: 'utf8',
  // Becomes require(), so that packages are loaded as CommonJS and only those files of theirs have to ship.
  supported: { 'dynamic-import': false },
  sourcemap: flags.has('--package') ? 'external' : 'linked',
  minify: false,
  metafile: true,
  logLevel: flags.has('--watch') ? 'info' : 'warning',
  banner: program.banner === undefined ? {} : { js: program.banner },
  plugins: [outsideModulesPlugin(program), ...(program.banner === undefined ? [] : [executablePlugin])],
});

if (flags.has('--watch')) {
  for (const program of programs) await (await context(optionsFor(program))).watch();
} else {
  const results = await Promise.allSettled(programs.map(program => build(optionsFor(program))));
  const failed = results.some(result => result.status === 'rejected' || result.value.warnings.length > 0);
  if (!failed) putInPlace();
  rmSync(outdir, { recursive: true, force: true });
  // esbuild has printed the reasons.
  if (failed) process.exit(1);
  checkNotices(results.flatMap(({ value }) => Object.keys(value.metafile.inputs)));
}

/** The files of this build in `dist`, and no program of an earlier one. */
function putInPlace() {
  mkdirSync(dist, { recursive: true });
  const built = readdirSync(outdir);
  for (const name of built) renameSync(join(outdir, name), join(dist, name));
  for (const name of readdirSync(dist))
    if (/\.js(\.map)?$/.test(name) && !built.includes(name)) rmSync(join(dist, name), { force: true });
}

/** Every package whose code is in a bundle is named in the notices, and no other. */
function checkNotices(inputs) {
  const nameOf = path => /^.*node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  const found = [...new Set(inputs.flatMap(path => nameOf(path) ?? []))].sort();
  const named = BUNDLED_PACKAGES.map(path => nameOf(`node_modules/${path}`)).sort();
  if (found.join() === named.join()) return;
  fail(`the notices in shippedFiles.mjs name ${named.join(', ')}, and the bundles hold ${found.join(', ')}`);
}

function fail(sentence) {
  console.error(`bundle: ${sentence}`);
  process.exit(1);
}
