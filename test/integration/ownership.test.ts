import assert from 'node:assert/strict';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Ownership } from '../../src/engine/store/ownership';
import { nullLogger } from '../../src/util/logger';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';

/** Claims when told to, says what came of it, and then waits. */
function claimWhenTold(dir: string): void {
  process.once('message', () => {
    void Ownership.acquire(dir, nullLogger).then(result =>
      process.send?.(result instanceof Ownership ? { owner: process.pid } : result),
    );
  });
  process.send?.('ready');
  setInterval(() => {}, 1000);
}

const role = childRole();
if (role) claimWhenTold(role[0]!);
else defineTests();

function defineTests(): void {
  const roots: string[] = [];
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'owner-'));
    roots.push(dir);
  });
  after(() => Promise.all(roots.map(root => rm(root, { recursive: true, force: true }))));

  const markers = () => readdirSync(dir).filter(name => name.startsWith('owner'));

  async function acquired(folder = dir): Promise<Ownership> {
    const result = await Ownership.acquire(folder, nullLogger);
    assert.ok(result instanceof Ownership);
    return result;
  }

  test('the second claimant learns who owns the index, and gets it after the release', async () => {
    const first = await acquired();
    assert.deepEqual(await Ownership.acquire(dir, nullLogger), { ownedBy: process.pid });
    assert.equal(first.held, true);
    await first.release();
    assert.equal(first.held, false);
    assert.deepEqual(markers(), []);
    const second = await acquired();
    await second.release();
  });

  test('of many claims at once in one process exactly one wins', async () => {
    const claims = await Promise.all(Array.from({ length: 12 }, () => Ownership.acquire(dir, nullLogger)));
    const winners = claims.filter(claim => claim instanceof Ownership);
    assert.equal(winners.length, 1);
    assert.equal(markers().length, 1);
    await winners[0]!.release();
  });

  test('of several processes that claim at once exactly one wins, also the place of a dead owner', async () => {
    for (const round of ['empty', 'dead owner']) {
      if (round === 'dead owner') await leaveDeadOwner();
      const children = Array.from({ length: 5 }, () => startRole(__filename, dir));
      await Promise.all(children.map(messageFrom));
      const answers = children.map(messageFrom);
      for (const child of children) child.send('go');
      const results = (await Promise.all(answers)) as ({ owner: number } | { ownedBy: number })[];
      const owners = results.flatMap(result => ('owner' in result ? [result.owner] : []));
      assert.equal(owners.length, 1, round);
      for (const result of results) if ('ownedBy' in result) assert.equal(result.ownedBy, owners[0]);
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map(endOf));
    }
  });

  test('the index of a killed owner is free at once', async () => {
    await leaveDeadOwner();
    assert.equal(markers().length, 1);
    const next = await acquired();
    assert.equal(markers().length, 1);
    await next.release();
  });

  test('an owner without a heartbeat is replaced, and told at its next one', async () => {
    const sleeper = await acquired();
    let lost = 0;
    sleeper.onLost(() => lost++);
    const longAgo = new Date(Date.now() - 16_000);
    utimesSync(join(dir, markers()[0]!), longAgo, longAgo);
    const next = await acquired();
    assert.equal(lost, 0);
    await sleeper.beat();
    assert.equal(lost, 1);
    assert.equal(sleeper.held, false);
    await sleeper.beat();
    await sleeper.release();
    assert.equal(lost, 1);
    assert.equal(next.held, true);
    assert.equal(markers().length, 1);
    await next.release();
  });

  test('a heartbeat keeps the ownership', async () => {
    const owner = await acquired();
    const longAgo = new Date(Date.now() - 16_000);
    utimesSync(join(dir, markers()[0]!), longAgo, longAgo);
    await owner.beat();
    assert.deepEqual(await Ownership.acquire(dir, nullLogger), { ownedBy: process.pid });
    await owner.release();
  });

  test('a process number that is used again does not keep an index locked', async t => {
    if (process.platform !== 'linux') return t.skip('only Linux tells when a process started');
    const owner = await acquired();
    const path = join(dir, markers()[0]!);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\d+"}$/, '1"}'));
    const next = await acquired();
    await next.release();
    await owner.release();
  });

  async function leaveDeadOwner(): Promise<void> {
    const child = startRole(__filename, dir);
    await messageFrom(child);
    const answer = messageFrom(child);
    child.send('go');
    assert.deepEqual(await answer, { owner: child.pid });
    child.kill('SIGKILL');
    await endOf(child);
  }
}
