import type {
  ArmName,
  ExplainResponse,
  HistorySource,
  IndexProgress,
  IndexReport,
  IndexStats,
  SearchRequest,
  SearchResponse,
  SimilarResponse,
} from './types';

/** What a folder is opened with. Plain data: it crosses the process border. */
export interface FolderOptions {
  /**
   * `write` claims the folder's index; where another process owns it, this one follows, hands its changes over and takes
   * over when that ends. `read` needs an index to be there.
   */
  readonly access: 'read' | 'write';
  /** Replaces the folder's own git history; by default it is read only when the folder is the top of a work tree. */
  readonly history?: HistorySource;
  /** Further ignore rules in .gitignore syntax, relative to the folder. */
  readonly exclude?: readonly string[];
  /** Largest source file in bytes. */
  readonly maxFileSize?: number;
}

/** One question with its known answers, see `landmark eval`. */
export interface EvaluationCase {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  /** Path to line ranges `[first, last]` that answer. */
  readonly hunks?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

/** One file with the files that are known to be like it. */
export interface SimilarCase {
  readonly id: string;
  readonly file: string;
  readonly relevant: readonly string[];
}

export interface Metrics {
  readonly 'mrr@10': number;
  readonly 'acc@1': number;
  readonly 'recall@1': number;
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'ndcg@10': number;
  /** Absent when no case has hunks. */
  readonly 'place@1'?: number;
}

export interface EvaluationReport {
  readonly metrics: Metrics;
  /** Each arm alone. */
  readonly arms: Readonly<Record<string, Metrics>>;
  /** Share of the relevant files among the first 50 candidates of each stage. */
  readonly 'recall@50': Readonly<Record<string, number>>;
  readonly queries: readonly { readonly id: string; readonly rank: number | null }[];
}

/** How well search answers a repository's own past commits, asked of its files as they were before them. */
export interface PastReport extends EvaluationReport {
  readonly snapshot: {
    /** Commit id. */
    readonly id: string;
    /** `YYYY-MM-DD`. */
    readonly date: string;
  };
  /** Files that were searched, and those of the snapshot that were left out because there were too many. */
  readonly files: number;
  readonly filesLeftOut: number;
  /** Share of the cases with a right file among the first three, by all arms together. */
  readonly firstThree: number;
  /** The cases whose question does not hold the name of a right file. */
  readonly withoutName: { readonly cases: number; readonly 'mrr@10': number; readonly 'acc@1': number };
  /** What it means, in plain sentences. */
  readonly summary: readonly string[];
}

/** The engine over one folder, as the host's processes and the command line see it. */
export interface FolderEngine {
  readonly folder: string;
  /**
   * Brings the index up to the folder's files. Single flight: a call during a run waits for it and for one more run.
   * @param rebuild believe nothing that is indexed and read every file anew, while all that was found is found still
   *   (vectors of known windows are reused).
   */
  sync(
    options: { rebuild: boolean },
    onProgress: (progress: IndexProgress) => void,
    signal?: AbortSignal,
  ): Promise<IndexReport>;
  /** Looks again at the given relative paths (files or folders: created, changed or gone; decided by what is on disk). */
  update(paths: readonly string[], signal?: AbortSignal): Promise<IndexReport>;
  /** While paused nothing is embedded; changes are kept and done after resuming. */
  setPaused(paused: boolean): void;
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse>;
  /** @param file relative path, indexed or not. */
  similar(file: string, limit: number, signal?: AbortSignal): Promise<SimilarResponse>;
  explain(file: string): Promise<ExplainResponse>;
  stats(): Promise<IndexStats>;
  evaluate(
    cases: readonly EvaluationCase[],
    arms: readonly ArmName[] | undefined,
    signal?: AbortSignal,
    onCase?: (done: number) => void,
  ): Promise<EvaluationReport>;
  evaluateSimilar(cases: readonly SimilarCase[], signal?: AbortSignal): Promise<EvaluationReport>;
  /** Deletes what is stored for this folder. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
