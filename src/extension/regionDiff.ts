import * as vscode from 'vscode';
import { baseOf } from './model/roots';

const SCHEME = 'landmark-region';
/** Lines shown around a region, so that one sees what it is part of. */
const CONTEXT_LINES = 5;

/** Lines of a file, 1-based and inclusive. */
export interface Region {
  readonly uri: vscode.Uri;
  readonly lines: readonly [number, number];
}

/** Makes read-only documents of some lines of a file; the path keeps the file's name, so that its language is known. */
export function registerRegionDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri) {
      const { file, first, last } = JSON.parse(uri.query) as { file: string; first: number; last: number };
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(file));
      const start = Math.max(0, first - 1 - CONTEXT_LINES);
      const end = Math.min(document.lineCount, last + CONTEXT_LINES);
      return document.getText(new vscode.Range(start, 0, end, 0)).replace(/\r?\n$/, '');
    },
  });
}

/** Shows two regions as a diff. */
export async function compareRegions(left: Region, right: Region): Promise<void> {
  const title = `${titleOf(left)} ↔ ${titleOf(right)}`;
  await vscode.commands.executeCommand('vscode.diff', documentOf(left), documentOf(right), title, { preview: true });
}

function documentOf({ uri, lines: [first, last] }: Region): vscode.Uri {
  const query = JSON.stringify({ file: uri.toString(), first, last });
  return vscode.Uri.from({ scheme: SCHEME, path: uri.path, query });
}

function titleOf({ uri, lines: [first, last] }: Region): string {
  return `${baseOf(uri.path)}:${first === last ? first : `${first}–${last}`}`;
}
