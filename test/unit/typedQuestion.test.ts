import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AfterAnswer } from '../../src/extension/afterAnswer';
import { TypedQuestion } from '../../src/extension/typedQuestion';
import { Deferred } from '../../src/util/async';

/** A list as the editor shows it, of which the test turns the clock; answers come when the test gives them. */
class StandInList {
  value = '';
  rows: readonly string[] = ['recent'];
  /** What was done, in order. */
  readonly done: string[] = [];
  readonly #asked = new Map<string, { readonly answer: Deferred<readonly string[]>; readonly signal: AbortSignal }>();
  readonly #afterAnswer = new AfterAnswer<string>();
  #pause: (() => void) | undefined;
  readonly question = new TypedQuestion<readonly string[]>(
    {
      question: () => this.value,
      answer: signal => {
        const answer = new Deferred<readonly string[]>();
        this.#asked.set(this.value, { answer, signal });
        return answer.promise;
      },
      show: (rows, isSame) => {
        this.rows = rows;
        this.done.push(`shows ${rows.join()}${isSame ? ' again' : ''}`);
        this.#afterAnswer.answered(rows[0]);
      },
    },
    { set: callback => (this.#pause = callback), clear: () => (this.#pause = undefined) },
  );

  type(value: string): void {
    this.value = value;
    this.#afterAnswer.questionChanged();
    this.question.typed();
  }

  enter(): void {
    const open = (row: string | undefined): Promise<void> => {
      this.done.push(`opens ${row}`);
      return Promise.resolve();
    };
    void this.#afterAnswer.act(open, this.rows[0]);
  }

  /** The pause after the last key is over. */
  pauseEnds(): void {
    const due = this.#pause;
    this.#pause = undefined;
    due?.();
  }

  isCancelled(question: string): boolean | undefined {
    return this.#asked.get(question)?.signal.aborted;
  }

  async answer(question: string, ...rows: string[]): Promise<void> {
    this.#asked.get(question)?.answer.resolve(rows);
    await new Promise(setImmediate);
  }
}

test('keys pressed together are one question', async () => {
  const list = new StandInList();
  list.type('re');
  list.type('retry');
  list.pauseEnds();
  assert.equal(list.isCancelled('re'), undefined);
  await list.answer('retry', 'retry.ts');
  assert.deepEqual(list.done, ['shows retry.ts']);
});

test('an answer that comes in the pause after a key neither replaces the list nor takes the Enter', async () => {
  const list = new StandInList();
  list.type('retry');
  list.pauseEnds();
  list.type('retry upload');
  list.enter();
  assert.equal(list.isCancelled('retry'), true);
  await list.answer('retry', 'retry.ts');
  assert.deepEqual([list.rows, list.done], [['recent'], []]);
  list.pauseEnds();
  await list.answer('retry upload', 'upload.ts', 'retry.ts');
  assert.deepEqual(list.done, ['shows upload.ts,retry.ts', 'opens upload.ts']);
});

test('so does one that comes when the next question is on its way', async () => {
  const list = new StandInList();
  list.type('retry');
  list.pauseEnds();
  list.type('retry upload');
  list.pauseEnds();
  list.enter();
  await list.answer('retry upload', 'upload.ts');
  await list.answer('retry', 'retry.ts');
  assert.deepEqual(list.done, ['shows upload.ts', 'opens upload.ts']);
});

test('Enter opens the first row at once when it answers what was typed, and waits for nobody after a further key', async () => {
  const list = new StandInList();
  list.type('retry');
  list.pauseEnds();
  await list.answer('retry', 'retry.ts');
  list.enter();
  list.type('upload');
  list.enter();
  list.type('uploads');
  list.pauseEnds();
  await list.answer('uploads', 'upload.ts');
  assert.deepEqual(list.done, ['shows retry.ts', 'opens retry.ts', 'shows upload.ts']);
});

test('a question that is asked again is the same, and its first answer counts until the second is there', async () => {
  const list = new StandInList();
  list.type('retry');
  list.pauseEnds();
  list.question.askAgain();
  assert.equal(list.isCancelled('retry'), false);
  await list.answer('retry', 'retry.ts');
  list.pauseEnds();
  await list.answer('retry', 'retry.ts', 'backoff.ts');
  assert.deepEqual(list.done, ['shows retry.ts', 'shows retry.ts,backoff.ts again']);
});

test('nothing is asked or shown once it is closed', async () => {
  const list = new StandInList();
  list.type('retry');
  list.pauseEnds();
  list.type('upload');
  list.question.dispose();
  list.pauseEnds();
  await list.answer('retry', 'retry.ts');
  assert.equal(list.isCancelled('upload'), undefined);
  assert.deepEqual(list.done, []);
});
