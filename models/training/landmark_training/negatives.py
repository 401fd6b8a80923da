"""Stage 2b: near misses of every packed pair, ranked high for its query by a model and by BM25, and not its answer.

Trained on in the same batch, they are what a query has to be told from.
"""

import argparse
import hashlib
from pathlib import Path

import numpy as np

from .encoders import Encoder, open_encoder
from .evaluate import unit
from .layout import layout_window
from .lexical import LexicalIndex
from .pairs import Pair, by_repository, no_negatives, read_pairs
from .tokens import TextTokenizer

K = 64
LONGEST = 224
# Of each ranking; beyond this many candidates nothing looks right any more.
EACH = 4
DEPTH = 40


def main() -> None:
    """Mines every packed repository that has no negatives yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx, or a folder of float weights")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer, encoder = TextTokenizer(options.tokenizer), open_encoder(options.model)
    for repository, pairs in by_repository(read_pairs(options.pairs)).items():
        target = file_of(options.out, repository)
        if target.exists():
            continue
        near = mine(pairs, encoder, tokenizer)
        partial = target.with_suffix(".part")
        with partial.open("wb") as file:
            np.savez(file, near=near, pairs=fingerprint(pairs))
        partial.rename(target)
        print(repository, len(pairs), "pairs,", f"{(near >= 0).sum(1).mean():.1f} near misses each", flush=True)


def read_negatives(folder: Path, pairs: list[Pair]) -> dict[str, np.ndarray]:
    """By repository, for each of its pairs, in order: places of near misses among them, [pairs, 2 x EACH], -1 = none.

    Raises ValueError for those of other pairs.
    """
    negatives = {}
    for repository, own in by_repository(pairs).items():
        path = file_of(folder, repository)
        if not path.exists():
            continue
        with np.load(path) as arrays:
            if str(arrays["pairs"]) != fingerprint(own):
                raise ValueError(f"{path} was mined for other pairs: remove it and mine again.")
            negatives[repository] = arrays["near"]
    return negatives


def file_of(folder: Path, repository: str) -> Path:
    """Where the negatives of a repository lie."""
    return folder / f"{repository.replace('/', '__')}.npz"


def fingerprint(pairs: list[Pair]) -> str:
    """Tells other pairs, or another order of them, apart."""
    return hashlib.sha256("\n".join(f"{pair.path} {pair.query}" for pair in pairs).encode()).hexdigest()


def mine(pairs: list[Pair], encoder: Encoder, tokenizer: TextTokenizer) -> np.ndarray:
    """Places of near misses for each pair of one repository, those of the model first, [pairs, 2 x EACH], -1 = none."""
    texts = [answering_ids(pair) for pair in pairs]
    rankings = (by_model(pairs, texts, encoder, tokenizer), by_words(pairs, texts, tokenizer))
    near = np.full((len(pairs), 2 * EACH), -1, np.int32)
    for at, pair in enumerate(pairs):
        found: list[int] = []
        for ranking, most in zip(rankings, (EACH, 2 * EACH)):
            for other in ranking[at].tolist():
                if len(found) >= most:
                    break
                if other not in found and not no_negatives(pair, pairs[other]) and not _same_file(pairs, found, other):
                    found.append(other)
        near[at, : len(found)] = found
    return near


def _same_file(pairs: list[Pair], found: list[int], other: int) -> bool:
    return any(pairs[at].path == pairs[other].path for at in found)


def answering_ids(pair: Pair) -> np.ndarray:
    """The tokens around the first answer, at most one window of them."""
    start, end = pair.answers[0]
    low = max(0, min((start + end) // 2 - LONGEST // 2, len(pair.ids) - LONGEST))
    return pair.ids[low : low + LONGEST]


def by_model(pairs: list[Pair], texts: list[np.ndarray], encoder: Encoder, tokenizer: TextTokenizer) -> np.ndarray:
    """Places of the texts nearest to each query, best first, by the pooled vector and the best landmark."""

    def lay_out(ids) -> tuple[np.ndarray, np.ndarray]:
        return layout_window(ids, K, tokenizer.cls_id, tokenizer.landmark_id)

    rows = encoder.encode([lay_out(ids) for ids in texts])
    asked = encoder.encode([lay_out(_query_ids(pair, tokenizer)) for pair in pairs])
    queries = unit(np.stack([own.mean(0) for own in asked]))
    starts = np.cumsum([0, *(len(own) for own in rows[:-1])])
    scores = queries @ unit(np.stack([own.mean(0) for own in rows])).T
    scores += np.maximum.reduceat(queries @ unit(np.concatenate(rows)).T, starts, axis=1)
    return np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]


def by_words(pairs: list[Pair], texts: list[np.ndarray], tokenizer: TextTokenizer) -> np.ndarray:
    """The same by BM25; a word is the number of a token."""
    index = LexicalIndex([_as_words(ids) for ids in texts])
    ranked = [index.scores(_as_words(_query_ids(pair, tokenizer))) for pair in pairs]
    return np.stack([np.argsort(-scores, kind="stable")[:DEPTH] for scores in ranked])


def _as_words(ids) -> str:
    return " ".join(str(int(number) + 10) for number in ids)


def _query_ids(pair: Pair, tokenizer: TextTokenizer) -> list[int]:
    return tokenizer.encode_line(pair.query)[:LONGEST] or [0]


if __name__ == "__main__":
    main()
