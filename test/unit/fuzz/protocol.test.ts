import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Embedder } from '../../../src/engine/model/embedder';
import { EmbedderServer } from '../../../src/host/embedderServer';
import type { ClientMessage, EmbedderReply, EmbedderRequest, ServerMessage } from '../../../src/host/protocol';
import { PROTOCOL_VERSION } from '../../../src/host/protocol';
import { checkRequest } from '../../../src/host/requestParams';
import { RequestServer } from '../../../src/host/requestServer';
import { LandmarkError } from '../../../src/util/errors';
import { nullLogger } from '../../../src/util/logger';
import { holds, holdsLater } from '../../support/amount';
import { settled } from '../../support/fakeChild';
import { emptyReport, emptyResponse, fakeEngine } from '../../support/fakeEngine';

const filled = fc.string({ minLength: 1, maxLength: 8 }).filter(text => text.trim() !== '');
const positive = fc.integer({ min: 1, max: 1000 });
const range = fc.tuple(positive, positive).map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
const arms = fc.subarray(['file', 'landmark', 'path', 'lexical', 'history', 'definition'], { minLength: 1 });
const fields = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, requiredKeys?: (keyof T)[]) =>
  fc.record(model, { noNullPrototype: true, ...(requiredKeys ? { requiredKeys } : {}) });

const options = fields(
  {
    access: fc.constantFrom('read', 'write'),
    history: fields({ gitDir: filled, at: filled }),
    exclude: fc.array(fc.string(), { maxLength: 3 }),
    maxFileSize: positive,
  },
  ['access'],
);
const request = fields({ query: fc.string(), limit: positive, scope: filled, arms }, ['query']);
const searchCase = fields(
  { id: filled, query: filled, relevant: fc.array(filled), hunks: fc.dictionary(filled, fc.array(range)) },
  ['id', 'query', 'relevant'],
);
const similarCase = fields({ id: filled, file: filled, relevant: fc.array(filled) });

const PARAMS = {
  open: fields({ folder: filled, options }),
  closeFolder: fields({ folder: filled }),
  sync: fields({ folder: filled, rebuild: fc.boolean() }),
  update: fields({ folder: filled, paths: fc.array(filled, { maxLength: 3 }) }),
  setPaused: fields({ folder: filled, paused: fc.boolean() }),
  search: fields({ folders: fc.array(filled, { minLength: 1, maxLength: 3 }), request }),
  similar: fields({ folder: filled, file: filled, limit: positive }),
  explain: fields({ folder: filled, file: filled }),
  stats: fields({ folder: filled }),
  evaluate: fields({ folder: filled, cases: fc.array(searchCase, { maxLength: 2 }), arms }, ['folder', 'cases']),
  evaluateSimilar: fields({ folder: filled, cases: fc.array(similarCase, { maxLength: 2 }) }),
  evaluatePast: fields({ folder: filled }),
  clear: fields({ folder: filled }),
  data: fields({ action: fc.constantFrom('list', 'clean') }),
};
type Kind = keyof typeof PARAMS;
const KINDS = Object.keys(PARAMS) as Kind[];
const valid = fc
  .constantFrom(...KINDS)
  .chain(kind => (PARAMS[kind] as fc.Arbitrary<object>).map(params => ({ kind, params })));

const isRefusal = (error: unknown): boolean =>
  error instanceof LandmarkError && error.reason === 'invalid-argument' && /\.$/.test(error.message);

test('a request of the right shape is taken as it is, and anything else is refused in a sentence', () => {
  const property = fc.property(valid, fc.anything(), fc.nat(), (good, anything, which) => {
    assert.equal(checkRequest(good), good);
    const names = Object.keys(good.params);
    const name = names[which % names.length] ?? '';
    const changed = { kind: good.kind, params: { ...good.params, [name]: Symbol('of no use') } };
    assert.throws(() => checkRequest(changed), isRefusal, name);
    for (const other of [anything, { kind: good.kind, params: anything }, { ...good, kind: anything }]) {
      try {
        checkRequest(other);
      } catch (error) {
        assert.ok(isRefusal(error), String(error));
      }
    }
  });
  holds('requests', 401, 3000, property);
});

/** What a client could send, right, wrong or no message at all. */
const message = fc.oneof(
  fc.tuple(fc.nat(5), valid).map(([id, asked]) => ({ type: 'request', id, request: asked })),
  fc.tuple(fc.nat(5), fc.anything()).map(([id, asked]) => ({ type: 'request', id, request: asked })),
  fc.nat(5).map(id => ({ type: 'cancel', id })),
  fc.constant({ type: 'hello', version: PROTOCOL_VERSION, config: {} }),
  fc.anything(),
);

test('whatever is sent, the server answers every request once and throws nothing', async () => {
  const property = fc.asyncProperty(fc.array(message, { maxLength: 12 }), async messages => {
    const sent: ServerMessage[] = [];
    const server = new RequestServer({
      configure: () => ({
        open: folder =>
          Promise.resolve(
            fakeEngine(folder, {
              sync: () => Promise.resolve(emptyReport),
              search: ({ query }) => Promise.resolve(emptyResponse(query)),
              clear: () => Promise.reject(new Error('not expected')),
            }),
          ),
        evaluatePast: () => Promise.reject(new Error('not expected')),
        data: () => Promise.resolve({ dataDir: '', folders: [], vectors: 0, putAside: 0, bytes: 0 }),
        close: () => Promise.resolve(),
      }),
      realPath: folder => Promise.resolve(folder),
      send: answer => sent.push(answer),
      logger: nullLogger,
      now: () => 0,
    });
    let asked = 0;
    for (const each of messages) {
      const isRequest = (each as { type?: unknown } | undefined)?.type === 'request';
      server.handle(each as ClientMessage);
      // One at a time: two requests of one number would be a fault of the client.
      for (let turn = 0; turn < 6; turn++) await settled();
      if (isRequest) asked++;
      const answers = sent.filter(({ type }) => type === 'response' || type === 'failure');
      assert.equal(answers.length, asked);
    }
    await server.close();
  });
  await holdsLater('messages to the search process', 402, 300, property);
});

test('an embedder process answers any message with a result or a failure', async () => {
  const model: Embedder = {
    dimensions: 2,
    embed: windows => Promise.resolve(windows.map(ids => Float32Array.of(ids.length, 0))),
    close: () => Promise.resolve(),
  };
  const asked = fc.oneof(
    fc.constant({ type: 'start', version: PROTOCOL_VERSION, modelDir: '', threads: 1 }),
    fc.tuple(fc.nat(), fc.array(fc.int32Array())).map(([id, windows]) => ({ type: 'embed', id, windows })),
    fc.tuple(fc.nat(), fc.anything()).map(([id, windows]) => ({ type: 'embed', id, windows })),
  );
  const property = fc.asyncProperty(fc.array(asked, { maxLength: 8 }), async messages => {
    const replies: EmbedderReply[] = [];
    const server = new EmbedderServer(
      () => Promise.resolve(model),
      reply => replies.push(reply),
      () => 1,
    );
    for (const each of messages) await server.handle(each as Exclude<EmbedderRequest, { type: 'shutdown' }>);
    assert.equal(replies.length, messages.length);
  });
  await holdsLater('messages to the embedder process', 403, 500, property);
});
