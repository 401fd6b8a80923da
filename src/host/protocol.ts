/**
 * The messages between a client (editor or command line) and the search process, and between the search process and
 * the embedder process. One union per direction; every request is answered exactly once, cancelled or not.
 */
import type { EvaluationCase, EvaluationReport, FolderOptions, PastReport, SimilarCase } from '../engine/folderEngine';
import type {
  ArmName,
  Draft,
  DataReport,
  ExplainResponse,
  FolderStatus,
  IndexProgress,
  IndexReport,
  IndexStats,
  SearchRequest,
  SearchResponse,
  SimilarResponse,
} from '../engine/types';
import type { ErrorReason } from '../util/errors';

export type { FolderStatus };

export const PROTOCOL_VERSION = 1;

/** What the search process is started with. */
export interface EngineConfig {
  /** Data root, resolved by the client. */
  readonly dataDir: string;
  readonly modelDir: string;
  /** Built embedder process. */
  readonly embedderMain: string;
  /** Threads of the indexing session. */
  readonly threads: number;
  /** The embedder process is recycled when its resident memory exceeds this. */
  readonly memoryLimitMb: number;
}

/** An unsaved text with the folder whose index it is searched with. */
export interface FolderDraft extends Draft {
  readonly folder: string;
}

/** Requests by kind, with what they take and give. `folder` is always the real path that `open` returned. */
export interface Requests {
  open: { params: { folder: string; options: FolderOptions }; result: { folder: string } };
  closeFolder: { params: { folder: string }; result: null };
  sync: { params: { folder: string; rebuild: boolean }; result: IndexReport };
  update: { params: { folder: string; paths: readonly string[] }; result: IndexReport };
  setPaused: { params: { folder: string; paused: boolean }; result: null };
  /** Several folders are searched one by one and merged by score; paths are then prefixed by nothing: see `folders`. */
  search: {
    params: { folders: readonly string[]; request: SearchRequest; drafts?: readonly FolderDraft[] };
    result: { responses: readonly { folder: string; response: SearchResponse }[] };
  };
  similar: { params: { folder: string; file: string; limit: number }; result: SimilarResponse };
  explain: { params: { folder: string; file: string }; result: ExplainResponse };
  stats: { params: { folder: string }; result: IndexStats };
  evaluate: {
    params: { folder: string; cases: readonly EvaluationCase[]; arms?: readonly ArmName[] };
    result: EvaluationReport;
  };
  evaluateSimilar: { params: { folder: string; cases: readonly SimilarCase[] }; result: EvaluationReport };
  /** `folder` need not be open, and its index is not touched. */
  evaluatePast: { params: { folder: string }; result: PastReport };
  clear: { params: { folder: string }; result: null };
  /** What is stored of all folders; `clean` first deletes what belongs to none any more. */
  data: { params: { action: 'list' | 'clean' }; result: DataReport };
}
export type RequestKind = keyof Requests;
export type Request = { [K in RequestKind]: { readonly kind: K; readonly params: Requests[K]['params'] } }[RequestKind];

export interface WireError {
  readonly reason: ErrorReason;
  readonly message: string;
}

export type ClientMessage =
  | { readonly type: 'hello'; readonly version: number; readonly config: EngineConfig }
  | { readonly type: 'request'; readonly id: number; readonly request: Request }
  | { readonly type: 'cancel'; readonly id: number }
  /** Are you there? Answered at once, whatever else goes on. */
  | { readonly type: 'ping' }
  | { readonly type: 'shutdown' };

export type ServerMessage =
  | { readonly type: 'ready'; readonly version: number; readonly pid: number }
  | { readonly type: 'response'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: WireError }
  | { readonly type: 'pong' }
  | { readonly type: 'progress'; readonly id: number; readonly progress: IndexProgress }
  | { readonly type: 'status'; readonly status: FolderStatus }
  | { readonly type: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string }
  /** The search process cannot go on: it ends after this message. */
  | { readonly type: 'fatal'; readonly error: WireError };

export type EmbedderRequest =
  | { readonly type: 'start'; readonly version: number; readonly modelDir: string; readonly threads: number }
  | { readonly type: 'embed'; readonly id: number; readonly windows: readonly Int32Array[] }
  | { readonly type: 'shutdown' };

export type EmbedderReply =
  | { readonly type: 'started'; readonly dimensions: number; readonly pid: number }
  | {
      readonly type: 'embedded';
      readonly id: number;
      readonly landmarks: readonly Float32Array[];
      readonly rssMb: number;
    }
  | { readonly type: 'failure'; readonly id: number | null; readonly error: WireError };
