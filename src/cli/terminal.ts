import { systemCode } from '../util/errors';

/** Where a command writes. */
export interface Terminal {
  /** Answers. */
  out(text: string): void;
  /** Progress, notes and failures. */
  err(text: string): void;
  readonly outStyle: TextStyle;
  readonly errIsTty: boolean;
  readonly errColumns: number;
}

export interface TextStyle {
  readonly colour: boolean;
  /** Width in characters; Infinity when the text goes to a file or another program. */
  readonly columns: number;
}

const DEFAULT_COLUMNS = 80;

/** The process's own terminal. A reader that leaves early (`| head`) is no failure and gets no complaint. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if (systemCode(error) !== 'EPIPE') throw error;
    });
  }
  const isTty = Boolean(process.stdout.isTTY);
  return {
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    outStyle: {
      colour: isTty && !process.env.NO_COLOR,
      columns: isTty ? process.stdout.columns || DEFAULT_COLUMNS : Infinity,
    },
    errIsTty: Boolean(process.stderr.isTTY),
    errColumns: process.stderr.columns || DEFAULT_COLUMNS,
  };
}
