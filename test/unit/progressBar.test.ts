import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressBar } from '../../src/cli/progressBar';
import type { IndexProgress } from '../../src/engine/types';

const CLEAR = '\r\u001b[K';

function barOn(
  isTty: boolean,
  columns = 100,
): {
  readonly written: string[];
  readonly finish: () => void;
  /** Reports at a time in milliseconds. */
  readonly at: (time: number, phase: IndexProgress['phase'], done: number, total: number) => void;
} {
  const written: string[] = [];
  let now = 0;
  const bar = new ProgressBar({ write: text => written.push(text), isTty, columns, now: () => now });
  return {
    written,
    finish: () => bar.finish(),
    at(time, phase, done, total) {
      now = time;
      bar.report({ phase, done, total });
    },
  };
}

test('on a terminal one line is drawn again, not more often than ten times a second', () => {
  const { written, at } = barOn(true);
  at(0, 'embed', 0, 8);
  at(50, 'embed', 1, 8);
  at(120, 'embed', 2, 8);
  assert.deepEqual(written, [
    `${CLEAR}Computing vectors  [........................] 0 %  0 of 8`,
    `${CLEAR}Computing vectors  [######..................] 25 %  2 of 8`,
  ]);
});

test('a new phase is shown at once', () => {
  const { written, at } = barOn(true);
  at(0, 'walk', 0, 0);
  at(1, 'lexical', 3, 3);
  assert.deepEqual(written, [
    `${CLEAR}Looking for files  0`,
    `${CLEAR}Reading words  [########################] 100 %  3 of 3`,
  ]);
});

test('the line fits the terminal', () => {
  const { written, at } = barOn(true, 30);
  at(0, 'embed', 1, 2);
  assert.equal(written[0], `${CLEAR}Computing vectors  [########…`);
  assert.equal([...written[0]].length - CLEAR.length, 29);
});

test('the time left is estimated from the running phase alone', () => {
  const { written, at } = barOn(true);
  at(0, 'lexical', 0, 10);
  at(100_000, 'embed', 0, 100);
  at(102_000, 'embed', 10, 100);
  at(110_000, 'embed', 20, 100);
  at(120_000, 'embed', 1, 100);
  assert.deepEqual(
    written.slice(2).map(line => line.replace(/^[^]* of 100/, '')),
    ['', '  about 40 s left', '  about 33 min left'],
  );
});

test('100 % is said when all is done and not before', () => {
  const { written, at } = barOn(true);
  at(0, 'embed', 999, 1000);
  assert.match(written[0] ?? '', /\[#{23}\.\] 99 %/);
});

test('finishing takes the line away, once', () => {
  const { written, at, finish } = barOn(true);
  finish();
  at(0, 'embed', 1, 2);
  finish();
  finish();
  assert.deepEqual(written.slice(1), [CLEAR]);
});

test('elsewhere there is a line every five seconds and nothing for a short run', () => {
  const { written, at, finish } = barOn(false);
  at(0, 'walk', 1, 1);
  at(4999, 'embed', 1, 4);
  at(5000, 'embed', 2, 4);
  at(9999, 'graphs', 0, 1);
  at(10_000, 'graphs', 1, 1);
  finish();
  assert.deepEqual(written, [
    'Computing vectors  [############............] 50 %  2 of 4\n',
    'Writing graphs  [########################] 100 %  1 of 1\n',
  ]);
});
