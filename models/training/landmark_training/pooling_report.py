"""Comparison, report: fills the tables of the report's page and draws its plots, from the ranks and the logs."""

import argparse
import json
import re
from pathlib import Path

import numpy as np

from . import pooling_tables as tables
from .pooling_tables import LENGTH_NAMES, REFERENCE, TITLES, Comparison
from .poolings import GRANULARITIES, POOLINGS
from .svg_plots import Difference, Series, difference_plot, line_plot

COMPARED = ("microsoft__vscode-js-debug", "scrapy__scrapy", "square__okhttp", "vuejs__core")
# Granularities other than 64 cost a run each, so they were run on these.
GRANULARITY_SETS = ("microsoft__vscode-js-debug", "scrapy__scrapy")
# What went on for more steps.
LONGER = (REFERENCE, "lmk-variable-64")
SMOOTH = 10


def main() -> None:
    """Writes the plots, and the tables between the marks `<!-- name -->` and `<!-- end -->` of README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=Path, required=True, help="what `pooling_measure` wrote")
    parser.add_argument("--run", type=Path, required=True, help="folder that the trainings wrote")
    parser.add_argument("--speed", type=Path, required=True, help="what `pooling_speed` wrote")
    parser.add_argument("--longer", type=Path, required=True, help="ranks of trainings that went on from there")
    parser.add_argument("--longer-run", type=Path, required=True, help="folder that those trainings wrote")
    parser.add_argument("--winners", nargs="+", default=["lmk-variable", "lmk-sentence"], help="measured on more sets")
    parser.add_argument("--report", type=Path, default=Path(__file__).parents[1] / "report")
    options = parser.parse_args()
    data, longer = (json.loads(path.read_text()) for path in (options.ranks, options.longer))
    logs, more = (
        {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
        for folder in (options.run, options.longer_run)
    )
    page = options.report / "README.md"
    text = page.read_text("utf8")
    made_sections = sections(data, logs, json.loads(options.speed.read_text()), options.winners)
    steps = [max(len(own["log"]) for name, own in each.items() if name in POOLINGS) for each in (logs, more)]
    runs = {f"{steps[0]} steps": data, f"{sum(steps)} steps": longer}
    known = [name for name in COMPARED if all(name in longer["ranks"].get(key, {}) for key in LONGER)]
    made_sections["longer"] = tables.longer_table(runs, known)
    for name, made in made_sections.items():
        text = filled(text, name, made)
    page.write_text(text, "utf8")
    for name, plot in plots(data, logs).items():
        (options.report / f"{name}.svg").write_text(plot, "utf8")
    (options.report / "ranks.json").write_text(compact(data))
    (options.report / "ranks-longer.json").write_text(compact(longer))
    (options.report / "training.json").write_text(compact({"first": logs, "longer": more}))


def sections(data: dict, logs: dict, speed: list[dict], winners: list[str]) -> dict[str, str]:
    """Tables by the name of their mark."""
    compared = Comparison(data, list(COMPARED))
    few = Comparison(data, list(GRANULARITY_SETS))
    functions = Comparison(data, sorted(name for name in data["sets"] if name.startswith("functions/")))
    return {
        "files": tables.file_table(compared),
        "questions": tables.file_table(compared, "questions"),
        "against": tables.against_table(compared, functions, "lmk-variable"),
        "length": tables.length_table(compared, "file"),
        "length of best": tables.length_table(compared, "best"),
        "length with words": tables.length_table(compared, "file+words"),
        "leaks": tables.leak_table(compared),
        "granularity": tables.granularity_table(few),
        "places": tables.place_table(few),
        "functions": tables.function_table(functions),
        "segments": tables.segment_table(compared),
        "storage": tables.storage_table(compared),
        "languages": tables.language_table(compared),
        "more": tables.winner_table(data, winners),
        "costs": tables.cost_table(speed),
        "training": tables.training_table(logs),
        "sets": tables.set_table(data),
    }


def filled(text: str, name: str, made: str) -> str:
    """The text with what stands between a mark and its end replaced."""
    mark = f"<!-- {name} -->"
    if mark not in text:
        raise ValueError(f"the page has no mark {mark}")
    return re.sub(rf"{mark}\n.*?<!-- end -->", lambda _: f"{mark}\n\n{made}\n<!-- end -->", text, count=1, flags=re.S)


def plots(data: dict, logs: dict) -> dict[str, str]:
    """SVG texts by file name."""
    compared, few = Comparison(data, list(COMPARED)), Comparison(data, list(GRANULARITY_SETS))
    keys = {label: key for label, key in compared.keys().items() if label in POOLINGS}
    others = {label: key for label, key in keys.items() if key != REFERENCE}
    found = {
        "difference-all": difference_plot(
            "Files alone, difference to mean pooling (MRR@10)",
            [_difference(label, compared.macro(key, "commits", "file")) for label, key in others.items()],
        ),
        "difference-long": difference_plot(
            "Files over 2,048 tokens alone, difference to mean pooling (MRR@10)",
            [_difference(label, compared.long_files(key, "file")) for label, key in others.items()],
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
            "Loss of training, mean of ten steps",
            [str(10 * at) for at in range(1, 7)],
            [Series(TITLES[label], _smoothed(logs[label]["log"])) for label in POOLINGS if label in logs],
        ),
    }
    return found


def compact(data: dict) -> str:
    """JSON of one line a key of the second level, so that a change shows where it is."""
    parts = [
        f'"{name}":{{\n'
        + ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in own.items())
        + "\n}"
        for name, own in data.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def _difference(label: str, figure) -> Difference:
    return Difference(TITLES[label], figure.difference, figure.low, figure.high)


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
