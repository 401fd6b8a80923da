import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IgnorePatterns } from '../../../src/engine/files/ignorePatterns';
import { parseQuery } from '../../../src/engine/search/queryText';
import { scopeFilter } from '../../../src/engine/search/scope';
import { holds } from '../../support/amount';

const segment = fc.constantFrom('a', 'b', 'gen', 'x.log', 'k.ts', 'b c', 'é', '[x]', '#h', '!n', 'a*');
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
const piece = fc.constantFrom(
  'a',
  'b',
  'gen',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[a-',
  '\\',
  '\\#',
  '/',
  ' ',
  '.ts',
  '{',
  '(',
);
const rule = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map(parts => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const rules = fc.array(
  fc.tuple(fc.constantFrom('', '!', '#', '/'), rule).map(([sign, body]) => sign + body.replace(/[\r\n]/g, '')),
  { maxLength: 5 },
);

const verdict = (patterns: IgnorePatterns, of: string, isFolder = false): string | undefined => {
  const origin = patterns.test(of, isFolder);
  return origin && `${origin.line} ${origin.rule}`;
};

test('ignore rules of any text mean the same with other line ends, further comments and a mark in front', () => {
  const property = fc.property(rules, path, fc.boolean(), (lines, of, isFolder) => {
    const plain = IgnorePatterns.empty(false).with(lines.join('\n'), '');
    const expected = verdict(plain, of, isFolder);
    for (const text of [lines.join('\r\n'), `\ufeff${lines.join('\n')}\n`, [...lines, '# k.ts', '', '  '].join('\n')])
      assert.equal(verdict(IgnorePatterns.empty(false).with(text, ''), of, isFolder), expected, JSON.stringify(text));
  });
  holds('ignore rules: line ends', 301, 2000, property);
});

test('the rules of a folder hold below it as they would at the top, and nowhere else', () => {
  const folder = fc.constantFrom('sub', 'a/b', 'b c', '[x]', 'a*');
  const property = fc.property(rules, path, folder, fc.boolean(), (lines, of, below, isFolder) => {
    const text = lines.join('\n');
    const atTop = IgnorePatterns.empty(false).with(text, '');
    const inside = IgnorePatterns.empty(false).with(text, below);
    assert.equal(
      verdict(inside, `${below}/${of}`, isFolder),
      verdict(atTop, of, isFolder),
      `${JSON.stringify(text)} for ${of} below ${below}`,
    );
    assert.equal(inside.test(`elsewhere/${of}`, isFolder), undefined);
  });
  holds('ignore rules: folders', 302, 2000, property);
});

test('what a literal last rule names is left out, what a negated one names comes back, and nothing below a folder that is left out', () => {
  const literal = (of: string): string => `/${of.replace(/[\\*?[\]!#]/g, '\\$&')}`;
  const property = fc.property(rules, path, path, (lines, of, other) => {
    const patterns = IgnorePatterns.empty(false).with([...lines, literal(of)].join('\n'), '');
    assert.ok(patterns.test(of, false), of);
    assert.ok(patterns.test(`${of}/${other}`, false), `${of}/${other}`);
    const back = IgnorePatterns.empty(false).with([literal(of), `!${literal(of)}`].join('\n'), '');
    assert.equal(back.test(of, false), undefined);
  });
  holds('ignore rules: literals', 303, 2000, property);
});

const word = fc.stringMatching(/^[a-z_$][a-z0-9_$]{0,6}$/);
const value = fc.stringMatching(/^[a-z0-9*./\\[\]-]{1,8}$/);
const part = fc.oneof(
  fc.record({ kind: fc.constant('word' as const), text: word }),
  fc.record({ kind: fc.constant('without' as const), text: word }),
  fc.record({ kind: fc.constant('exact' as const), text: fc.stringMatching(/^[a-z]{1,4}( [a-z(){}:-]{1,4}){0,3}$/) }),
  fc.record({ kind: fc.constant('path' as const), text: value }),
  fc.record({ kind: fc.constant('-path' as const), text: value }),
);
type Part = typeof part extends fc.Arbitrary<infer T> ? T : never;

function written({ kind, text }: Part): string {
  if (kind === 'word') return text;
  if (kind === 'without') return `-${text}`;
  return kind === 'exact' ? `"${text}"` : `${kind}:${text}`;
}

test('a query that is put together from parts is taken apart into them', () => {
  const property = fc.property(fc.array(part, { maxLength: 7 }), fc.constantFrom(' ', '  ', '\t'), (parts, gap) => {
    const query = ['first', ...parts.map(written)].join(gap);
    const of = (kind: Part['kind']): string[] => parts.filter(each => each.kind === kind).map(({ text }) => text);
    const read = parseQuery(query);
    assert.deepEqual(
      [read.exact, read.without, read.paths, read.withoutPaths],
      [of('exact'), of('without'), of('path'), of('-path')],
      query,
    );
    const plain = parts.filter(({ kind }) => kind === 'word' || kind === 'exact').map(({ text }) => text);
    assert.equal(read.text, ['first', ...plain].join(' '));
  });
  holds('queries from parts', 304, 3000, property);
});

test('any text is a query: its words are words of the text, and its filters can be used', () => {
  const any = fc
    .array(
      fc.oneof(
        fc.constantFrom('"', ' ', '-', 'path:', 'lang:', '-lang:', '*', '\\', '\n'),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      {
        maxLength: 20,
      },
    )
    .map(parts => parts.join(''));
  const property = fc.property(any, path, (query, of) => {
    const read = parseQuery(query);
    assert.equal(read.text, read.text.trim());
    assert.doesNotMatch(read.text, /\s\s/);
    for (const piece of read.text.split(' ')) assert.ok(query.includes(piece), piece);
    for (const scope of [...read.paths, ...read.withoutPaths, query]) {
      assert.equal(typeof scopeFilter(scope, [of])(of), 'boolean');
    }
  });
  holds('queries of any text', 305, 3000, property);
});
