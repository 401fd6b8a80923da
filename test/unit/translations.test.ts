import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

/** English is written in the code and in package.nls.json. */
const LANGUAGES = ['fr', 'pt-br'] as const;
const SOURCES = 'src/extension';
/** Properties of the manifest that people read; the category is the product's name. */
const READ_BY_PEOPLE = new Set([
  'title',
  'description',
  'markdownDescription',
  'altText',
  'contents',
  'name',
  'label',
  'displayName',
  'userDescription',
]);

/** The rest of a tool is read by language models. */
const SHOWN_OF_TOOLS = new Set(['displayName', 'userDescription']);

/** What the editor shows of an object or of a call. */
const SHOWN_PROPERTIES = new Set([
  'title',
  'placeHolder',
  'placeholder',
  'prompt',
  'detail',
  'label',
  'tooltip',
  'message',
]);
const SHOWN_CALLS = /^show(Information|Warning|Error)Message$/;

type Texts = Readonly<Record<string, string>>;
const readTexts = (path: string): Texts => JSON.parse(readFileSync(path, 'utf8')) as Texts;

interface Call {
  readonly key: string;
  readonly args: number;
  readonly at: string;
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  node.forEachChild(child => visit(child, look));
}

const sourceFiles = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => join(SOURCES, name));

/** The name that is called: `t` for `t(…)`, `l10n.t(…)` and `vscode.l10n.t(…)`. */
function calledName({ expression }: ts.CallExpression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

function callsIn(source: ts.SourceFile): Call[] {
  const calls: Call[] = [];
  visit(source, node => {
    if (!ts.isCallExpression(node) || calledName(node) !== 't' || source.fileName.endsWith('l10n.ts')) return;
    const [first, ...args] = node.arguments;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const at = `${source.fileName}:${line + 1}`;
    assert.ok(first !== undefined && ts.isStringLiteralLike(first), `${at}: the sentence has to be written out`);
    calls.push({ key: first.text, args: args.length, at });
  });
  return calls;
}

const calls = sourceFiles.flatMap(path => callsIn(parse(path)));
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\d+\}/g) ?? [])].sort();
const sorted = (keys: Iterable<string>): string[] => [...new Set(keys)].sort();

test('there are sentences for the user, each with the arguments that it names', () => {
  assert.ok(calls.length > 50);
  for (const { key, args, at } of calls) {
    assert.deepEqual(
      placeholders(key),
      Array.from({ length: args }, (_, index) => `{${index}}`),
      `${at}: ${key}`,
    );
  }
});

for (const language of LANGUAGES) {
  const bundle = readTexts(`l10n/bundle.l10n.${language}.json`);

  test(`every sentence of the program is there in ${language}, and no other`, () => {
    assert.deepEqual(sorted(Object.keys(bundle)), sorted(calls.map(({ key }) => key)));
  });

  test(`the sentences in ${language} have the placeholders, icons and ends of the English ones`, () => {
    for (const [english, text] of Object.entries(bundle)) {
      assert.deepEqual(placeholders(text), placeholders(english), english);
      assert.equal(/[.?…]$/.exec(text.trim())?.[0], /[.?…]$/.exec(english.trim())?.[0], english);
      assert.notEqual(text.trim(), '', english);
    }
  });

  test(`every text of the manifest is there in ${language}, and no other`, () => {
    const english = readTexts('package.nls.json');
    const texts = readTexts(`package.nls.${language}.json`);
    assert.deepEqual(sorted(Object.keys(texts)), sorted(Object.keys(english)));
    for (const [key, text] of Object.entries(texts)) {
      const parts = (of: string): string[] => of.match(/\(command:[^)]*\)|`[^`]*`/g)?.sort() ?? [];
      assert.deepEqual(parts(text), parts(english[key] ?? ''), key);
    }
  });
}

function manifestTexts(node: unknown, path: string, found: Map<string, string>): void {
  if (typeof node === 'string') found.set(path, node);
  else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) manifestTexts(value, `${path}/${key}`, found);
  }
}

test('what people read of the manifest stands in package.nls.json, and nothing else does', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
  const found = new Map<string, string>();
  for (const part of ['description', 'capabilities', 'contributes']) manifestTexts(manifest[part], part, found);
  const plain = [...found].filter(([path, text]) => {
    const name = path.split('/').at(-1) ?? '';
    if (path.includes('/languageModelTools/') && !SHOWN_OF_TOOLS.has(name)) return false;
    const isRead = READ_BY_PEOPLE.has(name) || path.includes('/enumDescriptions/');
    return isRead && !/^%.+%$/.test(text) && text !== 'Landmark' && text !== manifest['displayName'];
  });
  assert.deepEqual(plain, []);
  const used = [...found.values()].flatMap(text => /^%(.+)%$/.exec(text)?.[1] ?? []);
  assert.deepEqual(sorted(used), sorted(Object.keys(readTexts('package.nls.json'))));
});

/** Words in a literal that the editor would show in English to everybody. */
function isPlainText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node))
    return /[a-z]{2}/i.test(node.text.replace(/\$\([^)]*\)/g, '').replace('Landmark', ''));
  if (!ts.isTemplateExpression(node)) return false;
  const literal = [node.head, ...node.templateSpans.map(span => span.literal)].map(part => part.text).join('');
  return /[a-z]{2}/i.test(literal.replace(/\$\([^)]*\)?/g, '').replace('Landmark', ''));
}

test('no sentence is shown that is not translated', () => {
  const plain: string[] = [];
  for (const source of sourceFiles.map(parse)) {
    const note = (node: ts.Node): void => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (isPlainText(node)) plain.push(`${source.fileName}:${line + 1}: ${node.getText()}`);
    };
    visit(source, node => {
      if (ts.isCallExpression(node) && SHOWN_CALLS.test(calledName(node))) node.arguments.forEach(note);
      if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name)) return;
      if (SHOWN_PROPERTIES.has(node.name.text)) note(node.initializer);
    });
  }
  assert.deepEqual(plain, []);
});
