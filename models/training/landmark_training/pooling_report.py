"""Comparison, report: fills the tables of the report's page and draws its plots, from the ranks and the logs there."""

import argparse
import json
import re
from pathlib import Path

import numpy as np

from . import pooling_tables as tables
from .pooling_figures import REFERENCE, UNTRAINED, Comparison, Figure, key_of
from .pooling_measure import compact
from .pooling_tables import LENGTH_NAMES, TITLES, Condition, measured
from .poolings import GRANULARITIES, POOLINGS
from .svg_plots import Difference, Series, difference_plot, line_plot

COMPARED = ("microsoft__vscode-js-debug", "scrapy__scrapy", "square__okhttp", "vuejs__core")
# What was trained, by the name of its ranks: `ranks-NAME.json`.
RUNS = {
    "first": "60 steps, seed 1",
    "second": "60 steps, seed 2",
    "longer": "160 steps",
    "longest": "480 steps",
    "other-start": "60 steps, other start",
}
# MultiCLS was run with granularities other than 64 on these.
GRANULARITY_SETS = ("microsoft__vscode-js-debug", "scrapy__scrapy")
WINNERS = ("lmk-variable", "lmk-sentence")
WORDS = {"": "file", ", with words": "file+words"}
SMOOTH = 10


def main() -> None:
    """Writes the plots, and the tables between the marks `<!-- name -->` and `<!-- end -->` of README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, default=Path(__file__).parents[1] / "report")
    parser.add_argument("--training", nargs="*", default=[], help="RUN=FOLDER of trainings to take the logs of")
    options = parser.parse_args()
    training = options.report / "training.json"
    logs = json.loads(training.read_text()) if training.exists() else {}
    for each in options.training:
        run, _, folder = each.partition("=")
        logs[run] = {path.stem: json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))}
    logs = {run: logs[run] for run in RUNS if run in logs}
    training.write_text(compact(logs))
    runs = read_runs(options.report)
    page = options.report / "README.md"
    text = page.read_text("utf8")
    for name, made in sections(runs, logs, json.loads((options.report / "speed.json").read_text())).items():
        text = filled(text, name, made)
    page.write_text(text, "utf8")
    for name, plot in plots(runs, logs).items():
        (options.report / f"{name}.svg").write_text(plot, "utf8")


def read_runs(folder: Path) -> dict[str, dict]:
    """The ranks by run; what no training changes was measured with the first seed and holds for the second."""
    paths = {run: folder / f"ranks-{run}.json" for run in RUNS}
    runs = {run: json.loads(path.read_text()) for run, path in paths.items() if path.exists()}
    if "second" in runs:
        untrained = {key: own for key, own in runs["first"]["ranks"].items() if key in map(key_of, UNTRAINED)}
        runs["second"]["ranks"] = untrained | runs["second"]["ranks"]
    return runs


def seeds_of(runs: dict[str, dict]) -> list[dict]:
    """The seeds that there are."""
    return [runs[run] for run in ("first", "second") if run in runs]


def conditions(runs: dict[str, dict]) -> dict[str, Condition]:
    """What mean pooling and landmarks were compared under; of two starts each counts alike."""
    seeds, own = seeds_of(runs), (key_of("lmk-variable"), REFERENCE)
    untrained = (key_of("base-lmk"), key_of("base"))
    found = {
        "untrained": Condition([runs["first"]], *untrained),
        "60 steps, two seeds" if len(seeds) > 1 else "60 steps": Condition(seeds, *own),
    }
    found |= {RUNS[run]: Condition([runs[run]], *own) for run in ("longer", "longest") if run in runs}
    if "other-start" in runs:
        other = [runs["other-start"]]
        if all(key in other[0]["ranks"] for key in untrained):
            found["other start, untrained"] = Condition(other, *untrained)
        found["other start, 60 steps"] = Condition(other, *own)
        found["mean of both starts, 60 steps"] = Condition([*seeds, *other * len(seeds)], *own)
    return found


def sections(runs: dict[str, dict], logs: dict[str, dict], speed: list[dict]) -> dict[str, str]:
    """Tables by the name of their mark."""
    first, seeds = runs["first"], seeds_of(runs)
    functions = sorted(name for name in first["sets"] if name.startswith("functions/"))
    whole = sorted(name for name in first["ranks"][REFERENCE] if "/" not in name)
    compared, one_seed = Comparison(seeds, list(COMPARED)), Comparison([first], list(COMPARED))
    small, all_sets = Comparison(seeds, functions), Comparison([first], whole)
    found = {"seeds": tables.seed_table(seeds, list(COMPARED), functions)} if len(seeds) > 1 else {}
    return found | {
        "runs": tables.run_table(conditions(runs), list(COMPARED), functions),
        "files": tables.file_table(compared),
        "questions": tables.file_table(compared, "questions"),
        "against": tables.against_table(compared, small, "lmk-variable"),
        "length": tables.length_table(compared, "file"),
        "length of best": tables.length_table(compared, "best"),
        "length with words": tables.length_table(compared, "file+words"),
        "leaks": tables.leak_table(compared),
        "granularity": tables.granularity_table(one_seed),
        "granularity on two": tables.granularity_table(Comparison([first], list(GRANULARITY_SETS))),
        "places": tables.place_table(one_seed),
        "functions": tables.function_table(small),
        "segments": tables.segment_table(compared),
        "storage": tables.storage_table(compared),
        "languages": tables.language_table(compared),
        "more": tables.winner_table(first, list(WINNERS)),
        "more by length": tables.length_table(all_sets, "file"),
        "more by length of best": tables.length_table(all_sets, "best"),
        "more by length with words": tables.length_table(all_sets, "file+words"),
        "costs": tables.cost_table(speed),
        "training": tables.training_table({RUNS[run]: own for run, own in logs.items()}),
        "sets": tables.set_table(first),
    }


def filled(text: str, name: str, made: str) -> str:
    """The text with what stands between a mark and its end replaced."""
    mark = f"<!-- {name} -->"
    if mark not in text:
        raise ValueError(f"the page has no mark {mark}")
    return re.sub(rf"{mark}\n.*?<!-- end -->", lambda _: f"{mark}\n\n{made}\n<!-- end -->", text, count=1, flags=re.S)


def plots(runs: dict[str, dict], logs: dict[str, dict]) -> dict[str, str]:
    """SVG texts by file name."""
    compared, few = Comparison(seeds_of(runs), list(COMPARED)), Comparison([runs["first"]], list(COMPARED))
    keys = {label: key for label, key in compared.keys().items() if label in POOLINGS}
    others = {label: key for label, key in keys.items() if key != REFERENCE}
    under = {name: each for name, each in conditions(runs).items() if each.reference == REFERENCE}
    return {
        "difference-all": difference_plot(
            "Files alone, difference to mean pooling (MRR@10)",
            [_difference(TITLES[label], compared.macro(key, "commits", "file")) for label, key in others.items()],
        ),
        "difference-long": difference_plot(
            "Files over 2,048 tokens alone, difference to mean pooling (MRR@10)",
            [_difference(TITLES[label], compared.long_files(key, "file")) for label, key in others.items()],
        ),
        "difference-runs": difference_plot(
            "Landmarks with varying k, difference to mean pooling trained alike (MRR@10)",
            [
                _difference(
                    f"{name}{words}",
                    measured(Comparison(each.runs, list(COMPARED)), ("commits", arm), each.own, each.reference),
                )
                for words, arm in WORDS.items()
                for name, each in under.items()
            ],
        ),
        "by-length": line_plot(
            "Files alone by tokens of the relevant file (MRR@10)",
            list(LENGTH_NAMES),
            [
                Series(TITLES[label], [compared.by_length(key, "file", at).value for at in range(4)])
                for label, key in keys.items()
            ],
        ),
        "by-granularity": line_plot(
            "Files alone by k at inference (MRR@10)",
            [f"k = {k}" for k in GRANULARITIES],
            [Series(TITLES[label], values) for label in POOLINGS if any(values := _by_k(few, label))],
        ),
        "training": line_plot(
            "Loss of training, seed 1, mean of ten steps",
            [str(10 * at) for at in range(1, 7)],
            [Series(TITLES[name], _smoothed(logs["first"][name]["log"])) for name in POOLINGS if name in logs["first"]],
        ),
    }


def _difference(name: str, figure: Figure) -> Difference:
    return Difference(name, figure.difference, figure.low, figure.high)


def _by_k(few: Comparison, label: str) -> list[float | None]:
    pooling = POOLINGS[label]
    if not pooling.uses_k:
        return []
    keys = [few.keys(k).get(label) for k in GRANULARITIES]
    return [few.macro(key, "commits", "file").value if key else None for key in keys]


def _smoothed(log: list[dict]) -> list[float | None]:
    losses = [each["loss"] for each in log]
    return [float(np.mean(losses[at : at + SMOOTH])) for at in range(0, len(losses), SMOOTH)]


if __name__ == "__main__":
    main()
