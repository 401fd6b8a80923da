"""Comparison, tables: figures with their intervals, as Markdown."""

from dataclasses import dataclass

import numpy as np

from .pooling_figures import LENGTHS, REFERENCE, UNTRAINED, Comparison, Figure, key_of
from .poolings import GRANULARITIES, POOLINGS

LENGTH_NAMES = ("up to 512", "513 to 2,048", "2,049 to 8,192", "over 8,192")
TITLES = {name: pooling.title for name, pooling in POOLINGS.items()} | {
    "words": "Words alone (BM25)",
    "base": "Untrained base, mean",
    "base-lmk": "Untrained base, LMK 64",
}


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


def title(c: Comparison, label: str, key: str) -> str:
    """The pooling's name, and whether fewer seeds of it were measured than of others."""
    fewer = len(c.measured(key)) < len(c.runs) and label not in UNTRAINED
    return f"{TITLES[label]} (one seed)" if fewer else TITLES[label]


def by_label(c: Comparison, columns: dict, left_out: tuple[str, ...] = ("words",)) -> str:
    """A row a pooling; columns are name → function of the key that gives a Figure."""
    rows = []
    for label, key in c.keys().items():
        if label not in left_out:
            rows.append([title(c, label, key), *(cell(of(key), key == REFERENCE) for of in columns.values())])
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
    columns = {head: lambda key, arm=arm: c.macro(key, kind, arm) for arm, head in ARMS.items()}
    return by_label(c, columns)


def length_table(c: Comparison, arm: str) -> str:
    """By the tokens of the relevant file; the last column holds the two before it."""
    parts = {name: lambda key, at=at: c.by_length(key, arm, at) for at, name in enumerate(LENGTH_NAMES)}
    parts["over 2,048"] = lambda key: c.long_files(key, arm)
    columns = {f"{name} ({of(REFERENCE).count})": of for name, of in parts.items()}
    return by_label(c, columns, () if arm == "file" else ("words",))


def leak_table(c: Comparison) -> str:
    """By whether the query names the file."""
    columns = {}
    for arm in ("file", "file+words"):
        for leaks, name in ((0, "does not name it"), (1, "names it")):
            count = c.leaking(REFERENCE, arm, leaks).count
            head = f"{name} ({count})" if arm == "file" else f"{name}, with words"
            columns[head] = lambda key, arm=arm, leaks=leaks: c.leaking(key, arm, leaks)
    return by_label(c, columns)


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
            segments = sum(c.measured(key)[0][key][name]["segments"] for name in c.sets)
            best = cell(c.macro(key, "commits", "best"), key == REFERENCE)
            place = cell(c.places(key), key == REFERENCE)
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
            rows.append([title(c, label, key), *cells])
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
            rows.append([title(c, label, key), *cells])
    forms = ("384", "384 int8", "128", "128 int8")
    return table(["pooling", *(f"file {form}" for form in forms), *(f"best {form}" for form in forms)], rows)


def function_table(c: Comparison) -> str:
    """Doc comments to the functions they were taken from, alone and with words."""
    columns = {
        "function alone": lambda key: c.macro(key, "commits", "file"),
        "function with words": lambda key: c.macro(key, "commits", "file+words"),
    }
    return by_label(c, columns)


def language_table(c: Comparison) -> str:
    """The translated queries; intervals are against the same pooling's English."""
    rows = []
    for label, key in c.keys().items():
        arms = ("file",) if label == "words" else ("file", "file+words")
        cells = []
        for arm in arms:
            cells.append(cell(c.macro(key, "en", arm), True))
            cells += [cell(c.macro(key, language, arm, (key, "en", arm))) for language in ("fr", "pt")]
        rows.append([title(c, label, key), *cells, *[""] * (6 - len(cells))])
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
        rows.append([title(c, other, key), *map(difference_cell, figures)])
    head = ["against", "all files", "all files, with words", "up to 512 tokens", "over 2,048 tokens", "functions"]
    return table(head, rows)


def difference_cell(each: Figure) -> str:
    """`+0.012 [-0.010, +0.020]`; bold where the interval leaves out zero."""
    mark = "**" if each.differs else ""
    return f"{mark}{each.difference:+.3f}{mark} [{each.low:+.3f}, {each.high:+.3f}]"


def winner_table(data: dict, winners: list[str]) -> str:
    """Some poolings against mean pooling set by set and on average; empty where one was not measured on all."""
    labels = ["mean", *winners]
    known = {label: {name for name in data["ranks"].get(key_of(label), {}) if "/" not in name} for label in labels}
    known = {label: known[label] & known["mean"] for label in labels}
    rows = []
    wholes = sorted({tuple(sorted(own)) for own in known.values()}, key=len, reverse=True)
    for names in [*((name,) for name in wholes[0]), *wholes]:
        c = Comparison([data], list(names))
        cells = [
            cell(c.macro(key_of(label), "commits", arm), label == "mean") if known[label].issuperset(names) else ""
            for arm in ("file", "best", "file+words")
            for label in labels
        ]
        name = names[0].replace("__", "/") if len(names) == 1 else f"**mean of {len(names)}**"
        rows.append([name, str(sum(len(facts["leaks"]) for facts in c.facts)), *cells])
    forms = ("", ": best vector", ", with words")
    return table(["set", "queries", *(f"{TITLES[label]}{form}" for form in forms for label in labels)], rows)


def cost_table(speed: list[dict]) -> str:
    """Tokens and processor time by k, as shares of the plain input."""
    rows = []
    for each in speed:
        added = [f"{100 * (each[name] - 1):+.1f} %" for name in ("share_of_tokens", "share_of_time")]
        rows.append([f"k = {each['k']}" if each["k"] else "no landmarks", f"{each['tokens']:,}", *added])
    return table(["input", "tokens", "tokens added", "processor time added"], rows)


def training_table(logs: dict[str, dict]) -> str:
    """Loss at the start and at the end, tokens and processor time of each training, by what was done and pooling."""
    rows = []
    for run, own in logs.items():
        for label in (label for label in POOLINGS if label in own):
            log = own[label]["log"]
            first, last = (np.mean([each["loss"] for each in part]) for part in (log[:10], log[-10:]))
            seconds = sum(each["seconds"] for each in log)
            tokens = f"{own[label]['tokens'] / 1e3:,.0f} k"
            cells = [str(len(log)), tokens, f"{first:.2f}", f"{last:.2f}", f"{seconds / 60:.1f}"]
            rows.append([run, TITLES[label], *cells])
    head = ["training", "pooling", "steps", "tokens", "loss, first ten steps", "loss, last ten steps"]
    return table([*head, "processor minutes"], rows)


def set_table(data: dict) -> str:
    """What was searched."""
    rows = []
    for name, own in sorted(data["sets"].items()):
        count = len(own["leaks"])
        title = name.replace("functions/", "functions of ").replace("__", "/")
        rows.append([title, f"{own['files']:,}", f"{own['tokens']:,}", str(count), str(own["leaks"].count("0"))])
    return table(["set", "files", "tokens", "queries", "not naming the file"], rows)


# What landmarks and mean pooling are compared by: kind and arm, or cases over and up to so many tokens and arm.
MEASURES = {
    "file, pooled": ("commits", "file"),
    "file, best vector": ("commits", "best"),
    "file, both": ("commits", "both"),
    "file, pooled, with words": ("commits", "file+words"),
    "file, both, with words": ("commits", "both+words"),
    "up to 512 tokens, pooled": (0, 512, "file"),
    "over 2,048 tokens, pooled": (2048, LENGTHS[-1], "file"),
    "over 2,048 tokens, both": (2048, LENGTHS[-1], "both"),
    "over 2,048 tokens, pooled, with words": (2048, LENGTHS[-1], "file+words"),
    "question, pooled": ("questions", "file"),
    "question, both, with words": ("questions", "both+words"),
}


@dataclass(frozen=True)
class Condition:
    """What two readings are compared under: the runs that are averaged, the one and the other key."""

    runs: list[dict]
    own: str
    reference: str


def run_table(conditions: dict[str, Condition], sets: list[str], functions: list[str]) -> str:
    """Landmarks against mean pooling by everything that was done to both: both values and their difference."""
    measures = MEASURES | {"function, pooled": ("commits", "file")}
    rows = []
    for name, measure in measures.items():
        cells = []
        for each in conditions.values():
            c = Comparison(each.runs, functions if name.startswith("function") else sets)
            known = len(c.measured(each.own, each.reference)) == len(each.runs)
            cells.append(pair_cell(measured(c, measure, each.own, each.reference)) if known else "")
        rows.append([name, *cells])
    return table(["mean → landmarks", *conditions], rows)


def measured(c: Comparison, measure: tuple, own: str, reference: str) -> Figure:
    """One of `MEASURES`, or its like."""
    if len(measure) == 2:
        return c.macro(own, *measure, (reference, *measure))
    return c.by_tokens(own, measure[2], *measure[:2], (reference, measure[2]))


def pair_cell(each: Figure) -> str:
    """`0.449 → 0.437: -0.012 [-0.030, +0.005]`."""
    return f"{each.value - each.difference:.3f} → {each.value:.3f}: {difference_cell(each)}"


def seed_table(runs: list[dict], sets: list[str], functions: list[str]) -> str:
    """The same figures of each seed alone; intervals are to mean pooling of the same seed."""
    rows = []
    arms = {"files": (sets, "file"), "files, with words": (sets, "file+words"), "functions": (functions, "file")}
    for label in POOLINGS:
        cells = []
        for names, arm in arms.values():
            for run in runs:
                c, key = Comparison([run], names), key_of(label)
                there = c.measured(key, REFERENCE)
                cells.append(cell(c.macro(key, "commits", arm), key == REFERENCE) if there else "")
        rows.append([TITLES[label], *cells])
    seeds = range(1, len(runs) + 1)
    return table(["pooling", *(f"{name}, seed {seed}" for name in arms for seed in seeds)], rows)
