import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { EvaluationCase, SimilarCase } from '../engine/folderEngine';
import { LandmarkError, messageOf } from '../util/errors';
import type { Shape } from '../util/shapes';
import { filledText, lineRange, listOf, mapOf, optional, record } from '../util/shapes';

const searchCase = record({
  id: filledText,
  query: filledText,
  relevant: listOf(filledText, 1),
  hunks: optional(mapOf(listOf(lineRange))),
});
const similarCase = record({ id: filledText, file: filledText, relevant: listOf(filledText, 1) });

/** Reads one JSON object a line. @throws LandmarkError naming the line, what was expected and what is there. */
export async function readSearchCases(path: string): Promise<readonly EvaluationCase[]> {
  return parseLines(await read(path), basename(path), searchCase) as EvaluationCase[];
}

/** @throws LandmarkError naming the line, what was expected and what is there. */
export async function readSimilarCases(path: string): Promise<readonly SimilarCase[]> {
  return parseLines(await read(path), basename(path), similarCase) as SimilarCase[];
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LandmarkError('not-found', `The cases in ${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

/** Cases without the further fields that a line may have; blank lines are passed over. */
export function parseLines(text: string, name: string, shape: Shape): object[] {
  const cases: { id: string }[] = [];
  const lineOfId = new Map<string, number>();
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const number = at + 1;
    const fail = (what: string): never => {
      throw new LandmarkError('invalid-argument', `${name} line ${number}: ${what}.`);
    };
    const value = parseJson(line, fail);
    const wrong = shape(value, '');
    if (wrong !== undefined) fail(wrong.replace(/^: /, ''));
    const found = value as { id: string };
    const before = lineOfId.get(found.id);
    if (before !== undefined) fail(`the id "${found.id}" stands in line ${before} already`);
    lineOfId.set(found.id, number);
    cases.push(found);
  }
  if (cases.length === 0) throw new LandmarkError('invalid-argument', `${name} holds no cases.`);
  return cases;
}

function parseJson(line: string, fail: (what: string) => never): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    return fail(`expected a JSON object, got ${messageOf(error)}`);
  }
}
