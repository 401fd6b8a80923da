"""Token ids of texts and the lines they come from, the same as src/engine/model/textTokenizer.ts."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from .code_text import prepare_line, prepare_text

USUAL = "lean-1"


@dataclass(frozen=True)
class TokenisedText:
    """Ids without special tokens (int32) and the 1-based line of each (int32)."""

    ids: np.ndarray
    lines: np.ndarray


class TextTokenizer:
    """The model's own tokenizer behind its preparation."""

    def __init__(self, path: Path):
        """`tokenizer.json` of a model; a manifest beside it names the preparation."""
        manifest = path.with_name("manifest.json")
        self.preparation = json.loads(manifest.read_text())["preparation"] if manifest.exists() else USUAL
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.cls_id = self._tokenizer.token_to_id("[CLS]")
        self.landmark_id = self._tokenizer.token_to_id("[SEP]")
        self.mask_id = self._tokenizer.token_to_id("[MASK]")

    def encode_text(self, text: str) -> TokenisedText:
        """Tokenises line by line; nothing is left out."""
        encodings = self._tokenizer.encode_batch_fast(prepare_text(text, self.preparation), add_special_tokens=False)
        counts = [len(encoding.ids) for encoding in encodings]
        ids = np.fromiter((each for encoding in encodings for each in encoding.ids), np.int32, sum(counts))
        return TokenisedText(ids, np.repeat(np.arange(1, len(counts) + 1, dtype=np.int32), counts))

    def encode_line(self, line: str) -> list[int]:
        """Ids of one line that is not prepared yet: a query or a path."""
        return self._tokenizer.encode(prepare_line(line, self.preparation), add_special_tokens=False).ids
