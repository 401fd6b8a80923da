import { fork } from 'node:child_process';
import { messageOf } from '../util/errors';

/** Kept of what a process wrote to stderr, in characters: enough for a native abort or a stack. */
const STDERR_TAIL = 4096;
/** How long the rest of stderr is waited for after the process ended, in milliseconds. */
const STDERR_GRACE_MS = 200;

/** How a child process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last few KB of stderr, or why the process could not be started. */
  readonly stderr: string;
}

export interface ChildHandlers {
  readonly onMessage: (message: unknown) => void;
  /** Called exactly once, also when the process could not be started. */
  readonly onEnd: (end: ProcessEnd) => void;
}

/** A running child process that talks by messages. */
export interface MessageChild {
  readonly pid: number | undefined;
  /** Lost without an error when the process is gone: its end is reported anyway. */
  send(message: object): void;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
}

export interface ChildProgram {
  readonly modulePath: string;
  readonly args?: readonly string[];
  /** Default: the program that runs us. */
  readonly execPath?: string;
}

export type ForkChild = (program: ChildProgram, handlers: ChildHandlers) => MessageChild;

/**
 * The environment of a child: what an editor or a debugger put there for its own processes is left out,
 * and an Electron binary acts as plain Node.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => {
    const upper = name.toUpperCase(); // Windows does not tell the cases apart
    return upper !== 'NODE_OPTIONS' && !upper.startsWith('VSCODE_');
  });
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: '1' };
}

/**
 * Starts one of our programs. Its stdout goes nowhere (ours may carry JSON), its stderr is kept for diagnostics.
 * The child ends by itself when the channel closes, so it never outlives us.
 */
export const forkChild: ForkChild = (program, handlers) => {
  let stderr = '';
  let ended = false;
  const child = fork(program.modulePath, [...(program.args ?? [])], {
    execPath: program.execPath ?? process.execPath,
    execArgv: [],
    env: childEnvironment(process.env),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (ended) return;
    ended = true;
    handlers.onEnd({ code, signal, stderr });
  };
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => (stderr = (stderr + text).slice(-STDERR_TAIL)));
  child.on('message', message => {
    if (!ended) handlers.onMessage(message);
  });
  child.on('close', finish);
  child.on('exit', (code, signal) => setTimeout(finish, STDERR_GRACE_MS, code, signal).unref());
  child.on('error', error => {
    stderr = `${stderr}\n${messageOf(error)}`.trim();
    // Without a pid it never ran and neither 'exit' nor 'close' will come.
    if (child.pid === undefined) finish(null, null);
  });
  return {
    pid: child.pid,
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
};

/** Says how a process ended, with its last words: `ended with signal SIGSEGV (…)`. */
export function describeEnd(end: ProcessEnd): string {
  const how = end.signal !== null ? `signal ${end.signal}` : end.code !== null ? `exit code ${end.code}` : undefined;
  const words = lastWords(end.stderr);
  const what = how === undefined ? 'could not be started' : `ended with ${how}`;
  return words === '' ? what : `${what} (${words})`;
}

/** The line of stderr that says most: the last that names an error, else the last. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => /\w/.test(line) && !/^(at |Node\.js v)/.test(line));
  const line = lines.findLast(candidate => /error|abort|fatal/i.test(candidate)) ?? lines.at(-1) ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
