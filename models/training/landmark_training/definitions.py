"""Search sets of functions: first sentences of doc comments of held-out repositories, and the code they stand at."""

import gzip
import json
import re
from pathlib import Path

from .code_text import split_lines
from .search_sets import Query, SearchSet

MOST_LINES = 60
MOST = 300
CLOSES = ("}", ")", "]", "end", "{")
BEFORE = ("@", "#[")
PYTHON = re.compile(r"\s*(async\s+)?(def|class)\b")


def definition(lines: list[str], first: int, path: str) -> list[str]:
    """From line `first` (1-based) to the end of what is defined there, by its indentation; at most 60 lines.

    A documentation string of Python stands behind the line that defines, so there the way is first upwards.
    """
    if path.endswith(".py"):
        first = next((at for at in range(first, max(0, first - 10), -1) if PYTHON.match(lines[at - 1])), first)
    start = lines[first - 1]
    margin = len(start) - len(start.lstrip())
    taken, begun = [], False
    for line in lines[first - 1 : first - 1 + MOST_LINES]:
        text = line.strip()
        inside = len(line) - len(line.lstrip()) > margin
        if begun and text and not inside and not text.startswith(CLOSES):
            break
        begun = begun or not text.startswith(BEFORE)
        taken.append(line)
    while taken and not taken[-1].strip():
        taken.pop()
    return taken


def function_set(rows: Path, repository: str) -> SearchSet:
    """The functions of one repository whose doc comments were mined, each with its own sentence as query."""
    with gzip.open(rows / f"{repository.replace('/', '__')}.jsonl.gz", "rt") as file:
        found = [function for line in file if (function := _function(json.loads(line)))]
    # The same place with two comments, or the same code twice, would be an answer that counts as none.
    queries: set[str] = set()
    places: set[tuple] = set()
    codes: set[str] = set()
    kept = []
    for place, query, code in found:
        if query not in queries and place not in places and code not in codes:
            queries.add(query)
            places.add(place)
            codes.add(code)
            kept.append((place, query, code))
    kept = sorted(kept, key=lambda each: f"{each[0][0]}:{each[0][1]}")[:MOST]
    # A path that only tells the language, so that names of files give nothing away.
    paths = [f"{at}.{path.rsplit('.', 1)[-1]}" for at, ((path, _), _, _) in enumerate(kept)]
    asked = [Query(str(at), query, (paths[at],), {}, False) for at, (_, query, _) in enumerate(kept)]
    name = f"functions/{repository.replace('/', '__')}"
    return SearchSet(name, paths, [code for _, _, code in kept], asked, [])


def _function(row: dict) -> tuple[tuple[str, int], str, str] | None:
    """Its place, the sentence and the code; none for other kinds of rows and for what is too short."""
    path, first = row["path"], row["lines"][0][0]
    if row["kind"] != "doc":
        return None
    code = "\n".join(definition(split_lines(row["text"]), first, path))
    return ((path, first), row["query"], code) if code.count("\n") >= 2 else None
