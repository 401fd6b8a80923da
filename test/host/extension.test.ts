import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { LandmarkApi } from '../../src/extension/extension';
import { COMMANDS } from '../../src/extension/ids';
import { openStatuses } from '../../src/extension/model/indexState';

const NANOSECONDS = 1e6;
/** The least number of files of the workspace that these tests are run on. */
const FILES = 2000;

interface Report {
  readonly sharedObjects: readonly string[];
}
interface Keybinding {
  readonly key: string;
  readonly command: string;
}

async function until<T>(value: () => T | undefined, limitMs: number): Promise<T> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const now = value();
    if (now !== undefined) return now;
    if (Date.now() > giveUpAt) throw new Error(`still not there after ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

describe('the extension in the extension host', () => {
  let api: LandmarkApi;

  before(async () => {
    const extension = vscode.extensions.getExtension<LandmarkApi>('landmark.landmark-code-search');
    assert.ok(extension, 'the extension is installed');
    api = await extension.activate();
  });

  it('keeps the host responsive while it indexes', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    await until(() => openStatuses(api.state).find(status => status.files >= FILES), 60_000);
    delay.enable();
    await new Promise(resolve => setTimeout(resolve, 15_000));
    delay.disable();
    const [status] = openStatuses(api.state);
    assert.equal(status?.state, 'indexing', 'indexing went on while it was measured');
    const p99 = delay.percentile(99) / NANOSECONDS;
    assert.ok(p99 < 50, `the event loop was late by ${p99.toFixed(1)} ms (p99)`);
  });

  it('loads no native part into the host', () => {
    const { sharedObjects } = process.report.getReport() as unknown as Report;
    const ours = sharedObjects.filter(path => /onnxruntime|hnswlib|lmdb/.test(path));
    assert.deepEqual(ours, []);
  });

  it('has registered all its commands', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(COMMANDS).filter(command => !known.has(command)),
      [],
    );
  });

  it('has a key for searching that nothing else has', async () => {
    const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const bindings = JSON.parse(text.replace(/^\s*\/\/.*$/gm, '')) as Keybinding[];
    const ours = bindings.filter(({ command }) => command === COMMANDS.search);
    assert.ok(ours.length > 0);
    for (const { key } of ours) {
      const others = bindings.filter(each => each.command !== COMMANDS.search && each.key.split(' ')[0] === key);
      assert.deepEqual(others, []);
    }
  });

  it('can be paused and resumed in any order', async () => {
    for (const command of [COMMANDS.pauseIndexing, COMMANDS.pauseIndexing, COMMANDS.resumeIndexing]) {
      await vscode.commands.executeCommand(command);
    }
    assert.equal(api.state.paused, false);
    await vscode.commands.executeCommand(COMMANDS.pauseIndexing);
    assert.equal(api.state.paused, true);
    await until(() => openStatuses(api.state).find(status => status.state === 'paused'), 20_000);
    await vscode.commands.executeCommand(COMMANDS.resumeIndexing);
    await until(() => openStatuses(api.state).find(status => status.state !== 'paused'), 20_000);
  });
});
