"""Comparison, tables: means of reciprocal ranks with paired bootstrap intervals, as Markdown."""

from dataclasses import dataclass

import numpy as np

from .compare import bootstrap
from .poolings import FIXED, GRANULARITIES, POOLINGS

REFERENCE = "mean-0"
LENGTHS = (0, 512, 2048, 8192, 10**9)
LENGTH_NAMES = ("up to 512", "513 to 2,048", "2,049 to 8,192", "over 8,192")
TITLES = {name: pooling.title for name, pooling in POOLINGS.items()} | {
    "words": "Words alone (BM25)",
    "base": "Untrained base, mean",
    "base-lmk": "Untrained base, LMK 64",
}


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
    """Figures from what `pooling_measure` wrote; `sets` are those that all poolings are compared on."""

    def __init__(self, data: dict, sets: list[str]):
        self.data = data
        self.sets = sets

    def keys(self, k: int = FIXED) -> dict[str, str]:
        """Label to the key of its ranks at this k, of all that was measured on the sets."""
        found = {}
        for label in TITLES:
            pooling = POOLINGS.get({"base": "mean", "base-lmk": "lmk-fixed"}.get(label, label))
            key = f"{label}-{k if pooling and pooling.uses_k else 0}"
            if all(name in self.data["ranks"].get(key, {}) for name in self.sets):
                found[label] = key
        return found

    def parts(self, key: str, kind: str, arm: str) -> list[np.ndarray]:
        """Reciprocal ranks of all queries of a kind, one array a set that has some."""
        own = self.data["ranks"][key]
        return [reciprocal(own[name][kind][arm]) for name in self.sets if kind in own[name]]

    def macro(self, key: str, kind: str, arm: str, against: tuple[str, str, str] | None = None) -> Figure:
        """The mean over sets of the means over queries; draws are made within the sets."""
        return figure(self.parts(key, kind, arm), self.parts(*(against or (REFERENCE, kind, arm))))

    def leaking(self, key: str, arm: str, leaks: int) -> Figure:
        """Commit subjects that name the file, or those that do not."""
        chosen = [np.array(self.data["sets"][name]["leaks"]) == leaks for name in self.sets]

        def kept(of):
            return [own[mask] for own, mask in zip(self.parts(of, "commits", arm), chosen)]

        return figure(kept(key), kept(REFERENCE))

    def by_length(self, key: str, arm: str, bucket: int, against: tuple[str, str] | None = None) -> Figure:
        """Cases (query, relevant file) whose file has so many tokens, over all sets together."""
        reference, other = against or (REFERENCE, arm)
        tokens = np.concatenate([self.data["sets"][name]["case_tokens"] for name in self.sets])
        chosen = (tokens > LENGTHS[bucket]) & (tokens <= LENGTHS[bucket + 1])
        own, theirs = (np.concatenate(self.parts(*each)) for each in ((key, "cases", arm), (reference, "cases", other)))
        return figure([own[chosen]], [theirs[chosen]])

    def long_files(self, key: str, arm: str, against: tuple[str, str] | None = None) -> Figure:
        """Cases whose file has more than 2,048 tokens."""
        reference, other = against or (REFERENCE, arm)
        tokens = np.concatenate([self.data["sets"][name]["case_tokens"] for name in self.sets])
        own, theirs = (np.concatenate(self.parts(*each)) for each in ((key, "cases", arm), (reference, "cases", other)))
        return figure([own[tokens > LENGTHS[2]]], [theirs[tokens > LENGTHS[2]]])

    def places(self, key: str, against: str) -> Figure:
        """Share of the cases over 2,048 tokens in which the best segment stands at a change."""
        own, theirs = (
            np.concatenate([self.data["ranks"][each][name]["place"] for name in self.sets]).astype(float)
            for each in (key, against)
        )
        return figure([own], [theirs])


def reciprocal(ranks: list[int]) -> np.ndarray:
    """1 / rank, and 0 where there is none."""
    own = np.array(ranks, float)
    return np.where(own > 0, 1 / np.maximum(own, 1), 0.0)


def figure(own: list[np.ndarray], reference: list[np.ndarray]) -> Figure:
    """The mean over parts of their means, and its difference to the reference; empty parts do not count."""
    own, reference = ([part for part in parts if len(part)] for parts in (own, reference))
    value = float(np.mean([part.mean() for part in own]))
    differences = [a - b for a, b in zip(own, reference)]
    low, high, _ = bootstrap(differences)
    return Figure(value, float(np.mean([part.mean() for part in differences])), low, high, sum(map(len, own)))


def cell(each: Figure, is_reference: bool = False) -> str:
    """`0.512 [-0.010, +0.020]`; bold where the interval leaves out zero, without an interval for the reference."""
    if not each.count:
        return ""
    if is_reference:
        return f"{each.value:.3f}"
    mark = "**" if each.differs else ""
    return f"{mark}{each.value:.3f}{mark} [{each.low:+.3f}, {each.high:+.3f}]"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def by_label(keys: dict[str, str], columns: dict, wanted: list[str] | None = None) -> str:
    """A row a pooling; columns are name → function of the key that gives a Figure."""
    rows = []
    for label, key in keys.items():
        if wanted is None or label in wanted:
            rows.append([TITLES[label], *(cell(of(key), key == REFERENCE) for of in columns.values())])
    return table(["pooling", *columns], rows)


ARMS = {
    "file": "pooled",
    "best": "best vector",
    "both": "both",
    "file+words": "pooled, with words",
    "both+words": "both, with words",
}


def file_table(c: Comparison, kind: str = "commits") -> str:
    """Files by the pooled vector, by the best single one, by both, and with words."""
    columns = {title: lambda key, arm=arm: c.macro(key, kind, arm) for arm, title in ARMS.items()}
    return by_label({label: key for label, key in c.keys().items() if label != "words"}, columns)


def length_table(c: Comparison, arm: str) -> str:
    """By the tokens of the relevant file."""
    keys = {label: key for label, key in c.keys().items() if label != "words" or arm == "file"}
    counts = [c.by_length(REFERENCE, arm, at).count for at in range(4)]
    columns = {
        f"{name} ({counts[at]})": lambda key, at=at: c.by_length(key, arm, at) for at, name in enumerate(LENGTH_NAMES)
    }
    return by_label(keys, columns)


def leak_table(c: Comparison) -> str:
    """By whether the query names the file."""
    keys = {label: key for label, key in c.keys().items() if label != "words"}
    columns = {}
    for arm in ("file", "file+words"):
        for leaks, name in ((0, "does not name it"), (1, "names it")):
            count = c.leaking(REFERENCE, arm, leaks).count
            title = f"{name} ({count})" if arm == "file" else f"{name}, with words"
            columns[title] = lambda key, arm=arm, leaks=leaks: c.leaking(key, arm, leaks)
    return by_label(keys, columns)


def granularity_table(c: Comparison) -> str:
    """Poolings that use k, at each k of inference."""
    rows = []
    for label, pooling in POOLINGS.items():
        keys = [(k, c.keys(k).get(label)) for k in GRANULARITIES] if pooling.uses_k else []
        if not any(key for _, key in keys):
            continue
        cells = [cell(c.macro(key, "commits", "file")) if key else "" for _, key in keys]
        rows.append([TITLES[label], *cells])
    return table(["pooling", *(f"k = {k}" for k in GRANULARITIES)], rows)


def place_table(c: Comparison) -> str:
    """Best segment by k: the rank of the file by it, and whether it stands at a change, against the best window."""
    rows = []
    chosen = [(label, 0) for label in ("mean", "cls", "latent", "lmk-sentence")]
    chosen += [
        (label, k)
        for label in ("every-k", "multi-cls", "lmk-fixed", "lmk-variable", "lmk-retro")
        for k in GRANULARITIES
    ]
    for label, k in chosen:
        key = c.keys(k).get(label) if k else c.keys().get(label)
        if key:
            own = c.data["ranks"][key]
            segments = sum(own[name]["segments"] for name in c.sets)
            best = cell(c.macro(key, "commits", "best"), key == REFERENCE)
            place = cell(c.places(key, REFERENCE), key == REFERENCE)
            rows.append([TITLES[label], str(k) if k else "", f"{segments:,}", best, place])
    return table(["pooling", "k", "vectors", "file by its best vector", "place (files over 2,048 tokens)"], rows)


def segment_table(c: Comparison) -> str:
    """Pooled vector, best single vector, and both; intervals are against the same pooling's pooled vector."""
    rows = []
    for label, key in c.keys().items():
        if label in POOLINGS:
            cells = [cell(c.macro(key, "commits", "file"), True)]
            cells += [cell(c.macro(key, "commits", arm, (key, "commits", "file"))) for arm in ("best", "both")]
            cells.append(cell(c.long_files(key, "file"), True))
            cells += [cell(c.long_files(key, arm, (key, "file"))) for arm in ("best", "both")]
            rows.append([TITLES[label], *cells])
    return table(["pooling", "pooled", "best", "both", "long: pooled", "long: best", "long: both"], rows)


def storage_table(c: Comparison) -> str:
    """What is lost by bytes and by 128 dimensions; intervals are against the same vector whole."""
    rows = []
    for label, key in c.keys().items():
        if label in POOLINGS:
            cells = []
            for arm in ("file", "best"):
                cells.append(cell(c.macro(key, "commits", arm), True))
                for name in ("int8", "128", "128 int8"):
                    cells.append(cell(c.macro(key, "commits", f"{arm}/{name}", (key, "commits", arm))))
            rows.append([TITLES[label], *cells])
    forms = ("384", "384 int8", "128", "128 int8")
    return table(["pooling", *(f"file {form}" for form in forms), *(f"best {form}" for form in forms)], rows)


def function_table(c: Comparison) -> str:
    """Doc comments to the functions they were taken from, alone and with words."""
    columns = {
        "function alone": lambda key: c.macro(key, "commits", "file"),
        "function with words": lambda key: c.macro(key, "commits", "file+words"),
    }
    return by_label({label: key for label, key in c.keys().items() if label != "words"}, columns)


def language_table(c: Comparison) -> str:
    """The translated queries; intervals are against the same pooling's English."""
    rows = []
    for label, key in c.keys().items():
        arms = ("file",) if label == "words" else ("file", "file+words")
        cells = []
        for arm in arms:
            cells.append(cell(c.macro(key, "en", arm), True))
            cells += [cell(c.macro(key, language, arm, (key, "en", arm))) for language in ("fr", "pt")]
        rows.append([TITLES[label], *cells, *[""] * (6 - len(cells))])
    names = ("English", "French", "Portuguese")
    return table(["pooling", *names, *(f"{name}, with words" for name in names)], rows)


def against_table(c: Comparison, functions: Comparison, label: str) -> str:
    """One pooling against each of the others: differences of the pooled vector."""
    rows = []
    for other, key in c.keys().items():
        own = c.keys()[label]
        if other not in POOLINGS or key == own:
            continue
        figures = [
            c.macro(own, "commits", "file", (key, "commits", "file")),
            c.macro(own, "commits", "file+words", (key, "commits", "file+words")),
            c.by_length(own, "file", 0, (key, "file")),
            c.long_files(own, "file", (key, "file")),
            functions.macro(own, "commits", "file", (key, "commits", "file")),
        ]
        rows.append([TITLES[other], *map(difference_cell, figures)])
    head = ["against", "all files", "all files, with words", "up to 512 tokens", "over 2,048 tokens", "functions"]
    return table(head, rows)


def difference_cell(each: Figure) -> str:
    """`+0.012 [-0.010, +0.020]`; bold where the interval leaves out zero."""
    mark = "**" if each.differs else ""
    return f"{mark}{each.difference:+.3f}{mark} [{each.low:+.3f}, {each.high:+.3f}]"


def winner_table(data: dict, winners: list[str]) -> str:
    """Some poolings against mean pooling set by set, on all sets that each was measured on, and their mean."""
    keys = {label: f"{label}-{FIXED if POOLINGS[label].uses_k else 0}" for label in ["mean", *winners]}
    shared = set.intersection(*(set(data["ranks"].get(key, {})) for key in keys.values()))
    names = sorted(name for name in shared if not name.startswith("functions/"))
    rows = []
    for own in [[name] for name in names] + [names]:
        c = Comparison(data, own)
        cells = [
            cell(c.macro(key, "commits", arm), label == "mean")
            for arm in ("file", "best", "file+words")
            for label, key in keys.items()
        ]
        name = own[0].replace("__", "/") if len(own) == 1 else f"**mean of {len(own)}**"
        rows.append([name, str(sum(len(data["sets"][each]["leaks"]) for each in own)), *cells])
    forms = ("", ": best vector", ", with words")
    return table(["set", "queries", *(f"{TITLES[label]}{form}" for form in forms for label in keys)], rows)


def cost_table(speed: list[dict]) -> str:
    """Tokens and processor time by k, as shares of the plain input."""
    rows = []
    for each in speed:
        added = [f"{100 * (each[name] - 1):+.1f} %" for name in ("share_of_tokens", "share_of_time")]
        rows.append([f"k = {each['k']}" if each["k"] else "no landmarks", f"{each['tokens']:,}", *added])
    return table(["input", "tokens", "tokens added", "processor time added"], rows)


def training_table(logs: dict) -> str:
    """Loss at the start and at the end, tokens and processor time of each training."""
    rows = []
    for label in POOLINGS:
        if label in logs:
            log = logs[label]["log"]
            first, last = (np.mean([each["loss"] for each in part]) for part in (log[:10], log[-10:]))
            seconds = sum(each["seconds"] for each in log)
            tokens = f"{logs[label]['tokens'] / 1e3:,.0f} k"
            rows.append([TITLES[label], str(len(log)), tokens, f"{first:.2f}", f"{last:.2f}", f"{seconds / 60:.1f}"])
    head = ["pooling", "steps", "tokens", "loss, first ten steps", "loss, last ten steps", "processor minutes"]
    return table(head, rows)


def set_table(data: dict) -> str:
    """What was searched."""
    rows = []
    for name, own in sorted(data["sets"].items()):
        count = len(own["leaks"])
        title = name.replace("functions/", "functions of ").replace("__", "/")
        rows.append([title, f"{own['files']:,}", f"{own['tokens']:,}", str(count), str(count - sum(own["leaks"]))])
    return table(["set", "files", "tokens", "queries", "not naming the file"], rows)


def longer_table(runs: dict[str, dict], sets: list[str]) -> str:
    """The same poolings after more steps; `runs` are ranks by what was done. Intervals are to mean of the same run."""
    rows = []
    for run, data in runs.items():
        c = Comparison(data, sets)
        for label, key in c.keys().items():
            if label in ("mean", "lmk-variable"):
                figures = [c.macro(key, "commits", arm) for arm in ("file", "file+words")]
                figures.append(c.long_files(key, "file"))
                rows.append([run, TITLES[label], *(cell(each, key == REFERENCE) for each in figures)])
    return table(["training", "pooling", "file alone", "file with words", "over 2,048 tokens, alone"], rows)
