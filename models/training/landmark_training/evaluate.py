"""Stage 4: MRR@10 of the vectors alone, per arm, and whether the best landmark meets the lines that answer."""

import argparse
import hashlib
import json
import time
from pathlib import Path

import numpy as np

from .encoders import Encoder, open_encoder
from .layout import chunk_spans, cut_windows, layout_window, window_capacity
from .search_sets import Query, SearchSet, load_set
from .tokens import TextTokenizer

K = 64
CAPACITY = window_capacity(320, K)
LANDMARK_DIMENSIONS = 192
MOST_LEVEL = 7
# The program's own; the weights as shares of the landmark's.
RANKING = json.loads((Path(__file__).parents[3] / "src/engine/search/ranking.json").read_text())
FILE_WEIGHT, PATH_WEIGHT = (RANKING["weights"][name] / RANKING["weights"]["landmark"] for name in ("file", "path"))
PATH_BESIDE = RANKING["pathBeside"]
LONG_FILE = 30
SMALL_SETS = (
    "fastify__fastify jekyll__jekyll google__gson scrapy__scrapy microsoft__vscode-js-debug square__okhttp vuejs__core"
)


def main() -> None:
    """Measures a model on search sets and writes the reciprocal rank of every query."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx, or a folder of float weights")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--sets", type=Path, required=True, help="folder with the sets")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--only", nargs="*", default=SMALL_SETS.split())
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tokenizer = TextTokenizer(options.tokenizer)
    encoder = open_encoder(options.model)
    cache = options.cache / _fingerprint(options.model)
    cache.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in options.only:
        search_set = load_set(options.sets / name, options.questions)
        vectors = embed_set(search_set, encoder, tokenizer, cache / f"{name}.npz")
        for kind, queries in (("commits", search_set.commits), ("questions", search_set.questions)):
            if queries:
                results[f"{kind}/{name}"] = measure(search_set, queries, encoder, tokenizer, vectors)
        print(name, {kind: summary([results[kind]]) for kind in results if kind.endswith(name)}, flush=True)
    options.out.write_text(json.dumps(results))
    for kind in ("commits", "questions"):
        parts = [result for name, result in results.items() if name.startswith(kind)]
        if parts:
            print(f"MEAN {kind} ({len(parts)})", summary(parts))


def embed_set(search_set: SearchSet, encoder: Encoder, tokenizer: TextTokenizer, cache: Path) -> dict:
    """Rows at all landmarks with their file and lines, and the path vectors; remembered in a file."""
    if cache.exists():
        return dict(np.load(cache))
    inputs, owners, spans = [], [], []
    for at, text in enumerate(search_set.texts):
        tokens = tokenizer.encode_text(text)
        for start, end in cut_windows(tokens.ids, tokens.lines, CAPACITY):
            inputs.append(layout_window(tokens.ids[start:end], K, tokenizer.cls_id, tokenizer.landmark_id))
            lines = chunk_spans(tokens.lines[start:end], K)
            spans += lines
            owners += [at] * len(lines)
    began = time.time()
    rows = np.concatenate(encoder.encode(inputs))
    print(search_set.name, f"{sum(len(ids) for ids, _ in inputs) / (time.time() - began):.0f} tokens/s")
    paths = embed_short(search_set.paths, encoder, tokenizer)
    vectors = {"rows": rows, "owners": np.array(owners), "spans": np.array(spans), "paths": paths}
    np.savez(cache, **vectors)
    return vectors


def embed_short(texts: list[str], encoder: Encoder, tokenizer: TextTokenizer) -> np.ndarray:
    """Unit vectors of queries or paths."""
    inputs = [
        layout_window(tokenizer.encode_line(text)[:CAPACITY], K, tokenizer.cls_id, tokenizer.landmark_id)
        for text in texts
    ]
    return unit(np.stack([rows.mean(0) for rows in encoder.encode(inputs)]))


def measure(search_set: SearchSet, queries: list[Query], encoder, tokenizer, vectors: dict) -> dict:
    """Reciprocal ranks by arm and the hits of the place, one number a query."""
    asked = embed_short([query.text for query in queries], encoder, tokenizer)
    count = len(search_set.paths)
    arms, near = _arms(asked[:, :LANDMARK_DIMENSIONS], vectors, count, as_stored)
    arms["vectors384"] = _arms(asked, vectors, count, unit)[0]["vectors"]
    index = {path: at for at, path in enumerate(search_set.paths)}
    relevant = [[index[path] for path in query.relevant if path in index] for query in queries]
    result = {arm: reciprocal_ranks(scores, relevant) for arm, scores in arms.items()}
    result["no_leak"] = [None if query.leaks_name else rank for query, rank in zip(queries, result["vectors"])]
    result["place"] = [place_hit(query, index, near[at], vectors) for at, query in enumerate(queries)]
    return result


def _arms(asked: np.ndarray, vectors: dict, count: int, kept) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Scores of every file by arm, [queries, files], and of every landmark with its path, [queries, landmarks].

    `kept` makes of landmarks what is compared of them; the dimensions are those of the queries.
    """
    owners = vectors["owners"]
    dimensions = asked.shape[1]
    asked, paths = unit(asked), unit(vectors["paths"][:, :dimensions])
    rows = kept(vectors["rows"][:, :dimensions])
    means = np.zeros((count, rows.shape[1]), np.float64)
    np.add.at(means, owners, rows)
    firsts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    near = asked @ unit(rows + PATH_BESIDE * paths[owners]).T
    arms = {
        "file": asked @ unit(means).astype(np.float32).T,
        "landmark": np.maximum.reduceat(near, firsts, axis=1),
        "alone": np.maximum.reduceat(asked @ rows.T, firsts, axis=1),
        "path": asked @ paths.T,
    }
    arms["vectors"] = FILE_WEIGHT * arms["file"] + arms["landmark"] + PATH_WEIGHT * arms["path"]
    return arms, near


def reciprocal_ranks(scores: np.ndarray, relevant: list[list[int]]) -> list[float]:
    """1 / rank of the first relevant file, 0 from rank 11 on; the earlier path goes first among equals."""
    ranks = []
    for row, targets in zip(scores, relevant):
        order = np.argsort(-row, kind="stable")[:10].tolist()
        ranks.append(next((1 / (at + 1) for at, file in enumerate(order) if file in targets), 0.0))
    return ranks


def place_hit(query: Query, index: dict, scores: np.ndarray, vectors: dict) -> int | None:
    """Whether the best landmark of the first relevant file meets a line that answers; files of many landmarks only."""
    path = next((path for path in query.relevant if path in index and query.hunks.get(path)), None)
    own = np.flatnonzero(vectors["owners"] == index[path]) if path else []
    if len(own) < LONG_FILE:
        return None
    first, last = vectors["spans"][own[scores[own].argmax()]]
    return int(any(start <= last and end >= first for start, end in query.hunks[path]))


def as_stored(rows: np.ndarray) -> np.ndarray:
    """Landmarks as the program stores them (`quantization.ts`): first dimensions, four bits each, as unit vectors."""
    short = unit(rows[:, :LANDMARK_DIMENSIONS])
    reach = np.minimum(np.abs(short).max(1, keepdims=True), 3 / np.sqrt(short.shape[1]))
    scale = np.maximum(reach, 1e-9) / MOST_LEVEL
    for _ in range(4):
        levels = _levels(short, scale)
        scale = (short * levels).sum(1, keepdims=True) / np.maximum(np.square(levels).sum(1, keepdims=True), 1e-9)
        scale = np.maximum(scale, 1e-9)
    return unit(_levels(short, scale))


def _levels(rows: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return np.clip(np.round(rows / scale), -MOST_LEVEL, MOST_LEVEL)


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length one."""
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def summary(parts: list[dict]) -> dict:
    """Means over the queries of each set, then over the sets; the place over all queries."""
    means = {arm: np.mean([mean_of(part[arm]) for part in parts]) for arm in parts[0] if arm != "place"}
    return {
        arm: round(float(value), 3)
        for arm, value in {**means, "place": mean_of(sum((p["place"] for p in parts), []))}.items()
    }


def mean_of(values: list) -> float:
    """Mean of those that are there."""
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else float("nan")


def _fingerprint(model: Path) -> str:
    files = [model] if model.is_file() else sorted(model.glob("*.safetensors"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


if __name__ == "__main__":
    main()
