/** JSON Schemas of what the tools answer with; see the types they describe. */
interface ObjectSchema {
  readonly [key: string]: unknown;
  readonly type: 'object';
}

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const count = { type: 'integer' } as const;
const flag = { type: 'boolean' } as const;
const share = { type: 'number', minimum: 0, maximum: 1 } as const;
const listOf = (items: object): object => ({ type: 'array', items });

/** @param optional fields that may be absent, besides those that are always there. */
function objectOf(
  fields: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): ObjectSchema {
  return { type: 'object', properties: { ...fields, ...optional }, required: Object.keys(fields) };
}

const lines = { type: 'array', items: count, minItems: 2, maxItems: 2, description: 'First and last line.' };
const place = objectOf(
  { startLine: count, endLine: count, line: count, text },
  { symbol: text, cell: { ...count, description: 'Notebook cell, from 1; the lines are then lines of the cell.' } },
);
const result = objectOf(
  { folder: text, path: text, score: number, weak: flag, places: listOf(place) },
  { copies: listOf(text) },
);
const region = objectOf({ from: lines, to: lines, score: number }, { fromCell: count, toCell: count });
const similarFile = { path: text, score: number, copies: listOf(text), regions: listOf(region) };
const folderStats = objectOf({
  folder: text,
  files: count,
  windows: count,
  landmarks: count,
  bytes: { type: 'object', additionalProperties: number },
  model: objectOf({ id: text, fingerprint: text }),
  complete: share,
  queue: count,
});

/** `SearchAnswer` */
export const SEARCH_OUTPUT = objectOf({ results: listOf(result), complete: share, notes: listOf(text) });
/** `SimilarResponse` with its folder */
export const SIMILAR_OUTPUT = objectOf(
  { folder: text, file: text, complete: share, results: listOf(objectOf(similarFile)) },
  { copies: listOf(text), testPartners: listOf(objectOf({ ...similarFile, relation: text })) },
);
/** `ExplainResponse` with its folder */
export const EXPLAIN_OUTPUT = objectOf(
  { folder: text, path: text, state: text, reason: text },
  { rule: text, ruleFile: text, ruleLine: count, contentHash: text, windows: count, waitsFor: text },
);
/** `IndexStats` of each folder */
export const STATS_OUTPUT = objectOf({ folders: listOf(folderStats), notes: listOf(text) });
