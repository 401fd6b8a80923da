import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCancelled, LandmarkError, messageOf, systemCode, throwIfAborted } from '../../util/errors';
import { PREPARATIONS, type Preparation } from './codeText';

export const MANIFEST_FILE = 'manifest.json';
export const WEIGHTS_FILE = 'model.onnx';
export const TOKENIZER_FILE = 'tokenizer.json';

/** What a model folder says of itself. Lengths are in tokens; `window` counts the first token and the landmarks too. */
export interface ModelManifest {
  readonly schema: 1;
  readonly id: string;
  /** Length of a hidden state. */
  readonly dimensions: number;
  /** Leading dimensions that make a landmark's own vector; equal to `dimensions` where the model is not trained for less. */
  readonly landmarkDimensions: number;
  /** The longest input. */
  readonly window: number;
  /** Tokens of a chunk. */
  readonly k: number;
  readonly preparation: Preparation;
  readonly clsToken: string;
  readonly landmarkToken: string;
  /** Whether paths are embedded as an arm of their own. */
  readonly pathVector: boolean;
  readonly license: string;
  readonly base: string;
  /** sha256 in hex of every file the model consists of. */
  readonly files: Readonly<Record<string, string>>;
}

/** A model folder whose files are what its manifest says. */
export interface LoadedModel {
  readonly directory: string;
  readonly manifest: ModelManifest;
  /** sha256 of the manifest's bytes, hex: stands for weights, tokenizer, preparation and all lengths. */
  readonly fingerprint: string;
}

const WAY_OUT = 'copy the model folder again or choose another with --model';
/** A window's landmarks are counted in one byte in the store. */
const MAX_LANDMARKS = 255;
const MAX_DIMENSIONS = 8192;
const MAX_WINDOW = 65_536;

/**
 * Reads and validates the manifest and checks every file it names against its sha256.
 * @throws LandmarkError `model-invalid` naming the file, what was expected and the way out; `cancelled`.
 */
export async function loadModel(modelDir: string, signal?: AbortSignal): Promise<LoadedModel> {
  throwIfAborted(signal);
  const path = join(modelDir, MANIFEST_FILE);
  let bytes: Buffer;
  try {
    bytes = await readFile(path, { signal });
  } catch (error) {
    throw unreadable(path, error);
  }
  const manifest = parseManifest(bytes, path);
  for (const [name, expected] of Object.entries(manifest.files)) {
    const file = join(modelDir, name);
    const got = await sha256OfFile(file, signal);
    if (got !== expected) throw invalid(file, `expected sha256 ${expected}, got ${got}`);
  }
  return { directory: modelDir, manifest, fingerprint: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads a JSON file of a model folder. @throws LandmarkError `model-invalid` */
export async function readModelJson(path: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  try {
    return parseObject(await readFile(path, { signal }), path);
  } catch (error) {
    if (error instanceof LandmarkError) throw error;
    throw unreadable(path, error);
  }
}

/** The error for anything wrong with a file of a model folder. */
export function invalid(path: string, problem: string, cause?: unknown): LandmarkError {
  return new LandmarkError('model-invalid', `The model cannot be used: ${path}: ${problem}; ${WAY_OUT}.`, { cause });
}

function unreadable(path: string, error: unknown): LandmarkError {
  if (isCancelled(error)) return new LandmarkError('cancelled', 'The operation was cancelled.', { cause: error });
  const missing = systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR';
  return invalid(
    path,
    missing ? 'expected a file, found none' : `expected a readable file, got: ${messageOf(error)}`,
    error,
  );
}

async function sha256OfFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const block of createReadStream(path, { signal })) hash.update(block as Buffer);
  } catch (error) {
    throw unreadable(path, error);
  }
  return hash.digest('hex');
}

function parseObject(bytes: Buffer, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw invalid(path, `expected JSON, got: ${messageOf(error)}`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(path, `expected a JSON object, got ${shown(value)}`);
  }
  return value as Record<string, unknown>;
}

function parseManifest(bytes: Buffer, path: string): ModelManifest {
  const raw = parseObject(bytes, path);
  const field = <T>(name: string, expected: string, test: (value: unknown) => value is T): T => {
    const value = raw[name];
    if (!test(value)) throw invalid(path, `expected "${name}" to be ${expected}, got ${shown(value)}`);
    return value;
  };
  const number = (name: string, least: number, most: number): number =>
    field(name, `a whole number from ${least} to ${most}`, isWholeNumber(least, most));
  const text = (name: string): string => field(name, 'a text that is not empty', isText);

  // The schema first: of another schema the other fields say nothing.
  const schema = field('schema', '1', (value): value is 1 => value === 1);
  const dimensions = number('dimensions', 1, MAX_DIMENSIONS);
  const landmarkDimensions = number('landmarkDimensions', 1, dimensions);
  const window = number('window', 3, MAX_WINDOW);
  // One chunk and its landmark must fit behind the first token.
  const k = number('k', 1, window - 2);
  const landmarks = Math.floor((window - 1) / (k + 1));
  if (landmarks > MAX_LANDMARKS) {
    throw invalid(
      path,
      `expected at most ${MAX_LANDMARKS} landmarks in a window, got ${landmarks} ("window" ${window}, "k" ${k})`,
    );
  }
  return {
    schema,
    id: text('id'),
    dimensions,
    landmarkDimensions,
    window,
    k,
    preparation: field('preparation', `one of ${PREPARATIONS.join(', ')}`, isPreparation),
    clsToken: text('clsToken'),
    landmarkToken: text('landmarkToken'),
    pathVector: field('pathVector', 'true or false', (value): value is boolean => typeof value === 'boolean'),
    license: text('license'),
    base: text('base'),
    files: parseFiles(raw['files'], path),
  };
}

function parseFiles(value: unknown, path: string): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(path, `expected "files" to map file names to sha256, got ${shown(value)}`);
  }
  const files: Record<string, string> = {};
  for (const [name, sha256] of Object.entries(value)) {
    // Only files of the folder itself: a manifest must not make the program read elsewhere.
    if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name)) {
      throw invalid(path, `expected plain file names in "files", got ${shown(name)}`);
    }
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
      throw invalid(path, `expected a sha256 of 64 hex digits for "${name}", got ${shown(sha256)}`);
    }
    files[name] = sha256;
  }
  for (const name of [WEIGHTS_FILE, TOKENIZER_FILE]) {
    if (files[name] === undefined)
      throw invalid(path, `expected "files" to name ${name}, got ${shown(Object.keys(files))}`);
  }
  return files;
}

function isWholeNumber(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 1000;
}

function isPreparation(value: unknown): value is Preparation {
  return PREPARATIONS.some(known => known === value);
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
