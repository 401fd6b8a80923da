import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentLines } from '../../src/engine/lexical/comments';

const numbers = (text: string, extension: string): number[] =>
  [...commentLines(text.split('\n'), extension).entries()].filter(([, is]) => is === 1).map(([at]) => at + 1);

test('comments of one line and of several are known, and where they end', () => {
  const code = [
    '/* Licence',
    'of this',
    '*/',
    'let a = 1; // not the whole line',
    '  // indented',
    '/* short */',
    'b /* c */',
  ];
  assert.deepEqual(numbers(code.join('\n'), 'ts'), [1, 2, 3, 5, 6]);
});

test('blank lines are none, not even inside a comment, which goes on behind them', () => {
  assert.deepEqual(numbers('/*\n\n \t\nstill\n*/\ncode', 'c'), [1, 4, 5]);
});

test('each language has its own comments', () => {
  const cases: [extension: string, text: string, expected: number[]][] = [
    ['py', '# a\n\"\"\"Text\ngoes on\n\"\"\"\nreturn x\nr\'\'\'raw\'\'\'', [1, 2, 3, 4, 6]],
    ['rb', '# a\n=begin\nb\n=end\nc', [1, 2, 3, 4]],
    ['php', '# a\n#[Attribute]\n// b\n/* c */', [1, 3, 4]],
    ['lua', '-- a\n--[[ b\nc ]]\nd', [1, 2, 3]],
    ['rs', '#[test]\n/// a\nfn b() {}', [2]],
    ['sh', '# a\necho', [1]],
  ];
  for (const [extension, text, expected] of cases) assert.deepEqual(numbers(text, extension), expected, extension);
});

test('a text of several lines behind code turns nothing around', () => {
  const code = ['SQL = """', 'SELECT 1', '"""', 'def load():', '    """Loads."""', "    return f('''a''')", '# end'];
  assert.deepEqual(numbers(code.join('\n'), 'py'), [2, 3, 5, 7]);
});

test('of an unknown language no line is a comment', () => {
  assert.deepEqual(numbers('# Heading\n// text\n* item', 'md'), []);
  assert.deepEqual(numbers('', 'ts'), []);
});
