import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionOf } from '../../src/engine/evaluation/commitQuestion';
import { givesNameAway, holdsIdentifier } from '../../src/engine/evaluation/nameLeak';

test('a subject makes a question without prefixes, references and marks', () => {
  const questions = {
    'fix(router): keep the query string when `redirect()` is called twice (#1234)':
      'keep the query string when redirect() is called twice',
    'ABC-42: [core] close idle sockets after the keep alive timeout passed, fixes #7':
      'close idle sockets after the keep alive timeout passed',
    'net/http: reuse connections of a proxy that answers with an error':
      'reuse connections of a proxy that answers with an error',
    'parser: reject numbers that begin with a zero, see https://example.org/spec':
      'parser: reject numbers that begin with a zero, see',
    'Retry uploads whose first part was lost since 0a1b2c3d4e': 'Retry uploads whose first part was lost since',
  };
  for (const [message, question] of Object.entries(questions)) assert.equal(questionOf(message), question);
});

test('a short subject is joined by the first sentence of the body, where that is prose', () => {
  const subject = 'Keep deleted rows visible';
  const prose = `${subject}\n\nSigned-off-by: A\n\nRows that a reader still holds stay until it ends. More text.`;
  assert.equal(questionOf(prose), 'Keep deleted rows visible. Rows that a reader still holds stay until it ends');
  // Four words alone are too few.
  assert.equal(questionOf(`${subject}\n\n- a list of things that were changed in here`), undefined);
  assert.equal(questionOf(`${subject}\n\nI looked at the rows that a reader still holds.`), undefined);
  const long = 'Keep deleted rows visible for readers that began before they were deleted';
  assert.equal(questionOf(`${long}\n\nRows that a reader still holds stay until it ends.`), long);
});

test('messages about documents, tests, versions, branches and style make no question', () => {
  for (const message of [
    'docs: explain how the pool of connections grows',
    'chore(deps): raise the version of the parser library',
    'feat(ci): run the slow suite on every push of the branch',
    'Bump the parser library from one version to the next',
    'Fix typos in the names of the pool options',
    'Add unit tests for the pool of open connections',
    'Revert "Keep deleted rows visible for readers that began before"',
    'fixup! keep deleted rows visible for old readers',
    'Address review feedback about the pool of connections',
    'Fix the bug',
    'Fix an issue when the file is moved and more',
    'Keep deleted rows visible for the readers that…',
  ])
    assert.equal(questionOf(message), undefined, message);
});

test('a question gives a file away when a run of its words is the name of the file', () => {
  assert.equal(givesNameAway('the reply serializer is called twice', ['lib/ReplySerializer.js']), true);
  assert.equal(givesNameAway('make reply_serializers optional', ['lib/reply-serializer.js']), true);
  assert.equal(givesNameAway('effects run twice', ['src/effect.ts']), true);
  assert.equal(givesNameAway('the cache forgets', ['src/cache/index.ts']), true);
  assert.equal(givesNameAway('the index forgets', ['src/cache/index.ts']), false);
  assert.equal(givesNameAway('serialize a reply', ['lib/ReplySerializer.js']), false);
  assert.equal(givesNameAway('typed routes', ['types/route.d.ts', 'lib/other.js']), true);
});

test('identifiers, options and calls are told from plain words', () => {
  for (const text of ['use maxSize here', 'the max_size', 'call open(', 'a::b', 'reply.send', 'pass --force', '$scope'])
    assert.equal(holdsIdentifier(text), true, text);
  for (const text of ['plain words', 'a well-known word', 'The end.', 'C and D'])
    assert.equal(holdsIdentifier(text), false, text);
});
