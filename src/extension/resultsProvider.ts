import * as vscode from 'vscode';
import type { Disposable } from '../util/lifecycle';
import { COMMANDS } from './ids';
import { t } from './model/l10n';
import type { FolderNames, Target } from './model/resultRows';
import type { ResultNode, ResultTree } from './model/resultTree';
import { targetOf } from './model/resultTree';

const URI_LIST = 'text/uri-list';

export interface ResultsProviderParts {
  readonly fileOf: (target: Target) => vscode.Uri;
  readonly folderNames: () => FolderNames;
}

/** Gives the editor the rows of the results view, and what of them can be dragged into an editor. */
export class ResultsProvider
  implements vscode.TreeDataProvider<ResultNode>, vscode.TreeDragAndDropController<ResultNode>, Disposable
{
  readonly dropMimeTypes: readonly string[] = [];
  readonly dragMimeTypes = [URI_LIST];
  readonly #parts: ResultsProviderParts;
  readonly #changed = new vscode.EventEmitter<undefined>();
  #tree: ResultTree | undefined;

  constructor(parts: ResultsProviderParts) {
    this.#parts = parts;
  }

  get onDidChangeTreeData(): vscode.Event<undefined> {
    return this.#changed.event;
  }

  show(tree: ResultTree | undefined): void {
    this.#tree = tree;
    this.#changed.fire(undefined);
  }

  getChildren(node?: ResultNode): ResultNode[] {
    if (this.#tree === undefined) return [];
    return node === undefined ? [...this.#tree.roots] : this.#tree.children(node);
  }

  getParent(node: ResultNode): ResultNode | undefined {
    return this.#tree?.parent(node);
  }

  getTreeItem(node: ResultNode): vscode.TreeItem {
    const view = this.#tree?.view(node, this.#parts.folderNames());
    if (view === undefined) return new vscode.TreeItem('');
    const { label, highlights, expanded } = view;
    const item = new vscode.TreeItem(
      { label, highlights: highlights.map(([start, end]) => [start, end]) },
      expanded === undefined
        ? vscode.TreeItemCollapsibleState.None
        : expanded
          ? vscode.TreeItemCollapsibleState.Expanded
          : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = node.id;
    item.description = view.description;
    item.tooltip = view.tooltip;
    item.contextValue = contextValueOf(node);
    item.accessibilityInformation = { label: view.spoken, role: 'treeitem' };
    item.command = { command: COMMANDS.openResult, title: t('Open Result'), arguments: [node] };
    if (node.kind !== 'place') {
      item.iconPath = vscode.ThemeIcon.File;
      item.resourceUri = this.#parts.fileOf(targetOf(node));
    }
    return item;
  }

  handleDrag(nodes: readonly ResultNode[], transfer: vscode.DataTransfer): void {
    const uris = nodes.map(node => {
      const target = targetOf(node);
      const uri = this.#parts.fileOf(target);
      // The editor reads a line from the fragment.
      return (target.place === undefined ? uri : uri.with({ fragment: `L${target.place.line}` })).toString();
    });
    transfer.set(URI_LIST, new vscode.DataTransferItem([...new Set(uris)].join('\r\n')));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** What the menus of package.json go by: `file`, `place`, `copy`, `similarFile`, `similarPlace`. */
function contextValueOf(node: ResultNode): string {
  const result = node.kind === 'place' ? node.result : node.file.places[0];
  if (node.kind === 'copy' || result?.from === undefined) return node.kind;
  return node.kind === 'file' ? 'similarFile' : 'similarPlace';
}
