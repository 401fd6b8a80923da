/** The commands with what they take, as `--help` shows them and as arguments are checked against. */
export const COMMANDS = {
  index: {
    usage: 'landmark index <folder> [--git DIR --at SHA] [--max-file-size KB] [--json]',
    summary: 'Indexes a folder, or brings its index up to date.',
    details: [
      '--git DIR --at SHA   history from this git directory, up to and including this commit',
      '                     (default: the folder’s own, when it is the top of a work tree)',
      '--max-file-size KB   size up to which a source file is indexed (default 1024)',
    ],
    options: ['git', 'at', 'max-file-size', 'json'],
  },
  search: {
    usage: 'landmark search <folder> <query…> [--limit n] [--scope glob] [--arms a,b] [--json]',
    summary: 'Finds the files and places that do what the query says.',
    details: [
      'query                words or a question; path:src, lang:python and "exact words" narrow it, -word, -path:test and',
      '                     -lang:css leave out',
      '--limit n            number of files (default 10)',
      '--scope glob         only files below this folder or matching this glob',
      '--arms a,b           only these: file, landmark, path, lexical, history, definition',
    ],
    options: ['limit', 'scope', 'arms', 'json'],
  },
  similar: {
    usage: 'landmark similar <folder> <file> [--limit n] [--json]',
    summary: 'Finds files like the given one.',
    details: ['--limit n            number of files (default 10)'],
    options: ['limit', 'json'],
  },
  explain: {
    usage: 'landmark explain <folder> <file> [--json]',
    summary: 'Says why a file is, or is not, found.',
    details: [],
    options: ['json'],
  },
  stats: {
    usage: 'landmark stats <folder> [--json]',
    summary: 'Says what is indexed and how much room it takes.',
    details: [],
    options: ['json'],
  },
  data: {
    usage: 'landmark data [list|clean] [--json]',
    summary: 'Lists all indexes with their sizes; clean deletes what no folder needs any more.',
    details: [
      'clean                indexes of folders that are gone, damaged files that were put aside, unused vectors',
    ],
    options: ['json'],
  },
  eval: {
    usage:
      'landmark eval <folder> <cases.jsonl> [--similar] [--arms a,b] [--json]\n       landmark eval --from-history <folder> [--json]',
    summary: 'Measures the answers against cases with known ones.',
    details: [
      'Cases, one a line: {"id", "query", "relevant": [paths], "hunks"?: {path: [[first, last]]}}',
      '--similar            cases {"id", "file", "relevant": [paths]} for similar files',
      '--arms a,b           only these arms together',
      '--from-history       makes cases of the repository’s own past commits and says how well search works here',
    ],
    options: ['similar', 'arms', 'from-history', 'json'],
  },
  mcp: {
    usage: 'landmark mcp <folder>…',
    summary: 'Serves folders to other programs (Model Context Protocol over stdio).',
    details: ['Read-only and confined to the folders; index them first, or open them in the editor.'],
    options: [],
  },
} as const satisfies Record<string, CommandUsage>;

interface CommandUsage {
  readonly usage: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: readonly OptionName[];
}

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** All options; those without a value are flags. */
export const OPTIONS = {
  help: 'flag',
  version: 'flag',
  json: 'flag',
  similar: 'flag',
  'from-history': 'flag',
  data: 'value',
  model: 'value',
  git: 'value',
  at: 'value',
  limit: 'value',
  'max-file-size': 'value',
  scope: 'value',
  arms: 'value',
} as const;
export type OptionName = keyof typeof OPTIONS;

export const COMMON_OPTIONS: readonly OptionName[] = ['help', 'version', 'data', 'model'];

const COMMON_DETAILS = [
  '--data DIR           where the index is kept (default: LANDMARK_DATA, else the user’s cache folder)',
  '--model DIR          the model folder (default: the one that comes with the program)',
  '--json               the answer as JSON on stdout',
  '--                   what follows is no option',
];

export const GENERAL_USAGE = `landmark <${COMMAND_NAMES.join('|')}> <folder> …`;

/** The text of `--help`, for one command or for all. */
export function helpText(command?: CommandName): string {
  if (command !== undefined) {
    const { usage, summary, details } = COMMANDS[command];
    return [`Usage: ${usage}`, '', summary, '', ...[...details, ...COMMON_DETAILS].map(line => `  ${line}`), ''].join(
      '\n',
    );
  }
  const lines = COMMAND_NAMES.map(name => `  ${name.padEnd(9)}${COMMANDS[name].summary}`);
  return [
    'Landmark Code Search: say in plain words what the code does. Runs on this machine, sends nothing.',
    '',
    `Usage: ${GENERAL_USAGE}`,
    '',
    ...lines,
    '',
    ...COMMON_DETAILS.map(line => `  ${line}`),
    '  -h, --help           this text; landmark <command> --help says more',
    '  --version            the version of the program',
    '',
    'Exit status: 0 done, 1 failed, 2 wrong use.',
    '',
  ].join('\n');
}
