import type { RecordTable } from '../../src/engine/store/catalog';

/** Records of a catalogue that is not there. */
export class MemoryRecords implements RecordTable {
  readonly values = new Map<string, Uint8Array>();

  get(name: string): Uint8Array | undefined {
    return this.values.get(name);
  }

  put(name: string, value: Uint8Array): Promise<void> {
    this.values.set(name, Uint8Array.from(value));
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.values.delete(name);
    return Promise.resolve();
  }
}
