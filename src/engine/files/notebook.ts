import { countLeading } from '../../util/sorted';

/** The sources of a notebook's cells as one text. */
export interface NotebookText {
  readonly text: string;
  /** The first line of each cell in `text`, 1-based, in the order of the cells; an empty cell holds one empty line. */
  readonly cellStartLines: readonly number[];
}

function sourceOf(cell: unknown): string | undefined {
  if (typeof cell !== 'object' || cell === null) return undefined;
  // Format 3 calls the source of a code cell its input.
  const source: unknown = 'source' in cell ? cell.source : 'input' in cell ? cell.input : '';
  if (typeof source === 'string') return source;
  if (Array.isArray(source) && source.every(part => typeof part === 'string')) return source.join('');
  return undefined;
}

function cellsOf(notebook: unknown): readonly unknown[] | undefined {
  if (typeof notebook !== 'object' || notebook === null) return undefined;
  if ('cells' in notebook && Array.isArray(notebook.cells)) return notebook.cells as unknown[];
  if (!('worksheets' in notebook) || !Array.isArray(notebook.worksheets)) return undefined;
  return (notebook.worksheets as unknown[]).flatMap(sheet => cellsOf(sheet) ?? []);
}

/** The cells of a Jupyter notebook without their outputs, a line end between two; undefined when `json` is no notebook. */
export function notebookText(json: string): NotebookText | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(json);
  } catch {
    return undefined;
  }
  const cells = cellsOf(notebook);
  if (!cells) return undefined;
  const sources: string[] = [];
  const cellStartLines: number[] = [];
  let line = 1;
  for (const cell of cells) {
    const source = sourceOf(cell)?.replace(/\r\n?/g, '\n');
    if (source === undefined) return undefined;
    cellStartLines.push(line);
    sources.push(source);
    line += source.split('\n').length;
  }
  return { text: sources.join('\n'), cellStartLines };
}

/** Lines, 1-based and inclusive, with the cell (0-based) that they are lines of. */
export interface LinesInCell {
  readonly cell: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly line: number;
}

/** Lines of a notebook's text as lines of the cell that holds `line`; what reaches into other cells is cut off. */
export function linesInCell(
  cellStartLines: readonly number[],
  { startLine, endLine, line }: Omit<LinesInCell, 'cell'>,
): LinesInCell {
  const cell = cellAtLine(cellStartLines, line);
  const before = (cellStartLines[cell] ?? 1) - 1;
  const last = (cellStartLines[cell + 1] ?? Infinity) - 1;
  return {
    cell,
    startLine: Math.max(startLine - before, 1),
    endLine: Math.min(endLine, last) - before,
    line: line - before,
  };
}

/** The cell (0-based) that holds a 1-based line of a notebook's text. */
export function cellAtLine(cellStartLines: readonly number[], line: number): number {
  return Math.max(0, countLeading(cellStartLines, start => start <= line) - 1);
}
