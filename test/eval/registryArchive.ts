import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PackageSource } from './sources';

const DOWNLOAD_LIMIT_MS = 60_000;

/** Where archives, trees and indexes of the evaluation are kept between runs. */
export function cacheFolder(): string {
  const home = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return process.env['LANDMARK_EVAL_CACHE'] || join(home, 'landmark-code-search-eval');
}

/**
 * The archive of a package, from the cache or from the registry that npm or pip is set up with.
 * @throws Error saying why it cannot be had; an archive whose content is not the pinned one is never used.
 */
export async function packageArchive(source: PackageSource, cache: string): Promise<string> {
  const archive = join(cache, 'archives', `${source.name}-${source.version}.tar.gz`);
  if (existsSync(archive) && digestOf(readFileSync(archive)) === source.sha256) return archive;
  mkdirSync(join(cache, 'archives'), { recursive: true });
  const content = source.registry === 'npm' ? npmArchive(source, cache) : await indexArchive(source);
  const digest = digestOf(content);
  if (digest !== source.sha256) throw new Error(`its content has the sha256 ${digest}, expected ${source.sha256}`);
  writeFileSync(`${archive}.new`, content);
  renameSync(`${archive}.new`, archive);
  return archive;
}

/** Unpacks an archive of one top folder and gives that folder. */
export function unpackArchive(archive: string, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const [top] = readdirSync(folder);
  if (top === undefined) throw new Error('its archive is empty');
  return join(folder, top);
}

function npmArchive(source: PackageSource, cache: string): Buffer {
  const folder = mkdtempSync(join(cache, 'npm-'));
  try {
    const spec = `${source.package}@${source.version}`;
    const shell = process.platform === 'win32';
    execFileSync('npm', ['pack', spec, '--silent', '--pack-destination', folder], {
      cwd: folder,
      timeout: DOWNLOAD_LIMIT_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell,
    });
    const name = readdirSync(folder).find(file => file.endsWith('.tgz'));
    if (name === undefined) throw new Error('npm gave no archive');
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A source distribution by the index's own list of files: pip itself would build it to learn its metadata. */
async function indexArchive(source: PackageSource): Promise<Buffer> {
  const signal = AbortSignal.timeout(DOWNLOAD_LIMIT_MS);
  const page = `${indexAddress().replace(/\/+$/, '')}/${source.package}/`;
  const listed = await fetch(page, { headers: { accept: 'application/vnd.pypi.simple.v1+json' }, signal });
  if (!listed.ok) throw new Error(`the package index answered ${listed.status}`);
  const { files } = (await listed.json()) as { readonly files: readonly { filename: string; url: string }[] };
  const ending = `-${source.version}.tar.gz`;
  const file = files.find(({ filename }) => filename.endsWith(ending));
  if (file === undefined) throw new Error(`the package index has no file that ends in ${ending}`);
  const archive = await fetch(new URL(file.url, page), { signal });
  if (!archive.ok) throw new Error(`the package index answered ${archive.status}`);
  return Buffer.from(await archive.arrayBuffer());
}

/** The index that pip is set up with, else the one it takes by default. */
function indexAddress(): string {
  const fromEnvironment = process.env['PIP_INDEX_URL'];
  if (fromEnvironment) return fromEnvironment;
  const script = [
    'from pip._internal.configuration import Configuration',
    'from pip._internal.models.index import PyPI',
    'settings = Configuration(isolated=False)',
    'settings.load()',
    'print(dict(settings.items()).get("global.index-url", PyPI.simple_url))',
  ].join('\n');
  const python = process.platform === 'win32' ? 'python' : 'python3';
  try {
    return execFileSync(python, ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch (error) {
    throw new Error('pip is not there to say which package index to ask', { cause: error });
  }
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
