"""Comparison, ranks: where the relevant files of each query stand by every pooling, alone and with words."""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .evaluate import unit
from .lexical import LexicalIndex
from .search_sets import Query
from .tokenised_sets import TokenisedSet, add_set_options, open_set
from .tokens import TextTokenizer

DEPTH = 10
SHORT = 128
PLACE_LINES = 30
LONG = 2048
# Bounds of the tokens of a relevant file.
LENGTHS = (512, 2048, 8192)
CASE_ARMS = ("file", "best", "both", "file+words")
# What is stored: a name, dimensions, and whether a number is one byte.
STORED = (("128", SHORT, False), ("int8", 384, True), ("128 int8", SHORT, True))


@dataclass(frozen=True)
class Vectors:
    """What `pooling_encode` wrote: rows [segments, dimensions] of the files in order, and queries by kind."""

    rows: np.ndarray
    owners: np.ndarray
    weights: np.ndarray
    spans: np.ndarray
    tokens: int
    queries: dict[str, np.ndarray]


def read_vectors(path: Path) -> Vectors:
    """Reads one file of vectors."""
    with np.load(path) as arrays:
        queries = {name[6:]: arrays[name] for name in arrays.files if name.startswith("query_")}
        rows = arrays["rows"].astype(np.float32)
        tokens = int(arrays["tokens"])
        return Vectors(rows, arrays["owners"], arrays["weights"], arrays["spans"], tokens, queries)


def file_vectors(vectors: Vectors, count: int) -> np.ndarray:
    """Weighted means of the rows of each file, [files, dimensions]."""
    sums = np.zeros((count, vectors.rows.shape[1]))
    np.add.at(sums, vectors.owners, vectors.rows * vectors.weights[:, None])
    totals = np.bincount(vectors.owners, vectors.weights, count)
    return (sums / np.maximum(totals, 1e-9)[:, None]).astype(np.float32)


def stored(rows: np.ndarray, dimensions: int, bytes_only: bool) -> np.ndarray:
    """Unit vectors of the first dimensions and, where asked, as one byte a number with a scale a row."""
    short = unit(rows[:, :dimensions])
    if not bytes_only:
        return short
    scale = np.abs(short).max(1, keepdims=True) / 127
    return unit(np.round(short / np.maximum(scale, 1e-12)) * scale)


def best_of(scores: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """The best segment of each file: [queries, segments] to [queries, files]; owners ascend and miss no file."""
    return np.maximum.reduceat(scores, np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]]), axis=1)


def with_words(dense: np.ndarray, lexical: np.ndarray) -> np.ndarray:
    """Sum of both: words by their best score, cosines between their median and their best; [queries, files]."""
    middle = np.median(dense, axis=1, keepdims=True)
    best = dense.max(1, keepdims=True)
    words = lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9)
    return words + (dense - middle) / np.maximum(best - middle, 1e-9)


def ranks(scores: np.ndarray, relevant: list[list[int]]) -> list[int]:
    """Rank of the first relevant file, 0 beyond the tenth; the earlier path goes first among equals."""
    found = []
    for row, targets in zip(scores, relevant):
        order = np.argsort(-row, kind="stable")[:DEPTH].tolist()
        found.append(next((at + 1 for at, file in enumerate(order) if file in targets), 0))
    return found


def case_ranks(scores: np.ndarray, relevant: list[list[int]]) -> list[int]:
    """Rank of every relevant file of every query among the files that are not relevant, 0 beyond the tenth."""
    found = []
    for row, targets in zip(scores, relevant):
        for target in targets:
            others = np.delete(row, targets)
            before = np.delete(np.arange(len(row)), targets) < target
            rank = 1 + int((others > row[target]).sum() + ((others == row[target]) & before).sum())
            found.append(rank if rank <= DEPTH else 0)
    return found


def place_hits(queries: list[Query], index: dict[str, int], scores: np.ndarray, vectors: Vectors, counts) -> list[int]:
    """For relevant files over 2,048 tokens: do the 30 lines around the middle of the best segment meet a change?"""
    hits = []
    for row, query in zip(scores, queries):
        for path in query.relevant:
            if path not in index or not query.hunks.get(path) or counts[index[path]] <= LONG:
                continue
            own = np.flatnonzero(vectors.owners == index[path])
            middle = int(vectors.spans[own[row[own].argmax()]].sum()) // 2
            first, last = middle - PLACE_LINES // 2, middle + (PLACE_LINES - 1) // 2
            hits.append(int(any(start <= last and end >= first for start, end in query.hunks[path])))
    return hits


def digits(numbers: list[int]) -> str:
    """One hexadecimal digit a number; ranks go up to ten."""
    return "".join(f"{number:x}" for number in numbers)


def measure(tokenised: TokenisedSet, vectors: Vectors, lexical: dict[str, np.ndarray]) -> dict:
    """Ranks by kind of query and arm for one pooling on one set."""
    index = {path: at for at, path in enumerate(tokenised.paths)}
    files = file_vectors(vectors, len(tokenised.paths))
    result: dict = {"tokens": vectors.tokens, "segments": len(vectors.rows)}
    for kind, queries in tokenised.queries.items():
        asked = unit(vectors.queries[kind])
        relevant = [[index[path] for path in query.relevant if path in index] for query in queries]
        segments = asked @ unit(vectors.rows).T
        arms = {"file": asked @ unit(files).T, "best": best_of(segments, vectors.owners)}
        arms["both"] = arms["file"] + arms["best"]
        for arm in ("file", "both"):
            arms[f"{arm}+words"] = with_words(arms[arm], lexical[kind])
        if kind == "commits":
            for name, dimensions, bytes_only in STORED:
                short = unit(asked[:, :dimensions])
                arms[f"file/{name}"] = short @ stored(files, dimensions, bytes_only).T
                rows = stored(vectors.rows, dimensions, bytes_only)
                arms[f"best/{name}"] = best_of(short @ rows.T, vectors.owners)
        result[kind] = {arm: digits(ranks(scores, relevant)) for arm, scores in arms.items()}
        if kind == "commits":
            result["cases"] = {arm: digits(case_ranks(arms[arm], relevant)) for arm in CASE_ARMS}
            result["place"] = digits(place_hits(queries, index, segments, vectors, tokenised.counts))
    return result


def facts_of(tokenised: TokenisedSet) -> dict:
    """What does not depend on the pooling: which queries leak, and the tokens of the relevant file of each case."""
    index = {path: at for at, path in enumerate(tokenised.paths)}
    commits = tokenised.queries["commits"]
    return {
        "files": len(tokenised.paths),
        "tokens": int(tokenised.counts.sum()),
        "leaks": digits([query.leaks_name for query in commits]),
        "case_tokens": [int(tokenised.counts[index[p]]) for query in commits for p in query.relevant if p in index],
    }


def lexical_scores(tokenised: TokenisedSet) -> dict[str, np.ndarray]:
    """BM25 of all files for all queries by kind, [queries, files]."""
    named = not tokenised.name.startswith("functions/")
    documents = [f"{path}\n{text}" if named else text for path, text in zip(tokenised.paths, tokenised.texts)]
    index = LexicalIndex(documents)
    return {kind: np.stack([index.scores(q.text) for q in own]) for kind, own in tokenised.queries.items()}


def words_alone(tokenised: TokenisedSet, lexical: dict[str, np.ndarray]) -> dict:
    """The same ranks as `measure` gives, for BM25."""
    index = {path: at for at, path in enumerate(tokenised.paths)}
    result: dict = {}
    for kind, queries in tokenised.queries.items():
        relevant = [[index[path] for path in query.relevant if path in index] for query in queries]
        result[kind] = {"file": digits(ranks(lexical[kind], relevant))}
        if kind == "commits":
            result["cases"] = {"file": digits(case_ranks(lexical[kind], relevant))}
    return result


def compact(data: dict) -> str:
    """JSON of one line a key of the second level, so that a change shows where it is."""
    parts = [
        f'"{name}":{{\n'
        + ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in own.items())
        + "\n}"
        for name, own in data.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    """Measures all vectors that are there; what is known already is not measured again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True, help="folder that `pooling_encode` wrote")
    add_set_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    options = parser.parse_args()
    tokenizer = TextTokenizer(options.tokenizer)
    data = json.loads(options.out.read_text()) if options.out.exists() else {"sets": {}, "ranks": {}}
    names = sorted({str(path.parent.relative_to(options.vectors)) for path in options.vectors.rglob("*.npz")})
    for name in names:
        found = {path.stem: path for path in sorted((options.vectors / name).glob("*.npz"))}
        found = {stem: path for stem, path in found.items() if name not in data["ranks"].get(stem, {})}
        if not found:
            continue
        tokenised = open_set(name, options.sets, options.questions, options.rows, tokenizer, options.cache)
        lexical = lexical_scores(tokenised)
        data["sets"][name] = facts_of(tokenised)
        data["ranks"].setdefault("words-0", {})[name] = words_alone(tokenised, lexical)
        for stem, path in found.items():
            data["ranks"].setdefault(stem, {})[name] = measure(tokenised, read_vectors(path), lexical)
            print(name, stem, flush=True)
        options.out.write_text(compact(data))


if __name__ == "__main__":
    main()
