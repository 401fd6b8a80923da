"""Words as a teacher, and the loss by which the model learns from it."""

import unittest
from dataclasses import replace

import numpy as np
import torch

from landmark_training.losses import BatchStates, Weights, loss_of
from landmark_training.memory import Memory
from landmark_training.pairs import Pair
from landmark_training.teacher import PATH, TEXT, WordTeacher


class Letters:
    """A tokenizer whose ids are letters."""

    def encode_line(self, line: str) -> list[int]:
        return [ord(each) for each in line if each != " "]


def pair(number: int, query: str, text: str, path: str, repository: str = "a/b") -> Pair:
    """Texts as letters."""
    ids = [np.array([ord(each) for each in part], np.uint16) for part in (path, text)]
    return Pair(repository, "commit", f"g{number}", f"{number}.c", query, ids[0], ids[1], ((0, 1),))


class Teacher(unittest.TestCase):
    """Bonuses by words."""

    def setUp(self):
        self.pairs = [pair(0, "xy", "xxyy", "x"), pair(1, "z", "zzzz", "z"), pair(2, "x", "xaaa", "b")]
        self.pairs.append(pair(3, "x", "x", "x", "c/d"))
        self.teacher = WordTeacher(self.pairs, Letters())

    def test_a_text_gets_more_for_more_of_the_words_and_never_more_than_all(self):
        bonuses = self.teacher.bonuses(self.pairs[:3], self.pairs[:3])
        self.assertEqual(bonuses.shape, (3, 3))
        self.assertEqual(bonuses[0].argsort(descending=True).tolist(), [0, 2, 1])
        self.assertEqual(float(bonuses[0, 1]), 0)
        self.assertTrue(bool((bonuses < TEXT + PATH).all()))

    def test_the_share_is_that_of_bm25(self):
        # "x" in the third text: in two of three texts, once, in a text of mean length.
        bonus = float(self.teacher.bonuses(self.pairs[2:3], self.pairs[2:3])[0, 0])
        self.assertAlmostEqual(bonus, TEXT * (2.2 / (1 + 1.2)) / 2.2, places=5)

    def test_several_repositories_have_no_teacher(self):
        self.assertIsNone(self.teacher.bonuses(self.pairs[2:], self.pairs[2:]))

    def test_the_remembered_pairs_are_in_the_order_of_their_vectors(self):
        memory = Memory(self.pairs, 2)
        self.assertEqual(memory.past_pairs(self.pairs[:1]), [])
        rows = torch.ones(1, 4)
        for at in (0, 1, 2):
            memory.add([self.pairs[at]], _Rows(rows, rows, rows), torch.tensor([0]))
        self.assertEqual(memory.past_pairs(self.pairs[:1]), self.pairs[1:3])
        self.assertEqual(len(memory.past(self.pairs[:1], "cpu").files), 2)
        self.assertEqual(memory.past_pairs(self.pairs), [])


class Distilling(unittest.TestCase):
    """The loss."""

    def setUp(self):
        chance = torch.Generator().manual_seed(1)
        rows = [torch.randn(3, 8, generator=chance) for _ in range(3)]
        self.states = BatchStates(
            queries=rows[0].requires_grad_(),
            landmarks=rows[1],
            owners=torch.arange(3),
            answers=torch.arange(3),
            also=torch.ones(3, dtype=torch.bool),
            paths=rows[2],
            same=torch.zeros(3, 3, dtype=torch.bool),
        )

    def loss(self, bonuses: torch.Tensor | None, states: BatchStates | None = None):
        return loss_of(states or self.states, 0.05, 4, Weights(distil=2), None, bonuses)

    def test_a_teacher_that_adds_the_same_to_all_teaches_nothing(self):
        self.assertNotIn("distil", self.loss(None))
        parts = self.loss(torch.full((3, 3), 5.0))
        self.assertAlmostEqual(parts["distil"].item(), 0, places=5)
        self.assertAlmostEqual(parts["total"].item(), self.loss(None)["total"].item(), places=4)

    def test_following_the_gradient_comes_nearer_to_the_teacher(self):
        bonuses = torch.tensor([[0.0, 9, 0], [0, 0, 9], [9, 0, 0]])
        before = self.loss(bonuses)["distil"]
        before.backward()
        moved = (self.states.queries - 0.01 * self.states.queries.grad).detach()
        after = self.loss(bonuses, replace(self.states, queries=moved))["distil"]
        self.assertLess(after.item(), before.item())

    def test_what_is_no_negative_is_not_taught_either(self):
        same = torch.tensor([[False, True, True], [False] * 3, [False] * 3])
        parts = self.loss(torch.tensor([[0.0, 9, 9], [0, 0, 0], [0, 0, 0]]), replace(self.states, same=same))
        self.assertAlmostEqual(parts["distil"].item(), 0, places=5)


class _Rows:
    """Vectors of a batch as `Memory.add` takes them."""

    def __init__(self, files, landmarks, paths):
        self.files, self.landmarks, self.paths = files, landmarks, paths


if __name__ == "__main__":
    unittest.main()
