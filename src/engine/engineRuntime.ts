import { LandmarkError } from '../util/errors';
import type { Logger } from '../util/logger';
import type { Embedder } from './model/embedder';
import type { LoadedModel } from './model/modelManifest';
import { TextTokenizer } from './model/textTokenizer';
import { dataLayout } from './store/dataFolder';
import { WindowStore } from './store/windowStore';

export interface RuntimeParts {
  /** Data root. */
  readonly dataDir: string;
  /** Loads and checks the model; called once, a failure is forgotten. */
  readonly model: () => Promise<LoadedModel>;
  /** A session for single queries; rejects with `runtime-unavailable` where the model cannot run. */
  readonly queryEmbedder: () => Promise<Embedder>;
  readonly indexEmbedder: () => Promise<Embedder>;
  readonly logger: Logger;
}

/** What all folders of one process share: model, tokenizer, sessions and the window store. */
export class EngineRuntime {
  readonly logger: Logger;
  readonly dataDir: string;
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(private readonly parts: RuntimeParts) {
    this.logger = parts.logger;
    this.dataDir = parts.dataDir;
  }

  model(): Promise<LoadedModel> {
    return this.once('model', this.parts.model);
  }

  tokenizer(): Promise<TextTokenizer> {
    return this.once('tokenizer', async () => TextTokenizer.load(await this.model()));
  }

  indexEmbedder(): Promise<Embedder> {
    return this.once('indexEmbedder', this.parts.indexEmbedder);
  }

  queryEmbedder(): Promise<Embedder> {
    return this.once('queryEmbedder', this.parts.queryEmbedder);
  }

  windowStore(access: 'read' | 'write'): Promise<WindowStore> {
    return this.once(`windows ${access}`, async () => {
      const { fingerprint } = await this.model();
      const dir = dataLayout(this.dataDir, '').windows;
      const options = { access, fingerprint, logger: this.logger };
      try {
        return await WindowStore.open(dir, options);
      } catch (error) {
        if (access !== 'write' || !(error instanceof LandmarkError) || error.reason !== 'store-damaged') throw error;
        await WindowStore.quarantine(dir, this.logger);
        return WindowStore.open(dir, options);
      }
    });
  }

  /** Ends what the folders shared. Close them first. */
  async close(): Promise<void> {
    const values = await Promise.allSettled(this.pending.values());
    this.pending.clear();
    for (const result of values) {
      const value = result.status === 'fulfilled' ? result.value : undefined;
      if (hasClose(value)) await value.close();
    }
  }

  /** Shares the pending promise and forgets a failed one, so that the next caller tries again. */
  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.pending.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.pending.set(name, made);
    made.catch(() => this.pending.delete(name));
    return made;
  }
}

function hasClose(value: unknown): value is { close(): Promise<void> } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
