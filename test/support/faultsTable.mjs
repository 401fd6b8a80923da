// Reads test/faults.md, checks that every test it names exists, and runs the files that hold them.
//   node test/support/faultsTable.mjs [--check]
// --check  only checks the names.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const TABLE = 'test/faults.md';

/** The rows of the tables: `| B01 | tests | … |`, tests as `` `file` “title” ``, several parted by semicolons. */
export function readTable(text) {
  return text
    .split('\n')
    .filter(line => line.startsWith('| ') && !/^\| (row|what|-+) /.test(line))
    .map(line => {
      const [id = '', tests = '', found = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1)
        .map(cell => cell.trim());
      const named = [...tests.matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, file, title]) => ({ file, title }));
      return { id, tests: named, found };
    });
}

/** Titles of the tests in a file; one made from a template stands with `…` for what is filled in. */
export function titlesIn(path) {
  const titles = new Set();
  const visit = node => {
    const [first] = ts.isCallExpression(node) ? node.arguments : [];
    if (first !== undefined && /^(test|it|describe|suite|t\.test)$/.test(node.expression.getText())) {
      if (ts.isStringLiteralLike(first)) titles.add(first.text);
      if (ts.isTemplateExpression(first))
        titles.add(first.head.text + first.templateSpans.map(span => `…${span.literal.text}`).join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  return titles;
}

/** What is wrong with the table, a sentence each. */
export function faultsOf(rows, titlesOf) {
  const known = new Map();
  const wrong = [];
  for (const { id, tests, found } of rows) {
    if (tests.length === 0) wrong.push(`${id} names no test.`);
    if (found === '') wrong.push(`${id} does not say what was found.`);
    for (const { file, title } of tests) {
      if (!known.has(file)) known.set(file, titlesOf(file));
      const titles = known.get(file);
      if (titles === undefined) wrong.push(`${id} names the file ${file}, which is not there.`);
      else if (!titles.has(title)) wrong.push(`${id} names “${title}”, which is no test in ${file}.`);
    }
  }
  return wrong;
}

export const titlesOfFile = file => {
  const path = join(root, 'test', file);
  return existsSync(path) ? titlesIn(path) : undefined;
};

function main() {
  const rows = readTable(readFileSync(join(root, TABLE), 'utf8'));
  const wrong = faultsOf(rows, titlesOfFile);
  for (const sentence of wrong) console.error(`${TABLE}: ${sentence}`);
  if (wrong.length > 0) process.exit(1);
  console.log(`${TABLE}: ${rows.length} rows, every test is there.`);
  if (process.argv.includes('--check')) return;
  const files = [...new Set(rows.flatMap(row => row.tests.map(({ file }) => file)))].sort();
  const plain = files.filter(file => file.endsWith('.ts') && !file.startsWith('host/'));
  const run = args => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
  // These need an editor and are run by npm run test:e2e and npm run test:host.
  const apart = files.filter(file => !plain.includes(file));
  if (apart.length > 0) console.log(`Run in an editor, by test:e2e and test:host: ${apart.join(', ')}`);
  process.exit(run(['test/support/run.mjs', '--files', ...plain.map(file => join('test', file))]));
}

if (process.argv[1] === import.meta.filename) main();
