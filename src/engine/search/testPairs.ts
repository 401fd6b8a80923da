import { baseOf, comparePaths, parentOf } from '../files/filePaths';

/** `test`: the other file tests the given one; `tested`: the given one tests it. */
export type TestRelation = 'test' | 'tested';

export interface TestPartner {
  readonly path: string;
  readonly relation: TestRelation;
}

interface TestName {
  /** The name of what is tested, or of the file itself: lower-case letters and digits. */
  readonly subject: string;
  readonly isTest: boolean;
  /** Languages that test each other have one family. */
  readonly family: string;
  /** The folders without those that only say where tests and sources are kept. */
  readonly folders: readonly string[];
}

const FAMILIES = [
  ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
  ['java', 'kt', 'kts', 'groovy', 'scala'],
  ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'm', 'mm'],
];
const FAMILY_BY_EXTENSION = new Map(FAMILIES.flatMap(list => list.map(extension => [extension, list[0] ?? ''])));

/** Folders in which a file is a test whatever its name. */
const TEST_FOLDERS = new Set(['test', 'tests', '__tests__', 'spec', 'specs', '__specs__', 'unittests', 'e2e']);
/** Folders that stand in the place of one of the above. */
const SOURCE_FOLDERS = new Set(['src', 'source', 'sources', 'main', 'lib', 'app', 'unit', 'integration']);

/** How test frameworks name the test of `name`, each with the name as its group. */
const TEST_NAMES = [
  /^(.+)[._-](?:test|tests|spec|specs|e2e|unittest)$/i,
  /^(?:test|tests|spec)[._-](.+)$/i,
  /^(.*[a-z0-9])(?:Test|Tests|TestCase|Spec|Specs|IT)$/,
  /^Test([A-Z].*)$/,
];

/** More partners of one name are not told apart by their names. */
const MOST_PARTNERS = 5;

/**
 * Files that test a file, or that it tests, as their names and folders say; nearest folders first. Of several with the
 * same name only those whose folders are most alike count.
 */
export function testPartners(path: string, paths: Iterable<string>): TestPartner[] {
  const own = testNameOf(path);
  let best = -Infinity;
  let partners: TestPartner[] = [];
  for (const other of paths) {
    if (other === path) continue;
    const name = testNameOf(other);
    if (name.subject !== own.subject || name.isTest === own.isTest || name.family !== own.family) continue;
    const nearness = own.isTest ? -distance(own, name) : -distance(name, own);
    if (nearness < best) continue;
    if (nearness > best) partners = [];
    best = nearness;
    partners.push({ path: other, relation: name.isTest ? 'test' : 'tested' });
  }
  return partners.sort((a, b) => comparePaths(a.path, b.path)).slice(0, MOST_PARTNERS);
}

function testNameOf(path: string): TestName {
  const base = baseOf(path);
  const dot = base.lastIndexOf('.');
  const stem = dot <= 0 ? base : base.slice(0, dot);
  const extension = dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
  const folders = parentOf(path).split('/').filter(Boolean);
  const tested = TEST_NAMES.map(pattern => pattern.exec(stem)?.[1]).find(name => name !== undefined);
  const isTest = tested !== undefined || folders.some(name => TEST_FOLDERS.has(name.toLowerCase()));
  return {
    subject: (tested ?? stem).toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''),
    isTest,
    family: FAMILY_BY_EXTENSION.get(extension) ?? extension,
    folders: folders
      .map(name => name.toLowerCase())
      .filter(name => !TEST_FOLDERS.has(name) && !SOURCE_FOLDERS.has(name)),
  };
}

/** Tests are often kept in fewer folders than sources; a folder that only the test has means another source. */
const FOREIGN_FOLDER = 2;

/** How far the folders of a test are from those of a source, where both may begin and end with the same ones. */
function distance({ folders: test }: TestName, { folders: source }: TestName): number {
  const shorter = Math.min(test.length, source.length);
  let top = 0;
  while (top < shorter && test[top] === source[top]) top++;
  let end = 0;
  while (end < shorter - top && test[test.length - 1 - end] === source[source.length - 1 - end]) end++;
  const common = top + end;
  return FOREIGN_FOLDER * (test.length - common) + (source.length - common);
}
