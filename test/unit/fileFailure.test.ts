import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, failureSentence, packFailure, unpackFailure } from '../../src/engine/files/fileFailure';
import { fileError } from '../../src/engine/files/textReader';
import { FAILURE_KINDS } from '../../src/engine/types';

const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

test('what the system says of a file becomes the kind of its failure', () => {
  const kindOf = (code: string): string => failureOf(fileError(systemError(code, code), 'a.ts')).kind;
  const codes = ['EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'EISDIR'];
  assert.deepEqual(codes.map(kindOf), ['no-permission', 'no-permission', 'gone', 'gone', 'not-a-file']);
  const failure = failureOf(fileError(systemError('EIO', 'EIO: i/o error, read'), 'a.ts'));
  assert.deepEqual(failure, { kind: 'unreadable', detail: 'EIO: i/o error, read' });
  assert.equal(failureSentence('a.ts', failure), 'a.ts cannot be read (EIO: i/o error, read): try again.');
});

test('a failure is stored as its kind and detail; sentences of earlier versions are kept', () => {
  for (const kind of FAILURE_KINDS) {
    for (const failure of [{ kind }, { kind, detail: 'it says so: 10 times' }]) {
      assert.deepEqual(unpackFailure(packFailure(failure)), failure);
    }
  }
  const old = '/app/a.ts cannot be read with your rights: change its permissions.';
  assert.deepEqual(unpackFailure(old), { kind: 'unreadable', detail: old });
});
