// A machine that is reached over SSH alone: this one, by a daemon on a port of its own, with keys made for the test.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const ADDRESS = '127.0.0.1';

/** A port that nothing listens on now. */
export async function freePort() {
  const server = createServer().listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts the daemon.
 * @param folder for its keys and its configuration; not within the user's reach.
 * @param user as from `addUser`: its home gets the key that opens it.
 */
export async function startSshHost(folder, user, home) {
  const key = join(folder, 'key');
  for (const each of [key, join(folder, 'hostKey')]) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', each]);
  }
  const authorized = join(folder, 'authorized');
  mkdirSync(authorized);
  execFileSync('cp', [`${key}.pub`, join(authorized, user.name)]);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const config = join(folder, 'sshd.conf');
  const settings = {
    Port: port,
    ListenAddress: ADDRESS,
    HostKey: join(folder, 'hostKey'),
    AuthorizedKeysFile: join(authorized, '%u'),
    AllowUsers: user.name,
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    UsePAM: 'no',
    StrictModes: 'no', // the folder lies below one that everybody may write
    PidFile: 'none',
    AllowTcpForwarding: 'local',
    Subsystem: 'sftp internal-sftp',
  };
  writeFileSync(
    config,
    Object.entries(settings)
      .map(pair => `${pair.join(' ')}\n`)
      .join(''),
  );
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 }); // where the daemon leaves its rights
  const sshd = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin')
    .map(at => join(at, 'sshd'))
    .find(existsSync);
  const daemon = spawn('setpriv', ['--pdeathsig', 'TERM', sshd, '-D', '-e', '-f', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise((resolve, reject) => {
    let said = '';
    daemon.once('exit', code => reject(new Error(`sshd ended with ${code}: ${said}`)));
    daemon.stderr.on('data', data => {
      if (/Server listening/.test((said += data))) resolve();
    });
  });

  const options = [
    ...['-F', 'none', '-i', key, '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes'],
    ...['-o', 'StrictHostKeyChecking=accept-new', '-o', `UserKnownHostsFile=${join(folder, 'known')}`],
    ...['-o', 'LogLevel=ERROR'],
  ];
  const target = `${user.name}@${ADDRESS}`;
  const run = promisify(execFile);
  return {
    home,
    /** Runs a line in the user's shell over there and gives what it says. */
    async run(line) {
      return (await run('ssh', [...options, '-p', String(port), target, line], { maxBuffer: 1 << 26 })).stdout;
    },
    /** Copies files into the user's home. */
    async copy(...paths) {
      await run('scp', [...options, '-q', '-r', '-P', String(port), ...paths, `${target}:`]);
    },
    /** Leads a port of this side to one of the other; resolves when it does, and gives the process that keeps it. */
    async tunnel(here, there) {
      const forward = ['-N', '-o', 'ExitOnForwardFailure=yes', '-L', `${ADDRESS}:${here}:${ADDRESS}:${there}`];
      const client = spawn(
        'setpriv',
        ['--pdeathsig', 'TERM', 'ssh', ...options, ...forward, '-p', String(port), target],
        {
          stdio: 'ignore',
        },
      );
      for (let tries = 0; ; tries++) {
        const answers = await fetch(`http://${ADDRESS}:${here}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (answers) return client;
        if (client.exitCode !== null || tries > 100) throw new Error('the tunnel does not answer');
        await sleep(100);
      }
    },
    async stop() {
      daemon.kill('SIGTERM');
      await once(daemon, 'exit');
    },
  };
}
