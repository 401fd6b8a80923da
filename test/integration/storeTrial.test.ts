import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tryToOpen } from '../../src/engine/store/storeTrial';

test('a process that tries to open a store tells a crash of its own from an end that came from outside', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'landmark-trial-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const library = join(folder, 'library.js');
  const opening = { environment: { path: folder }, tables: ['one'], table: {} };
  const ends: Readonly<Record<string, string>> = {
    'return { openDB: () => ({ getRange: () => [1] }) }': 'opened',
    "throw new Error('no store of ours')": 'opened',
    "process.kill(process.pid, 'SIGSEGV')": 'crashed',
    "process.kill(process.pid, 'SIGBUS')": 'crashed',
    'process.abort()': 'crashed',
    "process.kill(process.pid, 'SIGKILL')": 'unknown',
    "process.kill(process.pid, 'SIGTERM'); while (true);": 'unknown',
    'process.exit(3)': 'unknown',
  };
  if (process.platform === 'win32') {
    for (const work of Object.keys(ends)) if (work.includes('SIG')) delete (ends as Record<string, string>)[work];
  }
  for (const [work, expected] of Object.entries(ends)) {
    writeFileSync(library, `exports.open = () => { ${work} };`);
    assert.equal(await tryToOpen(opening, library), expected, work);
  }
  assert.equal(await tryToOpen(opening, join(folder, 'not there.js')), 'opened');
});
