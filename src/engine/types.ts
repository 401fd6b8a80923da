/**
 * Plain readonly data that crosses the engine's borders: process messages, the command line's JSON, the editor.
 * Lines are 1-based and inclusive, paths are relative to the indexed folder with forward slashes.
 */

import type { ErrorReason } from '../util/errors';

/** The arms of a search, each scoring files on its own. */
export const ARM_NAMES = ['file', 'landmark', 'path', 'lexical', 'history', 'definition'] as const;
export type ArmName = (typeof ARM_NAMES)[number];

/** Which commits the history arm may read: up to and including `at`, never newer. */
export interface HistorySource {
  /** A git directory or the top of a work tree. */
  readonly gitDir: string;
  /** A commit id, or `HEAD`. */
  readonly at: string;
}

export interface Place {
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
  /** Name of the enclosing definition, where known. */
  readonly symbol?: string;
  /** Notebook cell (0-based), where the file is a notebook: then all lines of the place are lines of the cell. */
  readonly cell?: number;
  /** The lines are those of the unsaved text. */
  readonly live?: true;
  /** The line of the place that matches best, and its text, so that an editor can re-anchor it in a changed buffer. */
  readonly line: number;
  readonly lineText: string;
}

export interface SearchHit {
  readonly path: string;
  /** Fused score: comparable within one response only. */
  readonly score: number;
  readonly weak: boolean;
  /** Each arm's normalised contribution in [0, 1]. */
  readonly arms: Readonly<Partial<Record<ArmName, number>>>;
  /** Best first, at most three. */
  readonly places: readonly Place[];
  /** Other paths with the same content. */
  readonly copies?: readonly string[];
  /** The unsaved text that answers instead of the saved file, by its id. */
  readonly draft?: string;
}

/** Text that an editor holds and that is not saved: it is searched in place of the saved file, and nowhere kept. */
export interface Draft {
  /** Names it in the answer. */
  readonly id: string;
  /** Of the saved file; for a text that was never saved its name. A file that is not in the index is left out. */
  readonly path: string;
  /** Never saved. */
  readonly isNew: boolean;
  readonly text: string;
  /** Of a notebook, whose text is that of its cells: the first line of each, 1-based. */
  readonly cellStartLines?: readonly number[];
}

export interface SearchRequest {
  readonly query: string;
  /** Number of files; default 10. */
  readonly limit?: number;
  /** A glob or folder; acts before the best are chosen. */
  readonly scope?: string;
  /** Default: all. */
  readonly arms?: readonly ArmName[];
  /** Only these files, besides the scope. */
  readonly files?: readonly string[];
  /** Only files of the language that this path stands for; where that is unknown, of the same extension. */
  readonly sameLanguageAs?: string;
  readonly drafts?: readonly Draft[];
}

export interface SearchResponse {
  readonly query: string;
  /** Embedded bytes over bytes to embed, 0 to 1. */
  readonly complete: number;
  readonly timing: { readonly loadMs: number; readonly queryMs: number };
  readonly results: readonly SearchHit[];
  /** What is out of the ordinary about the answer. */
  readonly notes?: readonly SearchNote[];
}

/** Something a person should know of an answer; it is put into words where it is shown, in the language spoken there. */
export type SearchNote =
  /** Only so many characters of the query were used. */
  | { readonly kind: 'query-cut'; readonly length: number }
  | { readonly kind: 'no-words' }
  /** The model cannot run: words and history answer alone. */
  | { readonly kind: 'no-model' }
  /** The model does not know the query's script: words answer alone. */
  | { readonly kind: 'unknown-script' }
  /** `language`: as in ISO 639-1; `text`: the English that was searched for. */
  | { readonly kind: 'translated'; readonly language: string; readonly text: string }
  /** Quoted texts that no file holds, so that they narrow nothing. */
  | { readonly kind: 'quotes-not-found'; readonly quotes: readonly string[] }
  /** Folders or globs, of which one has to hold, that no file of the index lies in. */
  | { readonly kind: 'scope-empty'; readonly scopes: readonly string[] };

export interface SimilarRegion {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly score: number;
}

export interface SimilarHit {
  readonly path: string;
  readonly score: number;
  readonly copies: readonly string[];
  readonly regions: readonly SimilarRegion[];
}

/** A file that tests another, or that is tested by it, as their names say. */
export interface TestPartnerHit extends SimilarHit {
  /** `test`: it tests the file that was asked about; `tested`: the file that was asked about tests it. */
  readonly relation: 'test' | 'tested';
}

export interface SimilarResponse {
  readonly file: string;
  /** Embedded bytes over bytes to embed, 0 to 1. */
  readonly complete: number;
  /** By similarity, best first, without the file itself and its copies. */
  readonly results: readonly SimilarHit[];
  /** Other paths with the same content as the file. */
  readonly copies?: readonly string[];
  /** Tests of the file, or what it tests, nearest folder first. They may be among the results, too. */
  readonly testPartners?: readonly TestPartnerHit[];
}

export type FileState = 'indexed' | 'ignored' | 'skipped' | 'failed' | 'queued' | 'absent';

export interface ExplainResponse {
  readonly path: string;
  readonly state: FileState;
  /** A sentence. */
  readonly reason: string;
  readonly rule?: string;
  readonly ruleFile?: string;
  readonly ruleLine?: number;
  readonly contentHash?: string;
  readonly windows?: number;
  /** Why, for `failed`: so that an editor can word it in another language. */
  readonly failure?: FileFailure;
  /** What a `queued` file waits for: to be read, to be read again, or its remaining windows to be embedded. */
  readonly waitsFor?: 'read' | 'new-read' | 'vectors';
}

/** Why a file is left out; the keys of `skipped` in the index report. */
export const SKIP_REASONS = [
  'empty',
  'binary',
  'minified',
  'too-large',
  'secret',
  'lock-file',
  'generated-data',
  'unknown-kind',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why a file, or what is in a folder, could not be indexed. */
export const FAILURE_KINDS = [
  'no-permission',
  'gone',
  'not-a-file',
  /** Beyond the limit, while it was read. */
  'grew',
  /** `detail`: what the system says. */
  'unreadable',
  /** The name is not valid UTF-8. */
  'bad-name',
  /** An ignore file, whose rules do not count. */
  'rules-unread',
  /** `detail`: after how many seconds it was given up. */
  'too-slow',
  /** `detail`: what went wrong, unforeseen. */
  'internal',
  /** The model ends on its text. `detail`: a sentence. */
  'model',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export interface FileFailure {
  readonly kind: FailureKind;
  /** As the kind says; in English. */
  readonly detail?: string;
}

export interface FailedFile {
  readonly path: string;
  /** A sentence. */
  readonly reason: string;
  /** The same for an editor, which words it in its own language. */
  readonly failure: FileFailure;
}

/** files = embedded + reused + the sum of skipped + failed.length. */
export interface IndexReport {
  readonly files: number;
  /** Files with at least one window that had to be embedded. Files whose windows still wait (paused) count as reused. */
  readonly embedded: number;
  readonly reused: number;
  readonly windows: { readonly embedded: number; readonly reused: number };
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly failed: readonly FailedFile[];
  readonly seconds: number;
  /** Prepared tokens of the windows embedded in this run. */
  readonly tokens: number;
}

export interface IndexStats {
  readonly files: number;
  readonly windows: number;
  readonly landmarks: number;
  /** Bytes on disk by part: source, windows, catalog, windowGraph, snapshot. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly model: { readonly id: string; readonly fingerprint: string };
  readonly complete: number;
  /** Files that wait to be embedded. */
  readonly queue: number;
}

/** A folder that has an index. */
export interface StoredFolder {
  readonly folder: string;
  /** Of its index; the vectors are shared by all folders. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
  /** `unreachable`: a drive that is away, or no rights. */
  readonly state: 'here' | 'gone' | 'unreachable';
}

/** What lies in the data folder. */
export interface DataReport {
  readonly dataDir: string;
  readonly folders: readonly StoredFolder[];
  /** Bytes of the store of vectors. */
  readonly vectors: number;
  /** Bytes of damaged files that were put aside. */
  readonly putAside: number;
  /** All together. */
  readonly bytes: number;
  /** What was deleted, where it was asked for. */
  readonly removed?: { readonly folders: readonly string[]; readonly windows: number; readonly bytes: number };
}

/** Progress of a sync, or of asking past commits; `total` is fixed before the first report of a phase and never shrinks. */
export interface IndexProgress {
  readonly phase: 'walk' | 'lexical' | 'history' | 'embed' | 'graphs' | 'commits' | 'questions';
  readonly done: number;
  readonly total: number;
}

/** State of one folder, told whenever it changes. A closed set: the editor maps each to a text and an action. */
export interface FolderStatus {
  readonly folder: string;
  readonly state: 'waiting' | 'indexing' | 'paused' | 'ready' | 'problems' | 'error';
  /** Windows done and to do of the running work; `total` never shrinks while it runs. */
  readonly done: number;
  readonly total: number;
  readonly complete: number;
  readonly files: number;
  /** Number of files that failed. */
  readonly problems: number;
  /** A sentence for `paused`, `problems` and `error`, and where another process owns the index; else empty. */
  readonly reason: string;
  /** Why, for `error` and a model that cannot run: so that an editor can word it in another language. */
  readonly cause?: ErrorReason;
  /** False when the model runtime cannot run here: lexical and history answers only. */
  readonly vectors: boolean;
}
