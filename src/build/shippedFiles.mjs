// What the VSIX of one platform holds, file by file: whatever else lies in the folders does not ship.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DEFAULT_MODEL = 'landmark-minilm-r2';

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

/**
 * @param parts what `packageParts` gives for the platform. @param written texts that are made for this package, by their path in it.
 * @returns [{ path, from }], sorted: the path inside the package and the file that it is. @throws when one is not there.
 */
export function shippedFiles(root, parts, written = {}) {
  const own = [
    'package.json',
    ...['package.nls.json', 'package.nls.fr.json', 'package.nls.pt-br.json'],
    ...['fr', 'pt-br'].map(language => `l10n/bundle.l10n.${language}.json`),
    'LICENSE',
    ...['extension', 'search', 'embedder', 'cli', 'mcp'].map(name => `dist/${name}.js`),
    'media/icon.png',
    'media/view.svg',
    'media/search.png',
    ...expand(root, 'media/walkthrough/*.png'),
    ...['manifest.json', 'model.onnx', 'tokenizer.json', 'LICENSE'].map(name => `models/${DEFAULT_MODEL}/${name}`),
  ];
  const card = `models/${DEFAULT_MODEL}/README.md`;
  const optional = ['CHANGELOG.md', card].filter(path => existsSync(join(root, path)));
  const outside = parts.flatMap(({ name, files, folder }) =>
    ['package.json', ...files]
      .flatMap(file => expand(folder, file))
      .map(file => ({ path: `node_modules/${name}/${file}`, from: join(folder, file) })),
  );
  const all = [
    ...[...own, ...optional].map(path => ({ path, from: join(root, path) })),
    ...outside,
    ...Object.entries(written).map(([path, from]) => ({ path, from })),
  ];
  const missing = all.filter(({ from }) => !existsSync(from)).map(({ path }) => path);
  if (missing.length > 0) throw new Error(`these files are to ship and are not there: ${missing.join(', ')}`);
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
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
  'onnxruntime-web': 'Microsoft Corporation',
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
export function thirdPartyNotices(root, parts) {
  const bundled = BUNDLED_PACKAGES.map(name => ({ name, folder: join(root, 'node_modules', name) }));
  const others = parts.filter(({ folder }) => !folder.startsWith(join(root, 'src')));
  const shipped = [...others, ...bundled].sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = shipped.map(({ name, folder }) => {
    const { name: given, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${given} ${version} (${license})\n\n${licenceText(root, { name, folder, license }).trim()}\n`;
  });
  const intro = 'Landmark Code Search ships the following packages of others, each under its own licence.';
  return [intro, ...texts].join(`\n${'-'.repeat(100)}\n\n`);
}

function licenceText(root, { name, folder, license }) {
  // The store's binaries are built from the store's own sources.
  const source = name.startsWith('@lmdb/') ? join(root, 'node_modules/lmdb') : folder;
  const file = readdirSync(source).find(each => /^licen[cs]e/i.test(each));
  if (file !== undefined) return readFileSync(join(source, file), 'utf8');
  const holder = HOLDERS[name];
  if (license !== 'MIT' || holder === undefined) throw new Error(`there is no licence text for ${name}`);
  return `Copyright (c) ${holder}\n\n${MIT_TEXT}`;
}
