import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const ROLE = 'TEST_ROLE';

/** The part that this process plays: undefined in the process that runs the tests. */
export function childRole(): readonly string[] | undefined {
  const role = process.env[ROLE];
  return role === undefined ? undefined : (JSON.parse(role) as string[]);
}

/** Starts a test file's own bundle once more, in another role. */
export function startRole(file: string, ...role: readonly string[]): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env, [ROLE]: JSON.stringify(role) };
  delete env.NODE_TEST_CONTEXT;
  return fork(file, [], { env, execArgv: ['--enable-source-maps'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
}

/** The next message of a child; rejects when it ends without one. */
export async function messageFrom(child: ChildProcess): Promise<unknown> {
  const errors: string[] = [];
  child.stderr?.on('data', (text: Buffer) => errors.push(text.toString()));
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the child ended (${String(code ?? signal)}): ${errors.join('')}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  ended.catch(() => {});
  return message;
}

/** How a child ended: its exit status, or the signal that ended it. */
export async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return child.signalCode;
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 0;
}
