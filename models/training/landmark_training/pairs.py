"""Packed training pairs and their files."""

import pickle
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, eq=False)
class Pair:
    """One query with the part of a file that answers it; `answers` are token ranges (start, end) of `ids`.

    `ends` are the tokens behind which a comment or a paragraph ends, as exclusive ends; only the comparison reads them.
    """

    repository: str
    kind: str
    group: str
    path: str
    query: str
    path_ids: np.ndarray
    ids: np.ndarray
    answers: tuple[tuple[int, int], ...]
    ends: tuple[int, ...] = ()


def by_repository(pairs: list[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each repository, in their order."""
    result: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        result[pair.repository].append(pair)
    return result


def no_negatives(a: Pair, b: Pair) -> bool:
    """The same file, the same commit or the same query: either may answer for the other."""
    return a.query == b.query or (a.repository == b.repository and (a.path == b.path or a.group == b.group))


def write_pairs(path: Path, pairs: list[Pair]) -> None:
    """Whole or not at all."""
    partial = path.with_suffix(".part")
    partial.write_bytes(pickle.dumps(pairs))
    partial.rename(path)


def read_pairs(folder: Path) -> list[Pair]:
    """All pairs of a folder, in the order of its file names. Read only folders you packed yourself."""
    return [pair for path in sorted(folder.glob("*.pickle")) for pair in pickle.loads(path.read_bytes())]
