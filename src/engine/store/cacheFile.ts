import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { syncFolder } from './exclusiveFile';

/**
 * Files of a workspace that a description in the catalogue makes good: `<name>-<unique><ending>`, of which the described
 * one counts, and `<name>-<process>-<unique>.tmp` while one is written. Only the owner of the index writes them.
 */
export interface CacheFiles {
  /** Letters and digits. */
  readonly name: string;
  readonly ending: string;
}

export interface FinishedFile {
  readonly directory: string;
  /** A path in the directory; written in full and closed. */
  readonly temporary: string;
  /** Its name from now on. */
  readonly file: string;
  /** Puts the description of the file in the catalogue, in one transaction. */
  readonly describe: () => Promise<void>;
}

const TEMPORARY = '.tmp';

/** Another one each time: who writes late never takes another's file for its own. */
export function temporaryPath(directory: string, { name }: CacheFiles): string {
  return join(directory, `${name}-${process.pid}-${randomBytes(4).toString('hex')}${TEMPORARY}`);
}

/**
 * Makes a new file the one that counts. It gets its name, the description then changes, and only then the old files
 * go: at every moment the description in force has its file. When something fails the new file goes.
 * @throws the system's errors, and what `describe` throws.
 */
export async function putInForce(
  files: CacheFiles,
  { directory, temporary, file, describe }: FinishedFile,
  logger: Logger,
): Promise<void> {
  const path = join(directory, file);
  const isNew = (await stat(path).catch(() => undefined)) === undefined;
  try {
    await syncFile(temporary);
    await rename(temporary, path);
    await syncFolder(directory);
    await describe();
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    // A file that was there may be the one in force.
    if (isNew) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  await removeCacheFiles(directory, name => isOneOf(files, name) && name !== file, logger);
}

/** Deletes what was being written when a process ended. */
export function removeTemporaryFiles(directory: string, files: CacheFiles, logger: Logger): Promise<void> {
  return removeCacheFiles(directory, name => isOneOf(files, name) && name.endsWith(TEMPORARY), logger);
}

export function removeAllFiles(directory: string, files: CacheFiles, logger: Logger): Promise<void> {
  return removeCacheFiles(directory, name => isOneOf(files, name), logger);
}

/** Bytes on disk, those of files that wait to be deleted included. */
export async function cacheBytes(directory: string, files: CacheFiles): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!isOneOf(files, name) || name.endsWith(TEMPORARY)) continue;
    bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

function isOneOf({ name, ending }: CacheFiles, file: string): boolean {
  return file.startsWith(`${name}-`) && (file.endsWith(ending) || file.endsWith(TEMPORARY));
}

async function removeCacheFiles(
  directory: string,
  isObsolete: (name: string) => boolean,
  logger: Logger,
): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!isObsolete(name)) continue;
    // A reader may have it open (Windows): the next time tries again.
    await rm(join(directory, name), { force: true }).catch((error: unknown) => {
      logger.debug(`The old file ${name} stays for now (${messageOf(error)}).`);
    });
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
