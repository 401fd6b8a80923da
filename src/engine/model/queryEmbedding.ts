import { LandmarkError } from '../../util/errors';
import { prepareText } from './codeText';
import type { Embedder } from './embedder';
import { leading, poolLandmarks } from './landmarkPooling';
import type { ModelManifest } from './modelManifest';
import type { TextTokenizer } from './textTokenizer';
import { windowCapacity } from './windows';

/**
 * The unit vector of a query, `[landmarkDimensions]`: prepared and laid out as code is, cut to one window, pooled at its landmarks
 * (one, for a query of up to k tokens).
 */
export async function embedQuery(
  embedder: Embedder,
  tokenizer: Pick<TextTokenizer, 'encodeLine'>,
  manifest: ModelManifest,
  query: string,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const ids = prepareText(query).flatMap(line => tokenizer.encodeLine(line));
  const [rows] = await embedder.embed([Int32Array.from(ids.slice(0, windowCapacity(manifest)))], signal);
  if (rows === undefined) throw new LandmarkError('internal', 'The model gave no vector for the query.');
  return leading(poolLandmarks(rows, manifest.dimensions), manifest.landmarkDimensions);
}
