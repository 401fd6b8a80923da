import type { SearchRequest } from '../engine/types';
import { checkInput, type InputSchema } from './inputSchema';

/** Results of one call: enough to choose from, few enough to read. */
export const MOST_RESULTS = 50;
const USUAL_RESULTS = 10;
/** The engine reads no more of a query. */
const LONGEST_QUERY = 4000;
/** Longer than any path that a system opens. */
export const LONGEST_PATH = 4096;

export const LIMIT_SCHEMA = {
  type: 'integer',
  description: 'The largest number of files in the answer.',
  minimum: 1,
  maximum: MOST_RESULTS,
  default: USUAL_RESULTS,
} as const;

/** What the search tool takes, in the editor and over the Model Context Protocol. */
export const SEARCH_SCHEMA = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'What the code does, in plain words (“where are failed uploads retried”), or names that occur in it. "Exact words" in double quotes must stand together, -word must not occur.',
      minLength: 1,
      maxLength: LONGEST_QUERY,
    },
    limit: LIMIT_SCHEMA,
    path: {
      type: 'string',
      description: 'Only files below this folder, or paths that match this glob: src/net or *.test.ts.',
      minLength: 1,
      maxLength: LONGEST_PATH,
    },
    language: {
      type: 'string',
      description: 'Only files in this language, by its name or its file extension: python or py.',
      minLength: 1,
      maxLength: 40,
      pattern: '^[\\w.+#-]+$',
    },
  },
  required: ['query'],
  additionalProperties: false,
} as const satisfies InputSchema;

export interface SearchInput {
  readonly query: string;
  readonly limit?: number;
  readonly path?: string;
  readonly language?: string;
}

/** @throws LandmarkError `invalid-argument`, see `checkInput`. */
export function checkSearchInput(tool: string, input: unknown): SearchInput {
  checkInput(tool, SEARCH_SCHEMA, input);
  return input as SearchInput;
}

/** The search that an input asks for. */
export function searchRequestOf({
  query,
  limit = USUAL_RESULTS,
  path,
  language,
}: SearchInput): Required<Pick<SearchRequest, 'query' | 'limit'>> & SearchRequest {
  const narrowed = language === undefined ? query : `${query} lang:${language}`;
  return { query: narrowed, limit, ...(path === undefined ? {} : { scope: path }) };
}
