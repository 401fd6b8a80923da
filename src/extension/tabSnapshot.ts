import * as vscode from 'vscode';

/** How a text editor was looked at. */
interface Look {
  readonly selections: readonly vscode.Selection[];
  readonly firstLine: number;
}

interface KnownTab {
  readonly input: unknown;
  readonly key: string;
  readonly label: string;
  readonly isPreview: boolean;
}

/**
 * What the active editor group looked like: its tabs, which one was on top, which one was the preview tab, and the
 * selection and scroll position of every visible text editor.
 */
export class TabSnapshot {
  readonly viewColumn: vscode.ViewColumn;
  readonly #tabs: readonly KnownTab[];
  readonly #active: KnownTab | undefined;
  readonly #looks = new Map<string, Look>();

  constructor() {
    const group = vscode.window.tabGroups.activeTabGroup;
    this.viewColumn = group.viewColumn;
    this.#tabs = group.tabs.map(known);
    this.#active = group.activeTab && known(group.activeTab);
    for (const editor of vscode.window.visibleTextEditors) this.#looks.set(lookKey(editor), lookOf(editor));
  }

  /** True when the file was open in this group. */
  holds(uri: vscode.Uri): boolean {
    return this.#tabs.some(tab => tab.key === textKey(uri));
  }

  /** The preview tab, which opening another preview will replace. */
  get previewTab():
    { readonly isActive: boolean; readonly uri: vscode.Uri | undefined; readonly canReopen: boolean } | undefined {
    const tab = this.#tabs.find(each => each.isPreview);
    if (tab === undefined) return undefined;
    const uri = tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
    return { isActive: tab.key === this.#active?.key, uri, canReopen: canReopen(tab.input) };
  }

  /** Names the tab that is on top of the group now. */
  get topTab(): string | undefined {
    const tab = this.#group()?.activeTab;
    return tab && known(tab).key;
  }

  /** Puts tabs, active tab, selections and scroll positions back. Focus stays where it is. */
  async restore(): Promise<void> {
    const preview = this.#tabs.find(tab => tab.isPreview);
    // Takes the place of the tab that took its place.
    if (preview !== undefined && this.#find(preview) === undefined) await this.#reopen(preview);
    // Before the others close: an editor that closes on top takes the focus with it.
    await this.#activate();
    const added = this.#group()?.tabs.filter(tab => !this.#tabs.some(each => each.key === known(tab).key)) ?? [];
    const unchanged = added.filter(tab => !tab.isDirty);
    if (unchanged.length > 0) await vscode.window.tabGroups.close(unchanged, true);
    for (const editor of vscode.window.visibleTextEditors) await this.#restoreLook(editor);
  }

  async #activate(): Promise<void> {
    const active = this.#active;
    const group = this.#group();
    if (active === undefined || group === undefined) return;
    if (this.topTab === active.key) return;
    if (canReopen(active.input)) {
      await this.#reopen(active);
      return;
    }
    const index = group.tabs.findIndex(tab => known(tab).key === active.key);
    if (index >= 0) await vscode.commands.executeCommand('workbench.action.openEditorAtIndex', index);
  }

  #reopen(tab: KnownTab): Thenable<unknown> {
    const options = { viewColumn: this.viewColumn, preview: tab.isPreview, preserveFocus: true };
    const { input } = tab;
    if (input instanceof vscode.TabInputText) return vscode.window.showTextDocument(input.uri, options);
    if (input instanceof vscode.TabInputTextDiff) {
      return vscode.commands.executeCommand('vscode.diff', input.original, input.modified, tab.label, options);
    }
    if (input instanceof vscode.TabInputCustom) {
      return vscode.commands.executeCommand('vscode.openWith', input.uri, input.viewType, options);
    }
    if (input instanceof vscode.TabInputNotebook) {
      return vscode.commands.executeCommand('vscode.openWith', input.uri, input.notebookType, options);
    }
    return Promise.resolve();
  }

  async #restoreLook(editor: vscode.TextEditor): Promise<void> {
    const look = this.#looks.get(lookKey(editor));
    if (look === undefined) return;
    if (!sameSelections(editor.selections, look.selections)) editor.selections = look.selections;
    await scrollTo(editor, look.firstLine);
  }

  #find(tab: KnownTab): vscode.Tab | undefined {
    return this.#group()?.tabs.find(each => known(each).key === tab.key);
  }

  #group(): vscode.TabGroup | undefined {
    return vscode.window.tabGroups.all.find(group => group.viewColumn === this.viewColumn);
  }
}

/** First line of an editor that is wholly in view, 0-based. */
export function firstVisibleLine(editor: vscode.TextEditor): number {
  return editor.visibleRanges[0]?.start.line ?? 0;
}

/**
 * Scrolls so that the line is the first one in view. Revealing it would leave room for the lines that stick to the top,
 * so the active editor is scrolled by a number of lines instead.
 */
export async function scrollTo(editor: vscode.TextEditor, line: number): Promise<void> {
  const by = line - firstVisibleLine(editor);
  if (by === 0) return;
  if (editor === vscode.window.activeTextEditor) {
    const scroll = { to: by > 0 ? 'down' : 'up', by: 'line', value: Math.abs(by), revealCursor: false };
    await vscode.commands.executeCommand('editorScroll', scroll);
    return;
  }
  const at = Math.min(line, editor.document.lineCount - 1);
  editor.revealRange(new vscode.Range(at, 0, at, 0), vscode.TextEditorRevealType.AtTop);
}

function known(tab: vscode.Tab): KnownTab {
  return { input: tab.input, key: tabKey(tab), label: tab.label, isPreview: tab.isPreview };
}

function tabKey(tab: vscode.Tab): string {
  const { input } = tab;
  if (input instanceof vscode.TabInputText) return textKey(input.uri);
  if (input instanceof vscode.TabInputTextDiff) return `diff ${String(input.original)} ${String(input.modified)}`;
  if (input instanceof vscode.TabInputCustom) return `custom ${input.viewType} ${String(input.uri)}`;
  if (input instanceof vscode.TabInputNotebook) return `notebook ${input.notebookType} ${String(input.uri)}`;
  if (input instanceof vscode.TabInputWebview) return `webview ${input.viewType} ${tab.label}`;
  return `other ${tab.label}`;
}

function textKey(uri: vscode.Uri): string {
  return `text ${uri.toString()}`;
}

function canReopen(input: unknown): boolean {
  return (
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputTextDiff ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
  );
}

function lookKey(editor: vscode.TextEditor): string {
  return `${String(editor.viewColumn)} ${editor.document.uri.toString()}`;
}

function lookOf(editor: vscode.TextEditor): Look {
  return { selections: editor.selections, firstLine: firstVisibleLine(editor) };
}

function sameSelections(a: readonly vscode.Selection[], b: readonly vscode.Selection[]): boolean {
  // A selection that is turned round has the same range but another cursor.
  return (
    a.length === b.length &&
    a.every((each, index) => {
      const other = b[index];
      return other !== undefined && each.anchor.isEqual(other.anchor) && each.active.isEqual(other.active);
    })
  );
}
