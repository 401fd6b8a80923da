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

/** Why nothing is embedded for now though the user did not pause it. */
export type HoldReason = 'battery' | 'busy';

/** A first run that is so long that the user is asked before. */
export interface LongRun {
  readonly files: number;
  /** Bytes of source that wait to be embedded. */
  readonly bytes: number;
  /** Estimates. */
  readonly seconds: number;
  readonly diskBytes: number;
}

/** One workspace folder. */
export interface RootView {
  readonly name: string;
  readonly state: RootState;
  /** Nothing is embedded until the size of the work is known, or until the user has answered. */
  readonly question?: LongRun | 'measuring';
}

/** Everything that the status item, its menu and the search box tell. */
export interface IndexState {
  readonly engine: EngineState;
  /** Asked for by the user; holds for all folders and over restarts. */
  readonly paused: boolean;
  /** Holds for all folders, for as long as the machine is on battery or busy. */
  readonly held?: HoldReason;
  readonly roots: readonly RootView[];
}

export function openStatuses(state: IndexState): FolderStatus[] {
  return state.roots.flatMap(root => (root.state.kind === 'open' ? [root.state.status] : []));
}
