import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { prepareText } from '../../src/engine/model/codeText';
import { type LoadedModel, loadModel } from '../../src/engine/model/modelManifest';
import { textSections } from '../../src/engine/model/textSections';
import { TextTokenizer } from '../../src/engine/model/textTokenizer';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { MODEL_FOLDER } from '../support/golden';

const load = async () => TextTokenizer.load(await loadModel(MODEL_FOLDER));
const UNKNOWN = 100;

/** The library alone, line by line. */
async function plainRule(): Promise<(text: string) => { ids: number[]; lines: number[] }> {
  const library = new Tokenizer(JSON.parse(await readFile(join(MODEL_FOLDER, 'tokenizer.json'), 'utf8')) as object, {});
  return text => {
    const perLine = prepareText(text).map(line => library.encode(line, { add_special_tokens: false }).ids);
    return { ids: perLine.flat(), lines: perLine.flatMap((ids, at) => ids.map(() => at + 1)) };
  };
}

async function assertSameTokens(tokenizer: TextTokenizer, text: string, expected: { ids: number[]; lines: number[] }) {
  const tokens = tokenizer.encodeText(text);
  assert.deepEqual({ ids: [...tokens.ids], lines: [...tokens.lines] }, expected);
  assert.equal(tokens.lineCount, prepareText(text).length);
  assert.deepEqual(
    prepareText(text).flatMap(line => tokenizer.encodeLine(line)),
    expected.ids,
  );
  assert.deepEqual(await tokenizer.encodeTextInSlices(text), tokens);
}

/** A copy of the model with another tokenizer file; only its manifest is looked at. */
async function withTokenizer(t: TestContext, change: (json: Record<string, unknown>) => unknown): Promise<LoadedModel> {
  const directory = await mkdtemp(join(tmpdir(), 'landmark-tokenizer-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const json = JSON.parse(await readFile(join(MODEL_FOLDER, 'tokenizer.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(directory, 'tokenizer.json'), JSON.stringify(change(json) ?? json));
  return { ...(await loadModel(MODEL_FOLDER)), directory };
}

test('special tokens are those that the manifest names', async () => {
  const { clsId, landmarkId, vocabularySize } = await load();
  assert.deepEqual({ clsId, landmarkId, vocabularySize }, { clsId: 101, landmarkId: 102, vocabularySize: 30522 });
});

test('control tokens in a text are plain words', async () => {
  const tokenizer = await load();
  const { ids } = tokenizer.encodeText('[CLS] [SEP] </s> <|endoftext|> <s> [MASK] [PAD] [UNK]\n'.repeat(500));
  assert.equal(ids.length % 500, 0);
  for (const special of [0, 100, 101, 102, 103]) assert.equal(ids.includes(special), false, `id ${special}`);
});

test('words joined in any way give the ids of the whole line', async () => {
  const tokenizer = await load();
  const plain = await plainRule();
  const piece = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('return', 'HTTPServer', 'xyzzyq', '42', ' ', '  ', '\t', '\n', '\r\n', '\r', '_', '.'),
    },
    fc.constantFrom(
      '\f',
      '\v',
      '\ufeff',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\u0301',
      'é',
      'ß',
      'İ',
      '中文',
      'カナ',
      '٣',
      'ไทย',
      'हि',
      '[SEP]',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async pieces => {
      const text = pieces.join('');
      await assertSameTokens(tokenizer, text, plain(text));
    }),
    { seed: 11, numRuns: 500 },
  );
});

test('every ASCII word has the pieces that the library finds', async () => {
  const tokenizer = await load();
  const plain = await plainRule();
  const word = fc.oneof(
    fc.stringMatching(/^[0-9a-f]{1,64}$/),
    fc.stringMatching(/^[a-z]{95,105}$/),
    fc.stringMatching(/^[A-Za-z0-9]{1,24}$/),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), words => {
      const text = words.join(' ');
      assert.deepEqual([...tokenizer.encodeText(text).ids], plain(text).ids);
    }),
    { seed: 12, numRuns: 200 },
  );
});

test('letters are lower-cased one by one and rare ideographs stand alone, as in the reference', async () => {
  const tokenizer = await load();
  assert.deepEqual(tokenizer.encodeLine('Σ'), tokenizer.encodeLine('σ'));
  assert.deepEqual(tokenizer.encodeLine('ΑΣ'), tokenizer.encodeLine('ασ'));
  assert.deepEqual(tokenizer.encodeLine('a\u{20bb7}\u{20bb7}'), [1037, UNKNOWN, UNKNOWN]);
});

test('a word longer than the vocabulary allows is one unknown token', async () => {
  const tokenizer = await load();
  assert.notDeepEqual(tokenizer.encodeLine('a'.repeat(100)), [UNKNOWN]);
  assert.deepEqual(tokenizer.encodeLine('a'.repeat(101)), [UNKNOWN]);
  assert.deepEqual(tokenizer.encodeLine('x'.repeat(1_000_000)), [UNKNOWN]);
});

test('a text longer than a section keeps its ids and lines', async () => {
  const tokenizer = await load();
  const plain = await plainRule();
  const texts = [
    Array.from({ length: 3000 }, (_, at) => `const value${at} = ${at};`).join('\n'),
    Array.from({ length: 3000 }, (_, at) => `row ${at}\r\n`).join(''),
    Array.from({ length: 3000 }, (_, at) => `row ${at}`).join('\r'),
    `var t=[${Array.from({ length: 4000 }, (_, at) => `item${at}`).join(',')}];`,
    '漢字かな\u0301混じり'.repeat(5000),
    'letters'.repeat(3000),
    `${'б'.repeat(20_000)} конец`,
    '\n'.repeat(40_000),
  ];
  for (const text of texts) await assertSameTokens(tokenizer, text, plain(text));
});

test('sections are the text again, and cut neither a word nor a line end', () => {
  const unit = fc.constantFrom('a'.repeat(5000), 'b ', '\r\n', '\r', '\f', '漢', ';', '\u{20bb7}');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), units => {
      const text = units.join('');
      const sections = [...textSections(text)];
      assert.equal(sections.join(''), text);
      for (const section of sections.slice(0, -1)) assert.match(section, /[\n ;漢]$/u);
    }),
    { seed: 13, numRuns: 300 },
  );
});

test('a long text lets others run and can be cancelled', async () => {
  const tokenizer = await load();
  const text = Array.from({ length: 60_000 }, (_, at) => `${at.toString(36)} = call${at}(x)`).join('\n');
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  await tokenizer.encodeTextInSlices(text);
  clearInterval(count);
  assert.ok(turns > 0, 'a timer ran in between');

  const controller = new AbortController();
  const running = tokenizer.encodeTextInSlices(text.replaceAll('call', 'other'), controller.signal);
  setImmediate(() => controller.abort());
  await assert.rejects(running, isCancelled);
});

test('a tokenizer of another kind is given whole lines', async t => {
  const model = await withTokenizer(t, json => {
    json['pre_tokenizer'] = { type: 'Whitespace' };
  });
  const tokenizer = await TextTokenizer.load(model);
  const tokens = tokenizer.encodeText('return the value\r\nof x');
  assert.deepEqual([...tokens.ids], [2709, 1996, 3643, 1997, 1060]);
  assert.deepEqual([...tokens.lines], [1, 1, 1, 2, 2]);
  assert.equal(tokens.lineCount, 2);
});

test('a tokenizer that cannot serve is refused by name', async t => {
  const refused = (problem: string) => (error: unknown) => {
    assert.ok(error instanceof LandmarkError && error.reason === 'model-invalid', String(error));
    assert.ok(error.message.includes(problem), error.message);
    return true;
  };
  const model = await loadModel(MODEL_FOLDER);
  const unknown = { ...model, manifest: { ...model.manifest, landmarkToken: '<lmk>' } };
  await assert.rejects(
    TextTokenizer.load(unknown),
    refused('expected "landmarkToken" to be in tokenizer.json, got "<lmk>"'),
  );
  const empty = await withTokenizer(t, () => ({}));
  await assert.rejects(TextTokenizer.load(empty), refused('tokenizer.json: expected a tokenizer'));
  for (const id of [9_999_999_999, -1, 0.5, '5']) {
    const stray = await withTokenizer(t, json => {
      (json['model'] as { vocab: Record<string, unknown> }).vocab['return'] = id;
    });
    await assert.rejects(
      TextTokenizer.load(stray),
      refused(`to follow each other, got "return": ${JSON.stringify(id)}`),
    );
  }
  const word = await withTokenizer(t, json => {
    (json['added_tokens'] as object[]).push({ id: 2709, content: 'return', special: true });
  });
  await assert.rejects(
    TextTokenizer.load(word),
    refused('expected no plain words among the added tokens, got "return"'),
  );
});
