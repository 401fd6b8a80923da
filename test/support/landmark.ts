import type { ChildProcessByStdio } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const CLI = join(process.cwd(), 'dist/cli.js');

export interface Finished {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Builds the programs into dist/, as `npm run build` does. */
export function buildPrograms(): void {
  const built = spawnSync(process.execPath, ['src/build/bundle.mjs'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the programs could not be built:\n${built.stderr}`);
}

/** Runs the built command line and waits for its end. */
export function landmark(args: readonly string[], dataDir: string, wrapper: readonly string[] = []): Finished {
  const [program = '', ...rest] = [...wrapper, process.execPath, CLI, ...args];
  const env = { ...process.env, LANDMARK_DATA: dataDir, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8', env, maxBuffer: 1 << 26 });
  return { status, out: stdout, err: stderr };
}

export interface RunningLandmark {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly pid: number;
  readonly finished: Promise<Finished>;
}

/** Starts the built command line. */
export function startLandmark(args: readonly string[], dataDir: string): RunningLandmark {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, LANDMARK_DATA: dataDir, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const finished = new Promise<Finished>(resolve => child.on('close', status => resolve({ status, out, err })));
  return { child, pid: child.pid ?? 0, finished };
}

/** Child processes that run one of our programs, on Linux: `search.js`, `embedder.js`. */
function childOf(pid: number, program: string): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      if (Number(parent) !== pid) continue;
      if (
        readFileSync(`/proc/${name}/cmdline`, 'utf8')
          .split('\0')
          .some(word => word.endsWith(`/${program}`))
      )
        return Number(name);
    } catch {
      // It ended between being listed and being read.
    }
  }
  return undefined;
}

/** The process id of a running program, once it is there. */
export async function whenRunning(parent: number, program: string, limitMs = 60_000): Promise<number> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const pid = childOf(parent, program);
    if (pid !== undefined) return pid;
    if (Date.now() > giveUpAt) throw new Error(`${program} did not start within ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

/** Resolves when the process has used so much processor time, in milliseconds: it is in the middle of its work. */
export async function whenBusy(pid: number, processorMs: number, limitMs = 60_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  const ticksMs = 10;
  for (;;) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // utime and stime are fields 14 and 15 of the line; two stand before the part that is left.
    if ((Number(fields[11]) + Number(fields[12])) * ticksMs >= processorMs) return;
    if (Date.now() > giveUpAt) throw new Error(`process ${pid} did not work within ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
