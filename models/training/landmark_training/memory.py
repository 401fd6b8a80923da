"""Vectors of earlier batches as further negatives (cross-batch memory, arXiv 1912.06798), kept by repository.

A query is asked of a whole repository, a batch holds a hundred of its texts. While the learning rate is small, vectors
of some hundred steps ago are nearly what the model gives now, and cost nothing.
"""

from collections import OrderedDict
from dataclasses import dataclass

import torch
import torch.nn.functional as functional

from .losses import PastVectors, Vectors
from .pairs import Pair, no_negatives


@dataclass(frozen=True)
class Remembered:
    """One pair's unit vectors in half precision: file and path `[S]`, landmarks `[landmarks, S]`."""

    file: torch.Tensor
    landmarks: torch.Tensor
    path: torch.Tensor


class Memory:
    """The latest vectors of at most `most` pairs of each repository, by the pair's place among all pairs."""

    def __init__(self, pairs: list[Pair], most: int):
        self._pairs = pairs
        self._places = {id(pair): at for at, pair in enumerate(pairs)}
        self._most = most
        self._kept: dict[str, OrderedDict[int, Remembered]] = {}

    def past(self, batch: list[Pair], device: str) -> PastVectors | None:
        """What is remembered of the batch's repository; None for a batch of several, or when nothing is."""
        others = self.past_pairs(batch)
        if not others:
            return None
        entries = list(self._kept[batch[0].repository].values())
        owners = [at for at, entry in enumerate(entries) for _ in entry.landmarks]
        return PastVectors(
            files=_unit([entry.file for entry in entries], device),
            landmarks=_unit([row for entry in entries for row in entry.landmarks], device),
            owners=torch.tensor(owners, device=device),
            paths=_unit([entry.path for entry in entries], device),
            same=torch.tensor([[no_negatives(pair, other) for other in others] for pair in batch], device=device),
        )

    def past_pairs(self, batch: list[Pair]) -> list[Pair]:
        """The pairs of `past`, in its order; none where that is None."""
        repository = batch[0].repository
        if any(pair.repository != repository for pair in batch):
            return []
        return [self._pairs[at] for at in self._kept.get(repository, ())]

    def add(self, batch: list[Pair], vectors: Vectors, owners: torch.Tensor) -> None:
        """Remembers a batch and forgets the oldest of its repositories beyond `most`."""
        files, landmarks, paths = (
            rows.detach().half().cpu() for rows in (vectors.files, vectors.landmarks, vectors.paths)
        )
        owners = owners.cpu()
        for number, pair in enumerate(batch):
            kept = self._kept.setdefault(pair.repository, OrderedDict())
            at = self._places[id(pair)]
            kept.pop(at, None)
            kept[at] = Remembered(files[number].clone(), landmarks[owners == number], paths[number].clone())
            if len(kept) > self._most:
                kept.popitem(last=False)

    def state(self) -> dict:
        """For a checkpoint."""
        return {
            name: [(at, entry.file, entry.landmarks, entry.path) for at, entry in kept.items()]
            for name, kept in self._kept.items()
        }

    def restore(self, state: dict) -> None:
        """From `state` of a memory of the same pairs."""
        self._kept = {
            name: OrderedDict((at, Remembered(*vectors)) for at, *vectors in kept) for name, kept in state.items()
        }


def _unit(rows: list[torch.Tensor], device: str) -> torch.Tensor:
    return functional.normalize(torch.stack(rows).float().to(device), dim=-1)
