import { isAbsolute, relative, resolve, sep } from 'node:path';
import { realPathOf } from '../engine/files/realPath';
import type { FolderOptions } from '../engine/folderEngine';
import type { IndexProgress, IndexReport, SearchResponse } from '../engine/types';
import type { EngineClient } from '../host/engineClient';
import type { FolderStatus } from '../host/protocol';
import { isReason, LandmarkError } from '../util/errors';
import { searchNoteTexts } from '../tools/searchNotes';
import { percent, printable } from '../util/text';
import type { Command } from './arguments';
import { UsageError } from './arguments';
import { readSearchCases, readSimilarCases } from './caseFile';
import { evaluationText, pastText } from './evaluationTable';
import { dataText } from './dataOutput';
import { openIndexedFolder, scopeInside } from './indexedFolder';
import { explainText, indexText, searchJson, searchText, similarText, statsText } from './output';
import { ProgressBar } from './progressBar';
import type { Terminal } from './terminal';
import { COMMANDS } from './usage';

/** What of the engine the commands use. */
export type Engine = Pick<EngineClient, 'request' | 'onStatus'>;

type CommandOf<Name extends Command['name']> = Extract<Command, { name: Name }>;

/** What a command needs before the engine is started; wrong input costs no start. */
export type PreparedCommand = (engine: Engine, terminal: Terminal, signal: AbortSignal) => Promise<void>;

/** @throws UsageError or LandmarkError when the command cannot be carried out whatever the engine says. */
export async function prepareCommand(command: Command): Promise<PreparedCommand> {
  switch (command.name) {
    case 'index':
      return (engine, terminal, signal) => runIndex(command, engine, terminal, signal);
    case 'search':
      return (engine, terminal, signal) => runSearch(command, engine, terminal, signal);
    case 'similar': {
      const file = await fileInFolder(command.folder, command.file, COMMANDS.similar.usage);
      return (engine, terminal, signal) => runSimilar(command, file, engine, terminal, signal);
    }
    case 'explain': {
      const file = await fileInFolder(command.folder, command.file, COMMANDS.explain.usage);
      return (engine, terminal, signal) => runExplain(command, file, engine, terminal, signal);
    }
    case 'stats':
      return (engine, terminal, signal) => runStats(command, engine, terminal, signal);
    case 'data':
      return async (engine, terminal, signal) => {
        const report = await engine.request('data', { action: command.action }, { signal });
        answer(terminal, command.json, report, () => dataText(report));
      };
    case 'eval':
      return prepareEvaluation(command);
  }
}

async function runIndex(
  command: CommandOf<'index'>,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { history, maxFileSize } = command;
  const options: FolderOptions = {
    access: 'write',
    ...(history === undefined ? {} : { history: { ...history, gitDir: resolve(history.gitDir) } }),
    ...(maxFileSize === undefined ? {} : { maxFileSize }),
  };
  let status: FolderStatus | undefined;
  engine.onStatus(changed => (status = changed));
  const folder = await open(engine, command.folder, options, signal);
  const report = await syncWithProgress(engine, folder, terminal, signal);
  if (status?.vectors === false)
    note(terminal, status.reason || 'The model runtime cannot run here: there are no vectors.');
  else if (status !== undefined && status.complete < 1 && report.failed.length === 0)
    note(terminal, `The index is ${percent(status.complete)} complete. ${status.reason || 'Run it again to go on.'}`);
  answer(terminal, command.json, report, () => indexText(report));
}

function progressBar(terminal: Terminal): ProgressBar {
  return new ProgressBar({
    write: text => terminal.err(text),
    isTty: terminal.errIsTty,
    columns: terminal.errColumns,
    now: () => performance.now(),
  });
}

/** A search process that dies in the middle is no reason to begin by hand again: what it stored is kept. */
async function syncWithProgress(
  engine: Engine,
  folder: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<IndexReport> {
  const bar = progressBar(terminal);
  const sync = (): Promise<IndexReport> =>
    engine.request('sync', { folder, rebuild: false }, { signal, onProgress: progress => bar.report(progress) });
  try {
    return await sync();
  } catch (error) {
    if (!isReason(error, 'engine-died')) throw error;
    bar.finish();
    note(terminal, error.message);
    return await sync();
  } finally {
    bar.finish();
  }
}

async function runSearch(
  command: CommandOf<'search'>,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { query, limit, arms } = command;
  const { folder, inside } = await openIndexedFolder(engine, command.folder, signal);
  if (inside !== '') note(terminal, `Searching ${inside} in the index of ${folder}.`);
  const scope = scopeInside(inside, command.scope);
  const request = { query, limit, ...(scope === undefined ? {} : { scope }), ...(arms === undefined ? {} : { arms }) };
  const { responses } = await engine.request('search', { folders: [folder], request }, { signal });
  const response: SearchResponse | undefined = responses[0]?.response;
  if (response === undefined) throw new LandmarkError('internal', 'The search gave no answer.');
  const notes = searchNoteTexts([response]);
  if (notes.length > 0) note(terminal, notes.join(' '));
  answer(terminal, command.json, searchJson(response), () => searchText(response, terminal.outStyle));
}

async function runSimilar(
  command: CommandOf<'similar'>,
  file: string,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const folder = await open(engine, command.folder, { access: 'read' }, signal);
  const response = await engine.request('similar', { folder, file, limit: command.limit }, { signal });
  const { results } = response;
  answer(terminal, command.json, { file: response.file, complete: response.complete, results }, () =>
    similarText(response, terminal.outStyle),
  );
}

async function runExplain(
  command: CommandOf<'explain'>,
  file: string,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const folder = await open(engine, command.folder, { access: 'read' }, signal);
  const response = await engine.request('explain', { folder, file }, { signal });
  answer(terminal, command.json, response, () => explainText(response));
}

async function runStats(
  command: CommandOf<'stats'>,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const folder = await open(engine, command.folder, { access: 'read' }, signal);
  const stats = await engine.request('stats', { folder }, { signal });
  answer(terminal, command.json, stats, () => statsText(stats));
}

async function prepareEvaluation(command: CommandOf<'eval'>): Promise<PreparedCommand> {
  const { cases: path, similar, arms } = command;
  if (path === undefined) return (engine, terminal, signal) => runPastEvaluation(command, engine, terminal, signal);
  const params = similar
    ? ({ kind: 'evaluateSimilar', cases: await readSimilarCases(path) } as const)
    : ({ kind: 'evaluate', cases: await readSearchCases(path) } as const);
  return async (engine, terminal, signal) => {
    const folder = await open(engine, command.folder, { access: 'read' }, signal);
    const report =
      params.kind === 'evaluateSimilar'
        ? await engine.request('evaluateSimilar', { folder, cases: params.cases }, { signal })
        : await engine.request(
            'evaluate',
            { folder, cases: params.cases, ...(arms === undefined ? {} : { arms }) },
            { signal },
          );
    answer(terminal, command.json, report, () => evaluationText(report));
  };
}

async function runPastEvaluation(
  command: CommandOf<'eval'>,
  engine: Engine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const bar = progressBar(terminal);
  const onProgress = (progress: IndexProgress): void => bar.report(progress);
  try {
    const report = await engine.request('evaluatePast', { folder: resolve(command.folder) }, { signal, onProgress });
    bar.finish();
    answer(terminal, command.json, report, () => pastText(report));
  } finally {
    bar.finish();
  }
}

/** @returns the real path, by which all other requests name the folder. */
async function open(engine: Engine, folder: string, options: FolderOptions, signal: AbortSignal): Promise<string> {
  const opened = await engine.request('open', { folder: resolve(folder), options }, { signal });
  return opened.folder;
}

function answer(terminal: Terminal, json: boolean, value: object, text: () => string): void {
  terminal.out(json ? `${JSON.stringify(value)}\n` : text());
}

function note(terminal: Terminal, sentence: string): void {
  terminal.err(`${printable(sentence)}\n`);
}

/**
 * The path of a file as the index knows it: relative to the folder, with forward slashes. What was typed may be
 * absolute, or relative to the folder.
 */
export async function fileInFolder(folder: string, file: string, usage: string): Promise<string> {
  const typed = resolve(folder);
  const candidates = [relative(typed, resolve(typed, file))];
  if (isAbsolute(file)) candidates.push(relative(await realPath(typed), await realPath(file)));
  const inside = candidates.find(
    path => path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path),
  );
  if (inside === undefined) throw new UsageError(`The file ${file} is not in the folder ${folder}.`, usage);
  return inside.split(sep).join('/');
}

/** The path itself where there is nothing: the engine then says what it knows of it. */
function realPath(path: string): Promise<string> {
  return realPathOf(path).catch(() => path);
}
