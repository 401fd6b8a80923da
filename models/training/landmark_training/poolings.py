"""The nine poolings of the comparison behind one interface: how a window is laid out, which states are read, and how.

Sources: "LMK > CLS" (arXiv 2601.21525) for landmarks and for the others as its authors' code has them; NV-Embed
(arXiv 2405.17428) for latent attention.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from .layout import layout_window

GRANULARITIES = (32, 64, 128, 256)
FIXED = 64
LATENTS = 64
HEAD_WIDTH = 64


@dataclass(frozen=True)
class Layout:
    """One input: its ids, the places whose states are read (both int64), and the content token each segment ends at."""

    ids: np.ndarray
    places: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True)
class Pooling:
    """`arrangement` is plain, landmark, multi or sentence; `reading` is first, all or places.

    Read `all`, a window gives one row, the mean of its states, that counts as many times as it has tokens; else a row a
    place, and each counts once. A text of several windows is the weighted mean of the rows of all of them.
    """

    name: str
    title: str
    arrangement: str
    reading: str
    trained_k: tuple[int, ...] = ()
    latent: bool = False
    pretrained: bool = False

    @property
    def uses_k(self) -> bool:
        """Whether a granularity can be chosen at inference."""
        return bool(self.trained_k)

    def input_key(self, k: int) -> tuple[str, int]:
        """Equal for poolings and granularities whose inputs are the same."""
        return self.arrangement, k if self.arrangement in ("landmark", "multi") else 0

    def lay_out(self, ids, k: int, ends, cls_id: int, sep_id: int) -> Layout:
        """A window's content ids, with the exclusive ends of its sentences, as input."""
        if self.arrangement == "sentence":
            cuts = _cuts(len(ids), ends)
        elif self.reading == "places":
            cuts = _cuts(len(ids), range(k, len(ids), k))
        else:
            cuts = _cuts(len(ids), ())
        if self.arrangement == "landmark":
            return Layout(*layout_window(ids, k, cls_id, sep_id), cuts)
        if self.arrangement == "sentence":
            return Layout(*_marked(ids, cuts, [cls_id], sep_id), cuts)
        if self.arrangement == "multi":
            return Layout(*_multi_cls(ids, cuts, cls_id, sep_id), cuts)
        laid = np.array([cls_id, *ids, sep_id], np.int64)
        if self.reading == "places":
            # Positions 0, k, 2k, ... of the input as it is; the last may be the closing token's.
            places = np.arange(0, len(laid), k, dtype=np.int64)
            return Layout(laid, places, np.minimum(places + k, len(ids)))
        return Layout(laid, np.arange(len(laid) if self.reading == "all" else 1, dtype=np.int64), cuts)

    def rows(self, states: torch.Tensor, layout: Layout) -> tuple[torch.Tensor, float]:
        """Rows [segments, dimensions] of one input's states [length, dimensions], and what each row counts."""
        read = states[torch.as_tensor(layout.places, device=states.device)]
        return (read.mean(0, keepdim=True), float(len(layout.places))) if self.reading == "all" else (read, 1.0)


def _cuts(count: int, ends) -> np.ndarray:
    """Exclusive ends of the segments of `count` tokens; the last segment ends with the tokens."""
    return np.array([*(end for end in ends if 0 < end < count), count], np.int64)


def _marked(ids, cuts, first: list[int], mark: int) -> tuple[np.ndarray, np.ndarray]:
    laid, places, start = list(first), [], 0
    for end in cuts:
        laid.extend(ids[start:end])
        places.append(len(laid))
        laid.append(mark)
        start = end
    return np.array(laid, np.int64), np.array(places, np.int64)


def _multi_cls(ids, cuts, cls_id: int, sep_id: int) -> tuple[np.ndarray, np.ndarray]:
    laid, places, start = [], [], 0
    for end in cuts:
        places.append(len(laid))
        laid.append(cls_id)
        laid.extend(ids[start:end])
        start = end
    return np.array([*laid, sep_id], np.int64), np.array(places, np.int64)


POOLINGS = {
    pooling.name: pooling
    for pooling in (
        Pooling("cls", "CLS", "plain", "first"),
        Pooling("mean", "Mean", "plain", "all"),
        Pooling("every-k", "Mean of every k-th state", "plain", "places", GRANULARITIES),
        Pooling("multi-cls", "MultiCLS", "multi", "places", GRANULARITIES),
        Pooling("latent", "Latent attention", "plain", "all", latent=True),
        Pooling("lmk-fixed", "LMK, 64", "landmark", "places", (FIXED,)),
        Pooling("lmk-variable", "LMK, {32, 64, 128, 256}", "landmark", "places", GRANULARITIES),
        Pooling("lmk-sentence", "LMK, sentences", "sentence", "places"),
        Pooling("lmk-retro", "LMK, {32, 64, 128, 256}, RetroMAE", "landmark", "places", GRANULARITIES, pretrained=True),
    )
}


class LatentAttention(nn.Module):
    """Every state attends to learned latents; the last maps start at zero, so that it starts as plain mean pooling."""

    def __init__(self, width: int, latents: int = LATENTS):
        super().__init__()
        self.heads = max(1, width // HEAD_WIDTH)
        self.latents = nn.Parameter(torch.randn(latents, width) * 0.5)
        self.norm, self.latent_norm, self.inner_norm = (nn.LayerNorm(width) for _ in range(3))
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        for last in (self.out, self.down):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """States [batch, length, dimensions] to as many."""
        batch, length, width = states.shape

        def split(rows):
            return rows.view(*rows.shape[:-1], self.heads, -1).transpose(-2, -3)

        latents = self.latent_norm(self.latents)
        query, key, value = split(self.query(self.norm(states))), split(self.key(latents)), split(self.value(latents))
        weights = (query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5).softmax(-1)
        states = states + self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))
        return states + self.down(nn.functional.gelu(self.up(self.inner_norm(states))))
