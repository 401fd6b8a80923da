"""Stage 2: rows to token ids. One file a repository, so that training reads no text."""

import argparse
import gzip
import json
import random
from pathlib import Path

import numpy as np

from .code_text import split_lines
from .pairs import Pair, write_pairs
from .sentence_ends import sentence_ends
from .tokens import TextTokenizer

# Kept on each side of the lines that answer: enough for several windows of a long file.
AROUND = 1200
LINES_AROUND = 160
LONGEST_PATH = 24
LONGEST_ANSWER = 400
SHORTEST_TEXT = 24


def main() -> None:
    """Packs every mined repository that is not packed yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=1500, help="pairs of one repository, drawn by chance")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer = TextTokenizer(options.tokenizer)
    for source in sorted(options.rows.glob("*.jsonl.gz")):
        target = options.out / source.name.replace(".jsonl.gz", ".pickle")
        if target.exists():
            continue
        with gzip.open(source, "rt") as file:
            lines = file.readlines()
        drawn = random.Random(source.name).sample(lines, min(options.most, len(lines)))
        packed = [pack(json.loads(line), tokenizer) for line in drawn]
        pairs = [pair for pair in packed if pair]
        write_pairs(target, pairs)
        print(source.name, len(pairs), "pairs", flush=True)


def pack(row: dict, tokenizer: TextTokenizer) -> Pair | None:
    """Tokens around the lines that answer; None where these hold no token or are too many."""
    above = max(0, row["lines"][0][0] - 1 - LINES_AROUND)
    below = row["lines"][0][1] + LINES_AROUND
    tokens = tokenizer.encode_text("\n".join(split_lines(row["text"])[above:below]))
    ranges = [_tokens_of(tokens.lines, first - above, last - above) for first, last in row["lines"] if first > above]
    answers = [(start, end) for start, end in ranges if 0 < end - start <= LONGEST_ANSWER]
    if not answers or len(tokens.ids) < SHORTEST_TEXT:
        return None
    start, end = answers[0]
    low, high = max(0, start - AROUND), min(len(tokens.ids), end + AROUND)
    near = tuple((a - low, b - low) for a, b in answers if low <= a and b <= high)
    path_ids = np.array(tokenizer.encode_line(row["path"])[-LONGEST_PATH:], np.uint16)
    ids = tokens.ids[low:high].astype(np.uint16)
    lines = [line - above for line in sorted(sentence_ends(row["text"], row["path"])) if above < line <= below]
    ends = np.unique(np.searchsorted(tokens.lines, lines, side="right") - low)
    ends = tuple(ends[(0 < ends) & (ends < high - low)].tolist())
    return Pair(row["repository"], row["kind"], row["group"], row["path"], row["query"], path_ids, ids, near, ends)


def _tokens_of(lines: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """The tokens of these lines; where they have none, the next token that follows."""
    start, end = np.searchsorted(lines, [first, last + 1])
    return int(start), int(max(end, min(start + 1, len(lines))))


if __name__ == "__main__":
    main()
