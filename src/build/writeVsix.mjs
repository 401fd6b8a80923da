import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';

const require = createRequire(import.meta.url);
// The steps of vsce's own `pack`, without its search for files: it knows only those that lie in one folder, and in
// node_modules only what npm would install on this machine. Their form belongs to the version in package-lock.json.
const {
  createDefaultProcessors,
  processFiles,
  readManifest,
  scanFilesForSecrets,
} = require('@vscode/vsce/out/package');
const { ZipFile } = createRequire(require.resolve('@vscode/vsce'))('yazl');

/**
 * Writes a VSIX for one platform.
 * @param files [{ path, from }]: the path inside the extension and the file that it is.
 */
export async function writeVsix(root, { target, files, out }) {
  const manifest = await readManifest(root);
  const options = { cwd: root, target, rewriteRelativeLinks: false, allowMissingRepository: true };
  const processors = createDefaultProcessors(manifest, options);
  const packed = await processFiles(
    processors,
    files.map(({ path, from }) => ({ path: `extension/${path}`, localPath: from })),
  );
  await scanFilesForSecrets(packed, 'none', options);
  const zip = new ZipFile();
  for (const { path, localPath, contents, mode } of packed) {
    if (contents === undefined) zip.addFile(localPath, path, { mode });
    else zip.addBuffer(Buffer.from(contents), path, { mode });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(out));
}
