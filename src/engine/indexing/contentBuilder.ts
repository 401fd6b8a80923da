import { extensionOf } from '../files/languages';
import { lexicalContent } from '../lexical/lexicalContent';
import type { Vocabulary } from '../lexical/vocabulary';
import { prepareLine, splitLines } from '../model/codeText';
import { chunkSpans } from '../model/landmarkLayout';
import type { LoadedModel } from '../model/modelManifest';
import type { TextTokenizer, TokenisedText } from '../model/textTokenizer';
import { cutWindows, type TokenWindow, windowCapacity, windowKey } from '../model/windows';
import type { ContentRow } from '../store/records';

/** A content read for the index: its row, and the token ids of its windows for the embedder. */
export interface BuiltContent {
  readonly row: ContentRow;
  readonly windows: readonly Int32Array[];
}

/** Path words beyond this many tokens are the outermost folders: left out. */
const MAX_PATH_TOKENS = 24;

/** Makes of a text what the catalogue keeps of it. Depends on the text, the model and the extension alone. */
export class ContentBuilder {
  private readonly capacity: number;
  private readonly k: number;

  constructor(
    model: LoadedModel,
    private readonly tokenizer: TextTokenizer,
    private readonly vocabulary: Vocabulary,
  ) {
    this.k = model.manifest.k;
    this.capacity = windowCapacity(model.manifest);
  }

  async build(text: string, path: string, signal?: AbortSignal): Promise<BuiltContent> {
    const tokens = await this.tokenizer.encodeTextInSlices(text, signal);
    const cuts = cutWindows(tokens.ids, tokens.lines, { capacity: this.capacity });
    const windows = windowsOf(tokens, cuts);
    const lexical = lexicalContent(splitLines(text), extensionOf(path), this.vocabulary);
    const windowKeys = new Uint8Array(32 * cuts.length);
    const landmarkCounts = new Uint8Array(cuts.length);
    const spans: number[] = [];
    for (const [at, cut] of cuts.entries()) {
      windowKeys.set(windowKey(windows[at] ?? new Int32Array()), 32 * at);
      const ofWindow = chunkSpans(tokens.lines.subarray(cut.start, cut.end), this.k);
      landmarkCounts[at] = ofWindow.length;
      for (const [first, last] of ofWindow) spans.push(first, last);
    }
    const row = {
      lineCount: tokens.lineCount,
      tokens: tokens.ids.length,
      windowKeys,
      landmarkCounts,
      spans: Uint32Array.from(spans),
      ...lexical,
    };
    return { row, windows };
  }

  /** Token ids of a text's windows alone. */
  async windows(text: string, signal?: AbortSignal): Promise<readonly Int32Array[]> {
    const tokens = await this.tokenizer.encodeTextInSlices(text, signal);
    return windowsOf(tokens, cutWindows(tokens.ids, tokens.lines, { capacity: this.capacity }));
  }

  /** Token ids of a path's words, its innermost ones where they are many: one window of their own. */
  pathWindow(path: string): Int32Array {
    return Int32Array.from(this.tokenizer.encodeLine(prepareLine(path)).slice(-MAX_PATH_TOKENS));
  }
}

function windowsOf(tokens: TokenisedText, cuts: readonly TokenWindow[]): Int32Array[] {
  return cuts.map(cut => tokens.ids.slice(cut.start, cut.end));
}
