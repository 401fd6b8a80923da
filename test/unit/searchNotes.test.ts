import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchNote } from '../../src/engine/types';
import { searchNoteTexts } from '../../src/tools/searchNotes';

const empty: SearchNote = { kind: 'scope-empty', scopes: ['src'] };
const cut: SearchNote = { kind: 'query-cut', length: 9 };

test('a scope is called empty only where no folder has a file in it', () => {
  const sentence = 'No indexed file lies in "src".';
  assert.deepEqual(searchNoteTexts([{ notes: [empty] }, { notes: [empty] }]), [sentence]);
  assert.deepEqual(searchNoteTexts([{ notes: [empty] }, {}]), []);
  assert.equal(searchNoteTexts([{ notes: [cut, empty] }, { notes: [cut] }]).length, 1, 'other notes stay, each once');
  assert.deepEqual(searchNoteTexts([]), []);
});

test('a quotation is called missing only where no folder has it', () => {
  const missing: SearchNote = { kind: 'quotes-not-found', quotes: ['half open'] };
  const sentence = 'No file has "half open" word by word: these come near.';
  assert.deepEqual(searchNoteTexts([{ notes: [missing] }, { notes: [missing] }]), [sentence]);
  assert.deepEqual(
    searchNoteTexts([{ notes: [missing] }, { notes: [empty] }]),
    [sentence],
    'nothing is in scope there',
  );
  assert.deepEqual(searchNoteTexts([{ notes: [missing] }, {}]), []);
});
