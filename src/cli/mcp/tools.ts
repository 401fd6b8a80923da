import { isAbsolute } from 'node:path';
import type { FolderOptions } from '../../engine/folderEngine';
import type { SearchRequest } from '../../engine/types';
import type { EngineClient } from '../../host/engineClient';
import { checkInput, type InputSchema, type ParameterSchema } from '../../tools/inputSchema';
import { searchAnswer, searchAnswerText } from '../../tools/searchAnswer';
import {
  checkSearchInput,
  LIMIT_SCHEMA,
  LONGEST_PATH,
  SEARCH_SCHEMA,
  type SearchInput,
  searchRequestOf,
} from '../../tools/searchTool';
import { isCancelled, LandmarkError } from '../../util/errors';
import { explainText, similarText, statsText } from '../output';
import { EXPLAIN_OUTPUT, SEARCH_OUTPUT, SIMILAR_OUTPUT, STATS_OUTPUT } from './outputSchemas';
import type { ServedFolders } from './servedFolders';

/** What of the engine the tools use. */
export type Engine = Pick<EngineClient, 'request'>;

export interface ToolAnswer {
  readonly structured: Readonly<Record<string, unknown>>;
  /** The same in few words. */
  readonly text: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly outputSchema: { readonly [key: string]: unknown; readonly type: 'object' };
  /** @throws LandmarkError with a sentence for the one who called. */
  readonly run: (input: unknown, signal: AbortSignal) => Promise<ToolAnswer>;
}

const READ: FolderOptions = { access: 'read' };
const PLAIN = { colour: false, columns: Infinity };

/** The tools over the served folders; each only reads. */
export function toolsOver(served: ServedFolders, engine: Engine): readonly Tool[] {
  const schema = (base: InputSchema): InputSchema => withFolder(base, served);
  const file: ParameterSchema = {
    type: 'string',
    description: 'Path of the file, relative to the folder or absolute.',
    minLength: 1,
    maxLength: LONGEST_PATH,
  };
  const fileSchema = (more: InputSchema['properties'] = {}): InputSchema =>
    schema({ type: 'object', properties: { file, ...more }, required: ['file'], additionalProperties: false });
  const none: InputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const parts = { served, engine };
  return [
    checked({
      name: 'search',
      title: 'Search code by what it does',
      description:
        'Finds the files and lines of the project that do what a question in plain words says, also when they use other words. Use it to find where something is done when you do not know its name.',
      inputSchema: schema(SEARCH_SCHEMA),
      outputSchema: SEARCH_OUTPUT,
      run: (input, signal) => search(parts, input, signal),
    }),
    checked({
      name: 'similar',
      title: 'Find similar files',
      description: 'Finds the files of the project that are most like a given one, with the lines that correspond.',
      inputSchema: fileSchema({ limit: LIMIT_SCHEMA }),
      outputSchema: SIMILAR_OUTPUT,
      run: (input, signal) => similar(parts, input, signal),
    }),
    checked({
      name: 'explain',
      title: 'Explain why a file is, or is not, found',
      description: 'Says whether a file is in the index, and if not, which rule or limit leaves it out.',
      inputSchema: fileSchema(),
      outputSchema: EXPLAIN_OUTPUT,
      run: (input, signal) => explain(parts, input, signal),
    }),
    checked({
      name: 'stats',
      title: 'Say what is indexed',
      description: 'Says how many files are indexed, how complete the index is and how much room it takes.',
      inputSchema: schema(none),
      outputSchema: STATS_OUTPUT,
      run: (input, signal) => stats(parts, input, signal),
    }),
  ];
}

/** A tool that refuses what its schema does not allow before it looks at it. */
function checked(tool: Tool): Tool {
  return {
    ...tool,
    run: async (input, signal) => {
      checkInput(tool.name, tool.inputSchema, input);
      return tool.run(input, signal);
    },
  };
}

interface Parts {
  readonly served: ServedFolders;
  readonly engine: Engine;
}

/** Only where several folders are served is there one to name. */
function withFolder(base: InputSchema, { folders }: ServedFolders): InputSchema {
  if (folders.length === 1) return base;
  const folder: ParameterSchema = {
    type: 'string',
    description: `Only in this folder; one of: ${folders.join(', ')}.`,
    minLength: 1,
    maxLength: LONGEST_PATH,
  };
  return { ...base, properties: { ...base.properties, folder } };
}

async function search({ served, engine }: Parts, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  const { folder, ...asked } = input as SearchInput & { readonly folder?: string };
  const { request, folders } = await inScope(served, checkSearchInput('search', asked), folder);
  const responses = await inEach(folders, async each => {
    await open(engine, each, signal);
    const answer = await engine.request('search', { folders: [each], request }, { signal });
    return answer.responses;
  });
  const answer = searchAnswer(responses.values.flat(), request.limit);
  const all = { ...answer, notes: [...answer.notes, ...responses.notes] };
  const several = served.folders.length > 1;
  return {
    structured: all,
    text: searchAnswerText(all, file => (several ? `${file.folder}/${file.path}` : file.path)),
  };
}

/** A path that is absolute, as programs like to name one, also says which folder is meant. */
async function inScope(
  served: ServedFolders,
  input: SearchInput,
  folder: string | undefined,
): Promise<{ readonly request: SearchRequest & { readonly limit: number }; readonly folders: readonly string[] }> {
  const request = searchRequestOf(input);
  if (input.path === undefined || !isAbsolute(input.path)) return { request, folders: served.named(folder) };
  const place = await served.find(input.path, folder);
  return { request: { ...request, scope: place.path === '' ? '.' : place.path }, folders: [place.folder] };
}

async function similar(parts: Parts, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  const { file, folder, limit = LIMIT_SCHEMA.default } = input as FileInput & { readonly limit?: number };
  const at = await fileIn(parts, file, folder, signal);
  const answer = await parts.engine.request('similar', { ...at, limit }, { signal });
  return { structured: { folder: at.folder, ...answer }, text: similarText(answer, PLAIN).trimEnd() };
}

async function explain(parts: Parts, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  const { file, folder } = input as FileInput;
  const at = await fileIn(parts, file, folder, signal);
  const answer = await parts.engine.request('explain', at, { signal });
  return { structured: { folder: at.folder, ...answer }, text: explainText(answer).trimEnd() };
}

async function stats({ served, engine }: Parts, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  const { folder } = input as { readonly folder?: string };
  const { values, notes } = await inEach(served.named(folder), async each => {
    await open(engine, each, signal);
    return { folder: each, ...(await engine.request('stats', { folder: each }, { signal })) };
  });
  const texts = values.map(each => `${each.folder}\n${statsText(each)}`);
  return { structured: { folders: values, notes }, text: [...texts, ...notes].join('\n').trimEnd() };
}

/** Where a file is that was asked about, in a folder whose index is open. */
async function fileIn(
  { served, engine }: Parts,
  file: string,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly folder: string; readonly file: string }> {
  const place = await served.find(file, folder);
  await open(engine, place.folder, signal);
  return { folder: place.folder, file: place.path || '.' };
}

interface FileInput {
  readonly file: string;
  readonly folder?: string;
}

/** Each time anew: an index that was not there may have been made meanwhile. Costs nothing where it is open. */
async function open(engine: Engine, folder: string, signal: AbortSignal): Promise<void> {
  await engine.request('open', { folder, options: READ }, { signal });
}

/** What the folders answer; one without an index does not silence the others. @throws when none answers. */
async function inEach<T>(
  folders: readonly string[],
  ask: (folder: string) => Promise<T>,
): Promise<{ readonly values: readonly T[]; readonly notes: readonly string[] }> {
  const values: T[] = [];
  const failures: LandmarkError[] = [];
  for (const folder of folders) {
    try {
      values.push(await ask(folder));
    } catch (error) {
      if (isCancelled(error) || !(error instanceof LandmarkError)) throw error;
      failures.push(error);
    }
  }
  const [failure] = failures;
  if (failure !== undefined && values.length === 0) throw failure;
  return { values, notes: failures.map(({ message }) => message) };
}
