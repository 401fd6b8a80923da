import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/cli/arguments';
import { parseArguments, UsageError } from '../../src/cli/arguments';
import { COMMAND_NAMES, helpText } from '../../src/cli/usage';

const split = (line: string): string[] => line.split(' ').filter(word => word !== '');

function commandOf(...argv: readonly string[]): Command {
  const parsed = parseArguments(argv);
  assert.ok(parsed.kind === 'run');
  return parsed.command;
}

function refusal(...argv: readonly string[]): UsageError {
  try {
    parseArguments(argv);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error;
  }
  return assert.fail(`accepted: ${argv.join(' ')}`);
}

test('a search takes all words as its query, and options in any place', () => {
  const expected = {
    name: 'search',
    folder: 'src',
    query: 'retry with backoff',
    limit: 3,
    scope: 'lib/**',
    arms: ['file', 'lexical'],
    json: true,
  };
  const line = '--json search --limit 3 src retry with --scope lib/** backoff --arms lexical,file';
  assert.deepEqual(commandOf(...split(line)), expected);
});

test('what is left out has its default', () => {
  const common = { folder: '.', json: false };
  const search = { name: 'search', query: 'x', limit: 10, scope: undefined, arms: undefined };
  assert.deepEqual(commandOf('search', '.', 'x'), { ...common, ...search });
  assert.deepEqual(commandOf('index', '.'), { ...common, name: 'index', history: undefined, maxFileSize: undefined });
  assert.deepEqual(commandOf('similar', '.', 'a.c'), { ...common, name: 'similar', file: 'a.c', limit: 10 });
  assert.deepEqual(commandOf('explain', '.', 'a.c'), { ...common, name: 'explain', file: 'a.c' });
  assert.deepEqual(commandOf('stats', '.'), { ...common, name: 'stats' });
  const evaluation = { name: 'eval', cases: 'c.jsonl', similar: false, arms: undefined };
  assert.deepEqual(commandOf('eval', '.', 'c.jsonl'), { ...common, ...evaluation });
  assert.deepEqual(commandOf('eval', '--from-history', '.'), { ...common, ...evaluation, cases: undefined });
});

test('what is stored is listed unless it is to be cleaned', () => {
  assert.deepEqual(commandOf('data'), { name: 'data', action: 'list', json: false });
  assert.deepEqual(commandOf('data', 'clean', '--json'), { name: 'data', action: 'clean', json: true });
});

test('words behind -- are no options', () => {
  assert.deepEqual(
    commandOf('search', '.', '--', '--limit', '-x').name === 'search' &&
      commandOf('search', '.', '--', '--limit', '-x'),
    {
      ...commandOf('search', '.', 'placeholder'),
      query: '--limit -x',
    },
  );
});

test('data and model folders are common to all commands', () => {
  for (const name of COMMAND_NAMES) {
    const rest = name === 'stats' || name === 'index' ? [] : ['x'];
    const positionals = name === 'data' ? [] : ['.', ...rest];
    const parsed = parseArguments([name, ...positionals, '--data', 'd', '--model=m']);
    assert.ok(parsed.kind === 'run' || parsed.kind === 'serve');
    assert.deepEqual([parsed.dataDir, parsed.modelDir], ['d', 'm']);
  }
});

test('a word with a dash in a query is what must not occur, and no option', () => {
  for (const words of [['retry', '-mock', '-path:test', 'upload'], ['-x'], ['retry', '-lang:css']]) {
    const command = commandOf('search', '.', ...words, '--limit', '3');
    assert.deepEqual(command.name === 'search' && [command.query, command.limit], [words.join(' '), 3]);
  }
});

test('a query of any length and script is taken as it is', () => {
  for (const query of ['x'.repeat(10_000), '🎉🎉', 'où est le délai ?', '"; drop', '日本語']) {
    const command = commandOf('search', '.', query);
    assert.equal(command.name === 'search' && command.query, query);
  }
});

const REFUSED: readonly (readonly [line: string, says: RegExp])[] = [
  ['', /^There is no command\.$/],
  ['fly .', /^There is no command "fly": expected one of index, search, similar, explain, stats, data, eval, mcp\.$/],
  ['index', /^"landmark index" needs a folder\.$/],
  ['index a b', /^"b" is one argument too many\.$/],
  ['index . --git repo', /^--git needs --at/],
  ['index . --at HEAD', /^--at needs --git/],
  ['index . --git repo --at=--output=x', /^--at expects a commit, got "--output=x"\.$/],
  ['index . --git', /^--git needs a value\.$/],
  ['index . --max-file-size 0', /^--max-file-size expects a positive integer, got "0"\.$/],
  ['explain . a.ts --max-file-size 10', /^"landmark explain" has no option --max-file-size\.$/],
  ['index . --limit 3', /^"landmark index" has no option --limit\.$/],
  ['search .', /^The query is empty/],
  ['search . x --git repo --at HEAD', /^"landmark search" has no option --git\.$/],
  ['search . x --limit 0', /^--limit expects a positive integer, got "0"\.$/],
  ['search . x --limit 1.5', /got "1\.5"/],
  ['search . x --limit=-1', /got "-1"/],
  ['search . x --limit ten', /got "ten"/],
  ['search . x --limit 99999999999999999999', /^--limit expects a positive integer/],
  ['search . x --arms file,nose', /^--arms expects names out of file, landmark, .*, got "nose"\.$/],
  ['search . x --arms file,', /got ""/],
  ['search . x --scope=', /^--scope needs a value\.$/],
  ['search . x --json=yes', /^--json takes no value\.$/],
  ['search . x --colour', /^There is no option --colour: put -- in front/],
  ['search -x . y', /^There is no option -x/],
  ['similar . a.ts -limit 3', /^There is no option -limit: put -- in front/],
  ['similar .', /^"landmark similar" needs a file\.$/],
  ['explain . a b', /^"b" is one argument too many\.$/],
  ['stats . a', /^"a" is one argument too many\.$/],
  ['data burn', /^"landmark data" expects list or clean, got "burn"\.$/],
  ['data clean .', /^"\." is one argument too many\.$/],
  ['eval .', /^"landmark eval" needs a file with cases\.$/],
  ['eval . c.jsonl --from-history', /^"c\.jsonl" is one argument too many\.$/],
  ['eval . --from-history --arms file', /^--similar and --arms have no meaning with --from-history\.$/],
  ['eval . c.jsonl --similar --arms file', /^--arms has no meaning with --similar\.$/],
];

for (const [line, says] of REFUSED) {
  test(`wrong use is told in one sentence: landmark ${line}`, () => {
    const error = refusal(...split(line));
    assert.match(error.message, says);
    const [first = ''] = split(line);
    const known = COMMAND_NAMES.some(name => name === first);
    assert.ok(
      error.usage.startsWith(known ? `landmark ${first} ${first === 'data' ? '[' : '<folder>'}` : 'landmark <index|'),
      error.usage,
    );
  });
}

test('a blank query and a blank folder are wrong use', () => {
  assert.match(refusal('search', '.', ' \t\n').message, /query is empty/);
  assert.match(refusal('search', '', 'x').message, /needs a folder/);
});

test('names that every object has are no options', () => {
  assert.match(refusal('stats', '.', '--constructor').message, /^There is no option --constructor/);
});

test('help and version win over what else is wrong', () => {
  assert.deepEqual(parseArguments(['--help']), { kind: 'help', command: undefined });
  assert.deepEqual(parseArguments(['search', '--help']), { kind: 'help', command: 'search' });
  assert.deepEqual(parseArguments(['--version']), { kind: 'version' });
  for (const line of ['help search', 'search -h', '-h search', 'search . x -h']) {
    assert.deepEqual(parseArguments(split(line)), { kind: 'help', command: 'search' }, line);
  }
  for (const line of ['help', '-h', 'help fly']) {
    assert.deepEqual(parseArguments(split(line)), { kind: 'help', command: undefined }, line);
  }
});

test('the help names every command and every option of it', () => {
  const general = helpText();
  for (const name of COMMAND_NAMES) {
    assert.match(general, new RegExp(`^ {2}${name} `, 'm'));
    assert.match(helpText(name), new RegExp(`^Usage: landmark ${name} ${name === 'data' ? '\\[list' : '<folder>'}`));
  }
});

test('the folders to serve are all the positional arguments', () => {
  assert.deepEqual(parseArguments(['mcp', 'a', 'b', '--data', 'd']), {
    kind: 'serve',
    folders: ['a', 'b'],
    dataDir: 'd',
    modelDir: undefined,
  });
  assert.throws(() => parseArguments(['mcp']), /"landmark mcp" needs the folders/);
  assert.throws(() => parseArguments(['mcp', 'a', '--json']), /"landmark mcp" has no option --json/);
});
