import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareText } from '../../src/engine/model/codeText';
import { layoutWindow } from '../../src/engine/model/landmarkLayout';
import { loadModel } from '../../src/engine/model/modelManifest';
import { TextTokenizer } from '../../src/engine/model/textTokenizer';
import { goldenCases, MODEL_FOLDER } from '../support/golden';

test('every case of the reference is prepared, tokenised and laid out alike', async () => {
  const tokenizer = await TextTokenizer.load(await loadModel(MODEL_FOLDER));
  const cases = goldenCases();
  assert.equal(cases.length, 29);
  for (const { name, text, prepared, ids, lines, k, layout, landmarks } of cases) {
    assert.deepEqual(prepareText(text), prepared, name);
    const tokens = tokenizer.encodeText(text);
    assert.deepEqual([...tokens.ids], ids, name);
    assert.deepEqual([...tokens.lines], lines, name);
    assert.equal(tokens.lineCount, prepared.length, name);
    assert.deepEqual(
      prepared.flatMap(line => tokenizer.encodeLine(line)),
      ids,
      name,
    );
    if (k === undefined) continue;
    const { clsId, landmarkId } = tokenizer;
    const laidOut = layoutWindow(tokens.ids, { k, clsId, landmarkId });
    assert.deepEqual([...laidOut.inputIds], layout, name);
    assert.deepEqual([...laidOut.landmarks], landmarks, name);
  }
});
