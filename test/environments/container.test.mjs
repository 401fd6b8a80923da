// The editor's server in a container: no network, another owner of the workspace, little memory, nothing to write to.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { childrenOf, whenGone } from '../e2e/processes.mjs';
import { loggedLines, packedProduct } from '../e2e/productPackage.mjs';
import { askForRetry, landOnRetry, RETRY } from '../e2e/retry.mjs';
import { expectFirst } from '../e2e/searching.mjs';
import { SOURCES } from '../e2e/sources.mjs';
import { screenshot, STATUS, writeTree } from '../e2e/suite.mjs';
import { startBrowser } from '../e2e/vscode.mjs';
import { Workbench } from '../e2e/workbench.mjs';
import { startContainer, WORKSPACE } from './container.mjs';
import { mounts } from './disks.mjs';
import { expect, expectReady, saveLine } from './editing.mjs';

const MEMORY = 2 * 2 ** 30;
/** Nobody inside. */
const STRANGER = 54_321;

/** A repository with one commit, of a user that the container does not know; everybody may write. */
function strangersWorkspace(folder) {
  writeTree(folder, SOURCES);
  const git = (...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args]);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Add the harbour');
  appendFileSync(join(folder, 'src/text/wordCount.rs'), '// words, not letters\n');
  git('commit', '--quiet', '--all', '--message', 'Teach the pelican to count');
  for (const name of ['', ...readdirSync(folder, { recursive: true })]) {
    chownSync(join(folder, name), STRANGER, STRANGER);
    chmodSync(join(folder, name), 0o777);
  }
}

/** Starts one for the suite around it, with a window; `prepare` gives what startContainer takes. */
function useContainer(prepare) {
  const at = { disks: mounts() };
  before(async () => {
    const workspace = at.disks.subfolder('harbour');
    strangersWorkspace(workspace);
    at.workspace = workspace;
    const options = { vsix: packedProduct(), workspace, memory: MEMORY, ...prepare };
    at.container = await startContainer(at.disks.subfolder('container'), options);
    at.browser = await startBrowser();
    at.wb = await Workbench.open(at.browser, at.container, WORKSPACE, { ready: STATUS });
  });
  afterEach(t => (t.passed === false ? screenshot(at.wb, `failed ${t.name}`) : undefined));
  after(async () => {
    try {
      await at.browser?.close();
    } finally {
      await at.container?.stop();
      at.disks.end();
    }
  });
  return at;
}

test('the memory group of a container is gone with the process that made it, also when that fails', async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'memoryGroup.mjs'));
  const script = `
    import { memoryGroup } from ${module};
    import { spawn } from 'node:child_process';
    const { folder, members } = memoryGroup('landmark-' + process.pid, 2 ** 26);
    console.log(folder);
    const child = spawn('sh', ['-c', 'echo $$ >' + members + ' && echo in && exec sleep 600'], { detached: true });
    child.stdout.once('data', () => {
      console.log(child.pid);
      throw new Error('the test failed');
    });`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const [folder, member] = stdout.trim().split('\n');
  assert.deepEqual([status, /^\/sys\/fs\/cgroup\/.*landmark-/.test(folder), Number(member) > 0], [1, true, true]);
  assert.equal(existsSync(folder), false);
  await whenGone(Number(member));
});

describe('a container with a workspace of another owner, without network and with 2 GB of memory', () => {
  const at = useContainer({});

  test('the folder is indexed and searched, a match is on its line', async () => {
    await expectReady(at.wb);
    await askForRetry(at.wb);
    await landOnRetry(at.wb);
    await screenshot(at.wb, 'container');
  });

  test('what is saved is found', async () => {
    await saveLine(at.wb, 'ttlCache.ts', '// a heron forgets the time');
    assert.match(readFileSync(join(at.workspace, 'src/cache/ttlCache.ts'), 'utf8'), /^\/\/ a heron/);
    await expectFirst(at.wb, 'heron forgets the time', 'ttlCache.ts');
  });

  test('past commits are read though the repository belongs to another user', async () => {
    // Which git refuses to its own commands there; see also what `unit/commitHistory.test.ts` says of its refusals.
    const git = spawnSync('setpriv', ['--reuid', '1', '--clear-groups', 'git', '-C', at.workspace, 'status'], {
      encoding: 'utf8',
    });
    assert.match(git.stderr, /dubious ownership/);
    await expectFirst(at.wb, 'pelican', 'wordCount.rs');
    assert.deepEqual(loggedLines(at.container, 'Past commits are not used'), []);
  });

  test('nothing but loopback was there, and the memory was enough', t => {
    const [search] = childrenOf(at.container.pid).filter(({ command }) => command.includes('dist/search.js'));
    const devices = readFileSync(`/proc/${search.pid}/net/dev`, 'utf8')
      .split('\n')
      .slice(2)
      .filter(line => line.trim() !== '');
    assert.deepEqual(
      devices.map(line => line.split(':')[0].trim()),
      ['lo'],
    );
    assert.match(readFileSync(`/proc/${search.pid}/status`, 'utf8'), /^NSpid:\s+\d+\s+\d+$/m);
    const { most, killed } = at.container.figures();
    t.diagnostic(`memory at most: ${Math.round(most / 2 ** 20)} MB of ${MEMORY / 2 ** 20}`);
    assert.ok(most > 0 && most <= MEMORY);
    assert.equal(killed, 0);
  });

  test('when the container is stopped no process is left', async () => {
    const inside = childrenOf(at.container.pid);
    assert.ok(inside.some(({ command }) => command.includes('dist/search.js')));
    await at.browser.close();
    const { container } = at;
    delete at.container;
    await container.stop();
    for (const { pid } of inside) await whenGone(pid);
  });
});

describe('a container where nothing can be written: neither workspace nor home, and without git', () => {
  const at = useContainer({ isReadOnly: true, hasGit: false });

  test('one sentence says that there can be no index, and which setting names another place', async () => {
    const item = at.wb.status(STATUS).locator('[role=button]');
    await expect(item).toHaveAttribute('aria-label', /may not be used|cannot be kept/, { timeout: 60_000 });
    await expect(item).toHaveAttribute(
      'aria-label',
      /\/home\/dev\/\.cache\/landmark-code-search.*landmark\.dataFolder/,
    );
    await screenshot(at.wb, 'container read-only home');
  });

  test('with that setting the folder is indexed and searched', async () => {
    // What a person writes there is kept where the folder is: the tab "Remote" of the settings.
    const settings = join(at.container.dir, 'data/Machine/settings.json');
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ 'landmark.dataFolder': '/tmp/landmark' }));
    await expectReady(at.wb);
    await expectFirst(at.wb, RETRY, 'retry.ts');
    assert.deepEqual(readdirSync(at.workspace).sort(), ['.git', 'README.md', 'src']);
  });

  test('without git one sentence says that past commits are not used', async () => {
    const told = () => loggedLines(at.container, 'Past commits are not used: There is no git program').length;
    await expect.poll(told, { timeout: 20_000 }).toBe(1);
  });
});
