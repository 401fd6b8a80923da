import { filesCount, placesCount } from './counts';
import { t } from './l10n';
import type { TextRange } from './matchingWords';
import { matchingRanges, wordsOf } from './matchingWords';
import type { FolderNames, Target } from './resultRows';
import { copiesCount, fileKey, linesText, partialText } from './resultRows';
import type { Question, ResultFile, ResultPlace, ResultSet } from './resultSet';
import { baseOf, parentOf } from './roots';
import { scopeText } from './searchScope';

/** Longest piece of a source line in the tree, in characters. */
const LONGEST_LINE = 200;
/** A marked word further on than this is brought nearer, in characters. */
const MOST_BEFORE_MARK = 26;

/** One row of the results view. Its id is the same for the same file and line, also in the answer to another question. */
export type ResultNode =
  | { readonly kind: 'file'; readonly id: string; readonly file: ResultFile }
  | { readonly kind: 'place'; readonly id: string; readonly file: ResultFile; readonly result: ResultPlace }
  /** Another file with the same content. */
  | { readonly kind: 'copy'; readonly id: string; readonly file: ResultFile; readonly path: string };

/** How a row looks and sounds. */
export interface NodeView {
  readonly label: string;
  readonly highlights: readonly TextRange[];
  readonly description: string;
  readonly tooltip: string;
  /** What a screen reader says: all of the row in one sentence. */
  readonly spoken: string;
  readonly expanded: boolean | undefined;
}

/** The rows of a result set. A row that is dismissed makes a new tree. */
export class ResultTree {
  readonly set: ResultSet;
  readonly roots: readonly ResultNode[];
  readonly #words: ReadonlySet<string>;

  constructor(set: ResultSet) {
    this.set = set;
    this.roots = set.files.map(file => ({ kind: 'file', id: fileKey(file), file }));
    this.#words = set.question.kind === 'search' ? wordsOf(set.question.query) : new Set();
  }

  children(node: ResultNode): ResultNode[] {
    if (node.kind !== 'file') return [];
    const { id, file } = node;
    const places = file.places.map((result): ResultNode => ({ kind: 'place', id: placeId(id, result), file, result }));
    const copies = file.copies.map((path): ResultNode => ({ kind: 'copy', id: `${id}\n=${path}`, file, path }));
    return [...places, ...copies];
  }

  parent(node: ResultNode): ResultNode | undefined {
    if (node.kind === 'file') return undefined;
    return this.roots.find(({ file }) => file === node.file);
  }

  /** The rows that next and previous go through: every place, and files that have none. */
  get stops(): ResultNode[] {
    return this.roots.flatMap(node => {
      const places = this.children(node).filter(({ kind }) => kind === 'place');
      return places.length === 0 ? [node] : places;
    });
  }

  /**
   * The stop after or before a row, round the ends.
   * @param id of the row where one is; undefined, or one that is gone: the first or the last stop.
   */
  step(id: string | undefined, direction: 1 | -1): ResultNode | undefined {
    const { stops } = this;
    const order = this.roots.flatMap(node => [node, ...this.children(node)]);
    const here = order.findIndex(node => node.id === id);
    if (here < 0) return direction === 1 ? stops[0] : stops.at(-1);
    const isStop = new Set(stops.map(stop => stop.id));
    for (let at = here + direction; at >= 0 && at < order.length; at += direction) {
      const node = order[at];
      if (node !== undefined && isStop.has(node.id)) return node;
    }
    return direction === 1 ? stops[0] : stops.at(-1);
  }

  find(id: string): ResultNode | undefined {
    return this.roots.flatMap(node => [node, ...this.children(node)]).find(node => node.id === id);
  }

  /** The tree without these rows; a file goes with the last of its places. */
  without(nodes: readonly ResultNode[]): ResultTree {
    const gone = new Set(nodes.map(({ id }) => id));
    const files = this.roots.flatMap((node): ResultFile[] => {
      if (gone.has(node.id)) return [];
      const { file, id } = node;
      const places = file.places.filter(result => !gone.has(placeId(id, result)));
      if (places.length === 0 && file.places.length > 0) return [];
      const copies = file.copies.filter(path => !gone.has(`${id}\n=${path}`));
      const isWhole = places.length === file.places.length && copies.length === file.copies.length;
      return [isWhole ? file : { ...file, places, copies }];
    });
    return new ResultTree({ ...this.set, files });
  }

  view(node: ResultNode, names: FolderNames): NodeView {
    switch (node.kind) {
      case 'file':
        return fileView(node.file, names);
      case 'place':
        return placeView(node.result, this.#words);
      case 'copy':
        return {
          label: baseOf(node.path),
          highlights: [],
          description: [parentOf(node.path), t('same content')].filter(Boolean).join(' · '),
          tooltip: node.path,
          spoken: t('{0}, same content as {1}', node.path, baseOf(node.file.path)),
          expanded: undefined,
        };
    }
  }
}

/** What a row opens. A file opens at its best place. */
export function targetOf(node: ResultNode): Target {
  const { folder } = node.file;
  const best = node.kind === 'place' ? node.result.place : node.file.places[0]?.place;
  const path = node.kind === 'copy' ? node.path : node.file.path;
  return best === undefined ? { folder, path } : { folder, path, place: best };
}

/** The line above the tree: `compare the hashed password — 5 places in 3 files`. */
export function headline({ question, files, complete }: ResultSet): string {
  const places = files.reduce((sum, file) => sum + Math.max(1, file.places.length), 0);
  const count =
    files.length === 0 ? t('nothing found') : t('{0} in {1}', placesCount(places), filesCount(files.length));
  return [questionText(question), count, partialText(complete)].filter(Boolean).join(' — ');
}

export function questionText(question: Question): string {
  if (question.kind === 'similar') return t('Files like {0}', baseOf(question.file.replaceAll('\\', '/')));
  const scope = scopeText(question.scope);
  return scope === '' ? question.query : `${question.query} (${scope})`;
}

function fileView(file: ResultFile, names: FolderNames): NodeView {
  const name = names.size > 1 ? names.get(file.folder) : undefined;
  const folder = [name, parentOf(file.path)].filter(Boolean).join('/');
  const copies = copiesCount(file.copies.length);
  const notes = [relationText(file.relation), file.weak ? t('weak match') : '', copies].filter(Boolean);
  const label = baseOf(file.path);
  const hasChildren = file.places.length + file.copies.length > 0;
  return {
    label,
    highlights: [],
    description: [folder, ...notes].filter(Boolean).join(' · '),
    tooltip: file.path,
    spoken: [label, folder === '' ? '' : t('in {0}', folder), ...notes, placesCount(file.places.length)]
      .filter(Boolean)
      .join(', '),
    expanded: hasChildren ? !file.weak : undefined,
  };
}

function relationText(relation: ResultFile['relation']): string {
  switch (relation) {
    case 'test':
      return t('its test');
    case 'tested':
      return t('what it tests');
    case 'copy':
      return t('same content');
    case undefined:
      return '';
  }
}

function placeView({ place, from }: ResultPlace, words: ReadonlySet<string>): NodeView {
  const lines = linesText([place.startLine, place.endLine]);
  const symbol = place.symbol ?? '';
  if (from !== undefined) {
    const text = t('{0} like {1}', lines, linesText(from));
    return { label: text, highlights: [], description: symbol, tooltip: text, spoken: text, expanded: undefined };
  }
  const line = place.lineText.trim().replace(/\s+/g, ' ').slice(0, LONGEST_LINE);
  const { text, marks } = fromFirstMark(line, matchingRanges(line, words));
  const where = place.cell === undefined ? `${place.line}` : t('cell {0}', place.cell + 1);
  const spokenWhere = place.cell === undefined ? t('line {0}', place.line) : where;
  // What comes last is cut off in a narrow view: the number of the line must not be.
  const before = `${where}: `;
  return {
    label: text === '' ? lines : before + text,
    highlights: marks.map(([start, end]) => [before.length + start, before.length + end]),
    description: symbol,
    tooltip: [line, symbol === '' ? lines : `${symbol}, ${lines}`].filter(Boolean).join('\n'),
    spoken: (symbol === '' ? spokenWhere : t('{0} in {1}', spokenWhere, symbol)) + (line === '' ? '' : `: ${line}`),
    expanded: undefined,
  };
}

/** A line from shortly before its first marked word on: a narrow view shows no more than the beginning of a row. */
function fromFirstMark(line: string, marks: readonly TextRange[]): { text: string; marks: readonly TextRange[] } {
  const first = marks[0]?.[0] ?? 0;
  if (first <= MOST_BEFORE_MARK) return { text: line, marks };
  const space = line.indexOf(' ', first - MOST_BEFORE_MARK);
  const from = space >= 0 && space < first ? space + 1 : first;
  const moved = 1 - from;
  return { text: `…${line.slice(from)}`, marks: marks.map(([start, end]) => [start + moved, end + moved]) };
}

function placeId(fileId: string, { place, from }: ResultPlace): string {
  return `${fileId}\n${place.cell ?? ''}:${place.line}:${place.startLine}${from === undefined ? '' : `<${from[0]}`}`;
}
