import { IndexStore } from '../../src/engine/store/indexStore';
import { seal } from '../../src/engine/store/sealed';
import { nullLogger } from '../../src/util/logger';

/** Tables of a window store. */
const TABLES = ['places', 'records'];

async function withTables<T>(dir: string, use: (raw: IndexStore) => Promise<T>): Promise<T> {
  const raw = await IndexStore.open(dir, { access: 'write', tables: TABLES, pageSize: 8192, logger: nullLogger });
  if (raw === undefined) throw new Error(`There is no store in ${dir}`);
  try {
    return await use(raw);
  } finally {
    await raw.close();
  }
}

/**
 * Turns windows into those of another version of the program, sealed as that would seal them. Nobody may use the store.
 * @param version of the format they get
 * @param chosen which windows, by their keys; default: all
 */
export function asOtherVersionWrote(
  dir: string,
  version: number,
  chosen: (key: Uint8Array) => boolean = () => true,
): Promise<void> {
  return withTables(dir, raw =>
    raw.write(writer => {
      for (const [full, place] of raw.all('places')) {
        if (!chosen(full.subarray(0, 32))) continue;
        const value = Buffer.concat([Buffer.alloc(4), seal(version, full, Buffer.from('another layout'))]);
        writer.put('records', place, value);
      }
    }),
  );
}

/** How many records a window store has, those too that no window leads to. */
export function recordsIn(dir: string): Promise<number> {
  return withTables(dir, raw => Promise.resolve(raw.count('records')));
}
