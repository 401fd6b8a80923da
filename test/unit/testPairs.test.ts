import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPartners } from '../../src/engine/search/testPairs';

const partners = (path: string, ...paths: string[]): string[] =>
  testPartners(path, [path, ...paths]).map(each => `${each.relation} ${each.path}`);

const PAIRS: readonly (readonly [source: string, test: string])[] = [
  ['src/auth/login.ts', 'src/auth/login.test.ts'],
  ['src/auth/login.ts', 'src/auth/__tests__/login.ts'],
  ['src/auth/login.tsx', 'test/auth/login.spec.ts'],
  ['src/auth/login.ts', 'test/unit/auth/login.test.js'],
  ['src/auth/signIn.ts', 'cypress/e2e/sign-in.e2e.ts'],
  ['pkg/net/retry.go', 'pkg/net/retry_test.go'],
  ['app/models/user.rb', 'spec/models/user_spec.rb'],
  ['scrapy/http/request.py', 'tests/test_request.py'],
  ['scrapy/http/request.py', 'tests/http/request_tests.py'],
  ['src/main/java/a/b/Parser.java', 'src/test/java/a/b/ParserTest.java'],
  ['src/main/kotlin/a/Parser.kt', 'src/test/kotlin/a/ParserIT.kt'],
  ['Source/Parser.cs', 'Tests/ParserTests.cs'],
  ['src/parser.rs', 'tests/parser.rs'],
  ['lib/hash.h', 'tests/hash_test.cpp'],
];
for (const [source, tests] of PAIRS) {
  test(`${tests} tests ${source}, and the other way round`, () => {
    assert.deepEqual(partners(source, tests), [`test ${tests}`]);
    assert.deepEqual(partners(tests, source), [`tested ${source}`]);
  });
}

test('names that only look alike are no partners', () => {
  assert.deepEqual(partners('src/login.ts', 'src/login.go', 'src/loginForm.test.ts', 'src/other/login.ts'), []);
  assert.deepEqual(partners('src/login.ts', 'src/login_test.go'), [], 'another language');
  assert.deepEqual(partners('src/contest.ts', 'src/con.ts'), [], 'a word that ends in test');
  assert.deepEqual(partners('a/test/login.ts', 'b/test/login.ts'), [], 'two tests');
  assert.deepEqual(partners('src/latest.py', 'src/la.py'), []);
});

test('of several with one name the ones in the nearest folders count', () => {
  const tests = ['packages/a/test/index.test.ts', 'packages/b/test/index.test.ts', 'test/index.test.ts'];
  assert.deepEqual(partners('packages/b/src/index.ts', ...tests), ['test packages/b/test/index.test.ts']);
  assert.deepEqual(partners('packages/c/src/index.ts', ...tests), ['test test/index.test.ts']);
  assert.deepEqual(
    partners('src/deep/util.ts', 'test/deep/util.spec.ts', 'test/deep/util.test.ts', 'test/util.test.ts'),
    ['test test/deep/util.spec.ts', 'test test/deep/util.test.ts'],
  );
});

test('a file without a partner has none, and a file in no folder is looked for, too', () => {
  assert.deepEqual(partners('README.md', 'src/a.ts'), []);
  assert.deepEqual(partners('a.js', 'a.test.js'), ['test a.test.js']);
});
