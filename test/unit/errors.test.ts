import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelledError, isCancelled, LandmarkError, systemCode, throwIfAborted } from '../../src/util/errors';

test('cancellation is told from failure, whoever threw it', () => {
  assert.equal(isCancelled(cancelledError()), true);
  assert.equal(isCancelled(new DOMException('gone', 'AbortError')), true);
  assert.equal(isCancelled(new LandmarkError('internal', 'broken')), false);
  assert.throws(() => throwIfAborted(AbortSignal.abort()), isCancelled);
});

test('the code of a system error is read without trusting its shape', () => {
  assert.equal(systemCode(Object.assign(new Error('x'), { code: 'ENOENT' })), 'ENOENT');
  assert.equal(systemCode({ code: 7 }), undefined);
  assert.equal(systemCode(null), undefined);
});
