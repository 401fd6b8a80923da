import { runEmbedderProcess } from '../../src/host/embedderServer';
import { WordEmbedder } from './wordEmbedder';

/** A real embedder process around the stand-in; the model's folder names its dimensions and its k: `384 64`. */
runEmbedderProcess(modelDir => {
  const [dimensions = 0, k = 0] = modelDir.split(' ').map(Number);
  return Promise.resolve(new WordEmbedder(dimensions, k));
});
