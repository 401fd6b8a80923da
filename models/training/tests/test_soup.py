"""Means of weights."""

import unittest

import torch

from landmark_training.soup import mean_of_weights


class Soups(unittest.TestCase):
    """Name by name."""

    def test_each_counts_by_its_share(self):
        states = [{"a": torch.tensor([1.0, 2.0])}, {"a": torch.tensor([5.0, 2.0])}]
        self.assertEqual(mean_of_weights(states, [3, 1])["a"].tolist(), [2.0, 2.0])
        half = mean_of_weights([{"a": torch.tensor([1.0, 2.0], dtype=torch.float16)}] * 3, [1, 1, 1])["a"]
        self.assertEqual((half.dtype, half.tolist()), (torch.float16, [1.0, 2.0]))

    def test_other_encoders_are_refused(self):
        for other in ({"b": torch.zeros(2)}, {"a": torch.zeros(3)}, {}):
            with self.assertRaisesRegex(ValueError, "different encoders"):
                mean_of_weights([{"a": torch.zeros(2)}, other], [1, 1])


if __name__ == "__main__":
    unittest.main()
