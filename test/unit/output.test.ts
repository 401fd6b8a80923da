import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainText, similarText } from '../../src/cli/output';

test('lines that are alike are told as people count them', () => {
  const regions = [
    { from: [79, 80], to: [62, 70], score: 0.9 },
    { from: [93, 93], to: [51, 51], score: 0.8 },
  ] as const;
  const response = { file: 'a.ts', complete: 1, results: [{ path: 'b.ts', score: 1, copies: [], regions }] };
  assert.equal(
    similarText({ ...response, copies: [], testPartners: [] }, { colour: false, columns: 80 }),
    '1  b.ts  1.000\n   lines 79-80 are like its lines 62-70\n   line 93 is like its line 51\n',
  );
});

test('why a file is left out is said once', () => {
  const ignored = {
    path: 'out/a.ts',
    state: 'ignored',
    reason: 'It is left out by the rule “out” in .gitignore, line 4.',
    rule: 'out',
    ruleFile: '.gitignore',
    ruleLine: 4,
  } as const;
  assert.equal(explainText(ignored), `out/a.ts: ignored. ${ignored.reason}\n`);
  const skipped = { path: 'a.bin', state: 'skipped', reason: 'a.bin holds no text.', rule: 'unknown-kind' } as const;
  assert.equal(explainText(skipped), 'a.bin: skipped. a.bin holds no text.\nCounted as unknown-kind.\n');
});
