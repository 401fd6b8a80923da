import type { FolderStatus } from '../../host/protocol';

/** What the editor knows of one workspace folder's index. */
export type RootState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly status: FolderStatus }
  /** Deleted by the user: nothing is indexed until a rebuild. */
  | { readonly kind: 'cleared' }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the editor knows of the search process. */
export type EngineState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  /** Will be started again by itself. */
  | { readonly kind: 'restarting'; readonly reason: string }
  /** Not started again before the user asks. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Everything that the status item, its menu and the search box tell. */
export interface IndexState {
  readonly engine: EngineState;
  /** Asked for by the user; holds for all folders and over restarts. */
  readonly paused: boolean;
  readonly roots: readonly { readonly name: string; readonly state: RootState }[];
}

export function openStatuses(state: IndexState): FolderStatus[] {
  return state.roots.flatMap(root => (root.state.kind === 'open' ? [root.state.status] : []));
}
