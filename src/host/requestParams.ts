import type { ArmName } from '../engine/types';
import { LandmarkError } from '../util/errors';
import type { Shape } from '../util/shapes';
import {
  anyText,
  filledText,
  flag,
  lineRange,
  listOf,
  mapOf,
  oneOf,
  optional,
  positiveInteger,
  record,
} from '../util/shapes';
import type { Request, RequestKind } from './protocol';

// The engine's own list is code, and only types of the engine may be used here; the compiler keeps this one complete.
const ARMS: Readonly<Record<ArmName, true>> = {
  file: true,
  landmark: true,
  path: true,
  lexical: true,
  history: true,
  definition: true,
};
const arms = optional(listOf(oneOf(...Object.keys(ARMS)), 1));

const folder = filledText;

const options = record({
  access: oneOf('read', 'write'),
  history: optional(record({ gitDir: filledText, at: filledText })),
  exclude: optional(listOf(anyText)),
  maxFileSize: optional(positiveInteger),
});

const searchRequest = record({
  query: anyText,
  limit: optional(positiveInteger),
  scope: optional(filledText),
  arms,
  files: optional(listOf(filledText)),
  sameLanguageAs: optional(filledText),
});

const draft = record({
  folder,
  id: filledText,
  path: filledText,
  isNew: flag,
  text: anyText,
  cellStartLines: optional(listOf(positiveInteger)),
});

const searchCase = record({
  id: filledText,
  query: filledText,
  relevant: listOf(filledText),
  hunks: optional(mapOf(listOf(lineRange))),
});

const similarCase = record({ id: filledText, file: filledText, relevant: listOf(filledText) });

const PARAMS: Readonly<Record<RequestKind, Shape>> = {
  open: record({ folder, options }),
  closeFolder: record({ folder }),
  sync: record({ folder, rebuild: flag }),
  update: record({ folder, paths: listOf(filledText) }),
  setPaused: record({ folder, paused: flag }),
  search: record({ folders: listOf(folder, 1), request: searchRequest, drafts: optional(listOf(draft)) }),
  similar: record({ folder, file: filledText, limit: positiveInteger }),
  explain: record({ folder, file: filledText }),
  stats: record({ folder }),
  evaluate: record({ folder, cases: listOf(searchCase), arms }),
  evaluateSimilar: record({ folder, cases: listOf(similarCase) }),
  evaluatePast: record({ folder }),
  clear: record({ folder }),
  data: record({ action: oneOf('list', 'clean') }),
};

/**
 * The request, once its kind is known and its parameters have the shape of that kind.
 * @throws LandmarkError `invalid-argument` with what was expected and what came.
 */
export function checkRequest(request: unknown): Request {
  const wrong = record({ kind: oneOf(...Object.keys(PARAMS)) })(request, '');
  if (wrong !== undefined) throw new LandmarkError('invalid-argument', `The request cannot be read: ${wrong}.`);
  const { kind, params } = request as { kind: RequestKind; params: unknown };
  const wrongParam = PARAMS[kind](params, '');
  if (wrongParam !== undefined) {
    throw new LandmarkError('invalid-argument', `The request "${kind}" cannot be read: ${wrongParam}.`);
  }
  return request as Request;
}
