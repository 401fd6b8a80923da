"""Batches: repeatable, and laid out so that the landmark that answers is known."""

import unittest

import numpy as np

from landmark_training.batches import BatchSource
from landmark_training.pack import pack
from landmark_training.pairs import Pair
from landmark_training.tokens import TextTokenizer

from .test_rules import shipped_model


def some_pairs(count: int) -> list[Pair]:
    """Pairs of one repository whose tokens count upwards, so that a token tells its place."""
    chance = np.random.default_rng(3)
    pairs = []
    for at in range(count):
        start = int(chance.integers(0, 900))
        query = f"close the idle connection number {at} after a while"
        ids = np.arange(1000, 2000, dtype=np.uint16)
        pairs.append(
            Pair("a/b", "commit", f"c{at}", f"src/{at}.c", query, np.array([7], np.uint16), ids, ((start, start + 5),))
        )
    return pairs


class Batches(unittest.TestCase):
    """The source of batches."""

    @classmethod
    def setUpClass(cls):
        cls.tokenizer = TextTokenizer(shipped_model() / "tokenizer.json")
        words = np.random.default_rng(1).normal(size=(30_522, 8)).astype(np.float32)
        cls.sources = [BatchSource(some_pairs(200), cls.tokenizer, words, seed) for seed in (1, 1, 2)]

    def test_the_same_step_gives_the_same_batch(self):
        for step in range(12):
            first, again, other = (source.batch(step, 16, 160) for source in self.sources)
            shown = [
                [example.query_ids.tolist() + example.windows[0].ids.tolist() for example in each]
                for each in (first, again, other)
            ]
            self.assertEqual(shown[0], shown[1])
            self.assertNotEqual(shown[0], shown[2])
            self.assertEqual(len(first), 16)

    def test_the_landmark_that_answers_follows_the_first_token_of_the_answer(self):
        for step in range(12):
            for example in self.sources[0].batch(step, 16, 160):
                window, answer = example.windows[0], 1000 + example.pair.answers[0][0]
                place = int(np.flatnonzero(window.ids == answer)[0])
                expected = int(np.searchsorted(window.landmarks, place))
                self.assertEqual(window.answer, expected)
                self.assertIn(window.answer, window.near)
                self.assertTrue((window.ids[window.landmarks] == self.tokenizer.landmark_id).all())

    def test_a_row_keeps_the_tokens_around_its_lines(self):
        text = "\n".join(f"alpha beta line {number}" for number in range(1, 801))
        row = {
            "repository": "a/b",
            "kind": "doc",
            "group": "g",
            "path": "src/x.c",
            "query": "q",
            "text": text,
            "lines": [(400, 402)],
        }
        pair = pack(row, self.tokenizer)
        start, end = pair.answers[0]
        want = self.tokenizer.encode_text("\n".join(text.split("\n")[399:402])).ids
        self.assertEqual(pair.ids[start:end].tolist(), want.tolist())
        self.assertIsNone(pack({**row, "text": "x", "lines": [(1, 1)]}, self.tokenizer))


if __name__ == "__main__":
    unittest.main()
