"""Comparison, figures: means of reciprocal ranks with paired bootstrap intervals, over one seed or the mean of some."""

from dataclasses import dataclass

import numpy as np

from .compare import bootstrap
from .poolings import FIXED, POOLINGS

REFERENCE = "mean-0"
LENGTHS = (0, 512, 2048, 8192, 10**9)
# What no training changes; its ranks are the same under every seed.
UNTRAINED = {"words": None, "base": "mean", "base-lmk": "lmk-fixed"}
LABELS = (*POOLINGS, *UNTRAINED)


@dataclass(frozen=True)
class Figure:
    """A mean of reciprocal ranks, the difference to a reference and the ends of its 95 % interval."""

    value: float
    difference: float
    low: float
    high: float
    count: int

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


class Comparison:
    """Figures from what `pooling_measure` wrote, one a run; `sets` are those that all poolings are compared on.

    Every query counts with the mean of its reciprocal ranks over the runs, so an interval is one over queries.
    """

    def __init__(self, runs: list[dict], sets: list[str]):
        self.runs = runs
        self.sets = sets

    @property
    def facts(self) -> list[dict]:
        """What does not depend on the pooling, of each set."""
        return [self.runs[0]["sets"][name] for name in self.sets]

    def measured(self, *keys: str) -> list[dict]:
        """The ranks of the runs that have all of these keys on all sets."""
        found = [run["ranks"] for run in self.runs]
        return [ranks for ranks in found if all(name in ranks.get(key, {}) for key in keys for name in self.sets)]

    def keys(self, k: int = FIXED) -> dict[str, str]:
        """Label to the key of its ranks at this k, of all that was measured on the sets."""
        keys = {label: key_of(label, k) for label in LABELS}
        return {label: key for label, key in keys.items() if self.measured(key)}

    def pair(self, own: tuple[str, str, str], reference: tuple[str, str, str]) -> tuple[list, list]:
        """Reciprocal ranks of both, (key, kind, arm), over the runs that have both; one array a set that has some."""
        runs = self.measured(own[0], reference[0])
        sets = [name for name in self.sets if own[1] in runs[0][own[0]][name]]
        return tuple(
            [np.mean([reciprocal(ranks[key][name][kind][arm]) for ranks in runs], axis=0) for name in sets]
            for key, kind, arm in (own, reference)
        )

    def macro(self, key: str, kind: str, arm: str, against: tuple[str, str, str] | None = None) -> Figure:
        """The mean over sets of the means over queries; draws are made within the sets."""
        return figure(*self.pair((key, kind, arm), against or (REFERENCE, kind, arm)))

    def leaking(self, key: str, arm: str, leaks: int) -> Figure:
        """Commit subjects that name the file, or those that do not."""
        chosen = [digits(facts["leaks"]) == leaks for facts in self.facts]
        both = self.pair((key, "commits", arm), (REFERENCE, "commits", arm))
        return figure(*([own[mask] for own, mask in zip(parts, chosen)] for parts in both))

    def by_tokens(
        self, key: str, arm: str, over: int, most: int = LENGTHS[-1], against: tuple[str, str] | None = None
    ) -> Figure:
        """Cases (query, relevant file) whose file has more than `over` and up to `most` tokens, over all sets alike."""
        reference, other = against or (REFERENCE, arm)
        tokens = np.concatenate([facts["case_tokens"] for facts in self.facts])
        chosen = (tokens > over) & (tokens <= most)
        both = self.pair((key, "cases", arm), (reference, "cases", other))
        return figure(*([np.concatenate(parts)[chosen]] for parts in both))

    def by_length(self, key: str, arm: str, bucket: int, against: tuple[str, str] | None = None) -> Figure:
        """Cases of one of the four lengths."""
        return self.by_tokens(key, arm, LENGTHS[bucket], LENGTHS[bucket + 1], against)

    def long_files(self, key: str, arm: str, against: tuple[str, str] | None = None) -> Figure:
        """Cases whose file has more than 2,048 tokens."""
        return self.by_tokens(key, arm, LENGTHS[2], against=against)

    def places(self, key: str) -> Figure:
        """Share of the cases over 2,048 tokens in which the best segment stands at a change."""
        runs = self.measured(key, REFERENCE)

        def hits(of):
            return np.mean([np.concatenate([digits(run[of][name]["place"]) for name in self.sets]) for run in runs], 0)

        return figure([hits(key)], [hits(REFERENCE)])


def key_of(label: str, k: int = FIXED) -> str:
    """The key of a label's ranks at this k of inference."""
    pooling = POOLINGS.get(UNTRAINED.get(label, label))
    return f"{label}-{k if pooling and pooling.uses_k else 0}"


def digits(text: str) -> np.ndarray:
    """One number a hexadecimal digit."""
    return np.array([int(each, 16) for each in text], float)


def reciprocal(ranks: str) -> np.ndarray:
    """1 / rank of each digit, and 0 where there is none."""
    own = digits(ranks)
    return np.where(own > 0, 1 / np.maximum(own, 1), 0.0)


def figure(own: list[np.ndarray], reference: list[np.ndarray]) -> Figure:
    """The mean over parts of their means, and its difference to the reference; empty parts do not count."""
    own, reference = ([part for part in parts if len(part)] for parts in (own, reference))
    value = float(np.mean([part.mean() for part in own]))
    differences = [a - b for a, b in zip(own, reference)]
    low, high, _ = bootstrap(differences)
    return Figure(value, float(np.mean([part.mean() for part in differences])), low, high, sum(map(len, own)))
