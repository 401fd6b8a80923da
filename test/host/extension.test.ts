import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { LandmarkExports } from '../../src/extension/extension';
import { COMMANDS } from '../../src/extension/ids';
import { openStatuses } from '../../src/extension/model/indexState';
import { noteFigure } from '../support/noteFigure';
import { until } from './until';

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

/** Waits until something is on the clipboard. */
async function readClipboard(): Promise<string> {
  const giveUpAt = Date.now() + 20_000;
  for (;;) {
    const text = await vscode.env.clipboard.readText();
    if (text !== '' || Date.now() > giveUpAt) return text;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

describe('the extension in the extension host', () => {
  let api: LandmarkExports;

  before(async () => {
    const extension = vscode.extensions.getExtension<LandmarkExports>('landmark.landmark-code-search');
    assert.ok(extension, 'the extension is installed');
    // What else runs on the machine must not decide.
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration('landmark').update('pauseWhenBusy', false, Global);
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
    noteFigure('event-loop delay of the extension host while indexing, p99', p99);
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

  it('has a text for everything that its manifest names', () => {
    const extension = vscode.extensions.getExtension('landmark.landmark-code-search');
    const { contributes } = extension?.packageJSON as { contributes: object };
    assert.doesNotMatch(JSON.stringify(contributes), /"%[\w.]+%"/);
    assert.match(JSON.stringify(contributes), /Search Code by What It Does/);
  });

  it('puts diagnostics on the clipboard that name the version and hold no home', async () => {
    await vscode.env.clipboard.writeText('');
    void vscode.commands.executeCommand(COMMANDS.copyDiagnostics);
    const report = await readClipboard();
    assert.match(report, /- landmark-code-search: \d/);
    assert.ok(!report.includes(homedir()), 'the home folder is shortened');
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
