import type { CancellationToken, Event, Range, Uri } from 'vscode';

/**
 * What other extensions get from `vscode.extensions.getExtension('landmark.landmark-code-search')?.activate()`. This file
 * stands for itself: copy it to have the types. Nothing here changes a file or an index.
 */
export interface LandmarkApi {
  /** Of this interface; a change that breaks callers makes it another number. */
  readonly version: 1;
  /** What can be searched now. */
  readonly index: IndexSummary;
  readonly onDidChangeIndex: Event<IndexSummary>;
  /**
   * Files of the open folders that do what the query says, best first; unsaved text is searched as it is.
   * @throws `vscode.CancellationError`; an Error with one sentence for the user when there is nothing to search in.
   */
  search(query: string, options?: SearchOptions, token?: CancellationToken): Promise<readonly SearchResult[]>;
  /** Files like one of the open folders, best first. @throws as `search`, also for a file that is not indexed. */
  similar(file: Uri, options?: SimilarOptions, token?: CancellationToken): Promise<readonly SimilarResult[]>;
}

export interface IndexSummary {
  /** Files that can be found. */
  readonly files: number;
  /** How much of their text has vectors, 0 to 1; words and names are there from the beginning. */
  readonly complete: number;
  /** Something is being indexed. */
  readonly busy: boolean;
}

export interface SearchOptions {
  /** Number of files, 1 to 100; 10 by default. */
  readonly limit?: number;
  /** A folder or a glob, relative to the open folders. */
  readonly scope?: string;
}

export interface SimilarOptions {
  /** Number of files, 1 to 100; 10 by default. */
  readonly limit?: number;
}

export interface SearchResult {
  readonly uri: Uri;
  /** Comparable within one answer only. */
  readonly score: number;
  /** Probably not what was asked for. */
  readonly weak: boolean;
  /** Best first. */
  readonly places: readonly ResultPlace[];
}

export interface ResultPlace {
  /** Whole lines. */
  readonly range: Range;
  /** The line that matches best, from 0, and its text. */
  readonly line: number;
  readonly text: string;
  /** The definition around it, where known. */
  readonly symbol?: string;
  /** Of a notebook: the cell, from 0, that the lines are lines of. */
  readonly cell?: number;
}

export interface SimilarResult {
  readonly uri: Uri;
  readonly score: number;
  /** Files with the same content as this one. */
  readonly copies: readonly Uri[];
}
