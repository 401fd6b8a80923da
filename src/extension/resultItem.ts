import * as vscode from 'vscode';
import { t } from './model/l10n';
import type { CopiesRow, ResultRow, Target } from './model/resultRows';

/** One row of the list in the editor. */
export interface ResultItem extends vscode.QuickPickItem {
  readonly target?: Target;
  /** Of a similar file: the lines of the file asked about. */
  readonly from?: readonly [number, number];
  /** Of an earlier question. */
  readonly query?: string;
  readonly clearsHistory?: boolean;
  /** The rows that take the place of this one when it is chosen. */
  readonly copies?: CopiesRow;
}

/** What a button in a row does. */
export interface ItemAction extends vscode.QuickInputButton {
  readonly action: 'toSide' | 'compare' | 'forget';
}

/** @param filter typing narrows the list. */
export function resultItem(
  row: ResultRow,
  { filter, fileOf }: { readonly filter: boolean; readonly fileOf: (target: Target) => vscode.Uri },
): ResultItem {
  switch (row.kind) {
    case 'separator':
      return { label: row.label, kind: vscode.QuickPickItemKind.Separator };
    case 'note':
      return { label: row.label, detail: row.detail, alwaysShow: true };
    case 'copies':
      return { label: row.label, description: row.description, alwaysShow: !filter, copies: row };
    case 'query':
      return { label: row.label, alwaysShow: true, query: row.query, buttons: [forgetButton()] };
    case 'clearHistory':
      return { label: row.label, alwaysShow: true, clearsHistory: true };
    case 'result': {
      const { label, description, detail, target, from } = row;
      return {
        label,
        description,
        detail,
        iconPath: vscode.ThemeIcon.File,
        resourceUri: fileOf(target),
        alwaysShow: !filter,
        buttons: [...(from === undefined ? [] : [compareButton()]), toSideButton()],
        target,
        ...(from === undefined ? {} : { from }),
      };
    }
  }
}

function toSideButton(): ItemAction {
  return button('toSide', 'split-horizontal', t('Open to the Side (Ctrl+Enter)'));
}

function compareButton(): ItemAction {
  return button('compare', 'diff', t('Compare the Lines That Are Alike (Shift+Enter)'));
}

function forgetButton(): ItemAction {
  return button('forget', 'close', t('Remove from Recent Searches'));
}

function button(action: ItemAction['action'], icon: string, tooltip: string): ItemAction {
  return { action, iconPath: new vscode.ThemeIcon(icon), tooltip };
}
