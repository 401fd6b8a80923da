import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface HostPrograms {
  /** A new folder; the test removes it. */
  readonly directory: string;
  readonly search: string;
  readonly embedder: string;
  readonly client: string;
  /** An embedder around a stand-in for the model, see `wordEmbedderMain.ts`. */
  readonly wordEmbedder: string;
}

/** Builds the host's programs around a fake engine and a fake model. */
export async function buildHostPrograms(): Promise<HostPrograms> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-host-')));
  const program = async (name: string): Promise<string> => {
    const outfile = join(directory, `${name}.js`);
    const entryPoints = [join('test/support', `${name}.ts`)];
    await build({
      entryPoints,
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      logLevel: 'warning',
    });
    return outfile;
  };
  return {
    directory,
    search: await program('fakeSearchMain'),
    embedder: await program('fakeEmbedderMain'),
    client: await program('fakeClientMain'),
    wordEmbedder: await program('wordEmbedderMain'),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the process is gone; rejects when it is still there after so many milliseconds. */
export async function whenGone(pid: number, limitMs: number): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (isAlive(pid)) {
    if (Date.now() > giveUpAt) throw new Error(`process ${pid} is still there after ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
