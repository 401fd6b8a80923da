import { mkdir, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { LandmarkError, throwIfAborted } from '../util/errors';
import { EngineRuntime } from './engineRuntime';
import { checkFolder } from './files/fileWalker';
import type { EvaluationCase, EvaluationReport, FolderEngine, FolderOptions, SimilarCase } from './folderEngine';
import { ContentBuilder } from './indexing/contentBuilder';
import { FolderWriter } from './indexing/folderWriter';
import { embedQuery } from './model/queryEmbedding';
import { evaluateCases, evaluateSimilarCases } from './search/evaluator';
import { explainFile } from './search/explain';
import { FolderIndex } from './search/folderIndex';
import { PartScorer } from './search/partScorer';
import { Searcher } from './search/searcher';
import { SimilarFiles } from './search/similarFiles';
import { Catalog } from './store/catalog';
import { dataLayout } from './store/dataFolder';
import { Ownership } from './store/ownership';
import { folderStats } from './search/folderStats';
import type {
  ArmName,
  ExplainResponse,
  FolderStatus,
  IndexProgress,
  IndexReport,
  IndexStats,
  SearchRequest,
  SearchResponse,
  SimilarResponse,
} from './types';

/** A longer query is cut: its beginning says what it is about. */
const MAX_QUERY_LENGTH = 4000;

/** What is open of a folder. Replaced as a whole when a damaged catalogue is rebuilt. */
interface Opened {
  readonly catalog: Catalog;
  readonly index: FolderIndex;
  readonly searcher: Searcher;
  readonly writer: FolderWriter | undefined;
}

/** The engine over one folder: indexing, searching, explaining. */
export class SemanticEngine implements FolderEngine {
  private vectorsAvailable = true;
  private closed = false;
  private paused = false;
  private running = 0;
  private lastTotal = 0;
  private failure = '';

  private constructor(
    readonly folder: string,
    private readonly options: FolderOptions,
    private readonly runtime: EngineRuntime,
    private readonly onStatus: (status: FolderStatus) => void,
    private readonly ownership: Ownership | undefined,
    private opened: Opened,
    private readonly loadMs: number,
  ) {}

  /**
   * Opens a folder's index; with access `write` an absent one is made and a damaged one is put aside and made anew.
   * @throws LandmarkError `not-found`, `not-a-folder`, `no-permission`; `not-indexed` for reading what is not there;
   *   `store-busy` when another process writes this index; `model-invalid`; `disk-full`.
   */
  static async open(
    folder: string,
    options: FolderOptions,
    runtime: EngineRuntime,
    onStatus: (status: FolderStatus) => void,
  ): Promise<SemanticEngine> {
    const started = performance.now();
    const path = await checkFolder(folder);
    const ownership = options.access === 'write' ? await own(path, runtime) : undefined;
    try {
      const engine: { current?: SemanticEngine } = {};
      const opened = await openStores(path, options, runtime, () => engine.current?.tell());
      engine.current = new SemanticEngine(
        path,
        options,
        runtime,
        onStatus,
        ownership,
        opened,
        performance.now() - started,
      );
      engine.current.tell();
      return engine.current;
    } catch (error) {
      await ownership?.release();
      throw error;
    }
  }

  async sync(
    options: { rebuild: boolean },
    onProgress: (progress: IndexProgress) => void,
    signal?: AbortSignal,
  ): Promise<IndexReport> {
    return this.work(writer => writer.sync(options.rebuild, onProgress, signal));
  }

  async update(paths: readonly string[], signal?: AbortSignal): Promise<IndexReport> {
    return this.work(writer => writer.update(paths, signal));
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    this.opened.writer?.loop.setPaused(paused);
    this.tell();
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResponse> {
    await this.follow(signal);
    const query = request.query.slice(0, MAX_QUERY_LENGTH);
    const notes: string[] = [];
    if (query.length < request.query.length)
      notes.push(`Only the first ${MAX_QUERY_LENGTH} characters of the query were used.`);
    const complete = this.opened.index.completeness();
    const loadStarted = performance.now();
    if (this.asksForVectors(request.arms)) await this.queryEmbedder();
    const loadMs = this.loadMs + performance.now() - loadStarted;
    if (!/[\p{L}\p{N}]/u.test(query)) {
      notes.push('The query has no words to search for.');
      return { query: request.query, complete, timing: { loadMs, queryMs: 0 }, results: [], note: notes.join(' ') };
    }
    const { results, queryMs } = await this.opened.searcher.search({ ...request, query }, signal);
    if (!this.vectorsAvailable)
      notes.push('The model runtime cannot run here: answers come from words and history alone.');
    const note = notes.length > 0 ? { note: notes.join(' ') } : {};
    return { query: request.query, complete, timing: { loadMs, queryMs }, results, ...note };
  }

  async similar(file: string, limit: number, signal?: AbortSignal): Promise<SimilarResponse> {
    await this.follow(signal);
    const { corpus, vectors } = this.opened.index;
    const document = corpus.at(file);
    if (document === undefined) {
      const { reason } = await this.explain(file);
      throw new LandmarkError(
        'not-found',
        `${file} is not in the index, so nothing can be compared with it. ${reason}`,
      );
    }
    return { file, results: new SimilarFiles(corpus, vectors).find(document, limit) };
  }

  async explain(file: string): Promise<ExplainResponse> {
    await this.follow();
    const { catalog, index } = this.opened;
    return explainFile(this.folder, file, this.options, { catalog, index });
  }

  async stats(): Promise<IndexStats> {
    await this.follow();
    const model = await this.runtime.model();
    const windowStore = await this.runtime.windowStore(this.options.access);
    const { catalog, index } = this.opened;
    const { workspace } = dataLayout(this.runtime.dataDir, this.folder);
    return folderStats({ workspace, catalog, index, windowStore, model });
  }

  async evaluate(
    cases: readonly EvaluationCase[],
    arms: readonly ArmName[] | undefined,
    signal?: AbortSignal,
  ): Promise<EvaluationReport> {
    await this.follow(signal);
    const { searcher, index, catalog } = this.opened;
    return evaluateCases(searcher, index.corpus, catalog.vocabulary, cases, arms, signal);
  }

  async evaluateSimilar(cases: readonly SimilarCase[], signal?: AbortSignal): Promise<EvaluationReport> {
    await this.follow(signal);
    const { corpus, vectors } = this.opened.index;
    return evaluateSimilarCases(new SimilarFiles(corpus, vectors), corpus, cases, signal);
  }

  async clear(): Promise<void> {
    await this.work(writer => writer.clear());
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const { writer, index, catalog } = this.opened;
    await writer?.close();
    await index.close();
    await catalog.close();
    await this.ownership?.release();
  }

  /** Runs a change; a damaged catalogue found on the way is put aside and rebuilt, once. */
  private async work<T>(change: (writer: FolderWriter) => Promise<T>): Promise<T> {
    this.running++;
    this.failure = '';
    this.tell();
    try {
      return await change(this.writer());
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'store-damaged') throw this.noted(error);
      await this.reopenAnew();
      return await change(this.writer());
    } finally {
      this.running--;
      this.tell();
    }
  }

  private noted(error: unknown): unknown {
    if (error instanceof LandmarkError && error.reason !== 'cancelled') this.failure = error.message;
    return error;
  }

  private async reopenAnew(): Promise<void> {
    const { writer, index, catalog } = this.opened;
    this.runtime.logger.warn(`The index of ${this.folder} is damaged and is built again.`);
    await writer?.close();
    await index.close();
    await catalog.close();
    await Catalog.quarantine(dataLayout(this.runtime.dataDir, this.folder).workspace, this.runtime.logger);
    this.opened = await openStores(this.folder, this.options, this.runtime, () => this.tell());
  }

  private writer(): FolderWriter {
    if (this.opened.writer === undefined) {
      throw new LandmarkError(
        'invalid-argument',
        `${this.folder} was opened for reading: open it for writing to change its index.`,
      );
    }
    return this.opened.writer;
  }

  /** A reader takes in what the owner has written since. */
  private async follow(signal?: AbortSignal): Promise<void> {
    if (this.opened.writer === undefined && this.opened.catalog.refresh()) await this.opened.index.follow(signal);
    throwIfAborted(signal);
  }

  private asksForVectors(arms: readonly ArmName[] | undefined): boolean {
    return arms === undefined || arms.some(arm => arm === 'file' || arm === 'landmark' || arm === 'path');
  }

  private async queryEmbedder(): Promise<void> {
    try {
      await this.runtime.queryEmbedder();
      this.vectorsAvailable = true;
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'runtime-unavailable') throw error;
      this.vectorsAvailable = false;
    }
  }

  private tell(): void {
    if (this.closed) return;
    const { writer, index } = this.opened;
    const outstanding = writer?.loop.outstanding ?? 0;
    const busy = this.running > 0 || outstanding > 0;
    this.lastTotal = busy ? Math.max(this.lastTotal, outstanding) : 0;
    const runtimeFailure = writer?.loop.failure;
    const problems = writer?.failedCount ?? 0;
    const state: FolderStatus['state'] =
      this.failure !== ''
        ? 'error'
        : this.paused
          ? 'paused'
          : busy && runtimeFailure === undefined
            ? 'indexing'
            : problems > 0 || runtimeFailure
              ? 'problems'
              : 'ready';
    const reasons: Partial<Record<FolderStatus['state'], string>> = {
      error: this.failure,
      paused: 'Indexing is paused.',
      problems: runtimeFailure?.message ?? `${problems} files could not be indexed.`,
    };
    this.onStatus({
      folder: this.folder,
      state,
      done: this.lastTotal - outstanding,
      total: this.lastTotal,
      complete: index.completeness(),
      files: index.corpus.size,
      problems,
      reason: reasons[state] ?? '',
      vectors: this.vectorsAvailable && runtimeFailure?.reason !== 'runtime-unavailable',
    });
  }
}

async function own(folder: string, runtime: EngineRuntime): Promise<Ownership> {
  const { workspace } = dataLayout(runtime.dataDir, folder);
  const ownership = await Ownership.acquire(workspace, runtime.logger);
  if (ownership instanceof Ownership) return ownership;
  const sentence = `The index of ${folder} is being written by another process (${ownership.ownedBy}): close that window or wait until it is done.`;
  throw new LandmarkError('store-busy', sentence);
}

async function openStores(
  folder: string,
  options: FolderOptions,
  runtime: EngineRuntime,
  onChange: () => void,
  retry = true,
): Promise<Opened> {
  const layout = dataLayout(runtime.dataDir, folder);
  const { access } = options;
  const model = await runtime.model();
  const tokenizer = await runtime.tokenizer();
  const { logger } = runtime;
  const catalog = await Catalog.open(layout.workspace, { access, fingerprint: model.fingerprint, logger });
  try {
    const windowStore = await runtime.windowStore(access);
    const builder = new ContentBuilder(model, tokenizer, catalog.vocabulary);
    const index = await FolderIndex.load({
      directory: layout.workspace,
      catalog,
      windowStore,
      model,
      pathWindow: path => builder.pathWindow(path),
      logger,
    });
    const scorer = new PartScorer({
      corpus: index.corpus,
      vectors: index.vectors,
      history: () => index.history,
      fileGraph: () => index.fileGraph,
      windowGraph: () => index.windowGraph,
      contentsOfWindow: key => index.contentsOfWindow(key),
    });
    const searcher = new Searcher({
      folder,
      maxFileSize: options.maxFileSize,
      corpus: index.corpus,
      vectors: index.vectors,
      vocabulary: () => catalog.vocabulary,
      scorer,
      queryVector: async (query, signal) => queryVector(query, runtime, signal),
    });
    if (access === 'read') return { catalog, index, searcher, writer: undefined };
    await mkdir(layout.workspace, { recursive: true });
    await writeFile(layout.folderFile, JSON.stringify({ folder }));
    const parts = { folder, options, runtime, catalog, windowStore, model, builder, index, onChange };
    return { catalog, index, searcher, writer: new FolderWriter(parts) };
  } catch (error) {
    await catalog.close();
    if (!retry || access !== 'write' || !(error instanceof LandmarkError) || error.reason !== 'store-damaged')
      throw error;
    logger.warn(`The index of ${folder} is damaged and is built again: ${error.message}`);
    await Catalog.quarantine(layout.workspace, logger);
    return openStores(folder, options, runtime, onChange, false);
  }
}

async function queryVector(
  query: string,
  runtime: EngineRuntime,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  try {
    const [model, tokenizer, embedder] = [
      await runtime.model(),
      await runtime.tokenizer(),
      await runtime.queryEmbedder(),
    ];
    return await embedQuery(embedder, tokenizer, model.manifest, query, signal);
  } catch (error) {
    if (error instanceof LandmarkError && error.reason === 'runtime-unavailable') return undefined;
    throw error;
  }
}
