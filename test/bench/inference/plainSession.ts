import * as ort from 'onnxruntime-node';
import { sessionOptions } from '../../../src/engine/model/onnxEmbedder';

/** One input of the model, or several of the same length. */
export interface Feeds {
  readonly input_ids: ort.Tensor;
  readonly attention_mask: ort.Tensor;
}

/** The model as the runtime runs it, with nothing of ours around, set up as the product sets it up. */
export class PlainSession {
  private constructor(private readonly session: ort.InferenceSession) {}

  static async open(weights: Buffer, threads: number): Promise<PlainSession> {
    process.env.ORT_DISABLE_TELEMETRY = '1';
    return new PlainSession(await ort.InferenceSession.create(weights, sessionOptions(threads)));
  }

  /** The last hidden states. */
  async run(feeds: Feeds): Promise<Float32Array> {
    return (await this.session.run({ ...feeds }))['last_hidden_state']?.data as Float32Array;
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

/** Inputs of one call, padded to the longest. */
export function feedsOf(inputs: readonly ArrayLike<number>[]): Feeds {
  const length = Math.max(...inputs.map(ids => ids.length));
  const ids = new BigInt64Array(inputs.length * length);
  const mask = new BigInt64Array(inputs.length * length);
  for (const [row, input] of inputs.entries()) {
    for (let at = 0; at < input.length; at++) {
      ids[row * length + at] = BigInt(input[at] ?? 0);
      mask[row * length + at] = 1n;
    }
  }
  const shape = [inputs.length, length];
  return { input_ids: new ort.Tensor('int64', ids, shape), attention_mask: new ort.Tensor('int64', mask, shape) };
}
