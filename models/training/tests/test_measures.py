"""Measures by hand."""

import unittest

import numpy as np

from landmark_training.compare import bootstrap
from landmark_training.evaluate import as_stored, place_hit, reciprocal_ranks, unit
from landmark_training.rotate import principal_axes
from landmark_training.search_sets import Query


class Measures(unittest.TestCase):
    """Ranks, places, stored landmarks, intervals, axes."""

    def test_the_first_relevant_file_counts_and_ranks_after_the_tenth_do_not(self):
        scores = np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.5]])
        self.assertEqual(reciprocal_ranks(scores, [[0, 2], [1]]), [0.5, 0.5])
        self.assertEqual(reciprocal_ranks(-np.arange(12.0)[None], [[10]]), [0.0])

    def test_a_place_is_hit_when_the_best_landmark_of_a_long_file_meets_a_line_that_answers(self):
        owners, spans = np.array([0] + [1] * 30), np.array([(1, 9)] + [(at * 10, at * 10 + 9) for at in range(30)])
        vectors = {"owners": owners, "spans": spans}
        query = Query("q", "text", ("b",), {"b": [(55, 60)]}, False)
        index, scores = {"a": 0, "b": 1}, np.zeros(31)
        scores[0], scores[1 + 6] = 2, 1  # the best of another file does not count
        self.assertEqual(place_hit(query, index, scores, vectors), 1)
        scores[1 + 7] = 1.5
        self.assertEqual(place_hit(query, index, scores, vectors), 0)
        self.assertIsNone(place_hit(Query("q", "text", ("a",), {"a": [(1, 2)]}, False), index, scores, vectors))

    def test_stored_landmarks_are_unit_vectors_of_the_first_dimensions(self):
        rows = np.random.default_rng(0).normal(size=(5, 384))
        stored = as_stored(rows)
        self.assertEqual(stored.shape, (5, 192))
        np.testing.assert_allclose(np.linalg.norm(stored, axis=1), 1, atol=1e-6)
        self.assertGreater((stored * unit(rows[:, :192])).sum(1).min(), 0.98)

    def test_an_interval_holds_zero_only_where_the_difference_may_be_chance(self):
        low, high, share = bootstrap([np.full(50, 0.1), np.full(20, 0.3)])
        self.assertAlmostEqual(low, 0.2)
        self.assertAlmostEqual(high, 0.2)
        self.assertEqual(share, 1.0)
        low, high, _ = bootstrap([np.array([1.0, -1.0] * 50)])
        self.assertTrue(low < 0 < high)

    def test_the_first_axis_is_that_of_largest_variance_and_all_are_a_rotation(self):
        rows = np.random.default_rng(1).normal(size=(400, 6)) * np.array([1, 5, 1, 1, 3, 1]) + 10
        axes = principal_axes(rows)
        np.testing.assert_allclose(axes.T @ axes, np.eye(6), atol=1e-5)
        self.assertEqual(np.abs(axes[:, 0]).argmax(), 1)
        self.assertEqual(np.abs(axes[:, 1]).argmax(), 4)


if __name__ == "__main__":
    unittest.main()
