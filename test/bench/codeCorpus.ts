import { readFileSync } from 'node:fs';
import { randomNumbers } from '../support/vectors';

/** Changes when the texts do: names the cached trees. */
export const CORPUS_VERSION = 1;

/** Length of a file in bytes: log-normal around this median, hence 7 KB on average with a long tail. */
const MEDIAN_BYTES = 4200;
const SPREAD = 1;
const MOST_BYTES = 200_000;
const LEAST_BYTES = 200;
/** Distinct identifiers grow with the files. */
const NAMES_PER_FILE = 20;
const FILES_PER_FOLDER = 12;
/** Words that the files of one folder have in common. */
const TOPIC_WORDS = 40;
const LANGUAGES = ['ts', 'ts', 'ts', 'py', 'py', 'java', 'go'] as const;
type Language = (typeof LANGUAGES)[number];

export interface CodeFile {
  readonly path: string;
  readonly text: string;
}

export interface CodeCommit {
  readonly subject: string;
  readonly paths: readonly string[];
}

/** The most frequent words are no names. */
const STOP_WORDS = 200;

/** English words, about in the order of their frequency: whole words of the model's own vocabulary. */
export function commonWords(tokenizerFile: string): string[] {
  const { model } = JSON.parse(readFileSync(tokenizerFile, 'utf8')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  return Object.keys(model.vocab)
    .filter(word => /^[a-z]{4,11}$/.test(word))
    .slice(STOP_WORDS);
}

/**
 * Files that look like code to everything that counts words: identifiers of one to three words with Zipf's frequencies,
 * a topic a folder, definitions, comments, long and short files. The same seed and count give the same files, on any
 * machine.
 */
export class CodeCorpus {
  private readonly names = new Map<number, readonly string[]>();

  constructor(
    private readonly words: readonly string[],
    readonly size: number,
    private readonly seed = 1,
    /** Put in front of all paths. */
    private readonly root = '',
  ) {}

  file(at: number): CodeFile {
    return new FileWriter(this, at).write();
  }

  path(at: number): string {
    const folder = Math.floor(at / FILES_PER_FOLDER);
    const random = this.random('path', at);
    const [module = '', part = ''] = this.topic(folder);
    const name = this.name(this.below(random, this.size * NAMES_PER_FILE));
    return `${this.root}src/${module}/${part}${folder}/${camel(name)}${at}.${this.language(at)}`;
  }

  language(at: number): Language {
    return LANGUAGES[this.below(this.random('language', Math.floor(at / FILES_PER_FOLDER)), LANGUAGES.length)]!;
  }

  /** What the files of a folder are about. */
  topic(folder: number): string[] {
    const random = this.random('topic', folder);
    return Array.from({ length: TOPIC_WORDS }, () => this.words[this.below(random, this.words.length)]!);
  }

  topicOf(at: number): string[] {
    return this.topic(Math.floor(at / FILES_PER_FOLDER));
  }

  /** The words of the identifier with this rank, the same wherever it is used. */
  name(rank: number): readonly string[] {
    const known = this.names.get(rank);
    if (known !== undefined) return known;
    const random = this.random('name', rank);
    const made = Array.from({ length: 1 + this.below(random, 3) }, () => this.words[zipf(random, this.words.length)]!);
    this.names.set(rank, made);
    return made;
  }

  frequentName(random: () => number): readonly string[] {
    return this.name(zipf(random, this.size * NAMES_PER_FILE));
  }

  rareName(random: () => number): readonly string[] {
    return this.name(this.below(random, this.size * NAMES_PER_FILE));
  }

  commit(at: number): CodeCommit {
    const random = this.random('commit', at);
    const first = this.below(random, this.size);
    const paths = Array.from({ length: 1 + this.below(random, 4) }, (_, next) =>
      this.path(Math.min(this.size - 1, first + next)),
    );
    const topic = this.topicOf(first);
    const about = Array.from({ length: 2 + this.below(random, 3) }, () => topic[this.below(random, topic.length)]!);
    return { subject: `Fix ${about.join(' ')} of ${this.frequentName(random).join(' ')}`, paths: [...new Set(paths)] };
  }

  /** A question about one of the files: words of its topic in a sentence, one of its names, or a longer text. */
  query(at: number): string {
    const random = this.random('query', at);
    const file = this.below(random, this.size);
    const topic = this.topicOf(file);
    const words = (count: number): string[] =>
      Array.from({ length: count }, () =>
        random() < 0.6 ? topic[this.below(random, topic.length)]! : this.frequentName(random)[0]!,
      );
    const kind = random();
    if (kind < 0.2) return camel(this.rareName(random));
    if (kind < 0.8) return `where is the ${words(2 + this.below(random, 3)).join(' ')} handled`;
    return `${words(8).join(' ')} after the ${words(3).join(' ')} was changed`;
  }

  random(what: string, at: number): () => number {
    let seed = this.seed;
    for (const letter of what) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x01000193);
    return randomNumbers(Math.imul(seed ^ at, 0x85ebca6b) ^ (at >>> 3));
  }

  below(random: () => number, limit: number): number {
    return Math.floor(random() * limit);
  }
}

/** Writes one file, line by line. */
class FileWriter {
  private readonly random: () => number;
  private readonly topic: readonly string[];
  private readonly locals: readonly string[];
  private readonly lines: string[] = [];
  private length = 0;

  constructor(
    private readonly corpus: CodeCorpus,
    private readonly at: number,
  ) {
    this.random = corpus.random('file', at);
    this.topic = corpus.topicOf(at);
    this.locals = Array.from({ length: 25 }, () =>
      camel(
        this.random() < 0.5 ? corpus.frequentName(this.random) : [this.topicWord(), ...corpus.rareName(this.random)],
      ),
    );
  }

  write(): CodeFile {
    const { corpus, at } = this;
    const language = corpus.language(at);
    const normal = Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
    const wanted = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, MEDIAN_BYTES * Math.exp(SPREAD * normal)));
    const comment = language === 'py' ? '#' : '//';
    this.put(`${comment} ${this.sentence()}`);
    while (this.length < wanted) this.definition(language, comment);
    return { path: corpus.path(at), text: `${this.lines.join('\n')}\n` };
  }

  private definition(language: Language, comment: string): void {
    const name = camel(this.corpus.rareName(this.random));
    this.put(`${comment} ${this.sentence()}`);
    const { open, close, indent } = SHAPES[language](name, this.local(), this.local());
    this.put(open);
    const count = 3 + this.corpus.below(this.random, 18);
    let depth = 1;
    for (let line = 0; line < count; line++) {
      this.put(`${indent.repeat(depth)}${this.statement(language)}`);
      const turn = this.random();
      if (turn < 0.15 && depth < 4) {
        this.put(`${indent.repeat(depth)}${CONDITIONS[language](this.local(), this.local())}`);
        depth++;
      } else if (turn < 0.35 && depth > 1) {
        depth--;
        this.put(close === '' ? '' : `${indent.repeat(depth)}}`);
      }
    }
    if (close !== '') this.put(close);
    this.put('');
  }

  private statement(language: Language): string {
    const end = language === 'ts' || language === 'java' ? ';' : '';
    const frequent = (): string => camel(this.corpus.frequentName(this.random));
    const kind = this.random();
    if (kind < 0.35) return `${this.local()} = ${frequent()}.${this.local()}(${this.local()}, ${frequent()})${end}`;
    if (kind < 0.55) return `${this.local()} = ${this.local()} + ${this.corpus.below(this.random, 1000)}${end}`;
    if (kind < 0.7) return `${frequent()}("${this.topicWord()} ${this.topicWord()}", ${this.local()})${end}`;
    if (kind < 0.85) return `return ${this.local()}.${frequent()}${end}`;
    return `${language === 'py' ? '#' : '//'} ${this.sentence()}`;
  }

  private sentence(): string {
    const count = 4 + this.corpus.below(this.random, 8);
    const word = (): string => (this.random() < 0.5 ? this.topicWord() : this.corpus.frequentName(this.random)[0]!);
    return Array.from({ length: count }, word).join(' ');
  }

  private topicWord(): string {
    return this.topic[zipf(this.random, this.topic.length)]!;
  }

  private local(): string {
    return this.locals[zipf(this.random, this.locals.length)]!;
  }

  private put(line: string): void {
    this.lines.push(line);
    this.length += line.length + 1;
  }
}

interface Shape {
  readonly open: string;
  readonly close: string;
  readonly indent: string;
}

const SHAPES: Readonly<Record<Language, (name: string, one: string, other: string) => Shape>> = {
  ts: (name, one, other) => ({
    open: `export function ${name}(${one}: string, ${other}: number) {`,
    close: '}',
    indent: '  ',
  }),
  py: (name, one, other) => ({ open: `def ${name}(${one}, ${other}):`, close: '', indent: '    ' }),
  java: (name, one, other) => ({
    open: `public static int ${name}(int ${one}, int ${other}) {`,
    close: '}',
    indent: '  ',
  }),
  go: (name, one, other) => ({ open: `func ${name}(${one} string, ${other} int) int {`, close: '}', indent: '\t' }),
};

const CONDITIONS: Readonly<Record<Language, (one: string, other: string) => string>> = {
  ts: (one, other) => `if (${one} !== undefined && ${other} >= 0) {`,
  py: (one, other) => `if ${one} is not None and ${other} >= 0:`,
  java: (one, other) => `if (${one} != null && ${other} >= 0) {`,
  go: (one, other) => `if ${one} != nil && ${other} >= 0 {`,
};

/** A rank below the limit, with the frequencies of Zipf's law. */
function zipf(random: () => number, limit: number): number {
  return Math.min(limit, Math.floor((limit + 1) ** random())) - 1;
}

function camel([first = '', ...rest]: readonly string[]): string {
  return first + rest.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
