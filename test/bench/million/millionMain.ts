/** Indexes real source from nothing, by the model, and notes when what could be asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SemanticEngine } from '../../../src/engine/semanticEngine';
import { answerParent } from '../child';
import { benchRuntime } from '../folder/benchRuntime';
import { ownMemory, residentMb } from '../processMemory';
import { bytesOf, linesOf, pinnedSources, digestOfSources, writeSources } from '../sourceText';

export interface MillionInput {
  readonly cache: string;
  readonly lines: number;
  readonly threads: number;
}

export interface MillionRun {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
  readonly digest: string;
  readonly tokens: number;
  readonly windows: number;
  readonly landmarks: number;
  /** Since the beginning of the sync. */
  readonly seconds: {
    /** Every file's words can be asked for. */
    readonly lexical: number;
    /** Every path's vector, too. */
    readonly paths: number;
    /** The first window of every file is embedded. */
    readonly firstWindows: number;
    readonly complete: number;
  };
  readonly bytesByPart: Readonly<Record<string, number>>;
  readonly searchMb: number;
  readonly embedderMb: number;
}

answerParent(async ({ cache, lines, threads }: MillionInput): Promise<MillionRun> => {
  const files = pinnedSources(lines);
  const scratch = mkdtempSync(join(cache, 'million-'));
  const tree = join(scratch, 'tree');
  writeSources(tree, files);
  const runtime = benchRuntime({ dataDir: join(scratch, 'data'), indexing: { threads }, queries: 'model' });
  const engine = await SemanticEngine.open(tree, { access: 'write' }, runtime, () => {});
  try {
    const timeline = new Timeline(files.length);
    const report = await engine.sync({ rebuild: false }, ({ phase, done, total }) => timeline.note(phase, done, total));
    const seconds = timeline.finish();
    if (report.failed.length > 0) throw new Error(`${report.failed.length} files could not be indexed.`);
    const { bytes, windows, landmarks } = await engine.stats();
    return {
      files: files.length,
      lines: linesOf(files),
      bytes: bytesOf(files),
      digest: digestOfSources(files),
      tokens: report.tokens,
      windows,
      landmarks,
      seconds,
      bytesByPart: bytes,
      searchMb: ownMemory().most,
      embedderMb: residentMb('embedder.js').most,
    };
  } finally {
    await engine.close();
    await runtime.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** When the phases of a sync were through. The schedule embeds paths before first windows, and these before the rest. */
class Timeline {
  private readonly started = performance.now();
  private lexical = NaN;
  private paths = NaN;
  private firstWindows = NaN;

  constructor(private readonly files: number) {}

  note(phase: string, done: number, total: number): void {
    const now = (performance.now() - this.started) / 1000;
    if (phase === 'lexical' && done === total) this.lexical = now;
    if (phase !== 'embed') return;
    if (Number.isNaN(this.paths) && done >= Math.min(this.files, total)) this.paths = now;
    if (Number.isNaN(this.firstWindows) && done >= Math.min(2 * this.files, total)) this.firstWindows = now;
  }

  finish(): MillionRun['seconds'] {
    const complete = (performance.now() - this.started) / 1000;
    return { lexical: this.lexical, paths: this.paths, firstWindows: this.firstWindows, complete };
  }
}
