"""BM25 over paths and contents with identifiers whole and split: the plain lexical search that vectors are added to."""

import math
import re
from collections import Counter, defaultdict

import numpy as np

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+")
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
STOP = frozenset("a an the of to in on for and or with when if is are be by from as at it its this that not".split())
SATURATION, LENGTH = 1.2, 0.75


def terms_of(text: str) -> list[str]:
    """Lower-case parts of identifiers without a plural s, and compound identifiers whole."""
    found = []
    for identifier in IDENTIFIER.findall(text):
        parts = [part.lower() for part in WORD.findall(identifier)]
        found += [singular(part) for part in parts if len(part) > 1 and part not in STOP]
        if len(parts) > 1:
            found.append("".join(parts))
    return found


def singular(term: str) -> str:
    """Without the s of a plural."""
    if term.endswith("ies") and len(term) > 5:
        return f"{term[:-3]}y"
    if term.endswith(("ses", "xes", "zes", "hes")) and len(term) > 5:
        return term[:-2]
    return term[:-1] if term.endswith("s") and not term.endswith("ss") and len(term) > 3 else term


class LexicalIndex:
    """Scores of all documents for a query."""

    def __init__(self, documents: list[str]):
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for at, document in enumerate(documents):
            terms = terms_of(document)
            lengths.append(len(terms))
            for term, count in Counter(terms).items():
                self._postings[term].append((at, count))
        self._lengths = np.array(lengths, np.float64)
        self._mean = max(1.0, float(self._lengths.mean()))

    def scores(self, query: str) -> np.ndarray:
        """[documents]; a term counts once however often the query has it."""
        total = np.zeros(len(self._lengths))
        for term in dict.fromkeys(terms_of(query)):
            postings = self._postings.get(term, [])
            weight = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for at, count in postings:
                norm = 1 - LENGTH + LENGTH * self._lengths[at] / self._mean
                total[at] += weight * count * (SATURATION + 1) / (count + SATURATION * norm)
        return total
