import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Text by relative path. */
export type Files = ReadonlyMap<string, string>;

const SYLLABLES = ['ba', 'do', 'fi', 'gu', 'ka', 'lo', 'mi', 'nu', 'pa', 'ro', 'su', 'te', 'vo', 'zu'];
/** Words without a common beginning, ending or meaning. */
export const WORDS: readonly string[] = SYLLABLES.flatMap(first =>
  SYLLABLES.map(second => `${first}${second}${SYLLABLES[(first.length + second.charCodeAt(0)) % 14] ?? ''}k`),
).slice(0, 150);
const FOLDERS = ['', 'alpha/', 'beta/', 'alpha/gamma/', 'beta/delta/', 'with space/', 'ünï/'];

export class RandomFiles {
  constructor(private readonly random: () => number) {}

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }

  path(): string {
    return `${this.pick(FOLDERS)}file${this.below(30)}.ts`;
  }

  line(): string {
    const words = Array.from({ length: 1 + this.below(9) }, () => this.pick(WORDS));
    return `${words.join(' ')};`;
  }

  /** Mostly one window of the model, sometimes several. */
  text(): string {
    const count = 1 + this.below(this.random() < 0.15 ? 150 : 25);
    return `${Array.from({ length: count }, () => this.line()).join('\n')}\n`;
  }

  /** The same text with a line put in, taken out or replaced. */
  edited(text: string): string {
    const lines = text.split('\n');
    lines.splice(this.below(lines.length), this.below(2), ...(this.random() < 0.8 ? [this.line()] : []));
    const edited = lines.join('\n');
    return edited.trim() === '' ? this.text() : edited;
  }

  query(): string {
    return Array.from({ length: 2 + this.below(3) }, () => this.pick(WORDS)).join(' ');
  }
}

export function readFiles(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const full = join(entry.parentPath, entry.name);
    files.set(full.slice(folder.length + 1), readFileSync(full, 'utf8'));
  }
  return files;
}

/** The files that hold words. A process that is killed while it writes one may leave it empty. */
export function indexableFiles(folder: string): Map<string, string> {
  return new Map([...readFiles(folder)].filter(([, text]) => /[\p{L}\p{N}]/u.test(text)));
}

export function writeFile(folder: string, path: string, text: string | undefined): void {
  const full = join(folder, path);
  if (text === undefined) {
    rmSync(full, { force: true });
    return;
  }
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}
