import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { LandmarkApi } from '../../src/extension/api';
import { SEARCH_TOOL } from '../../src/extension/ids';
import { notebookJson } from '../support/notebook';
import { until } from './until';

/** What a file is called that only these tests know. */
const FOLDER = 'programs';
const SOURCE = `export const first = 1;

/** Feeds the walrus with herrings before noon. */
export function feedTheWalrus(herrings: number): void {
  throwAll(herrings);
}
`;

/** This file plays another extension, which has nothing but the editor's own interface. */
describe('what other programs in the editor can use', () => {
  let api: LandmarkApi;
  let root: vscode.Uri;

  before(async () => {
    const extension = vscode.extensions.getExtension<LandmarkApi>('landmark.landmark-code-search');
    assert.ok(extension);
    api = await extension.activate();
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    root = vscode.Uri.joinPath(folder.uri, FOLDER);
    mkdirSync(root.fsPath, { recursive: true });
    writeFileSync(join(root.fsPath, 'walrus.ts'), SOURCE);
    writeFileSync(
      join(root.fsPath, 'study.ipynb'),
      notebookJson([{ source: 'import os' }, { source: 'x = 1\ncount_penguins = 3\n' }]),
    );
    await until(async () => {
      const [hit] = await searchFor('count penguins');
      return hit?.uri.path.endsWith('study.ipynb') === true ? hit : undefined;
    }, 100_000);
  });

  async function searchFor(query: string) {
    return api.search(query, { limit: 5, scope: FOLDER });
  }

  async function invoke(input: object): Promise<string> {
    const result = await vscode.lm.invokeTool(SEARCH_TOOL, { input, toolInvocationToken: undefined });
    return result.content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }

  it('search answers another extension with files and ranges', async () => {
    const [hit] = await searchFor('feed the walrus');
    assert.equal(hit?.uri.toString(), vscode.Uri.joinPath(root, 'walrus.ts').toString());
    const [place] = hit.places;
    assert.equal(place?.symbol, 'feedTheWalrus');
    assert.ok(place.range.contains(new vscode.Position(place.line, 0)));
    assert.equal(SOURCE.split('\n')[place.line]?.trim(), place.text);
    assert.equal(api.version, 1);
    assert.ok(api.index.files > 0);
  });

  it('similar answers too, wrong use and cancelling are the editor’s own errors', async () => {
    const { uri } = (await searchFor('feed the walrus'))[0] ?? assert.fail();
    const similar = await api.similar(uri, { limit: 3 });
    assert.ok(similar.length <= 3);
    assert.ok(similar.every(each => each.uri.toString() !== uri.toString()));
    await assert.rejects(api.search(''), /query: expected a text/);
    await assert.rejects(api.search('walrus', { limit: 1000 }), /limit: expected a whole number from 1 to 100/);
    await assert.rejects(api.similar(vscode.Uri.file('/etc/hosts')), /hosts/);
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    await assert.rejects(api.search('walrus', {}, source.token), vscode.CancellationError);
  });

  it('tells when the index changes', async () => {
    const told = new Promise(resolve => {
      const listening = api.onDidChangeIndex(summary => {
        listening.dispose();
        resolve(summary);
      });
    });
    writeFileSync(join(root.fsPath, 'told.ts'), 'export const told = 1;\n');
    const summary = (await told) as typeof api.index;
    assert.ok(summary.complete >= 0 && summary.complete <= 1);
  });

  it('a language model’s tool is there and answers with path:line', async () => {
    const tool = vscode.lm.tools.find(({ name }) => name === SEARCH_TOOL);
    assert.ok(tool, 'the tool is known to the editor');
    assert.match(tool.description, /plain words/);
    const text = await invoke({ query: 'feed the walrus', path: FOLDER, limit: 1 });
    assert.match(text, /^1\. programs\/walrus\.ts:\d+ \(feedTheWalrus; lines \d+-\d+/);
    assert.match(await invoke({ query: 'feed the walrus', path: root.fsPath, limit: 1 }), /programs\/walrus\.ts/);
  });

  it('the tool keeps to the open folders and refuses what it does not know', async () => {
    await assert.rejects(invoke({ query: 'walrus', path: '/etc' }), /in none of the open folders/);
    await assert.rejects(invoke({ query: 'walrus', limit: 1000 }), /limit/);
    await assert.rejects(invoke({}), /query/);
    assert.doesNotMatch(await invoke({ query: 'root password', path: '../..' }), /passwd/);
  });

  it('what is typed and not saved is found, and untitled text too', async () => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(root, 'walrus.ts'));
    const editor = await vscode.window.showTextDocument(document);
    const above = `${Array.from({ length: 30 }, (_, at) => `// note ${at}`).join('\n')}\n`;
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), above));
    await editor.edit(edit =>
      edit.insert(new vscode.Position(document.lineCount, 0), '\nfunction brushTheOtter() {}\n'),
    );
    assert.ok(document.isDirty);
    const [moved] = await searchFor('feed the walrus with herrings');
    const line = moved?.places[0]?.line ?? 0;
    assert.equal(document.lineAt(line).text.trim(), moved?.places[0]?.text);
    assert.ok(line >= 30);
    const [typed] = await searchFor('brushTheOtter');
    assert.equal(document.lineAt(typed?.places[0]?.line ?? 0).text, 'function brushTheOtter() {}');
    const untitled = await vscode.workspace.openTextDocument({ content: 'teach the flamingo to count\n' });
    const found = await api.search('"teach the flamingo"');
    assert.equal(found[0]?.uri.toString(), untitled.uri.toString());
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('a notebook answers with the cell and the line in it', async () => {
    const hits = await searchFor('count_penguins');
    const hit = hits.find(({ uri }) => uri.path.endsWith('study.ipynb'));
    assert.deepEqual([hit?.places[0]?.cell, hit?.places[0]?.line], [1, 1]);
  });
});
