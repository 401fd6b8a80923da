/** Embeds the cases of the reference, questions and this program's own sources, and says what it took. */
import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledModelDir } from '../../../src/cli/bundledModel';
import { poolLandmarks } from '../../../src/engine/model/landmarkPooling';
import { loadModel } from '../../../src/engine/model/modelManifest';
import { OnnxEmbedder } from '../../../src/engine/model/onnxEmbedder';
import { TextTokenizer } from '../../../src/engine/model/textTokenizer';
import { cutWindows, windowCapacity } from '../../../src/engine/model/windows';
import { goldenCases } from '../../support/golden';
import { answerParent } from '../child';

export interface EmbedInput {
  /** Folder of a package that is taken for `onnxruntime-node`. */
  readonly runtime?: string;
  /** Of the windows of the sources, every so many-th. */
  readonly everyWindow: number;
}

export interface Embedded {
  /** Pooled unit vectors. */
  readonly golden: readonly number[][];
  readonly questions: readonly number[][];
  readonly windows: readonly number[][];
  /** Of the windows alone. */
  readonly tokens: number;
  readonly processorSeconds: number;
}

const LANGUAGES = ['en', 'fr', 'pt', 'de'];
const QUESTIONS_EACH = 60;

answerParent(async ({ runtime, everyWindow }: EmbedInput): Promise<Embedded> => {
  if (runtime !== undefined) takeRuntime(runtime);
  const model = await loadModel(bundledModelDir('models'));
  const tokenizer = await TextTokenizer.load(model);
  const embedder = await OnnxEmbedder.create(model, { threads: 1, tokenIds: tokenizer });
  if (runtime !== undefined) requireLoaded(runtime);
  const vectorOf = async (ids: Int32Array): Promise<number[]> => {
    const [rows = new Float32Array()] = await embedder.embed([ids]);
    return Array.from(poolLandmarks(rows, model.manifest.dimensions));
  };
  const capacity = windowCapacity(model.manifest);
  const golden: number[][] = [];
  for (const { ids, vector } of goldenCases())
    if (vector !== undefined) golden.push(await vectorOf(Int32Array.from(ids)));

  const questions: number[][] = [];
  for (const question of LANGUAGES.flatMap(questionsIn)) {
    questions.push(await vectorOf(tokenizer.encodeText(question).ids.subarray(0, capacity)));
  }

  const inputs = sources().flatMap(text => {
    const { ids, lines } = tokenizer.encodeText(text);
    return cutWindows(ids, lines, { capacity }).map(({ start, end }) => ids.subarray(start, end));
  });
  const chosen = inputs.filter((_, at) => at % everyWindow === 0);
  const windows: number[][] = [];
  const before = process.cpuUsage();
  for (const ids of chosen) windows.push(await vectorOf(ids));
  const { user, system } = process.cpuUsage(before);
  await embedder.close();
  const tokens = chosen.reduce((sum, ids) => sum + ids.length, 0);
  return { golden, questions, windows, tokens, processorSeconds: (user + system) / 1e6 };
});

/** Has another package loaded where the embedder asks for its runtime. */
function takeRuntime(folder: string): void {
  const entry = pathToFileURL(require.resolve(folder)).href;
  const hook = `export const resolve = (name, context, next) =>
    next(name === 'onnxruntime-node' ? ${JSON.stringify(entry)} : name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

function requireLoaded(folder: string): void {
  if (Object.keys(require.cache).includes(require.resolve(folder))) return;
  throw new Error(`The runtime was not taken from ${folder}.`);
}

function questionsIn(language: string): string[] {
  return readFileSync(`test/fixtures/questions/${language}.txt`, 'utf8').trim().split('\n').slice(0, QUESTIONS_EACH);
}

function sources(): string[] {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));
  return names.sort().map(name => readFileSync(join('src', name), 'utf8'));
}
