import { HashKeys } from '../../util/hashKeys';
import { MultiMap } from '../../util/multiMap';
import { NumberTable } from '../../util/numberTable';

/** Which contents hold a window: keys of 32 bytes to numbers of contents, about 50 bytes a window. */
export class WindowHolders {
  private readonly windows = new HashKeys();
  /** By the window's number, the first content that holds it. */
  private readonly first = new NumberTable();
  /** By the window's number, the contents beyond the first: few windows have any. */
  private readonly further = new MultiMap<number, number>();

  has(key: Uint8Array): boolean {
    return this.windows.has(key);
  }

  /** All windows, as views that are valid until the next change. */
  keys(): Iterable<Uint8Array> {
    return this.windows.keys();
  }

  /** The contents that hold a window, each once, in the order they came. */
  contentsOf(key: Uint8Array): number[] {
    const window = this.windows.numberOf(key);
    return window < 0 ? [] : [this.first.get(window), ...this.further.get(window)];
  }

  add(key: Uint8Array, content: number): void {
    const window = this.windows.add(key);
    const first = this.first.get(window);
    if (first < 0) this.first.set(window, content);
    else if (first !== content) this.further.add(window, content);
  }

  /** @returns whether no content holds the window any more. */
  delete(key: Uint8Array, content: number): boolean {
    const window = this.windows.numberOf(key);
    if (window < 0) return true;
    if (this.first.get(window) !== content) {
      this.further.delete(window, content);
      return false;
    }
    const [heir = -1] = this.further.get(window);
    this.further.delete(window, heir);
    this.first.set(window, heir);
    if (heir >= 0) return false;
    this.windows.delete(key);
    return true;
  }
}
