import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import manifest from '../../package.json';

/** What is missing here for the package of a platform: the files of its own, since this machine has other ones. */
function missingFor(platform: string, arch: string): string {
  const script = `import('./src/build/shippedFiles.mjs').then(({ shippedFiles }) => shippedFiles('.', '${platform}', '${arch}'))
    .then(() => '', error => error.message).then(text => process.stdout.write(text));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('a package is made only with the model runtime and the store of its own platform and processor', () => {
  for (const [platform, arch] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
    ['win32', 'arm64'],
  ] as const) {
    const missing = missingFor(platform, arch);
    assert.ok(!missing.includes('onnxruntime'), `${platform}-${arch}: ${missing}`);
    if (platform !== process.platform || arch !== process.arch)
      assert.match(missing, new RegExp(`node_modules/@lmdb/lmdb-${platform}-${arch}/`));
  }
  assert.match(missingFor('darwin', 'x64'), /onnxruntime-node\/bin\/napi-v6\/darwin\/x64\/onnxruntime_binding\.node/);
  assert.match(missingFor('freebsd', 'x64'), /no model runtime for freebsd/);
});

test('the extension runs where the files are: on the remote machine, not on the one of the screen', () => {
  assert.deepEqual(manifest.extensionKind, ['workspace']);
});
