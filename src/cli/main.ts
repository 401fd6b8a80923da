import { readFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { dataRoot } from '../util/dataRoot';
import { EngineClient, type EngineClientOptions } from '../host/engineClient';
import { isCancelled, LandmarkError, messageOf } from '../util/errors';
import { nullLogger } from '../util/logger';
import { printable } from '../util/text';
import type { Parsed } from './arguments';
import { parseArguments, UsageError } from './arguments';
import { bundledModelDir } from './bundledModel';
import { prepareCommand } from './commands';
import type { Terminal } from './terminal';
import { processTerminal } from './terminal';
import { helpText } from './usage';

/** More threads do not make a batch of this size faster. */
const MOST_THREADS = 8;
/** Of the embedder process, in MB. */
const MEMORY_LIMIT_MB = 1500;
/** What a shell expects of a program that a signal ended. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the command line. @returns the exit status. */
async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const parsed = parseArguments(argv);
    switch (parsed.kind) {
      case 'help':
        terminal.out(helpText(parsed.command));
        return 0;
      case 'version':
        terminal.out(`${programVersion()}\n`);
        return 0;
      case 'run':
        return await run(parsed, terminal);
      case 'serve':
        return await serve(parsed, terminal);
    }
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.err(`${printable(error.message)}\nUsage: ${error.usage}\n`);
      return 2;
    }
    const sentence =
      error instanceof LandmarkError ? error.message : `Something unexpected went wrong: ${messageOf(error)}.`;
    terminal.err(`${printable(sentence)}\n`);
    return 1;
  }
}

function programVersion(): string {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { readonly version: string };
  return manifest.version;
}

async function run(parsed: Extract<Parsed, { kind: 'run' }>, terminal: Terminal): Promise<number> {
  const prepared = await prepareCommand(parsed.command);
  const options = engineOptions(parsed);
  const interruption = listenForSignals();
  const client = EngineClient.start({ ...options, logger: nullLogger });
  try {
    await prepared(client, terminal, interruption.signal);
    return 0;
  } catch (error) {
    if (!isCancelled(error) || interruption.status() === undefined) throw error;
    const kept =
      parsed.command.name === 'index' ? ' What is indexed so far is kept, and the next run goes on from there.' : '';
    terminal.err(`Stopped.${kept}\n`);
    return interruption.status() ?? 1;
  } finally {
    await client.stop();
  }
}

async function serve(parsed: Extract<Parsed, { kind: 'serve' }>, terminal: Terminal): Promise<number> {
  const engine = engineOptions(parsed);
  const interruption = listenForSignals();
  // A program of its own, since no other command needs it; see the bundler.
  const { serveMcp } = await import('./mcp/serveMcp');
  const say = (sentence: string): void => terminal.err(`${printable(sentence)}\n`);
  const options = { folders: parsed.folders, version: programVersion(), engine, say };
  return await serveMcp(options, interruption.signal);
}

function engineOptions({
  modelDir,
  dataDir,
}: Extract<Parsed, { kind: 'run' | 'serve' }>): Pick<EngineClientOptions, 'searchMain' | 'config'> {
  return {
    searchMain: join(__dirname, 'search.js'),
    config: {
      dataDir: resolve(dataRoot(dataDir, { env: process.env, platform: process.platform, home: homedir() })),
      modelDir: modelDir === undefined ? bundledModelDir(join(__dirname, '../models')) : resolve(modelDir),
      embedderMain: join(__dirname, 'embedder.js'),
      threads: Math.min(availableParallelism(), MOST_THREADS),
      memoryLimitMb: MEMORY_LIMIT_MB,
    },
  };
}

/** The first signal cancels what runs, the second ends the program at once. */
function listenForSignals(): { readonly signal: AbortSignal; readonly status: () => number | undefined } {
  const controller = new AbortController();
  let status: number | undefined;
  for (const [name, exitStatus] of Object.entries(SIGNAL_STATUS)) {
    process.on(name, () => {
      if (status !== undefined) process.exit(exitStatus);
      status = exitStatus;
      controller.abort();
    });
  }
  return { signal: controller.signal, status: () => status };
}

void main(process.argv.slice(2), processTerminal()).then(status => {
  // Not process.exit: a long answer may still be on its way into a pipe.
  process.exitCode = status;
});
