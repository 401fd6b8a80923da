import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const rows = readFileSync('test/comparison.md', 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'))
  .map(line => line.slice(1, line.lastIndexOf('|')).split('|'))
  .filter(cells => cells.length > 5);
const [head = [], , ...features] = rows;

test('the table has a column for each system, ours last', () => {
  assert.equal(head.at(-1)?.trim(), 'Landmark');
  assert.ok(features.length > 20);
  for (const cells of features) assert.equal(cells.length, head.length, cells[0]);
});

test('every "yes" of ours leads to a test that is there', () => {
  for (const cells of features) {
    const cell = cells.at(-1)?.trim() ?? '';
    if (cell === '–') continue;
    const [, file = '', name = ''] = /^\[yes\]\((\S+) ["'](.+)["']\)$/.exec(cell) ?? [];
    const path = join('test', file);
    assert.ok(existsSync(path), `${cells[0] ?? ''}: ${cell}`);
    const text = readFileSync(path, 'utf8');
    const quoted = ["'", '"', '`'].map(quote => `(${quote}${name}${quote}`);
    assert.ok(
      quoted.some(each => text.includes(each)),
      `${path} has no test "${name}"`,
    );
  }
});

test('what is said of others is yes, in part, not found or not known', () => {
  for (const [name = '', ...cells] of features) {
    for (const cell of cells.slice(0, -1)) assert.match(cell.trim(), /^(Y|p|–|\?)$/, name);
  }
});
