import type { ChildHandlers, ChildProgram, ForkChild, MessageChild, ProcessEnd } from '../../src/host/childProcess';

/** A child process played by the test. */
export class FakeChild<Sent extends object, Reply extends object> implements MessageChild {
  readonly sent: Sent[] = [];
  killed = false;

  constructor(
    readonly pid: number,
    readonly program: ChildProgram,
    private readonly handlers: ChildHandlers,
    private readonly onSend: (message: Sent, child: FakeChild<Sent, Reply>) => void,
  ) {}

  send(message: object): void {
    this.sent.push(message as Sent);
    this.onSend(message as Sent, this);
  }

  kill(): void {
    if (this.killed) return;
    this.killed = true;
    this.end({ signal: 'SIGKILL' });
  }

  reply(message: Reply): void {
    this.handlers.onMessage(message);
  }

  end(end: Partial<ProcessEnd>): void {
    this.handlers.onEnd({ code: null, signal: null, stderr: '', ...end });
  }
}

/** Forks children that answer as `onSend` says; `children` holds all of them, oldest first. */
export function fakeFork<Sent extends object, Reply extends object>(
  onSend: (message: Sent, child: FakeChild<Sent, Reply>) => void,
): { readonly fork: ForkChild; readonly children: FakeChild<Sent, Reply>[] } {
  const children: FakeChild<Sent, Reply>[] = [];
  return {
    children,
    fork(program, handlers) {
      const child = new FakeChild(1000 + children.length, program, handlers, onSend);
      children.push(child);
      return child;
    },
  };
}

/** Lets promises that are settled already run their course. */
export const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
