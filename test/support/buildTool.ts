import { spawnSync } from 'node:child_process';

export interface ToolResult {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a tool of `src/build`. */
export function buildTool(name: string, args: readonly string[]): ToolResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`src/build/${name}`, ...args], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

/** What `body`, statements with top-level await that set `result`, comes to; the tools are modules of Node's own form. */
export function inModule<T>(body: string): T {
  const script = `let result; ${body}; process.stdout.write(JSON.stringify(result ?? null));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as T;
}
