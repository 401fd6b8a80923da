import { runEmbedderProcess } from '../../src/host/embedderServer';
import { LandmarkError } from '../../src/util/errors';

/** First token ids that make this embedder misbehave; test/integration/processes.test.ts uses them. */
const DEADLY = 666;
const ENDLESS = 777;

/** A real embedder process without a model: a window's vector is its length and its sum. */
runEmbedderProcess((modelDir, threads) => {
  if (modelDir === 'broken')
    return Promise.reject(new LandmarkError('runtime-unavailable', 'There is no runtime here.'));
  return Promise.resolve({
    dimensions: 3,
    embed(windows) {
      if (windows.some(ids => ids[0] === DEADLY)) process.abort();
      // Blocks the thread, as the model runtime does.
      if (windows.some(ids => ids[0] === ENDLESS)) for (;;);
      return Promise.resolve(
        windows.map(ids =>
          Float32Array.of(
            ids.length,
            ids.reduce((sum, id) => sum + id, 0),
            threads,
          ),
        ),
      );
    },
    close: () => Promise.resolve(),
  });
});
