"""Mined near misses: ranked high, of another file and commit, and trained on beside their pair."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from landmark_training.batches import BatchSource
from landmark_training.negatives import EACH, file_of, fingerprint, mine, read_negatives
from landmark_training.pairs import Pair
from landmark_training.tokens import TextTokenizer

from .test_rules import shipped_model

WORDS = ("cache", "socket", "parser", "window")


class FirstTokens:
    """Stands in for the model: a text is the direction of its first content token."""

    def encode(self, inputs):
        """See Encoder."""
        rows = []
        for ids, landmarks in inputs:
            row = np.zeros(997, np.float32)
            row[int(ids[1]) % 997] = 1
            rows.append(np.repeat(row[None], len(landmarks), 0))
        return rows


def pairs_of(tokenizer: TextTokenizer) -> list[Pair]:
    """Forty texts, ten a word: each text begins with its word, and the query of each is that word and a number."""
    pairs = []
    for at in range(40):
        word = WORDS[at % 4]
        ids = np.array(tokenizer.encode_line(f"{word} " + "filler " * 20), np.uint16)
        pairs.append(Pair("a/b", "commit", f"c{at // 2}", f"{at % 37}.c", f"{word} {at}", ids[:1], ids, ((0, 2),)))
    return pairs


class Negatives(unittest.TestCase):
    """The stage and what training does with it."""

    @classmethod
    def setUpClass(cls):
        cls.tokenizer = TextTokenizer(shipped_model() / "tokenizer.json")
        cls.pairs = pairs_of(cls.tokenizer)
        cls.near = mine(cls.pairs, FirstTokens(), cls.tokenizer)

    def test_near_misses_are_of_the_same_word_and_of_another_file_and_commit(self):
        for at, near in enumerate(self.near):
            found = near[near >= 0].tolist()
            self.assertGreaterEqual(len(found), EACH)
            self.assertEqual(len(found), len(set(found)))
            own = self.pairs[at]
            for other in found:
                self.assertEqual(other % 4, at % 4, f"{own.query}: {self.pairs[other].query}")
                self.assertNotEqual(self.pairs[other].path, own.path)
                self.assertNotEqual(self.pairs[other].group, own.group)

    def test_a_batch_of_near_misses_holds_those_of_its_pairs(self):
        words = np.random.default_rng(1).normal(size=(30_522, 8)).astype(np.float32)
        pairs = self.pairs * 3
        # Made up so that nothing else would bring these together: every fifth pair.
        near = np.array([[other for other in range(at % 5, 120, 5) if other != at][:7] for at in range(120)])
        paths = {number: {pairs[at].path for at in range(number, 120, 5)} for number in range(5)}

        def of_fives(negatives) -> list[int]:
            source = BatchSource(pairs, self.tokenizer, words, 1, negatives=negatives)
            batches = [{choice.pair.path for choice in source.choices(step, 8, 160)} for step in range(60)]
            return [at for at, batch in enumerate(batches) if any(batch <= fives for fives in paths.values())]

        found = of_fives({"a/b": near})
        self.assertGreater(len(found), 8)
        self.assertEqual(found, of_fives({"a/b": near}))
        self.assertEqual(of_fives(None), [])

    def test_negatives_of_other_pairs_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = file_of(Path(folder), "a/b")
            np.savez(path, near=self.near, pairs=fingerprint(self.pairs))
            read = read_negatives(Path(folder), self.pairs)
            np.testing.assert_array_equal(read["a/b"], self.near)
            with self.assertRaisesRegex(ValueError, "mined for other pairs"):
                read_negatives(Path(folder), self.pairs[::-1])


if __name__ == "__main__":
    unittest.main()
