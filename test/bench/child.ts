import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const OUT = join(process.cwd(), 'out/bench');

/**
 * Runs one of the programs beside this one in a process of its own, whose memory is then its own, and gives what it
 * answers.
 * @param profile of the processor, written when the process ends. @param env added to the environment.
 */
export async function runChild<Input, Output>(
  program: string,
  input: Input,
  profile = false,
  env: NodeJS.ProcessEnv = {},
): Promise<Output> {
  const profiles = join(OUT, 'profiles');
  if (profile) mkdirSync(profiles, { recursive: true });
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
  const child = fork(join(OUT, `${program}.js`), [], {
    execArgv: ['--expose-gc', '--enable-source-maps', ...profiling],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  return await new Promise<Output>((resolve, reject) => {
    child.on('message', message => resolve(message as Output));
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`${program} ended without an answer (${code ?? signal}).`)));
    child.send({ input });
  });
}

/** The other end of `runChild`. */
export function answerParent<Input, Output>(work: (input: Input) => Promise<Output>): void {
  lowerPriority();
  process.once('message', message => {
    work((message as { readonly input: Input }).input).then(
      output => process.send?.(output, () => process.disconnect()),
      (error: unknown) => {
        console.error(error instanceof Error ? error.stack : error);
        process.exit(1);
      },
    );
  });
}

/** The product's processes have it, too: else what else runs would decide how they compare with what is run here. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not allowed where it is lower already.
  }
}
