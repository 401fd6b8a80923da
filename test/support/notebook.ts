/** A Jupyter notebook, format 4, as the editor writes it. */
export interface CellFixture {
  readonly kind?: 'code' | 'markdown';
  /** One text, or its lines with their ends as Jupyter splits them. */
  readonly source: string | readonly string[];
  readonly outputs?: readonly object[];
}

/** The JSON of a notebook with these cells, with the metadata that real ones have. */
export function notebookJson(cells: readonly CellFixture[], indent = 1): string {
  const notebook = {
    cells: cells.map(({ kind = 'code', source, outputs = [] }, at) => ({
      cell_type: kind,
      id: `cell-${at}`,
      metadata: { tags: ['metadatatag'] },
      source,
      ...(kind === 'code' ? { execution_count: at, outputs } : {}),
    })),
    metadata: {
      kernelspec: { display_name: 'Kernelname', language: 'python', name: 'python3' },
      language_info: { name: 'python', version: '3.12.1' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, undefined, indent)}\n`;
}

/** An output with a picture of so many bytes. */
export function imageOutput(bytes: number): object {
  const png = Buffer.alloc(bytes, 0x5a).toString('base64');
  return {
    output_type: 'display_data',
    data: { 'image/png': png, 'text/plain': ['<Figure outputword>'] },
    metadata: {},
  };
}
