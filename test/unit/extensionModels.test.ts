import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataRoot } from '../../src/util/dataRoot';
import { COMMANDS } from '../../src/extension/ids';
import { ChangeQueue, isInsideGitFolder } from '../../src/extension/model/changeQueue';
import { dataFolder } from '../../src/extension/model/dataFolder';
import { rulesFromGlobs } from '../../src/extension/model/excludeRules';
import { deepestRoot, nestedRootRules, pathBelow } from '../../src/extension/model/roots';
import { engineSettings, folderSettings, RANGES } from '../../src/extension/model/settingsValues';
import manifest from '../../package.json';

const raw = { exclude: [], maxFileSize: 1024, threads: 0, memoryLimit: 1500, modelPath: '', dataFolder: '' };

test('a file belongs to its deepest root, and a folder with the same beginning is no root of it', () => {
  const roots = ['/projects/app', '/projects/app/packages/core', '/projects/ap'];
  assert.deepEqual(deepestRoot('/projects/app/packages/core/src/a.ts', roots), {
    root: '/projects/app/packages/core',
    path: 'src/a.ts',
  });
  assert.deepEqual(deepestRoot('/projects/app/packages/corel/a.ts', roots), {
    root: '/projects/app',
    path: 'packages/corel/a.ts',
  });
  assert.deepEqual(deepestRoot('/projects/app', roots), { root: '/projects/app', path: '' });
  assert.equal(deepestRoot('/projects/admin/.prettierrc', roots), undefined);
});

test('a name that begins with dots is not the way up', () => {
  assert.equal(pathBelow('/a', '/a/..b/c'), '..b/c');
  assert.equal(pathBelow('/a', '/b'), undefined);
  assert.equal(pathBelow('/a/b', '/a'), undefined);
});

test('a root leaves the roots inside it to themselves', () => {
  const roots = ['/w', '/w/in [x]', '/w/deep/er', '/other'];
  assert.deepEqual(nestedRootRules('/w', roots), ['/deep/er/', '/in \\[x\\]/']);
  assert.deepEqual(nestedRootRules('/other', roots), []);
});

test("the editor's exclude globs become ignore rules that match the same", () => {
  const globs = {
    '**/node_modules': true,
    dist: true,
    'src/*.gen.ts': true,
    '**/*.{map,min.js}': true,
    'a/{b,c{d,e}}': true,
    '**/*.js': { when: '$(basename).ts' },
    '**/kept': false,
  };
  assert.deepEqual(rulesFromGlobs(globs), [
    '**/node_modules',
    '/dist',
    '/src/*.gen.ts',
    '**/*.map',
    '**/*.min.js',
    '/a/b',
    '/a/cd',
    '/a/ce',
  ]);
  assert.deepEqual(rulesFromGlobs(undefined), []);
  assert.deepEqual(rulesFromGlobs({ 'odd{': true }), ['/odd{']);
});

test('changes are taken once, each path once, by folder', () => {
  const queue = new ChangeQueue();
  for (const path of ['a.ts', 'b.ts', 'a.ts']) queue.add('/one', path);
  queue.add('/two', 'c.ts');
  assert.deepEqual(queue.take(), [
    { folder: '/one', changes: ['a.ts', 'b.ts'] },
    { folder: '/two', changes: ['c.ts'] },
  ]);
  assert.ok(queue.isEmpty);
  assert.deepEqual(queue.take(), []);
});

test('a change of the rules, of the folder itself, or of very many files means the whole folder', () => {
  for (const path of ['.gitignore', 'sub/.gitignore', '.ignore', '.git/info/exclude', '']) {
    const queue = new ChangeQueue();
    queue.add('/f', 'a.ts');
    queue.add('/f', path);
    queue.add('/f', 'b.ts');
    assert.deepEqual(queue.take(), [{ folder: '/f', changes: 'all' }], path);
  }
  const queue = new ChangeQueue();
  for (let index = 0; index <= 500; index++) queue.add('/f', `${index}.ts`);
  assert.deepEqual(queue.take(), [{ folder: '/f', changes: 'all' }]);
});

test("git's own folder is told from names like it", () => {
  assert.ok(isInsideGitFolder('.git/index.lock'));
  assert.ok(isInsideGitFolder('vendor/lib/.git/HEAD'));
  assert.ok(!isInsideGitFolder('.github/workflows/ci.yml'));
  assert.ok(!isInsideGitFolder('.git/info/exclude'));
  assert.ok(!isInsideGitFolder('docs/.gitignore'));
});

test('the editor keeps its data where the command line does', () => {
  const machines = [
    { platform: 'linux', home: '/home/ada', env: {} },
    { platform: 'linux', home: '/home/ada', env: { XDG_CACHE_HOME: '/fast/cache' } },
    { platform: 'linux', home: '/home/ada', env: { XDG_CACHE_HOME: 'relative' } },
    { platform: 'linux', home: '/home/ada', env: { LANDMARK_DATA: '/data' } },
    { platform: 'darwin', home: '/Users/ada', env: {} },
    { platform: 'win32', home: 'C:\\Users\\ada', env: {} },
    { platform: 'win32', home: 'C:\\Users\\ada', env: { LOCALAPPDATA: 'D:\\Local' } },
  ] as const;
  for (const machine of machines) assert.equal(dataFolder('', machine), dataRoot(undefined, machine));
  const [machine] = machines;
  assert.equal(dataFolder('/elsewhere', machine), '/elsewhere');
  assert.equal(dataFolder(' ~/idx ', machine), '/home/ada/idx');
  assert.equal(dataFolder('/elsewhere', machines[3]), '/data');
});

test('half of the cores index unless the setting says otherwise, and always one', () => {
  assert.equal(engineSettings(raw, 8).threads, 4);
  assert.equal(engineSettings(raw, 1).threads, 1);
  assert.equal(engineSettings({ ...raw, threads: 3 }, 8).threads, 3);
  assert.equal(engineSettings({ ...raw, threads: 12 }, 8).threads, 8);
});

test('settings of the wrong type or out of range do no harm', () => {
  const odd = { exclude: 'x', maxFileSize: '9', threads: -3, memoryLimit: 1, modelPath: 7, dataFolder: null };
  assert.deepEqual(folderSettings(odd), { exclude: [], maxFileSize: 1024 * 1024 });
  assert.deepEqual(engineSettings(odd, 4), { threads: 2, memoryLimitMb: 500, modelPath: '', dataFolder: '' });
  assert.deepEqual(folderSettings({ ...raw, exclude: ['a', 1, ' '], maxFileSize: 1e9 }), {
    exclude: ['a'],
    maxFileSize: 102_400 * 1024,
  });
});

test('the manifest offers the same ranges as the code enforces', () => {
  const { properties } = manifest.contributes.configuration;
  for (const name of ['maxFileSize', 'threads', 'memoryLimit'] as const) {
    const { minimum, maximum, default: value } = properties[`landmark.${name}`];
    assert.deepEqual({ least: minimum, greatest: maximum, default: value }, RANGES[name], name);
  }
});

test('the manifest names exactly the commands that the code knows', () => {
  const named = manifest.contributes.commands.map(({ command }): string => command).sort();
  assert.deepEqual(named, Object.values(COMMANDS).sort());
  const used = [manifest.contributes.keybindings, ...Object.values(manifest.contributes.menus)].flat();
  for (const { command } of used)
    assert.ok(
      named.some(name => name === command),
      command,
    );
});

test('a folder that is not trusted sets nothing', () => {
  const { properties } = manifest.contributes.configuration;
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.deepEqual([...restrictedConfigurations].sort(), Object.keys(properties).sort());
});

test('no repository can choose what is loaded', () => {
  const { properties } = manifest.contributes.configuration;
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  for (const name of ['landmark.modelPath', 'landmark.dataFolder'] as const) {
    assert.equal(properties[name].scope, 'machine');
    assert.ok(restrictedConfigurations.includes(name));
  }
});
