import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The graph library opens files by narrow paths, which fails on Windows where the path has letters outside the system's
 * code page. These functions give it a path of ASCII letters only; a copy in a temporary folder where there is no other.
 */
export async function withAsciiInput<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (isAscii(path)) return use(path);
  return inAsciiFolder(async copy => {
    await copyFile(path, copy);
    return use(copy);
  });
}

export async function withAsciiOutput<T>(path: string, write: (path: string) => Promise<T>): Promise<T> {
  if (isAscii(path)) return write(path);
  return inAsciiFolder(async copy => {
    const result = await write(copy);
    // A copy, then a rename on the same disk: the temporary folder may lie on another one.
    // Begins like the file itself, so that whoever clears away what is left of that one finds it too.
    const near = `${path}-${randomBytes(6).toString('hex')}.tmp`;
    await copyFile(copy, near);
    await rename(near, path);
    return result;
  });
}

async function inAsciiFolder<T>(use: (file: string) => Promise<T>): Promise<T> {
  const { env } = process;
  // A user's own temporary folder lies below a name that may not be ASCII either.
  const candidates = [tmpdir(), env.ProgramData, env.PUBLIC, env.SystemRoot && join(env.SystemRoot, 'Temp'), '/tmp'];
  let failure: unknown = new Error('there is no temporary folder with a plain name');
  for (const candidate of candidates) {
    if (!candidate || !isAscii(candidate)) continue;
    let folder: string;
    try {
      folder = await mkdtemp(join(candidate, 'landmark-'));
    } catch (error) {
      failure = error;
      continue;
    }
    try {
      return await use(join(folder, 'graph'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw failure;
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
