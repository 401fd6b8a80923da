import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { failedFile } from '../../src/engine/files/fileFailure';
import type { ExplainResponse } from '../../src/engine/types';
import { FAILURE_KINDS, SKIP_REASONS } from '../../src/engine/types';
import { errorText, reasonText, WordedError } from '../../src/extension/model/errorText';
import { explanation } from '../../src/extension/model/explanation';
import { failureText } from '../../src/extension/model/failureText';
import { bytesText, durationText, numberText, t, useLanguage } from '../../src/extension/model/l10n';
import type { ErrorReason } from '../../src/util/errors';
import { LandmarkError } from '../../src/util/errors';
import french from '../../l10n/bundle.l10n.fr.json';

const fill = (message: string, args: readonly (string | number)[]): string =>
  message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)]));
const english = { translate: (message: string, ...args: (string | number)[]) => fill(message, args), language: 'en' };
const inFrench = (): void =>
  useLanguage({
    translate: (message, ...args) => fill((french as Record<string, string>)[message] ?? message, args),
    language: 'fr',
  });
afterEach(() => useLanguage(english));

const answer = (change: Partial<ExplainResponse>): ExplainResponse => ({
  path: 'src/a.ts',
  state: 'indexed',
  reason: 'The engine says so.',
  ...change,
});
const calm = { isDirty: false, isPaused: false };
const linesOf = (change: Partial<ExplainResponse>, now = calm): readonly string[] =>
  explanation(answer(change), now).lines;

test('an indexed file says at which content, and that the editor has a newer one', () => {
  const file = { contentHash: '0123456789abcdef', windows: 3 };
  assert.deepEqual(linesOf(file), [
    'It is found as it is on disk.',
    '3 sections are embedded.',
    'Content on disk: 0123456789ab',
  ]);
  assert.ok(linesOf(file, { ...calm, isDirty: true }).some(line => /changes that are not saved/.test(line)));
});

test('a rule out of a file is named with file and line, and can be opened there', () => {
  const { lines, actions } = explanation(
    answer({ state: 'ignored', rule: '*.log', ruleFile: 'app/.gitignore', ruleLine: 7 }),
    calm,
  );
  assert.deepEqual(lines, ['The rule “*.log” in app/.gitignore, line 7, leaves it out.']);
  assert.deepEqual(actions, [
    { kind: 'open-rule', file: 'app/.gitignore', line: 7, label: 'Open app/.gitignore at Line 7' },
  ]);
});

test('a setting that leaves a file out can be opened', () => {
  const bySetting = {
    state: 'ignored',
    rule: 'gen/',
    reason: 'It is left out by “gen/” in the setting landmark.exclude.',
  } as const;
  const [action] = explanation(answer(bySetting), calm).actions;
  assert.deepEqual([action?.kind, action?.kind === 'setting' && action.setting], ['setting', 'landmark.exclude']);
  const tooLarge = {
    state: 'skipped',
    rule: 'too-large',
    reason: 'It has 2 MB; the limit (setting landmark.maxFileSize) is 1 MB.',
  } as const;
  const [size] = explanation(answer(tooLarge), calm).actions;
  assert.equal(size?.kind === 'setting' && size.setting, 'landmark.maxFileSize');
  const config = { ...tooLarge, reason: 'It has 200 KB; the limit for configuration is 100 KB.' };
  assert.deepEqual(explanation(answer(config), calm).actions, []);
});

test('what waits says for what, and while nothing is embedded offers to go on', () => {
  assert.match(linesOf({ state: 'queued', waitsFor: 'new-read' })[0] ?? '', /changed since it was indexed/);
  assert.match(
    linesOf({ state: 'queued', waitsFor: 'vectors', windows: 4 })[0] ?? '',
    /found by its words; not all of its 4/,
  );
  assert.match(
    linesOf({ state: 'queued', waitsFor: 'vectors', windows: 1 })[0] ?? '',
    /its section is not embedded yet/,
  );
  assert.match(linesOf({ state: 'queued', waitsFor: 'read' })[0] ?? '', /not in the index yet/);
  const kinds = (isPaused: boolean) =>
    explanation(answer({ state: 'queued' }), { ...calm, isPaused }).actions.map(({ kind }) => kind);
  assert.deepEqual([kinds(false), kinds(true)], [['read-again'], ['resume']]);
});

test('a failure is told with its error, and can be tried again', () => {
  const { lines, actions } = explanation(answer({ state: 'failed', reason: 'No permission.' }), calm);
  assert.deepEqual(lines, ['It could not be indexed.', 'No permission.']);
  assert.deepEqual(
    actions.map(({ kind }) => kind),
    ['read-again', 'log'],
  );
});

test("a failure is worded in the editor's language, by its kind", () => {
  const sentences = new Set<string>();
  for (const kind of FAILURE_KINDS) {
    const failed = failedFile('src/a.ts', { kind, detail: 'EIO' });
    assert.match(failed.reason, /src\/a\.ts/);
    assert.equal(linesOf({ ...failed, state: 'failed' }).at(-1), failed.reason);
    inFrench();
    sentences.add(failureText(failed));
    assert.equal(linesOf({ ...failed, state: 'failed' }).at(-1), failureText(failed));
    useLanguage(english);
  }
  assert.equal(sentences.size, FAILURE_KINDS.length);
  inFrench();
  assert.equal(
    failureText(failedFile('a.ts', { kind: 'no-permission' })),
    'Vos droits ne permettent pas de le lire : changez ses permissions.',
  );
  assert.match(failureText(failedFile('a.ts', { kind: 'too-slow', detail: '10' })), /plus de 10 s/);
  assert.ok(![...sentences].some(sentence => /^(It|The) /.test(sentence)));
});

test("in English the engine's sentences are shown, in other languages those of the closed set", () => {
  for (const rule of SKIP_REASONS) {
    assert.deepEqual(linesOf({ state: 'skipped', rule, reason: 'Because.' }), ['Because.']);
  }
  inFrench();
  const lines = SKIP_REASONS.map(rule => linesOf({ state: 'skipped', rule, reason: 'Because.' })[0]);
  assert.equal(new Set(lines).size, SKIP_REASONS.length);
  assert.ok(!lines.includes('Because.'));
  assert.deepEqual(linesOf({ state: 'ignored', rule: 'a', ruleFile: 'f', ruleLine: 2 }), [
    'La règle « a » dans f, ligne 2, l’exclut.',
  ]);
});

test('errors are worded by their reason where English is not understood', () => {
  const full = new LandmarkError('disk-full', 'There is no room left in /data.');
  assert.equal(errorText(full), 'There is no room left in /data.');
  inFrench();
  assert.match(errorText(full), /^Il ne reste plus de place/);
  assert.equal(errorText(new WordedError('not-found', 'Déjà dit.')), 'Déjà dit.');
  assert.equal(errorText(new Error('Odd.')), 'Odd.');
});

test('every reason has its own sentence', () => {
  const reasons: Record<ErrorReason, true> = {
    cancelled: true,
    'invalid-argument': true,
    'not-found': true,
    'not-a-folder': true,
    'not-a-file': true,
    'no-permission': true,
    'not-indexed': true,
    'model-invalid': true,
    'store-damaged': true,
    'store-busy': true,
    'disk-full': true,
    'runtime-unavailable': true,
    'engine-died': true,
    internal: true,
  };
  const texts = (Object.keys(reasons) as ErrorReason[]).map(reasonText);
  assert.equal(new Set(texts).size, texts.length);
});

test('numbers, sizes and times are those of the language', () => {
  assert.deepEqual([numberText(12345), bytesText(1_540_000), bytesText(300)], ['12,345', '1.5 MB', '0 kB']);
  assert.deepEqual([durationText(20), durationText(1500), durationText(9000)], ['1 minute', '25 minutes', '2.5 hours']);
  assert.equal(t('{0} of {1}', 1, 2), '1 of 2');
  inFrench();
  assert.equal(durationText(1500), '25 minutes');
  assert.match(bytesText(1_540_000), /^1,5\sMo$/);
});
