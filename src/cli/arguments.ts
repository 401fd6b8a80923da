import { parseArgs } from 'node:util';
import type { ArmName, HistorySource } from '../engine/types';
import { ARM_NAMES } from '../engine/types';
import type { CommandName, OptionName } from './usage';
import { COMMAND_NAMES, COMMANDS, COMMON_OPTIONS, GENERAL_USAGE, OPTIONS } from './usage';

const DEFAULT_LIMIT = 10;
/** As much as the editor's setting offers. */
const MOST_KILOBYTES = 102_400;

/** What the user asked for. Paths are as they were typed. */
export type Command = FolderCommand | DataCommand;

/** About all that is stored. */
export interface DataCommand {
  readonly name: 'data';
  readonly action: 'list' | 'clean';
  readonly json: boolean;
}

type FolderCommand = { readonly folder: string; readonly json: boolean } & (
  | {
      readonly name: 'index';
      readonly history: HistorySource | undefined;
      /** Bytes. */
      readonly maxFileSize: number | undefined;
    }
  | {
      readonly name: 'search';
      readonly query: string;
      readonly limit: number;
      readonly scope: string | undefined;
      readonly arms: readonly ArmName[] | undefined;
    }
  | { readonly name: 'similar'; readonly file: string; readonly limit: number }
  | { readonly name: 'explain'; readonly file: string }
  | { readonly name: 'stats' }
  | {
      readonly name: 'eval';
      /** Undefined: the repository's own past. */
      readonly cases: string | undefined;
      readonly similar: boolean;
      readonly arms: readonly ArmName[] | undefined;
    }
);

export type Parsed =
  | { readonly kind: 'help'; readonly command: CommandName | undefined }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly dataDir: string | undefined;
      readonly modelDir: string | undefined;
    }
  | {
      readonly kind: 'serve';
      readonly folders: readonly string[];
      readonly dataDir: string | undefined;
      readonly modelDir: string | undefined;
    };

/** Wrong use: the message is one sentence that names what was wrong, `usage` the line to show below it. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly usage: string = GENERAL_USAGE,
  ) {
    super(message);
    this.name = 'UsageError';
  }
}

type Values = Partial<Record<OptionName, string>>;

/** @throws UsageError */
export function parseArguments(argv: readonly string[]): Parsed {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
  );
  // Not strict: the sentences about wrong use are our own.
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true });
  const name = tokens.find(token => token.kind === 'positional')?.value;
  const command = commandNamed(name);
  const usage = command === undefined ? GENERAL_USAGE : COMMANDS[command].usage;
  const positionals: string[] = [];
  const values: Values = {};
  let last = -1;
  for (const token of tokens) {
    if (token.kind === 'option' && token.rawName.startsWith('--')) {
      const option = checkOption(token.name, token.rawName, token.value, command, usage);
      values[option] = token.value ?? '';
    } else if (token.kind === 'option' && token.index !== last) {
      const word = argv[token.index] ?? '';
      if (word === '-h') values.help = '';
      // Behind the folder it is what must not be in an answer.
      else if (command === 'search' && positionals.length > 1) positionals.push(word);
      else throw noOption(word, usage);
    } else if (token.kind === 'positional') positionals.push(token.value);
    last = token.index;
  }
  const [, ...rest] = positionals;
  if (name === 'help') return { kind: 'help', command: commandNamed(rest[0]) };
  if (values.help !== undefined) return { kind: 'help', command };
  if (values.version !== undefined) return { kind: 'version' };
  if (name === undefined) throw new UsageError('There is no command.', usage);
  if (command === undefined) {
    throw new UsageError(`There is no command "${name}": expected one of ${COMMAND_NAMES.join(', ')}.`, usage);
  }
  const directories = { dataDir: values.data, modelDir: values.model };
  if (command === 'mcp') return { kind: 'serve', folders: foldersOf(rest, usage), ...directories };
  return { kind: 'run', command: commandOf(command, rest, values), ...directories };
}

function commandNamed(name: string | undefined): CommandName | undefined {
  return COMMAND_NAMES.find(known => known === name);
}

function noOption(word: string, usage: string): UsageError {
  return new UsageError(`There is no option ${word}: put -- in front of words that are no options.`, usage);
}

function checkOption(
  name: string,
  rawName: string,
  value: string | undefined,
  command: CommandName | undefined,
  usage: string,
): OptionName {
  if (!Object.hasOwn(OPTIONS, name)) {
    throw noOption(rawName, usage);
  }
  const option = name as OptionName;
  if (OPTIONS[option] === 'flag' && value !== undefined) throw new UsageError(`${rawName} takes no value.`, usage);
  if (OPTIONS[option] === 'value' && (value === undefined || value.trim() === '')) {
    throw new UsageError(`${rawName} needs a value.`, usage);
  }
  const allowed: readonly OptionName[] = command === undefined ? [] : COMMANDS[command].options;
  if (command !== undefined && !COMMON_OPTIONS.includes(option) && !allowed.includes(option)) {
    throw new UsageError(`"landmark ${command}" has no option ${rawName}.`, usage);
  }
  return option;
}

function foldersOf(positionals: readonly string[], usage: string): readonly string[] {
  if (positionals.length === 0 || positionals.includes('')) {
    throw new UsageError('"landmark mcp" needs the folders that it may answer about.', usage);
  }
  return positionals;
}

function commandOf(name: Exclude<CommandName, 'mcp'>, positionals: readonly string[], values: Values): Command {
  const { usage } = COMMANDS[name];
  if (name === 'data') return dataCommand(positionals, values, usage);
  const [folder, ...rest] = positionals;
  if (folder === undefined || folder === '') throw new UsageError(`"landmark ${name}" needs a folder.`, usage);
  const common = { folder, json: values.json !== undefined };
  switch (name) {
    case 'index':
      takeNoMore(rest, usage);
      return { ...common, name, history: historyOf(values, usage), maxFileSize: maxFileSizeOf(values, usage) };
    case 'search': {
      const query = rest.join(' ').trim();
      if (query === '') throw new UsageError('The query is empty: say in a few words what the code does.', usage);
      return {
        ...common,
        name,
        query,
        limit: limitOf(values, usage),
        scope: values.scope,
        arms: armsOf(values, usage),
      };
    }
    case 'similar':
      return { ...common, name, file: oneOf(rest, 'a file', name, usage), limit: limitOf(values, usage) };
    case 'explain':
      return { ...common, name, file: oneOf(rest, 'a file', name, usage) };
    case 'stats':
      takeNoMore(rest, usage);
      return { ...common, name };
    case 'eval': {
      const similar = values.similar !== undefined;
      const arms = armsOf(values, usage);
      if (values['from-history'] !== undefined) {
        if (similar || arms !== undefined)
          throw new UsageError('--similar and --arms have no meaning with --from-history.', usage);
        takeNoMore(rest, usage);
        return { ...common, name, cases: undefined, similar, arms };
      }
      if (similar && arms !== undefined) throw new UsageError('--arms has no meaning with --similar.', usage);
      return { ...common, name, cases: oneOf(rest, 'a file with cases', name, usage), similar, arms };
    }
  }
}

function dataCommand([action = 'list', ...rest]: readonly string[], values: Values, usage: string): DataCommand {
  if (action !== 'list' && action !== 'clean') {
    throw new UsageError(`"landmark data" expects list or clean, got "${action}".`, usage);
  }
  takeNoMore(rest, usage);
  return { name: 'data', action, json: values.json !== undefined };
}

function takeNoMore(rest: readonly string[], usage: string): void {
  if (rest[0] !== undefined) throw new UsageError(`"${rest[0]}" is one argument too many.`, usage);
}

function oneOf(rest: readonly string[], what: string, command: CommandName, usage: string): string {
  const [only, ...more] = rest;
  if (only === undefined || only === '') throw new UsageError(`"landmark ${command}" needs ${what}.`, usage);
  takeNoMore(more, usage);
  return only;
}

function historyOf(values: Values, usage: string): HistorySource | undefined {
  const { git, at } = values;
  if (git === undefined && at === undefined) return undefined;
  if (git === undefined) throw new UsageError('--at needs --git, the git directory that holds the commit.', usage);
  if (at === undefined) throw new UsageError('--git needs --at, the newest commit that may be read.', usage);
  // Git would take it for an option of its own.
  if (at.startsWith('-')) throw new UsageError(`--at expects a commit, got "${at}".`, usage);
  return { gitDir: git, at };
}

function limitOf(values: Values, usage: string): number {
  return positiveInteger('limit', values, usage) ?? DEFAULT_LIMIT;
}

/** In bytes; undefined for the default. */
function maxFileSizeOf(values: Values, usage: string): number | undefined {
  const kilobytes = positiveInteger('max-file-size', values, usage);
  return kilobytes === undefined ? undefined : Math.min(kilobytes, MOST_KILOBYTES) * 1024;
}

function positiveInteger(name: 'limit' | 'max-file-size', values: Values, usage: string): number | undefined {
  const given = values[name];
  if (given === undefined) return undefined;
  const value = /^\d+$/.test(given) ? Number(given) : 0;
  if (value < 1 || !Number.isSafeInteger(value)) {
    throw new UsageError(`--${name} expects a positive integer, got "${given}".`, usage);
  }
  return value;
}

function armsOf(values: Values, usage: string): readonly ArmName[] | undefined {
  if (values.arms === undefined) return undefined;
  const names = values.arms.split(',').map(name => name.trim());
  const unknown = names.find(name => !ARM_NAMES.some(arm => arm === name));
  if (unknown !== undefined) {
    throw new UsageError(`--arms expects names out of ${ARM_NAMES.join(', ')}, got "${unknown}".`, usage);
  }
  return ARM_NAMES.filter(arm => names.includes(arm));
}
