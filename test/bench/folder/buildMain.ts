/** Brings the index of a generated folder up to its files, with the stand-in for the model. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SemanticEngine } from '../../../src/engine/semanticEngine';
import { answerParent } from '../child';
import { benchRuntime } from './benchRuntime';
import { FRESH, type GeneratedFolder } from './generatedFolder';

export interface Built {
  readonly embeddedWindows: number;
  readonly seconds: number;
}

answerParent(async ({ tree, data }: GeneratedFolder): Promise<Built> => {
  const started = performance.now();
  // What a measuring run that was stopped left behind.
  rmSync(join(tree, FRESH), { recursive: true, force: true });
  const runtime = benchRuntime({ dataDir: data, indexing: 'stand-in', queries: 'as stand-in' });
  const engine = await SemanticEngine.open(tree, { access: 'write' }, runtime, () => {});
  try {
    const { windows } = await engine.sync({ rebuild: false }, () => {});
    return { embeddedWindows: windows.embedded, seconds: (performance.now() - started) / 1000 };
  } finally {
    await engine.close();
    await runtime.close();
  }
});
