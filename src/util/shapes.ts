/**
 * A check of a value that comes from outside. Returns nothing when it fits, else what is wrong as
 * `name: expected …, got …`, naming the innermost place.
 */
export type Shape = (value: unknown, name: string) => string | undefined;

/** Most of a value that is quoted in a sentence, in characters. */
const LONGEST_QUOTE = 60;

function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

const shape =
  (expected: string, fits: (value: unknown) => boolean): Shape =>
  (value, name) =>
    fits(value) ? undefined : `${name}: expected ${expected}, got ${quoted(value)}`;

export const anyText: Shape = shape('a text', value => typeof value === 'string');
export const filledText: Shape = shape(
  'a text that is not empty',
  value => typeof value === 'string' && value.trim() !== '',
);
export const flag: Shape = shape('true or false', value => typeof value === 'boolean');
export const positiveInteger: Shape = shape(
  'a positive integer',
  value => Number.isSafeInteger(value) && Number(value) > 0,
);

/** A whole number from 1 to `most`. */
export const integerUpTo = (most: number): Shape =>
  shape(
    `a whole number from 1 to ${most}`,
    value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most,
  );

/** A text that is not empty, of at most so many characters. */
export const textUpTo = (most: number): Shape =>
  shape(
    `a text of 1 to ${most} characters`,
    value => typeof value === 'string' && value.trim() !== '' && value.length <= most,
  );

/** What fits the inner shape and the pattern. */
export const matching =
  (inner: Shape, pattern: RegExp): Shape =>
  (value, name) =>
    inner(value, name) ??
    (pattern.test(String(value))
      ? undefined
      : `${name}: expected a text that fits ${pattern.source}, got ${quoted(value)}`);

export const finiteNumber: Shape = shape('a number', value => Number.isFinite(value));

export const oneOf = (...choices: readonly string[]): Shape =>
  shape(`one of ${choices.join(', ')}`, value => typeof value === 'string' && choices.includes(value));

export const optional =
  (inner: Shape): Shape =>
  (value, name) =>
    value === undefined ? undefined : inner(value, name);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with these fields; others are let through. */
export const record =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, name) => {
    if (!isRecord(value)) return `${name}: expected an object, got ${quoted(value)}`;
    for (const [key, inner] of Object.entries(fields)) {
      const wrong = inner(Object.hasOwn(value, key) ? value[key] : undefined, name === '' ? key : `${name}.${key}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

/** An object with these fields and no others. */
export const closedRecord =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, name) => {
    const wrong = record(fields)(value, name);
    if (wrong !== undefined) return wrong;
    const unknown = Object.keys(Object(value) as object).find(key => !Object.hasOwn(fields, key));
    if (unknown === undefined) return undefined;
    return `${name === '' ? '' : `${name}.`}${quoted(unknown)}: expected one of ${Object.keys(fields).join(', ')}`;
  };

/** An object used as a map: every value has the inner shape. */
export const mapOf =
  (inner: Shape): Shape =>
  (value, name) => {
    if (!isRecord(value)) return `${name}: expected an object, got ${quoted(value)}`;
    return firstWrong(Object.entries(value), inner, name);
  };

export const listOf =
  (inner: Shape, least = 0): Shape =>
  (value, name) => {
    if (!Array.isArray(value)) return `${name}: expected a list, got ${quoted(value)}`;
    if (value.length < least) return `${name}: expected at least ${least} of them, got ${quoted(value)}`;
    return firstWrong(
      value.map((item: unknown, at): [string, unknown] => [String(at), item]),
      inner,
      name,
    );
  };

/** `[first, last]`, 1-based lines. */
export const lineRange: Shape = shape('a pair of lines [first, last]', value => {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [first, last] = value as unknown[];
  return (
    Number.isSafeInteger(first) && Number.isSafeInteger(last) && Number(first) >= 1 && Number(last) >= Number(first)
  );
});

function firstWrong(entries: readonly (readonly [string, unknown])[], inner: Shape, name: string): string | undefined {
  for (const [key, item] of entries) {
    const wrong = inner(item, `${name}[${key}]`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
