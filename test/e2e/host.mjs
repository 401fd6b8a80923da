// Runs mocha inside VS Code's extension host, as vscode-test-web does: the page's URL carries
// extensionDevelopmentPath and extensionTestsPath; the workbench calls codeAutomationExit(code) at the end.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, startBrowser } from './vscode.mjs';

/**
 * tests: absolute path of a module that exports run(), without ".js"; workspace: the folder to open.
 * extension: the folder of the extension to test from source; without it, the installed `vsix` are tested.
 * Returns { code, results }: 0 if run() resolved, 1 if it rejected; and what it wrote to $E2E_RESULTS.
 */
export async function runHostTests({ tests, workspace, extension, timeout = 120_000, log = () => {}, ...server }) {
  const dir = mkdtempSync(join(tmpdir(), 'vscode-e2e-results-'));
  const results = join(dir, 'results.json');
  let vs, browser, timer;
  try {
    if (!extension) {
      // VS Code runs tests only beside an extension under development: give it an empty one
      extension = join(dir, 'stub');
      mkdirSync(extension);
      writeFileSync(
        join(extension, 'package.json'),
        JSON.stringify({ name: 'stub', publisher: 'e2e', version: '0.0.0', engines: { vscode: '*' } }),
      );
    }
    // Without the smoke test driver a built workbench ignores extensionTestsPath. (With it, notifications
    // show no toast: so it is on here, and off in tests of the window.)
    vs = await startServer({
      ...server,
      env: { ...server.env, E2E_RESULTS: results },
      args: ['--vscode-option', 'enable-smoke-test-driver'],
    });
    browser = await startBrowser();
    const page = await browser.newPage();
    const remote = path => `vscode-remote://${vs.authority}${path}`;
    const url = `${vs.url}/?${new URLSearchParams({
      folder: workspace,
      payload: JSON.stringify([
        ['extensionDevelopmentPath', remote(extension)],
        ['extensionTestsPath', remote(tests)],
      ]),
    })}`;
    await page.exposeFunction('codeAutomationLog', log); // (type, args): the console of page and extension host
    const end = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`extension host tests: no end after ${timeout} ms`)), timeout);
      page.once('crash', () => reject(new Error('the page crashed')));
      page.exposeFunction('codeAutomationExit', code => resolve(code)).catch(reject);
    });
    const [code] = await Promise.all([end, page.goto(url, { waitUntil: 'commit' })]);
    return { code, results: existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [] };
  } finally {
    clearTimeout(timer);
    await browser?.close();
    await vs?.stop();
    rmSync(dir, { recursive: true });
  }
}
