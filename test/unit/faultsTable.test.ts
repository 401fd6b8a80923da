import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('the table of faults names only tests that are there, and each row says what was found', () => {
  const { status, stderr } = spawnSync(process.execPath, ['test/support/faultsTable.mjs', '--check'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('a test that is not there, a row without one and one without a finding are named', () => {
  const script = `
    import { faultsOf, readTable } from './test/support/faultsTable.mjs';
    const rows = readTable('| row | tests | found |\\n| --- | --- | --- |\\n| B1 | \`a.ts\` “one”; \`a.ts\` “two” | Works. |\\n| B2 | \`b.ts\` “one” | Works. |\\n| B3 |  | Works. |\\n| B4 | \`a.ts\` “one” |  |\\n');
    process.stdout.write(JSON.stringify(faultsOf(rows, file => (file === 'a.ts' ? new Set(['one']) : undefined))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stdout || 'null'), [
    'B1 names “two”, which is no test in a.ts.',
    'B2 names the file b.ts, which is not there.',
    'B3 names no test.',
    'B4 does not say what was found.',
  ], stderr); // prettier-ignore
});

test('every row of the public faults that concern files, indexes, native parts, freshness, load, windows and privacy is there', () => {
  const rows = readFileSync('test/faults.md', 'utf8').match(/^\| B\d+/gm) ?? [];
  assert.equal(new Set(rows).size, rows.length);
  assert.equal(rows.length, 80);
});
