// Rules that a formatter cannot see. Which folder may import what comes from src/build/layers.json.
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

const table = JSON.parse(readFileSync(new URL('src/build/layers.json', import.meta.url), 'utf8'));

const filesOf = layer => [layer.files].flat();
const isFolder = path => path.endsWith('/');
const globOf = path => (isFolder(path) ? `${path}**/*.ts` : path);

const withoutExtension = path => path.replace(/\.ts$/, '$');

/**
 * Matches the specifiers by which files of one layer name another layer's folders and files, but not the more special
 * layers inside such a folder.
 */
function specifierPattern(from, target) {
  const others = table.layers.filter(layer => layer !== target).flatMap(filesOf);
  return filesOf(target)
    .map(path => {
      const inside = others.filter(other => other.startsWith(path)).map(other => other.slice(path.length));
      const except = inside.length > 0 ? `(?!${inside.map(withoutExtension).join('|')})` : '';
      const [, top, ...below] = path.split('/');
      const besides = filesOf(from).some(other => other.startsWith(`src/${top}/`)) && below.join('/') !== '';
      const named = withoutExtension(path.replace(/^src\//, ''));
      return `(^|/)${named}${except}` + (besides ? `|^\\./${withoutExtension(below.join('/'))}` : '');
    })
    .join('|');
}

/** The restricted imports of a layer; `owned` is the one package that the file at hand may use besides. */
function restrictedImports(layer, owned) {
  const layerPatterns = table.layers
    .filter(target => !layer.mayImport.includes(target.name))
    // A file's own folder is not named in its imports, and only its own layer's folder can look like that.
    .filter(target => target.name !== layer.name)
    .map(target => {
      const typesOnly = layer.mayImportTypes.includes(target.name);
      const what = typesOnly ? 'only types of' : 'nothing of';
      return {
        regex: specifierPattern(layer, target),
        allowTypeImports: typesOnly,
        message: `${layer.name} may import ${what} ${target.name}.`,
      };
    });
  const packages = [...Object.keys(table.owners), 'vscode', 'esbuild'];
  const forbidden = packages.filter(
    name => name !== owned && (!layer.packages.includes(name) || table.owners[name] !== undefined),
  );
  return [
    'error',
    {
      paths: [
        ...forbidden.map(name => ({ name, message: `See src/build/layers.json for who may import ${name}.` })),
        ...builtinModules
          .filter(name => !name.startsWith('node:'))
          .map(name => ({ name, message: `Write node:${name}.` })),
      ],
      patterns: [
        ...layerPatterns,
        ...(layer.nodeBuiltins ? [] : [{ regex: '^node:', message: `${layer.name} uses no built-in modules.` }]),
        { regex: '(^|/)test/', message: 'The program does not know its tests.' },
      ],
    },
  ];
}

// More special layers stand first in the table and must come last here, where the last match wins.
const programLayers = table.layers.filter(layer => filesOf(layer).every(path => path.startsWith('src/')));
const layerRules = programLayers.toReversed().map(layer => ({
  files: filesOf(layer).map(globOf),
  rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(layer) },
}));
const ownerRules = Object.entries(table.owners).map(([name, file]) => {
  const layer = table.layers.find(candidate => filesOf(candidate).some(path => file.startsWith(path)));
  return { files: [file], rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(layer, name) } };
});

const nodeTestCalls = ['test', 'it', 'describe', 'suite'];

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'models/', 'test/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    rules: {
      eqeqeq: 'error',
      'no-constant-binary-expression': 'error',
      'no-duplicate-case': 'error',
      'no-empty': 'error',
      'no-empty-character-class': 'error',
      'no-fallthrough': 'error',
      'no-loss-of-precision': 'error',
      'no-misleading-character-class': 'error',
      'no-self-assign': 'error',
      'no-self-compare': 'error',
      'no-sparse-arrays': 'error',
      'no-unreachable': 'error',
      'no-unsafe-finally': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'use-isnan': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that owns the name.' },
        { selector: 'ExportNamedDeclaration[source]', message: 'No barrels: import from the file that owns the name.' },
        {
          selector: 'MemberExpression[object.name=/^(test|it|describe|suite)$/][property.name="only"]',
          message: 'A test that runs alone hides the others.',
        },
      ],
    },
  },
  { files: ['**/*.mjs'], rules: { 'no-unused-vars': 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unnecessary-boolean-literal-compare': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An interface may promise what one of its implementations does at once.
      '@typescript-eslint/require-await': 'off',
      // Loops over typed arrays stay inside bounds that they compute.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  { files: ['src/**/*.ts'], ignores: ['src/cli/**'], rules: { 'no-console': 'error' } },
  {
    files: ['src/util/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'require', 'global', '__dirname', '__filename'] },
  },
  ...layerRules,
  ...ownerRules,
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: nodeTestCalls }] },
      ],
    },
  },
);
