// VS Code's server on a machine that is reached over SSH alone, by another user; the window is on this side of the tunnel.
// It is code-server and not Microsoft's Remote-SSH, which may not be used with other builds of the editor; both run an
// extension of the kind "workspace" in the server's extension host, where the folders have the scheme "file".
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { packedProduct } from '../e2e/productPackage.mjs';
import { askForRetry, landOnRetry, RETRY } from '../e2e/retry.mjs';
import { escape, expectFirst, search } from '../e2e/searching.mjs';
import { SOURCES } from '../e2e/sources.mjs';
import { screenshot, STATUS, writeTree } from '../e2e/suite.mjs';
import { LISTENING, prepareServer, serveArguments, serverCommand, startBrowser } from '../e2e/vscode.mjs';
import { Workbench } from '../e2e/workbench.mjs';
import { mounts } from './disks.mjs';
import { expect, expectReady, saveLine } from './editing.mjs';
import { freePort, startSshHost } from './sshHost.mjs';
import { addUser, listening, processesOf, whenAllGone } from './users.mjs';

const { E2E_HOME } = process.env;
const quote = word => `'${word.replaceAll("'", `'\\''`)}'`;

describe('over SSH', () => {
  const disks = mounts();
  /** What the other side has, what this side has, and how they are joined. */
  const at = {};

  before(async () => {
    // The other user reaches nothing of ours but the editor and the way to its own home.
    at.editor = disks.readOnly(E2E_HOME, 'editor');
    at.home = join(disks.folder, 'home');
    at.user = addUser(at.home);
    at.host = await startSshHost(disks.subfolder('ssh'), at.user, at.home);
    at.hadData = existsSync(ownData) ? statSync(ownData).mtimeMs : undefined;
  });
  afterEach(t => (t.passed === false ? screenshot(at.wb, `failed ${t.name}`) : undefined));
  after(async () => {
    await at.browser?.close();
    at.client?.kill('SIGKILL');
    await at.host?.stop();
    at.user?.remove();
    disks.end();
  });
  const ownData = join(homedir(), '.cache/landmark-code-search');
  const ours = () => processesOf(at.user.uid).filter(({ command }) => /landmark\.landmark-code-search/.test(command));

  test('the package is copied and installed over there', async () => {
    const local = disks.subfolder('prepared');
    prepareServer(join(local, 'server'));
    writeTree(join(local, 'harbour'), SOURCES);
    await at.host.copy(packedProduct(), join(local, 'server'), join(local, 'harbour'));
    at.command = serverCommand(at.editor, join(at.home, 'server')).map(quote).join(' ');
    const said = await at.host.run(`${at.command} --install-extension ${quote(basename(packedProduct()))}`);
    assert.match(said, /was successfully installed/);
  });

  test('the window searches through the tunnel and lands on the line', async () => {
    // As Remote-SSH does: the server is no child of the connection that starts it.
    const serve = `${at.command} ${serveArguments(E2E_HOME).map(quote).join(' ')}`;
    await at.host.run(`EXTENSIONS_GALLERY='{"serviceUrl":""}' setsid nohup ${serve} >server.log 2>&1 </dev/null &`);
    await expect.poll(() => at.host.run('cat server.log'), { timeout: 60_000 }).toMatch(LISTENING);
    const [, , there] = LISTENING.exec(await at.host.run('cat server.log'));
    at.port = { here: await freePort(), there };
    at.client = await at.host.tunnel(at.port.here, at.port.there);
    at.browser = await startBrowser();
    const vs = { url: `http://127.0.0.1:${at.port.here}` };
    at.wb = await Workbench.open(at.browser, vs, join(at.home, 'harbour'), { ready: STATUS });
    await expectReady(at.wb);
    await askForRetry(at.wb);
    await landOnRetry(at.wb);
    await screenshot(at.wb, 'ssh landed');
  });

  test('what is saved is found', async () => {
    await saveLine(at.wb, 'ttlCache.ts', '// a heron forgets the time');
    assert.match(await at.host.run('head -n1 harbour/src/cache/ttlCache.ts'), /a heron forgets the time/);
    await expectFirst(at.wb, 'heron forgets the time', 'ttlCache.ts');
  });

  test('all that is ours runs over there and listens nowhere, and nothing is kept on this side', async () => {
    const running = ours();
    assert.ok(
      running.some(({ command }) => command.includes('dist/search.js')),
      JSON.stringify(running),
    );
    for (const { pid } of running) assert.equal(listening(pid), 0);
    const loaded = await at.wb.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    assert.ok(loaded.length > 0);
    assert.deepEqual(
      loaded.filter(name => /landmark[^?]*\/dist\//.test(name)),
      [],
    );
    assert.match(await at.host.run('ls .cache/landmark-code-search'), /./);
    assert.equal(existsSync(ownData) ? statSync(ownData).mtimeMs : undefined, at.hadData);
    assert.throws(() => execFileSync('setpriv', ['--reuid', String(at.user.uid), '--clear-groups', 'ls', homedir()]));
  });

  test('when the connection breaks and comes back, the same process answers, and nothing is indexed again', async () => {
    const searching = () =>
      ours()
        .filter(({ command }) => command.includes('dist/search.js'))
        .map(({ pid }) => pid);
    const before = searching();
    assert.equal(before.length, 1);
    at.client.kill('SIGKILL');
    await once(at.client, 'exit');
    await expect(at.wb.page.locator('.monaco-dialog-box, .notifications-toasts, .statusbar')).toContainText(
      [/reconnect|disconnect/i],
      { timeout: 60_000 },
    );
    await screenshot(at.wb, 'ssh broken');
    at.client = await at.host.tunnel(at.port.here, at.port.there);
    const now = at.wb.page.getByRole('button', { name: 'Reconnect Now' });
    await expect(async () => {
      if (await now.isVisible()) await now.click({ timeout: 1000 });
      await search(at.wb, RETRY);
      await expect(at.wb.focusedRow).toContainText('retry.ts', { timeout: 2000 });
      await escape(at.wb);
    }).toPass({ timeout: 90_000 });
    assert.deepEqual(searching(), before);
    await saveLine(at.wb, 'lruCache.ts', '// a gannet remembers the place');
    await expectFirst(at.wb, 'gannet remembers the place', 'lruCache.ts');
  });

  test('after the server has ended nothing of it is left, and opened again nothing is indexed again', async () => {
    await at.browser.close();
    const server = processesOf(at.user.uid).filter(({ command }) => command.includes('code-server/out/node/entry'));
    await at.host.run(`kill ${server.map(({ pid }) => pid).join(' ')}`);
    at.client.kill('SIGKILL');
    await whenAllGone(at.user.uid);
    const cli = (await at.host.run('ls -d server/extensions/landmark.*/dist/cli.js')).trim();
    const [node] = serverCommand(at.editor, '');
    const report = JSON.parse(await at.host.run(`${quote(node)} ${cli} index harbour --json`));
    assert.deepEqual([report.embedded, report.windows.embedded, report.failed], [0, 0, []]);
    assert.equal(readFileSync('/proc/mounts', 'utf8').split(at.editor).length, 2);
    await whenAllGone(at.user.uid);
  });
});
