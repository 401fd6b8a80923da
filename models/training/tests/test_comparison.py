"""The comparison's measures and data by hand."""

import json
import unittest

import numpy as np
import torch

from landmark_training.definitions import definition
from landmark_training.lexical import LexicalIndex, terms_of
from landmark_training.pooling_measure import (
    Vectors,
    best_of,
    case_ranks,
    file_vectors,
    place_hits,
    ranks,
    stored,
    with_words,
)
from landmark_training.poolings import POOLINGS
from landmark_training.retro import content_of, mask_inputs
from landmark_training.search_sets import Query
from landmark_training.text_groups import padded
from landmark_training.tokenised_sets import TRANSLATED

MASK = 3


class Masking(unittest.TestCase):
    """RetroMAE hides text and nothing else."""

    def test_landmarks_first_tokens_and_padding_are_never_masked(self):
        pooling, chance = POOLINGS["lmk-retro"], torch.Generator().manual_seed(0)
        # The text holds the landmark's id itself: there it is text like any other.
        texts = [np.array([2, *range(10, 50)]), np.arange(60, 67)]
        layouts = [pooling.lay_out(ids, 8, (), 1, 2) for ids in texts]
        ids, mask = padded([layout.ids for layout in layouts])
        content = content_of(layouts, mask)
        self.assertEqual(content.sum(1).tolist(), [41, 7])
        self.assertTrue(content[0, 1])
        times = 400
        hidden = torch.zeros(2, *ids.shape)
        for _ in range(times):
            masked = mask_inputs(ids, content, MASK, chance)
            for at, (shown, where) in enumerate(
                ((masked.encoder_ids, masked.encoder_hidden), (masked.decoder_ids, masked.decoder_hidden))
            ):
                self.assertTrue((shown[where] == MASK).all())
                self.assertTrue((shown[~where] == ids[~where]).all())
                hidden[at] += where
        self.assertEqual(float(hidden[:, ~content].sum()), 0)
        self.assertAlmostEqual(float(hidden[0][content].mean()) / times, 0.3, delta=0.01)
        self.assertAlmostEqual(float(hidden[1][content].mean()) / times, 0.5, delta=0.01)
        self.assertEqual(mask.sum().item(), sum(len(layout.ids) for layout in layouts))


class Ranks(unittest.TestCase):
    """Ranks of queries and of cases."""

    def test_the_first_relevant_file_counts_and_the_earlier_path_among_equals(self):
        self.assertEqual(ranks(np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.5]]), [[0, 2], [1]]), [2, 2])
        self.assertEqual(ranks(-np.arange(12.0)[None], [[10]]), [0])

    def test_a_case_is_ranked_among_files_that_are_not_relevant(self):
        scores = np.array([[0.9, 0.8, 0.7, 0.7]])
        self.assertEqual(case_ranks(scores, [[1, 3]]), [2, 3])
        self.assertEqual(case_ranks(-np.arange(12.0)[None], [[11]]), [0])

    def test_a_file_is_the_weighted_mean_and_its_best_segment_the_nearest(self):
        rows = np.array([[1.0, 0.0], [5.0, 0.0], [0.0, 2.0]], np.float32)
        owners, weights = np.array([0, 0, 1]), np.array([3.0, 1.0, 9.0], np.float32)
        vectors = Vectors(rows, owners, weights, np.ones((3, 2), int), 0, {})
        self.assertEqual(file_vectors(vectors, 2).tolist(), [[2.0, 0.0], [0.0, 2.0]])
        self.assertEqual(best_of(np.array([[0.2, 0.7, 0.1]]), owners).tolist(), [[0.7, 0.1]])

    def test_words_and_vectors_count_alike_at_their_best(self):
        dense, lexical = np.array([[0.9, 0.5, 0.1]]), np.array([[0.0, 4.0, 2.0]])
        np.testing.assert_allclose(with_words(dense, lexical), [[1.0, 1.0, -0.5]])

    def test_stored_vectors_are_near_what_they_were(self):
        rows = np.random.default_rng(0).normal(size=(6, 384)).astype(np.float32)
        for dimensions in (128, 384):
            whole, short = stored(rows, dimensions, False), stored(rows, dimensions, True)
            self.assertEqual(short.shape, (6, dimensions))
            self.assertGreater((whole * short).sum(1).min(), 0.9995)
            self.assertFalse(np.array_equal(whole, short))

    def test_a_place_is_met_by_the_thirty_lines_around_the_best_segment_of_a_long_file(self):
        vectors = Vectors(
            np.zeros((3, 2)), np.array([0, 0, 1]), np.ones(3), np.array([[1, 20], [101, 140], [1, 9]]), 0, {}
        )
        queries = [Query("q", "", ("a", "b"), {"a": [(134, 134)], "b": [(1, 1)]}, False)]
        index, counts = {"a": 0, "b": 1}, np.array([3000, 50])
        self.assertEqual(place_hits(queries, index, np.array([[0.1, 0.2, 0.9]]), vectors, counts), [1])
        self.assertEqual(place_hits(queries, index, np.array([[0.3, 0.2, 0.9]]), vectors, counts), [0])
        far = [Query("q", "", ("a",), {"a": [(135, 135)]}, False)]
        self.assertEqual(place_hits(far, index, np.array([[0.1, 0.2, 0.9]]), vectors, counts), [0])


class Words(unittest.TestCase):
    """BM25."""

    def test_identifiers_are_whole_and_in_parts(self):
        self.assertEqual(
            terms_of("getUserNames of_the Queries"), ["get", "user", "name", "getusernames", "ofthe", "query"]
        )

    def test_rare_words_in_short_documents_come_first(self):
        index = LexicalIndex(["alpha beta", "alpha beta gamma delta", "alpha"])
        scores = index.scores("beta beta")
        # idf = log(1 + 1.5 / 2.5); one occurrence in a document of 2 terms where the mean is 7 / 3.
        want = np.log(1.6) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / (7 / 3)))
        self.assertAlmostEqual(scores[0], want)
        self.assertTrue(scores[0] > scores[1] > scores[2] == 0)


class Data(unittest.TestCase):
    """Functions and translated queries."""

    def test_a_definition_ends_where_its_indentation_does(self):
        lines = ["@Override", "int f(", "    int a", ") {", "    g();", "", "    h();", "}", "", "int next;"]
        self.assertEqual(definition(lines, 1, "a.java"), lines[:8])

    def test_a_python_body_is_taken_with_the_line_that_defines(self):
        lines = ["class A:", "    def f(self):", "        return 1", "", "    def g(self):", "        pass"]
        self.assertEqual(definition(lines, 3, "a.py"), lines[1:3])

    def test_forty_queries_are_translated_twice(self):
        rows = [json.loads(line) for line in TRANSLATED.read_text("utf8").splitlines()]
        self.assertEqual(len({(row["set"], row["id"]) for row in rows}), 40)
        for row in rows:
            self.assertEqual(set(row), {"set", "id", "fr", "pt"})
            self.assertTrue(row["fr"].strip() and row["pt"].strip() and row["fr"] != row["pt"])


if __name__ == "__main__":
    unittest.main()
