import { isDamage } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { Catalog } from '../store/catalog';
import type { ContentRow } from '../store/records';

/** Rows of contents as the catalogue has them, for as long as it is the one in use. */
export class StoredRows {
  /** True when another took its place: rows cannot be read from here any more. */
  isClosed = false;
  /** Called for a row that cannot be read, or is not there. */
  onDamage = (): void => {};

  constructor(
    private readonly catalog: Pick<Catalog, 'getContent'>,
    private readonly logger: Logger,
  ) {}

  /** A row that is damaged shows no places of its files. */
  readonly read = (hash: string): ContentRow | undefined => {
    if (this.isClosed) return undefined;
    try {
      const row = this.catalog.getContent(hash);
      if (row === undefined) this.onDamage();
      return row;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.logger.warn(`What is known of a file cannot be read: ${error.message}`);
      this.onDamage();
      return undefined;
    }
  };
}
