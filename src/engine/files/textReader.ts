import type { Abortable } from 'node:events';
import { closeSync, constants, fstatSync, open, read, readFile } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isCancelled, LandmarkError, messageOf, systemCode, throwIfAborted } from '../../util/errors';
import { isPlainRelative } from './filePaths';
import { type DecodedText, decodeText } from './textEncoding';

/** Says in one sentence why a file or folder could not be read. */
export function fileError(error: unknown, path: string): LandmarkError {
  if (error instanceof LandmarkError) return error;
  const options = { cause: error };
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new LandmarkError('not-found', `There is no file or folder ${path}: check the spelling.`, options);
    case 'EACCES':
    case 'EPERM':
      return new LandmarkError(
        'no-permission',
        `${path} cannot be read with your rights: change its permissions.`,
        options,
      );
    case 'ELOOP':
      return new LandmarkError('not-found', `${path} is a link: the file is read under its own path only.`, options);
    case 'EISDIR':
      return new LandmarkError('not-a-file', `${path} is a folder, not a file: name a file in it.`, options);
    default:
      return new LandmarkError('internal', `${path} cannot be read (${messageOf(error)}): try again.`, options);
  }
}

/**
 * The raw bytes of a file of at most `maxBytes` bytes. Throws LandmarkError: `not-found`, `no-permission`, `not-a-file`
 * (a folder, a pipe, a device), `invalid-argument` where the file is larger; never gives "" for a file it could not read.
 */
export async function readFileBytes(path: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
  return readBytes(path, maxBytes, 0, signal);
}

/**
 * The same for a file of an indexed folder, by its path in it: what is reached through a link is no file of the folder
 * (`not-found`), also where the link has come after the folder was walked.
 * @param folder real path.
 */
export async function readFolderFile(
  folder: string,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  throwIfAborted(signal);
  const full = join(folder, path);
  if (!isPlainRelative(path)) throw notOwn(full);
  try {
    if ((await realpath(full)) !== full) throw notOwn(full);
  } catch (error) {
    throw fileError(error, full);
  }
  return readBytes(full, maxBytes, constants.O_NOFOLLOW, signal);
}

function notOwn(path: string): LandmarkError {
  return new LandmarkError('not-found', `${path} is reached through a link: the file is read under its own path only.`);
}

const opened = promisify(open);
const readInto = promisify(read);
const readAll = promisify<number, Abortable, Buffer>(readFile);

/**
 * Of an open file its state is asked for and it is closed without waiting: what has been opened is at hand, and the way to
 * another thread and back costs many times as much, on which a question would wait for each file of its answer.
 */
async function readBytes(path: string, maxBytes: number, flags: number, signal?: AbortSignal): Promise<Buffer> {
  throwIfAborted(signal);
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer; undefined on Windows, it counts as 0.
    const descriptor = await opened(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) {
        throw new LandmarkError('not-a-file', `${path} is not a regular file: only files can be read.`);
      }
      if (stat.size > maxBytes) {
        throw new LandmarkError(
          'invalid-argument',
          `${path} is larger than ${maxBytes} bytes: raise the limit to read it.`,
        );
      }
      const bytes = await readOpened(descriptor, stat.size, signal);
      throwIfAborted(signal);
      if (bytes.length > maxBytes) {
        throw new LandmarkError(
          'invalid-argument',
          `${path} grew beyond ${maxBytes} bytes while it was read: try again.`,
        );
      }
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isCancelled(error)) throwIfAborted(signal);
    throw fileError(error, path);
  }
}

/** `readFile` asks for the size again and reads once more to see the end, which takes longer than reading a source file. */
async function readOpened(descriptor: number, size: number, signal?: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  const { bytesRead } = await readInto(descriptor, bytes, 0, bytes.length, 0);
  // Where the size does not hold: the file changes just now, or is one of the system's own.
  return bytesRead === size ? bytes.subarray(0, size) : readAll(descriptor, { signal });
}

/** The text of a file, decoded by its content; errors as in `readFileBytes`. */
export async function readTextFile(path: string, maxBytes: number, signal?: AbortSignal): Promise<DecodedText> {
  return decodeText(await readFileBytes(path, maxBytes, signal));
}
