"""Vectors of earlier batches as negatives."""

import unittest

import numpy as np
import torch

from landmark_training.losses import BatchStates, Weights, loss_of, vectors_of
from landmark_training.memory import Memory
from landmark_training.pairs import Pair

SHORT = 4


def pair(repository: str, number: int, path: str | None = None) -> Pair:
    """A pair whose number is all that tells it apart."""
    ids = np.array([number], np.uint16)
    return Pair(repository, "commit", f"g{number}", path or f"{number}.c", f"query {number}", ids, ids, ((0, 1),))


def states_of(queries: torch.Tensor, landmarks: torch.Tensor, owners: list[int]) -> BatchStates:
    """A batch in which every pair's first landmark answers; paths are as the queries."""
    firsts = [owners.index(number) for number in range(len(queries))]
    return BatchStates(
        queries=queries,
        landmarks=landmarks,
        owners=torch.tensor(owners),
        answers=torch.tensor(firsts),
        also=torch.tensor([at in firsts for at in range(len(owners))]),
        paths=queries,
        same=torch.zeros(len(queries), len(queries), dtype=torch.bool),
    )


class Memories(unittest.TestCase):
    """What is kept, and what it does to the loss."""

    def setUp(self):
        chance = torch.Generator().manual_seed(4)
        self.random = lambda *shape: torch.randn(*shape, generator=chance)
        self.pairs = [pair("a/b", number) for number in range(6)] + [pair("c/d", number) for number in range(6, 9)]

    def remember(self, memory: Memory, batch: list[Pair], owners: list[int]) -> BatchStates:
        states = states_of(self.random(len(batch), 8), self.random(len(owners), 8), owners)
        memory.add(batch, vectors_of(states, SHORT), states.owners)
        return states

    def test_a_repository_keeps_its_latest_pairs_and_no_others(self):
        memory = Memory(self.pairs, 3)
        self.remember(memory, self.pairs[:2], [0, 0, 1])
        self.remember(memory, self.pairs[6:8], [0, 1])
        states = self.remember(memory, [self.pairs[0], self.pairs[2], self.pairs[3]], [0, 1, 1, 2])
        past = memory.past([self.pairs[5]], "cpu")
        # Pair 1 is the oldest, for pair 0 came again.
        self.assertEqual(len(past.files), 3)
        self.assertEqual(past.owners.tolist(), [0, 1, 1, 2])
        self.assertTrue(torch.allclose(past.landmarks, vectors_of(states, SHORT).landmarks, atol=1e-3))
        self.assertEqual(len(memory.past([self.pairs[8]], "cpu").files), 2)
        self.assertIsNone(memory.past([self.pairs[0], self.pairs[8]], "cpu"))
        self.assertIsNone(Memory(self.pairs, 3).past(self.pairs[:1], "cpu"))

    def test_what_may_answer_is_no_negative(self):
        memory = Memory([*self.pairs, pair("a/b", 20, "4.c")], 9)
        self.remember(memory, self.pairs[3:5], [0, 1])
        asking = pair("a/b", 30, "4.c")
        self.assertEqual(memory.past([asking, self.pairs[3]], "cpu").same.tolist(), [[False, True], [True, False]])

    def test_the_past_counts_as_a_larger_batch_would(self):
        memory = Memory(self.pairs, 9)
        old = self.remember(memory, self.pairs[:2], [0, 1, 1])
        now = states_of(self.random(2, 8), self.random(3, 8), [0, 0, 1])
        past = memory.past(self.pairs[2:4], "cpu")
        parts = loss_of(now, 0.05, SHORT, Weights(full=0), past)
        queries = vectors_of(now, SHORT).queries
        files = torch.cat([vectors_of(now, SHORT).files, vectors_of(old, SHORT).files])
        landmarks = torch.cat([vectors_of(now, SHORT).landmarks, vectors_of(old, SHORT).landmarks])
        paths = torch.cat([vectors_of(now, SHORT).paths, vectors_of(old, SHORT).paths])
        best = torch.stack([(queries @ landmarks[group].T).amax(1) for group in ([0, 1], [2], [3], [4, 5])], dim=1)
        joint = (queries @ files.T + best + 0.5 * (queries @ paths.T)) / 2.5 / 0.05
        want = torch.nn.functional.cross_entropy(joint, torch.arange(2))
        self.assertAlmostEqual(parts["joint"].item(), want.item(), places=2)
        alone = loss_of(now, 0.05, SHORT, Weights(full=0))
        self.assertGreater(parts["joint"].item(), alone["joint"].item())

    def test_a_checkpoint_keeps_it(self):
        memory, again = Memory(self.pairs, 3), Memory(self.pairs, 3)
        self.remember(memory, self.pairs[:3], [0, 1, 1, 2])
        again.restore(memory.state())
        first, second = (each.past(self.pairs[4:5], "cpu") for each in (memory, again))
        self.assertTrue(torch.equal(first.landmarks, second.landmarks))
        self.assertTrue(torch.equal(first.paths, second.paths))


if __name__ == "__main__":
    unittest.main()
