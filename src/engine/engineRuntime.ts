import { isDamage } from '../util/errors';
import type { Logger } from '../util/logger';
import type { Embedder } from './model/embedder';
import type { LoadedModel } from './model/modelManifest';
import { TextTokenizer } from './model/textTokenizer';
import type { SnapshotTuning } from './search/snapshotKeeper';
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
  readonly snapshots?: SnapshotTuning;
}

/** Starts the names of the window stores among what is shared. */
const WINDOWS = 'windows ';

/** What all folders of one process share: model, tokenizer, sessions and the window store. */
export class EngineRuntime {
  readonly logger: Logger;
  readonly dataDir: string;
  readonly snapshots: SnapshotTuning | undefined;
  private readonly pending = new Map<string, Promise<unknown>>();
  /** What `pending` has given so far. */
  private readonly settled = new Map<string, unknown>();

  constructor(private readonly parts: RuntimeParts) {
    this.logger = parts.logger;
    this.dataDir = parts.dataDir;
    this.snapshots = parts.snapshots;
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
    return this.once(`${WINDOWS}${access}`, async () => {
      const { fingerprint } = await this.model();
      const dir = dataLayout(this.dataDir, '').windows;
      const options = { access, fingerprint, logger: this.logger };
      try {
        return await WindowStore.open(dir, options);
      } catch (error) {
        if (access !== 'write' || !isDamage(error)) throw error;
        await WindowStore.quarantine(dir, this.logger);
        return WindowStore.open(dir, options);
      }
    });
  }

  /** Ends what the folders shared; a session that still loads is ended when it is there. Close the folders first. */
  async close(): Promise<void> {
    const pending = [...this.pending];
    const settled = new Map(this.settled);
    this.pending.clear();
    this.settled.clear();
    for (const [name, promise] of pending) {
      // The store must be closed before the process ends; loading a model may take long and leaves nothing behind.
      if (settled.has(name) || name.startsWith(WINDOWS)) await promise.then(closeIt, () => undefined);
      else promise.then(closeIt).catch(() => undefined);
    }
  }

  /** Shares the pending promise and forgets a failed one, so that the next caller tries again. */
  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.pending.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.pending.set(name, made);
    made.then(
      value => {
        if (this.pending.get(name) === made) this.settled.set(name, value);
      },
      () => {
        if (this.pending.get(name) === made) this.pending.delete(name);
      },
    );
    return made;
  }
}

async function closeIt(value: unknown): Promise<void> {
  if (hasClose(value)) await value.close();
}

function hasClose(value: unknown): value is { close(): Promise<void> } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
