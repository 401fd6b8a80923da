import type { FolderOptions } from './folderEngine';
import type { Catalog } from './store/catalog';

/** Which files an index takes in. */
type Choice = Pick<FolderOptions, 'exclude' | 'maxFileSize'>;

const META = 'choice of files';

/** Keeps with the index which files it takes in, so that whoever only reads it explains them rightly. */
export async function rememberOptions(catalog: Catalog, { exclude = [], maxFileSize }: FolderOptions): Promise<void> {
  const choice: Choice = { exclude, ...(maxFileSize === undefined ? {} : { maxFileSize }) };
  if (JSON.stringify(catalog.getMeta(META)) === JSON.stringify(choice)) return;
  await catalog.write([{ kind: 'putMeta', key: META, value: choice }]);
}

/** The options of a reader: what it was not told is as the index was made. */
export function optionsOfReader(catalog: Catalog, given: FolderOptions): FolderOptions {
  const kept = (catalog.getMeta(META) ?? {}) as Choice;
  return { ...kept, ...given, exclude: [...new Set([...(kept.exclude ?? []), ...(given.exclude ?? [])])] };
}
