import type { IndexProgress } from '../engine/types';
import { cutTo } from '../util/text';

/** Between two pictures on a terminal, in milliseconds. */
const REDRAW_MS = 100;
/** Between two lines elsewhere, in milliseconds. */
const LINE_MS = 5000;
/** No estimate of the time left before so much of a phase is seen, in milliseconds. */
const ESTIMATE_AFTER_MS = 3000;
const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

const PHASE_WORDS: Readonly<Record<IndexProgress['phase'], string>> = {
  walk: 'Looking for files',
  lexical: 'Reading words',
  history: 'Reading history',
  embed: 'Computing vectors',
  graphs: 'Writing graphs',
  commits: 'Reading past commits',
  questions: 'Asking questions',
};

export interface ProgressOutput {
  readonly write: (text: string) => void;
  readonly isTty: boolean;
  readonly columns: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Shows the progress of an index run: one line drawn again and again on a terminal, else a line every few seconds. */
export class ProgressBar {
  private phase: IndexProgress['phase'] | undefined;
  private phaseStartedAt = 0;
  private shownAt: number;
  private drawn = false;

  constructor(private readonly output: ProgressOutput) {
    this.shownAt = output.now();
  }

  report(progress: IndexProgress): void {
    const now = this.output.now();
    const isNewPhase = progress.phase !== this.phase;
    if (isNewPhase) {
      this.phase = progress.phase;
      this.phaseStartedAt = now;
    }
    const isDue = now - this.shownAt >= (this.output.isTty ? REDRAW_MS : LINE_MS);
    if (!isDue && !(this.output.isTty && isNewPhase)) return;
    this.shownAt = now;
    const line = this.line(progress, now - this.phaseStartedAt);
    // The last column stays free: some terminals break the line there.
    if (this.output.isTty) this.output.write(CLEAR_LINE + cutTo(line, this.output.columns - 1));
    else this.output.write(`${line}\n`);
    this.drawn = true;
  }

  /** Takes the line away, so that other text can follow. */
  finish(): void {
    if (this.drawn && this.output.isTty) this.output.write(CLEAR_LINE);
    this.drawn = false;
  }

  private line({ phase, done, total }: IndexProgress, elapsedMs: number): string {
    const words = PHASE_WORDS[phase];
    if (total <= 0) return `${words}  ${done}`;
    const share = Math.min(1, Math.max(0, done / total));
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
    const left = remaining(share, elapsedMs);
    return `${words}  [${bar}] ${Math.floor(share * 100)} %  ${done} of ${total}${left}`;
  }
}

function remaining(share: number, elapsedMs: number): string {
  if (elapsedMs < ESTIMATE_AFTER_MS || share <= 0 || share >= 1) return '';
  const seconds = Math.ceil(((elapsedMs / share) * (1 - share)) / 1000);
  return seconds < 90 ? `  about ${seconds} s left` : `  about ${Math.round(seconds / 60)} min left`;
}
