"""Figures, cells and plots of the comparison's report by hand."""

import json
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from landmark_training import pooling_report
from landmark_training.pooling_figures import Comparison, Figure, figure, key_of, reciprocal
from landmark_training.pooling_measure import compact
from landmark_training.pooling_report import COMPARED, conditions, filled, read_runs, seeds_of
from landmark_training.pooling_tables import Condition, cell, run_table, seed_table, winner_table
from landmark_training.svg_plots import Difference, Series, difference_plot, line_plot, scale

LABELS = ("mean-0", "lmk-variable-64")


def ranks_of(file: str, place: str) -> dict:
    """Ranks of a set where every arm but the file's vector finds everything at once."""
    found = "1" * len(file)
    arms = {"file": file, "best": found, "both": found, "file+words": found, "both+words": found}
    cases = {"file": file, "both": file, "file+words": file}
    return {"commits": arms, "questions": arms, "cases": cases, "place": place, "segments": 7}


def some_data() -> dict:
    """Two sets; of the first's three queries mean finds two at rank 2, landmarks all at rank 1."""
    one = ranks_of("4", "")
    facts = {"files": 9, "tokens": 1000, "leaks": "100", "case_tokens": [100, 3000, 9000]}
    own = {"mean-0": {"a__b": ranks_of("220", "01"), "c__d": one}}
    own["lmk-variable-64"] = {"a__b": ranks_of("111", "11"), "c__d": one}
    return {"sets": {"a__b": facts, "c__d": {**facts, "leaks": "0", "case_tokens": [512]}}, "ranks": own}


def another_seed() -> dict:
    """The same, where mean finds all three at rank 1 and no landmarks were trained."""
    data = some_data()
    data["ranks"] = {"mean-0": {"a__b": ranks_of("111", "11"), "c__d": ranks_of("a", "")}}
    return data


class Figures(unittest.TestCase):
    """Means over sets and their intervals."""

    def test_a_figure_is_the_mean_over_sets_whatever_their_size(self):
        made = figure([np.array([1.0, 1.0, 1.0]), np.array([0.5])], [np.array([0.5, 0.5, 0.5]), np.array([0.5])])
        self.assertEqual((made.value, made.difference, made.low, made.high, made.count), (0.75, 0.25, 0.25, 0.25, 4))
        self.assertTrue(made.differs)
        self.assertFalse(figure([np.array([1.0, 0.0])], [np.array([0.0, 1.0])]).differs)

    def test_ranks_become_reciprocals(self):
        self.assertEqual(reciprocal("14a0").tolist(), [1.0, 0.25, 0.1, 0.0])

    def test_a_comparison_takes_queries_and_cases_of_its_sets(self):
        c = Comparison([some_data()], ["a__b", "c__d"])
        self.assertEqual(c.keys(), {"mean": "mean-0", "lmk-variable": "lmk-variable-64"})
        self.assertEqual(c.keys(32), {"mean": "mean-0"})
        self.assertAlmostEqual(c.macro("mean-0", "commits", "file").value, (1 / 3 + 1 / 4) / 2)
        self.assertAlmostEqual(c.leaking("lmk-variable-64", "file", 0).value, (1 + 1 / 4) / 2)
        short, long = c.by_length("lmk-variable-64", "file", 0), c.long_files("lmk-variable-64", "file")
        self.assertEqual((short.count, short.value), (2, (1 + 1 / 4) / 2))
        self.assertEqual((long.count, long.value, long.difference), (2, 1.0, 0.75))
        self.assertEqual(c.places("lmk-variable-64").difference, 0.5)

    def test_a_set_without_queries_that_leak_counts_in_no_mean_of_them(self):
        figure = Comparison([some_data()], ["a__b", "c__d"]).leaking("lmk-variable-64", "file", 1)
        self.assertEqual((figure.value, figure.count), (1.0, 1))

    def test_a_query_counts_with_its_mean_over_the_seeds(self):
        c = Comparison([some_data(), another_seed()], ["a__b", "c__d"])
        mean = c.macro("mean-0", "commits", "file")
        self.assertAlmostEqual(mean.value, ((0.75 + 0.75 + 0.5) / 3 + (1 / 4 + 1 / 10) / 2) / 2)
        self.assertEqual(mean.count, 4)
        self.assertEqual(c.places("mean-0").value, 0.75)
        # What one seed has is compared with that seed's mean pooling.
        landmarks = c.macro("lmk-variable-64", "commits", "file")
        self.assertAlmostEqual(landmarks.difference, ((0.5 + 0.5 + 1) / 3 + 0) / 2)

    def test_the_interval_is_one_over_queries_whatever_the_seeds(self):
        data, sets = some_data(), ["a__b", "c__d"]
        alone, twice = (Comparison([data] * times, sets).macro(LABELS[1], "commits", "file") for times in (1, 2))
        self.assertEqual(alone, twice)

    def test_cells_show_where_the_interval_leaves_out_zero(self):
        self.assertEqual(cell(Figure(0.5, 0.1, 0.05, 0.2, 9)), "**0.500** [+0.050, +0.200]")
        self.assertEqual(cell(Figure(0.5, 0.1, -0.05, 0.2, 9)), "0.500 [-0.050, +0.200]")
        self.assertEqual(cell(Figure(0.5, 0.0, 0.0, 0.0, 9), True), "0.500")

    def test_the_winner_stands_beside_mean_set_by_set(self):
        data = some_data()
        data["ranks"]["lmk-sentence-0"] = {"c__d": ranks_of("2", "")}
        lines = winner_table(data, ["lmk-variable", "lmk-sentence"]).splitlines()
        self.assertEqual(len(lines), 6)
        self.assertTrue(lines[2].startswith("| a/b | 3 | 0.333 | **1.000** [+0.500, +1.000] |  |"))
        self.assertTrue(lines[4].startswith("| **mean of 2** | 4 | 0.292 | **0.625** [+0.250, +0.500] |  |"))
        self.assertTrue(lines[5].startswith("| c/d | 1 | 0.250 | 0.250 [+0.000, +0.000] | **0.500**"))

    def test_landmarks_stand_beside_mean_pooling_of_the_same_runs(self):
        data, other = some_data(), some_data()
        other["ranks"] = dict(zip(LABELS, reversed(list(other["ranks"].values()))))
        own = {"one": Condition([data], *reversed(LABELS)), "both": Condition([data, other], *reversed(LABELS))}
        own["gone"] = Condition([data, another_seed()], *reversed(LABELS))
        lines = run_table(own, ["a__b"], ["c__d"]).splitlines()
        self.assertEqual(lines[0], "| mean → landmarks | one | both | gone |")
        first = "0.333 → 1.000: **+0.667** [+0.500, +1.000] | 0.667 → 0.667: +0.000 [+0.000, +0.000] |  |"
        self.assertEqual(lines[2], f"| file, pooled | {first}")
        long = next(line for line in lines if line.startswith("| over 2,048 tokens, pooled |"))
        self.assertTrue(long.startswith("| over 2,048 tokens, pooled | 0.250 → 1.000: **+0.750** [+0.500, +1.000] |"))
        self.assertTrue(lines[-1].startswith("| function, pooled | 0.250 → 0.250: +0.000 [+0.000, +0.000] |"))

    def test_seeds_stand_side_by_side(self):
        lines = seed_table([some_data(), another_seed()], ["a__b"], ["c__d"]).splitlines()
        mean, landmarks = (
            next(line for line in lines if line.startswith(f"| {name}")) for name in ("Mean |", "LMK, {")
        )
        self.assertEqual(mean, "| Mean | 0.333 | 1.000 | 1.000 | 1.000 | 0.250 | 0.100 |")
        self.assertTrue(landmarks.startswith("| LMK, {32, 64, 128, 256} | **1.000** [+0.500, +1.000] |  |"))


class Page(unittest.TestCase):
    """Marks and data of the page."""

    def test_what_stands_between_marks_is_replaced_and_nothing_else(self):
        text = "a\n<!-- x -->\nold\n<!-- end -->\nb\n<!-- y -->\nkept\n<!-- end -->\n"
        once = filled(text, "x", "| new |\n")
        self.assertEqual(once, "a\n<!-- x -->\n\n| new |\n\n<!-- end -->\nb\n<!-- y -->\nkept\n<!-- end -->\n")
        self.assertEqual(filled(once, "x", "| new |\n"), once)
        with self.assertRaises(ValueError):
            filled(text, "z", "")

    def test_data_is_json(self):
        self.assertEqual(json.loads(compact(some_data())), some_data())

    def test_what_was_not_trained_holds_for_both_seeds_and_each_start_counts_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = some_data(), another_seed()
            first["ranks"]["base-0"] = first["ranks"]["mean-0"]
            for run, data in (("first", first), ("second", second), ("other-start", some_data())):
                (Path(folder) / f"ranks-{run}.json").write_text(compact(data))
            runs = read_runs(Path(folder))
        self.assertEqual(set(runs["second"]["ranks"]), {"mean-0", "base-0"})
        self.assertEqual(seeds_of(runs), [runs["first"], runs["second"]])
        averaged = conditions(runs)["mean of both starts, 60 steps"].runs
        self.assertEqual([run is runs["other-start"] for run in averaged], [False, False, True, True])

    def test_the_page_shows_what_its_ranks_say(self):
        folder = Path(pooling_report.__file__).parents[1] / "report"
        page, runs = (folder / "README.md").read_text("utf8"), read_runs(folder)
        c = Comparison(seeds_of(runs), list(COMPARED))
        for label in ("lmk-variable", "cls"):
            figure = c.macro(key_of(label), "commits", "file")
            self.assertIn(f"| {cell(figure)} | {cell(c.macro(key_of(label), 'commits', 'best'))} |", page)


class Plots(unittest.TestCase):
    """SVG that can be read, with everything inside."""

    def test_ticks_are_round_and_hold_all_values(self):
        self.assertEqual([round(tick, 9) for tick in scale(0.31, 0.58)], [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6])
        self.assertEqual([round(tick, 9) for tick in scale(3.39, 4.78)], [3.2, 3.4, 3.6, 3.8, 4.0, 4.2, 4.4, 4.6, 4.8])
        self.assertEqual([round(tick, 9) for tick in scale(0.2, 0.2)], [0.2, 0.21])

    def test_a_line_has_a_point_a_value_and_gaps_where_there_is_none(self):
        made = ElementTree.fromstring(
            line_plot("A & B", ["x", "y"], [Series("s", [0.1, 0.4]), Series("t", [None, 0.2])])
        )
        names = [part.tag.rsplit("}", 1)[1] for part in made]
        self.assertEqual(names.count("circle"), 3)
        self.assertEqual(names.count("polyline"), 2)
        self.assertIn("A & B", [part.text for part in made])

    def test_a_difference_has_its_interval_around_its_dot(self):
        made = ElementTree.fromstring(difference_plot("d", [Difference("one", 0.02, -0.01, 0.05)]))
        dot = next(part for part in made if part.tag.endswith("circle"))
        line = [part for part in made if part.tag.endswith("line") and part.get("stroke-width") == "2"][0]
        self.assertLess(float(line.get("x1")), float(dot.get("cx")))
        self.assertLess(float(dot.get("cx")), float(line.get("x2")))


if __name__ == "__main__":
    unittest.main()
