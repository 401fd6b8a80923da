import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IgnorePatterns } from '../../src/engine/files/ignorePatterns';
import { compileWild, matchesWild } from '../../src/engine/files/wildPattern';

const matches = (pattern: string, text: string, ignoreCase = false): boolean =>
  matchesWild(compileWild(pattern, ignoreCase), text);

test('stars stay in a segment, two that are a segment do not', () => {
  for (const [pattern, text] of [
    ['a*c', 'abc'], ['a*c', 'ac'], ['*', ''], ['**', 'a/b'], ['**/c', 'c'], ['**/c', 'a/b/c'], ['a/**/c', 'a/c'], ['a/**/c', 'a/b/b/c'],
    ['a/**', 'a/b/c'], ['a/*/c', 'a/b/c'], ['x**', 'xy'], ['***', 'a/b'],
  ] as const) assert.ok(matches(pattern, text), `${pattern} takes ${text}`); // prettier-ignore
  for (const [pattern, text] of [
    ['a*c', 'a/c'], ['*', 'a/b'], ['x**', 'x/y'], ['**/c', 'ac'], ['a/**/c', 'ac'], ['a/**', 'a'], ['a/*/c', 'a/b/b/c'], ['', 'a'],
  ] as const) assert.ok(!matches(pattern, text), `${pattern} does not take ${text}`); // prettier-ignore
});

test('brackets hold members, ranges, classes and their negation, never a slash', () => {
  for (const [pattern, text] of [
    ['[abc]', 'b'], ['[!abc]', 'd'], ['[^abc]', 'd'], ['[a-c]', 'b'], ['[]a]', ']'], ['[!]a]', 'b'], ['[a-]', '-'], ['[\\]a]', ']'],
    ['[[:digit:]x]', '7'], ['[[:digit:]x]', 'x'], ['[[:upper:]]', 'A'], ['[[x]', '['], ['[a\\-c]', '-'], ['[+--]', ','],
  ] as const) assert.ok(matches(pattern, text), `${pattern} takes ${text}`); // prettier-ignore
  for (const [pattern, text] of [
    ['[abc]', 'd'], ['[!abc]', 'a'], ['[b-a]', 'a'], ['[!a]', '/'], ['[a', 'a'], ['[', '['], ['[[:none:]]', 'a'], ['[a\\-c]', 'b'], ['a\\', 'a'],
    ['a\\', 'a\\'],
  ] as const) assert.ok(!matches(pattern, text), `${pattern} does not take ${text}`); // prettier-ignore
  assert.ok(matches('[A-C]', 'b', true));
  assert.ok(matches('[[:upper:]]', 'b', true));
});

test('a question mark is one byte, as it is for git', () => {
  const patterns = IgnorePatterns.empty(false).with('?\n', '');
  assert.equal(patterns.test('e', false)?.line, 1);
  assert.equal(patterns.test('é', false), undefined);
  assert.equal(IgnorePatterns.empty(false).with('??\n', '').test('é', false)?.line, 1);
});

test('no pattern is slow on any path', () => {
  const texts = ['a/'.repeat(300) + 'b', 'a'.repeat(600), `${'ab'.repeat(200)}/${'ab'.repeat(100)}`];
  const patterns = ['/a/**'.repeat(8) + '/c', '*a'.repeat(30) + 'c', '**/'.repeat(30) + 'c', '*?'.repeat(30) + 'c', '*[ab]*b'.repeat(20) + 'c', '*/*'.repeat(20)]; // prettier-ignore
  const started = performance.now();
  for (const pattern of patterns) {
    const rules = IgnorePatterns.empty(false).with(pattern, '');
    for (const text of texts) rules.testEntry(text, false);
  }
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds < 3, `${seconds} s`);
});
