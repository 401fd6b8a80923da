"""Sets to measure on: a tree of files, and queries with the paths and lines that answer them."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Query:
    """`relevant` are paths; `hunks` maps a path to line ranges (1-based, inclusive) that answer."""

    id: str
    text: str
    relevant: tuple[str, ...]
    hunks: dict[str, list[tuple[int, int]]]
    leaks_name: bool


@dataclass(frozen=True)
class SearchSet:
    """The files of one repository with commit subjects and, where there are some, questions in people's words."""

    name: str
    paths: list[str]
    texts: list[str]
    commits: list[Query]
    questions: list[Query]


def load_set(folder: Path, questions: Path | None) -> SearchSet:
    """Reads `tree/` and `queries.jsonl` of a set, and `<set>.jsonl` of the folder with questions."""
    tree = folder / "tree"
    paths = sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file())
    texts = [(tree / path).read_bytes().decode("utf8", "replace") for path in paths]
    asked = questions / f"{folder.name}.jsonl" if questions else None
    own = _queries(asked) if asked and asked.exists() else []
    return SearchSet(folder.name, paths, texts, _queries(folder / "queries.jsonl"), own)


def _queries(path: Path) -> list[Query]:
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [
        Query(row["id"], row["query"], tuple(row["relevant"]), row.get("hunks", {}), row.get("leaks_name", False))
        for row in rows
    ]
