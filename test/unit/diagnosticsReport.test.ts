import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Diagnostics } from '../../src/extension/model/diagnosticsReport';
import { diagnosticsReport } from '../../src/extension/model/diagnosticsReport';
import { ProblemMemory } from '../../src/extension/model/recentProblems';
import { nullLogger } from '../../src/util/logger';

const diagnostics = (change: Partial<Diagnostics> = {}): Diagnostics => ({
  versions: { 'landmark-code-search': '1.2.3', node: '20.0.0' },
  machine: { platform: 'linux x64' },
  settings: { 'landmark.dataFolder': '/home/ada/idx' },
  state: {
    engine: { kind: 'failed', reason: 'It died in /home/ada/app.' },
    paused: false,
    held: 'battery',
    roots: [{ name: 'app', state: { kind: 'failed', reason: 'No permission.' } }],
  },
  statusText: 'stopped',
  details: [],
  failed: 2,
  problems: [{ at: new Date(0), level: 'error', message: 'Reading\n/home/ada/app/x.ts failed.' }],
  home: '/home/ada',
  ...change,
});

test('the report has versions, machine, changed settings, state, sizes and last errors, each on a line', () => {
  const lines = diagnosticsReport(diagnostics()).split('\n');
  for (const expected of [
    '- landmark-code-search: 1.2.3',
    '- platform: linux x64',
    '- landmark.dataFolder: "~/idx"',
    '- status: stopped',
    '- failed files: 2',
    '- search process: failed: It died in ~/app.',
    '- paused: battery',
    '- folder app: {"kind":"failed","reason":"No permission."}',
    '- 1970-01-01T00:00:00.000Z error: Reading ~/app/x.ts failed.',
  ]) {
    assert.ok(lines.includes(expected), expected);
  }
  assert.equal(lines.filter(line => line === '- none').length, 1);
});

test("the user's home is nowhere in the report, however it is written", () => {
  const home = 'C:\\Users\\Ada';
  const problems = ['C:\\Users\\Ada\\x', 'C:/Users/Ada/x', '"C:\\\\Users\\\\Ada\\\\x"'].map(message => ({
    at: new Date(0),
    level: 'warning' as const,
    message,
  }));
  const report = diagnosticsReport(
    diagnostics({ home, problems, settings: { 'landmark.modelPath': 'C:\\Users\\Ada\\m' } }),
  );
  assert.ok(!report.includes('Ada'), report);
});

test('the last warnings and errors are remembered, no more than twenty, and all are passed on', () => {
  const memory = new ProblemMemory();
  let passed = 0;
  const logger = memory.listenTo({ ...nullLogger, warn: () => passed++ }, () => new Date(0));
  logger.info('Nothing.');
  for (let at = 0; at < 25; at++) logger.warn(`warning ${at}`);
  logger.error('It failed.', new Error('Full disk.'));
  assert.equal(passed, 25);
  assert.equal(memory.problems.length, 20);
  assert.deepEqual(memory.problems.at(-1), { at: new Date(0), level: 'error', message: 'It failed. Full disk.' });
});
