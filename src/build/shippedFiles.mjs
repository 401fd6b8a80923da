// What the VSIX of one platform holds, file by file: whatever else lies in the folders does not ship.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DEFAULT_MODEL = 'landmark-minilm-r0';

/** What is loaded of the packages that stay outside the bundles; the binaries are those of this platform. */
function outsidePackages(platform, arch) {
  const runtimeLibraries = {
    linux: ['libonnxruntime.so.1'],
    darwin: ['libonnxruntime.1.dylib'],
    win32: ['onnxruntime.dll', 'DirectML.dll', 'dxcompiler.dll', 'dxil.dll'],
  }[platform];
  if (runtimeLibraries === undefined) throw new Error(`there is no model runtime for ${platform}`);
  const runtime = `bin/napi-v6/${platform}/${arch}`;
  const store = `@lmdb/lmdb-${platform}-${arch}`;
  return {
    'onnxruntime-node': [
      'dist/backend.js',
      'dist/binding.js',
      'dist/index.js',
      'dist/version.js',
      `${runtime}/onnxruntime_binding.node`,
      ...runtimeLibraries.map(name => `${runtime}/${name}`),
    ],
    'onnxruntime-common': ['dist/cjs/package.json', 'dist/cjs/*.js'],
    'hnswlib-node': ['lib/index.js', 'build/Release/addon.node'],
    bindings: ['bindings.js'],
    'file-uri-to-path': ['index.js'],
    lmdb: ['dist/index.cjs'],
    // Of its builds the one for every version of Node and Electron; another C library means another platform.
    [store]: ['index.js', platform === 'linux' ? 'node.napi.glibc.node' : 'node.napi.node'],
    msgpackr: ['dist/node.cjs'],
    'ordered-binary': ['dist/index.cjs'],
    'weak-lru-cache': ['dist/index.cjs'],
    '@harperfast/extended-iterable': ['dist/index.cjs'],
    'node-gyp-build-optional-packages': ['index.js', 'node-gyp-build.js'],
    'detect-libc': ['lib/detect-libc.js', 'lib/elf.js', 'lib/filesystem.js', 'lib/process.js'],
  };
}

/** Packages whose code is in the bundles, by their folders in node_modules; the bundler checks the list. */
export const BUNDLED_PACKAGES = [
  '@huggingface/tokenizers',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/sdk/node_modules/ajv',
  '@modelcontextprotocol/sdk/node_modules/json-schema-traverse',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'minisearch',
  'zod',
  'zod-to-json-schema',
];

/** @returns paths relative to the root, sorted. @throws when one of them is not there. */
export function shippedFiles(root, platform, arch) {
  const own = [
    'package.json',
    ...['package.nls.json', 'package.nls.fr.json', 'package.nls.pt-br.json'],
    ...['fr', 'pt-br'].map(language => `l10n/bundle.l10n.${language}.json`),
    'LICENSE',
    ...['extension', 'search', 'embedder', 'cli', 'mcp'].map(name => `dist/${name}.js`),
    'dist/ThirdPartyNotices.txt',
    'media/icon.png',
    'media/view.svg',
    'media/search.png',
    ...expand(root, 'media/walkthrough/*.png'),
    ...['manifest.json', 'model.onnx', 'tokenizer.json', 'LICENSE'].map(name => `models/${DEFAULT_MODEL}/${name}`),
  ];
  const card = `models/${DEFAULT_MODEL}/README.md`;
  const optional = ['README.md', 'CHANGELOG.md', card].filter(path => existsSync(join(root, path)));
  const outside = Object.entries(outsidePackages(platform, arch)).flatMap(([name, files]) =>
    ['package.json', ...files].flatMap(file => expand(root, `node_modules/${name}/${file}`)),
  );
  const all = [...own, ...optional, ...outside];
  const missing = all.filter(path => !existsSync(join(root, path)));
  if (missing.length > 0) throw new Error(`these files are to ship and are not there: ${missing.join(', ')}`);
  return all.sort();
}

/** A star in the last part stands for the files of that folder; nothing below it is meant. */
function expand(root, path) {
  if (!path.includes('*')) return [path];
  const folder = path.slice(0, path.lastIndexOf('/'));
  const ending = path.slice(path.lastIndexOf('*') + 1);
  return readdirSync(join(root, folder))
    .filter(name => name.endsWith(ending))
    .map(name => `${folder}/${name}`);
}

/** Packages that say their licence but come without its text. */
const HOLDERS = {
  'onnxruntime-node': 'Microsoft Corporation',
  'onnxruntime-common': 'Microsoft Corporation',
  'weak-lru-cache': 'Kris Zyp',
};
const MIT_TEXT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use,
copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom
the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

/** The licences of all code of others that ships. @throws for a package without a licence text. */
export function thirdPartyNotices(root, platform, arch) {
  const names = [...Object.keys(outsidePackages(platform, arch)), ...BUNDLED_PACKAGES].sort();
  const parts = names.map(name => {
    const {
      name: given,
      version,
      license,
    } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    return `${given} ${version} (${license})\n\n${licenceText(root, name, license).trim()}\n`;
  });
  const intro = 'Landmark Code Search ships the following packages of others, each under its own licence.';
  return [intro, ...parts].join(`\n${'-'.repeat(100)}\n\n`);
}

function licenceText(root, name, license) {
  // The store's binaries are built from the store's own sources.
  const source = name.startsWith('@lmdb/') ? 'lmdb' : name;
  const folder = join(root, 'node_modules', source);
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  const holder = HOLDERS[name];
  if (license !== 'MIT' || holder === undefined) throw new Error(`there is no licence text for ${name}`);
  return `Copyright (c) ${holder}\n\n${MIT_TEXT}`;
}
