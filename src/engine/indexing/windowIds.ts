/** Token ids kept for the embedder, about a quarter of an hour of its work; what does not fit is tokenised again later. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/** Token ids of the windows of contents that wait to be embedded; the oldest are forgotten beyond a bound. */
export class WindowIds {
  private readonly entries = new Map<string, readonly Int32Array[]>();
  private bytes = 0;

  constructor(private readonly limitBytes = LIMIT_BYTES) {}

  get(owner: string): readonly Int32Array[] | undefined {
    return this.entries.get(owner);
  }

  set(owner: string, windows: readonly Int32Array[]): void {
    this.delete(owner);
    this.entries.set(owner, windows);
    this.bytes += sizeOf(windows);
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.limitBytes) break;
      this.delete(oldest);
    }
  }

  delete(owner: string): void {
    const windows = this.entries.get(owner);
    if (windows === undefined) return;
    this.bytes -= sizeOf(windows);
    this.entries.delete(owner);
  }
}

function sizeOf(windows: readonly Int32Array[]): number {
  return windows.reduce((sum, ids) => sum + ids.byteLength, 0);
}
