import type { Scores } from './fusion';

/** Lengths whose arrays are kept: by document and by content, and those of before something was added. */
const LENGTHS = 4;
/** Of one length; what several questions at a time take besides is left to the garbage collector. */
const KEPT = 24;

/** Arrays of scores for one question. */
export interface ScoreLease {
  /** An array full of `fill`. */
  take(length: number, fill?: number): Scores;
  /** Lets others have what was taken: nobody may look at it from here on. */
  release(): void;
}

/**
 * Arrays of scores that are used again. Each is a number a document, and a question takes a dozen: new ones each time make
 * the garbage collector run with every eighth question, which then takes half as long again.
 */
export class ScoreSpace {
  private readonly free = new Map<number, Scores[]>();

  lease(): ScoreLease {
    let taken: Scores[] = [];
    return {
      take: (length, fill = 0) => {
        const scores = (this.free.get(length)?.pop() ?? new Float64Array(length)).fill(fill);
        taken.push(scores);
        return scores;
      },
      release: () => {
        for (const scores of taken) this.keep(scores);
        taken = [];
      },
    };
  }

  private keep(scores: Scores): void {
    const kept = this.free.get(scores.length);
    if (kept !== undefined) {
      if (kept.length < KEPT) kept.push(scores);
      return;
    }
    this.free.set(scores.length, [scores]);
    for (const oldest of this.free.keys()) {
      if (this.free.size <= LENGTHS) break;
      this.free.delete(oldest);
    }
  }
}
