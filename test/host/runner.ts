// VS Code calls run() in the extension host (extensionTestsPath).
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';

interface Result {
  readonly title: string;
  readonly ok: boolean;
  readonly error?: string;
}

/** @throws when a test fails, or when there is none. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ timeout: 120_000 });
  const files = readdirSync(__dirname).filter(name => name.endsWith('.test.js'));
  if (files.length === 0) throw new Error(`there are no tests in ${__dirname}`);
  for (const name of files) mocha.addFile(join(__dirname, name));
  const results: Result[] = [];
  const failures = await new Promise<number>(resolve => {
    mocha
      .run(resolve)
      .on('pass', test => results.push({ title: test.fullTitle(), ok: true }))
      .on('fail', (test, error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        results.push({ title: test.fullTitle(), ok: false, error: text });
      });
  });
  // Where the window is a browser's, this file is the way out.
  const file = process.env['E2E_RESULTS'];
  if (file !== undefined) {
    writeFileSync(`${file}.tmp`, JSON.stringify(results));
    renameSync(`${file}.tmp`, file);
  }
  if (failures > 0) throw new Error(`${failures} tests failed`);
  if (results.length === 0) throw new Error('no test ran');
}
