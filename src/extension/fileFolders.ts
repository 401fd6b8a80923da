import * as vscode from 'vscode';

/**
 * The workspace folders that are on the disk of the machine where this runs: with a remote window that is the remote
 * machine, whose folders have the scheme `file` here. Folders of other schemes are no paths that could be compared.
 */
export function fileFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
