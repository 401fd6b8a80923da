import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Names the data of one indexed folder: sha256 of its real path, hex. */
export function workspaceId(realPath: string): string {
  return createHash('sha256').update(realPath, 'utf8').digest('hex');
}

/** Where the parts lie below the data root. */
export interface DataLayout {
  /** The window store, shared by all workspaces. */
  readonly windows: string;
  /** Catalogue and graphs of this workspace. */
  readonly workspace: string;
  /** `{"folder": "<real path>"}`, so that a person can tell the workspaces apart. */
  readonly folderFile: string;
}

/** All workspaces lie in this folder, each under its id. */
export function workspacesFolder(root: string): string {
  return join(root, 'workspaces');
}

/** @param realPath of the indexed folder. */
export function dataLayout(root: string, realPath: string): DataLayout {
  const workspace = join(workspacesFolder(root), workspaceId(realPath));
  return { windows: join(root, 'windows'), workspace, folderFile: join(workspace, 'folder.json') };
}
