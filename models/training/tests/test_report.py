"""Figures, cells and plots of the comparison's report by hand."""

import unittest
from xml.etree import ElementTree

import numpy as np

from landmark_training.pooling_report import compact, filled
from landmark_training.pooling_tables import Comparison, Figure, cell, figure, reciprocal, winner_table
from landmark_training.svg_plots import Difference, Series, difference_plot, line_plot, scale


def some_data() -> dict:
    """Two sets; of the first's three queries mean finds two at rank 2, landmarks all at rank 1."""
    mean = {"commits": {"file": [2, 2, 0], "best": [1, 1, 1], "file+words": [1, 1, 1]}, "cases": {"file": [2, 2, 0]}}
    mean["place"] = [0, 1]
    lmk = {"commits": {"file": [1, 1, 1], "best": [1, 1, 1], "file+words": [1, 1, 1]}, "cases": {"file": [1, 2, 1]}}
    lmk["place"] = [1, 1]
    one = {"commits": {"file": [4], "best": [4], "file+words": [1]}, "cases": {"file": [4]}, "place": []}
    facts = {"files": 9, "tokens": 1000, "leaks": [1, 0, 0], "case_tokens": [100, 3000, 9000]}
    return {
        "sets": {"a__b": facts, "c__d": {**facts, "leaks": [0], "case_tokens": [512]}},
        "ranks": {"mean-0": {"a__b": mean, "c__d": one}, "lmk-variable-64": {"a__b": lmk, "c__d": one}},
    }


class Figures(unittest.TestCase):
    """Means over sets and their intervals."""

    def test_a_figure_is_the_mean_over_sets_whatever_their_size(self):
        made = figure([np.array([1.0, 1.0, 1.0]), np.array([0.5])], [np.array([0.5, 0.5, 0.5]), np.array([0.5])])
        self.assertEqual((made.value, made.difference, made.low, made.high, made.count), (0.75, 0.25, 0.25, 0.25, 4))
        self.assertTrue(made.differs)
        self.assertFalse(figure([np.array([1.0, 0.0])], [np.array([0.0, 1.0])]).differs)

    def test_ranks_become_reciprocals(self):
        self.assertEqual(reciprocal([1, 4, 0]).tolist(), [1.0, 0.25, 0.0])

    def test_a_comparison_takes_queries_and_cases_of_its_sets(self):
        c = Comparison(some_data(), ["a__b", "c__d"])
        self.assertEqual(c.keys(), {"mean": "mean-0", "lmk-variable": "lmk-variable-64"})
        self.assertEqual(c.keys(32), {"mean": "mean-0"})
        self.assertAlmostEqual(c.macro("mean-0", "commits", "file").value, (1 / 3 + 1 / 4) / 2)
        self.assertAlmostEqual(c.leaking("lmk-variable-64", "file", 0).value, (1 + 1 / 4) / 2)
        short, long = c.by_length("lmk-variable-64", "file", 0), c.long_files("lmk-variable-64", "file")
        self.assertEqual((short.count, short.value), (2, (1 + 1 / 4) / 2))
        self.assertEqual((long.count, long.value, long.difference), (2, 0.75, 0.5))
        self.assertEqual(c.places("lmk-variable-64", "mean-0").difference, 0.5)

    def test_a_set_without_queries_that_leak_counts_in_no_mean_of_them(self):
        figure = Comparison(some_data(), ["a__b", "c__d"]).leaking("lmk-variable-64", "file", 1)
        self.assertEqual((figure.value, figure.count), (1.0, 1))

    def test_cells_show_where_the_interval_leaves_out_zero(self):
        self.assertEqual(cell(Figure(0.5, 0.1, 0.05, 0.2, 9)), "**0.500** [+0.050, +0.200]")
        self.assertEqual(cell(Figure(0.5, 0.1, -0.05, 0.2, 9)), "0.500 [-0.050, +0.200]")
        self.assertEqual(cell(Figure(0.5, 0.0, 0.0, 0.0, 9), True), "0.500")

    def test_the_winner_stands_beside_mean_set_by_set(self):
        lines = winner_table(some_data(), ["lmk-variable"]).splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[2].startswith("| a/b | 3 | 0.333 | **1.000**"))
        self.assertTrue(lines[4].startswith("| **mean of 2** | 4 | 0.292 |"))


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
        import json

        self.assertEqual(json.loads(compact(some_data())), some_data())


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
