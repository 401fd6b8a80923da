import { spawn } from 'node:child_process';

/** What opening does, for a process of its own. Errors are not its business: who opens the store meets them too. */
const SCRIPT = `
const [path, options, tables, table] = process.argv.slice(1);
try {
  const root = require(path).open(JSON.parse(options));
  for (const name of JSON.parse(tables)) {
    const opened = root.openDB(name, JSON.parse(table));
    if (opened) for (const entry of opened.getRange({ limit: 1 })) void entry;
  }
} catch {}
process.exit(0);
`;
const PATIENCE_MS = 60_000;
/** Signals by which a system ends a process for what it did itself. On Windows the status says it, a large number. */
const OWN_FAULTS = new Set<string | null>(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS']);
const WINDOWS_FAULT = 0x80000000;

/** How the package of LMDB is asked for a store and for its tables; all of it can be said in JSON. */
export interface Opening {
  readonly environment: object;
  readonly tables: readonly string[];
  readonly table: object;
}

/**
 * Opens a store in a process of its own, to see whether LMDB survives its file.
 * @returns `crashed` when that process brought itself down. One that was killed from outside, or could not be started,
 *   says nothing: `unknown`.
 * @param library where the package is.
 */
export function tryToOpen(
  { environment, tables, table }: Opening,
  library: string,
): Promise<'opened' | 'crashed' | 'unknown'> {
  const given = [library, ...[environment, tables, table].map(part => JSON.stringify(part))];
  return new Promise(resolve => {
    const child = spawn(process.execPath, ['-e', SCRIPT, '--', ...given], {
      stdio: 'ignore',
      windowsHide: true,
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => resolve('unknown'));
    child.once('exit', (status, signal) => {
      if (status === 0) resolve('opened');
      else resolve(OWN_FAULTS.has(signal) || (status ?? 0) >= WINDOWS_FAULT ? 'crashed' : 'unknown');
    });
  });
}
