"""Search sets with their tokens, windows and ends of sentences, made once and remembered in a file."""

import argparse
import json
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .definitions import function_set
from .layout import cut_windows
from .pooling_train import HELD_OUT
from .search_sets import Query, SearchSet, load_set
from .sentence_ends import sentence_ends
from .tokens import TextTokenizer

CAPACITY = 256
TRANSLATED = Path(__file__).parents[1] / "translated_queries.jsonl"
FUNCTIONS = tuple(f"functions/{name.replace('/', '__')}" for name in HELD_OUT)
LANGUAGES = ("fr", "pt")


@dataclass(frozen=True)
class WindowText:
    """A window of a file: its content ids, the line of each, and the exclusive ends of its sentences."""

    owner: int
    ids: np.ndarray
    lines: np.ndarray
    ends: tuple[int, ...]


@dataclass(frozen=True)
class TokenisedSet:
    """Files in windows, the tokens of each file, and queries by kind with their ids."""

    name: str
    paths: list[str]
    texts: list[str]
    counts: np.ndarray
    windows: list[WindowText]
    queries: dict[str, list[Query]]
    query_ids: dict[str, list[list[int]]]


def add_set_options(parser: argparse.ArgumentParser) -> None:
    """The options that say where `open_set` finds what it needs."""
    for name in ("--tokenizer", "--sets", "--questions", "--rows", "--cache"):
        parser.add_argument(name, type=Path, required=True)


def open_set(name: str, sets: Path, questions: Path, rows: Path, tokenizer: TextTokenizer, cache: Path) -> TokenisedSet:
    """Reads what is remembered, or tokenises a folder of `sets` or the functions of a held-out repository."""
    remembered = cache / f"{name.replace('/', '-')}.pickle"
    if remembered.exists():
        return pickle.loads(remembered.read_bytes())
    if name.startswith("functions/"):
        found = function_set(rows, name.split("/", 1)[1].replace("__", "/"))
    else:
        found = load_set(sets / name, questions)
    made = tokenise(found, translated(found), tokenizer)
    cache.mkdir(parents=True, exist_ok=True)
    partial = remembered.with_suffix(".part")
    partial.write_bytes(pickle.dumps(made))
    partial.rename(remembered)
    return made


def translated(search_set: SearchSet) -> dict[str, list[Query]]:
    """The queries that were translated by hand, in English and in each language; the answers stay the same."""
    rows = [json.loads(line) for line in TRANSLATED.read_text("utf8").splitlines()]
    rows = [row for row in rows if row["set"] == search_set.name]
    own = {query.id: query for query in search_set.commits}
    result = {"en": [own[row["id"]] for row in rows]}
    for language in LANGUAGES:
        result[language] = [
            Query(row["id"], row[language], own[row["id"]].relevant, own[row["id"]].hunks, own[row["id"]].leaks_name)
            for row in rows
        ]
    return result


def tokenise(search_set: SearchSet, more: dict[str, list[Query]], tokenizer: TextTokenizer) -> TokenisedSet:
    """Cuts every file into windows of up to 256 tokens, as the program does; nothing is left out."""
    windows, counts = [], []
    for owner, (path, text) in enumerate(zip(search_set.paths, search_set.texts)):
        tokens = tokenizer.encode_text(text)
        counts.append(len(tokens.ids))
        last = np.searchsorted(tokens.lines, sorted(sentence_ends(text, path)), side="right")
        for start, end in cut_windows(tokens.ids, tokens.lines, CAPACITY):
            ends = np.unique(last[(start < last) & (last < end)] - start)
            windows.append(WindowText(owner, tokens.ids[start:end], tokens.lines[start:end], tuple(ends.tolist())))
    queries = {"commits": search_set.commits, "questions": search_set.questions, **more}
    queries = {kind: own for kind, own in queries.items() if own}
    ids = {kind: [tokenizer.encode_line(query.text) or [0] for query in own] for kind, own in queries.items()}
    return TokenisedSet(search_set.name, search_set.paths, search_set.texts, np.array(counts), windows, queries, ids)
