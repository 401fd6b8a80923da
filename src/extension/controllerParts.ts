import type { IndexProgress, IndexReport } from '../engine/types';
import type { EngineClient } from '../host/engineClient';
import type { Logger } from '../util/logger';
import type { UnsavedText } from './model/unsavedTexts';
import type { WorkspaceRoot } from './openRoot';

/** The part of the engine client that is used here; tests hand in their own. */
export type Engine = Pick<EngineClient, 'request' | 'onStatus' | 'onExit' | 'stop'>;

/** A choice of the user that outlives the window. */
export interface PausedMemory {
  get(): boolean;
  set(paused: boolean): void;
}

/** What the index controller works with. */
export interface IndexControllerParts {
  /** Starts a search process with the settings of this moment. */
  readonly startEngine: () => Engine;
  readonly pausedMemory: PausedMemory;
  /** Told how looking at a whole folder goes on, and what came of it. */
  readonly onProgress?: (root: WorkspaceRoot, progress: IndexProgress) => void;
  readonly onReport?: (report: IndexReport) => void;
  /** What the editor holds and has not saved. */
  readonly unsavedTexts?: () => readonly UnsavedText[];
  readonly logger: Logger;
}
