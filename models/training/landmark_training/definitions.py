"""Search sets of functions: first sentences of doc comments of held-out repositories, and the code they stand at."""

import gzip
import json
import re
from pathlib import Path

from .code_text import split_lines
from .pooling_train import HELD_OUT
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
    found: dict[str, tuple[str, str]] = {}
    extension = {}
    with gzip.open(rows / f"{repository.replace('/', '__')}.jsonl.gz", "rt") as file:
        for line in file:
            row = json.loads(line)
            if row["kind"] != "doc":
                continue
            code = "\n".join(definition(split_lines(row["text"]), row["lines"][0][0], row["path"]))
            if code.count("\n") >= 2 and row["query"] not in found:
                found[row["query"]] = (f"{row['path']}:{row['lines'][0][0]}", code)
                extension[row["query"]] = row["path"].rsplit(".", 1)[-1]
    # The same place with two comments, or the same code twice, would be an answer that counts as none.
    codes: dict[str, str] = {}
    places: set[str] = set()
    for query, (place, code) in found.items():
        if code not in codes and place not in places:
            codes[code] = query
            places.add(place)
    kept = sorted(codes.items(), key=lambda each: found[each[1]][0])[:MOST]
    # A path that only names the language, so that names of files give nothing away.
    paths = [f"{at}.{extension[query]}" for at, (_, query) in enumerate(kept)]
    queries = [Query(f"{at}", query, (paths[at],), {}, False) for at, (_, query) in enumerate(kept)]
    return SearchSet(f"functions/{repository.replace('/', '__')}", paths, [code for code, _ in kept], queries, [])


def function_sets(rows: Path) -> list[SearchSet]:
    """One set a held-out repository."""
    return [function_set(rows, repository) for repository in HELD_OUT]
