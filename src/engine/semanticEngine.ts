import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isDamage, LandmarkError } from '../util/errors';
import type { EngineRuntime } from './engineRuntime';
import { isInside, withForwardSlashes } from './files/filePaths';
import { checkFolder } from './files/fileWalker';
import type { EvaluationCase, EvaluationReport, FolderEngine, FolderOptions, SimilarCase } from './folderEngine';
import { FolderSession } from './folderSession';
import { StatusTeller } from './folderStatus';
import type { OpenedFolder } from './openedFolder';
import { evaluateCases, evaluateSimilarCases } from './search/evaluator';
import { explainFile } from './search/explain';
import { folderStats } from './search/folderStats';
import { asksForVectors } from './search/fusion';
import { parseQuery } from './search/queryText';
import type { Searcher } from './search/searcher';
import { SimilarFiles } from './search/similarFiles';
import { dataLayout } from './store/dataFolder';
import type {
  ArmName,
  ExplainResponse,
  FileFailure,
  FolderStatus,
  IndexProgress,
  IndexReport,
  IndexStats,
  SearchNote,
  SearchRequest,
  SearchResponse,
  SimilarResponse,
} from './types';

/** A longer query is cut: its beginning says what it is about. */
const MAX_QUERY_LENGTH = 4000;

/** The engine over one folder: indexing, searching, explaining. */
export class SemanticEngine implements FolderEngine {
  private isWarm = false;
  private vectorsAvailable = true;

  private constructor(
    readonly folder: string,
    private readonly options: FolderOptions,
    private readonly runtime: EngineRuntime,
    private readonly session: FolderSession,
    private readonly tell: () => void,
    private readonly loadMs: number,
  ) {}

  /**
   * Opens a folder's index; with access `write` an absent one is made and a damaged one is put aside and made anew.
   * Where another process writes it already, this one follows: it hands changes over, and takes over when that ends.
   * @throws LandmarkError `not-found`, `not-a-folder`, `no-permission`; `not-indexed` for reading what is not there;
   *   `store-damaged` for reading what is damaged; `model-invalid`; `disk-full`.
   */
  static async open(
    folder: string,
    given: FolderOptions,
    runtime: EngineRuntime,
    onStatus: (status: FolderStatus) => void,
  ): Promise<SemanticEngine> {
    const started = performance.now();
    const path = await checkFolder(folder);
    const options = { ...given, exclude: [...(given.exclude ?? []), ...(await ownDataRules(path, runtime.dataDir))] };
    const teller = new StatusTeller();
    const made: { engine?: SemanticEngine } = {};
    const tell = (): void => {
      const { engine } = made;
      if (engine === undefined || engine.session.isClosed) return;
      onStatus(teller.statusOf(engine.session, path, engine.vectorsAvailable));
    };
    const session = await FolderSession.open({ folder: path, options, runtime, onChange: tell });
    made.engine = new SemanticEngine(path, options, runtime, session, tell, performance.now() - started);
    tell();
    return made.engine;
  }

  async sync(
    { rebuild }: { rebuild: boolean },
    onProgress: (progress: IndexProgress) => void,
    signal?: AbortSignal,
  ): Promise<IndexReport> {
    return this.session.carryOut({ kind: 'sync', rebuild }, onProgress, signal);
  }

  async update(paths: readonly string[], signal?: AbortSignal): Promise<IndexReport> {
    return this.session.carryOut({ kind: 'update', paths }, () => {}, signal);
  }

  async clear(): Promise<void> {
    await this.session.carryOut({ kind: 'clear' }, () => {});
  }

  setPaused(paused: boolean): void {
    this.session.setPaused(paused);
  }

  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    return this.asked(opened => this.searchIn(opened, request, signal), signal);
  }

  private async searchIn(
    { index, searcher }: OpenedFolder,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<SearchResponse> {
    const query = request.query.slice(0, MAX_QUERY_LENGTH);
    const notes: SearchNote[] = [];
    if (query.length < request.query.length) notes.push({ kind: 'query-cut', length: MAX_QUERY_LENGTH });
    const complete = index.completeness();
    if (!/[\p{L}\p{N}]/u.test(parseQuery(query).text)) {
      notes.push({ kind: 'no-words' });
      const timing = { loadMs: this.loadMs, queryMs: 0 };
      return { query: request.query, complete, timing, results: [], notes };
    }
    const loadStarted = performance.now();
    if (asksForVectors(request.arms)) await this.prepareQueries();
    await this.warmUp(searcher, request, signal);
    const loadMs = this.loadMs + performance.now() - loadStarted;
    const { results, queryMs, notes: fromSearch } = await searcher.search({ ...request, query }, signal);
    // Opened anew in the middle of it: some rows could not be read.
    if (index.isClosed && !this.session.isClosed) return this.search(request, signal);
    notes.push(...fromSearch);
    if (!this.vectorsAvailable) notes.push({ kind: 'no-model' });
    const told = notes.length > 0 ? { notes } : {};
    return { query: request.query, complete, timing: { loadMs, queryMs }, results, ...told };
  }

  similar(file: string, limit: number, signal?: AbortSignal): Promise<SimilarResponse> {
    return this.asked(opened => this.similarIn(opened, file, limit), signal);
  }

  private async similarIn(opened: OpenedFolder, file: string, limit: number): Promise<SimilarResponse> {
    const { corpus, vectors } = opened.index;
    const document = corpus.at(file);
    if (document === undefined) {
      const { reason, path } = await this.explain(file);
      // Named in other letters than stand on disk.
      if (path !== file && corpus.at(path) !== undefined) return this.similarIn(opened, path, limit);
      const sentence = `${file} is not in the index, so nothing can be compared with it. ${reason}`;
      throw new LandmarkError('not-found', sentence);
    }
    const similar = new SimilarFiles(corpus, vectors);
    return {
      file,
      complete: opened.index.completeness(),
      results: similar.find(document, limit),
      copies: similar.copiesOf(document),
      testPartners: similar.testPartners(document),
    };
  }

  async explain(file: string): Promise<ExplainResponse> {
    const { options, catalog, index, writer } = await this.session.upToDate();
    const failureToEmbed = (hash: string): FileFailure | undefined => writer?.failureOf(hash);
    return explainFile(this.folder, file, options, { catalog, index, failureToEmbed });
  }

  async stats(): Promise<IndexStats> {
    const { catalog, index } = await this.session.upToDate();
    const model = await this.runtime.model();
    const windowStore = await this.runtime.windowStore(this.options.access);
    const { workspace } = dataLayout(this.runtime.dataDir, this.folder);
    return folderStats({ workspace, catalog, index, windowStore, model });
  }

  evaluate(
    cases: readonly EvaluationCase[],
    arms: readonly ArmName[] | undefined,
    signal?: AbortSignal,
    onCase?: (done: number) => void,
  ): Promise<EvaluationReport> {
    const ask = ({ searcher, index, catalog }: OpenedFolder): Promise<EvaluationReport> =>
      evaluateCases(searcher, index.corpus, catalog.vocabulary, cases, arms, signal, onCase);
    return this.asked(ask, signal);
  }

  evaluateSimilar(cases: readonly SimilarCase[], signal?: AbortSignal): Promise<EvaluationReport> {
    const ask = ({ index: { corpus, vectors } }: OpenedFolder): Promise<EvaluationReport> =>
      evaluateSimilarCases(new SimilarFiles(corpus, vectors), corpus, cases, signal);
    return this.asked(ask, signal);
  }

  /** Asks what is open; once more without its snapshot when that turns out to be damaged. */
  private async asked<T>(ask: (opened: OpenedFolder) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const opened = await this.session.upToDate(signal);
    try {
      return await ask(opened);
    } catch (error) {
      if (!isDamage(error) || !(await this.session.leaveSnapshot(opened))) throw error;
      return ask(await this.session.upToDate(signal));
    }
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /** Loads the query model. Where it cannot run, words and history answer. */
  /** The first question of a process is slow while its code is compiled: it is asked here, as a part of loading. */
  private async warmUp(searcher: Searcher, request: SearchRequest, signal?: AbortSignal): Promise<void> {
    if (this.isWarm) return;
    this.isWarm = true;
    // Through the same arms: one that is not asked for must not load the model.
    await searcher.search({ ...request, query: 'warm up', limit: 3 }, signal);
  }

  private async prepareQueries(): Promise<void> {
    const before = this.vectorsAvailable;
    try {
      await this.runtime.queryEmbedder();
      this.vectorsAvailable = true;
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'runtime-unavailable') throw error;
      this.vectorsAvailable = false;
    }
    if (this.vectorsAvailable !== before) this.tell();
  }
}

/** A data folder inside the indexed folder is left out: an index of itself would never be finished. */
async function ownDataRules(folder: string, dataDir: string): Promise<string[]> {
  const data = await realpath(dataDir).catch(() => resolve(dataDir));
  if (data === folder || !isInside(folder, data)) return [];
  const path = withForwardSlashes(relative(folder, data));
  return [`/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}/`];
}
