"""Texts of like length run together, so that little is padded."""

import numpy as np
import torch


def groups_of(lengths: list[int], most: int) -> list[list[int]]:
    """Numbers of texts in groups of at most `most` tokens with their padding, shortest texts first."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at])
    groups: list[list[int]] = []
    for at in order:
        if groups and (len(groups[-1]) + 1) * lengths[at] <= most:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def padded(texts: list[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and attention mask, int64 [texts, longest]."""
    ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.as_tensor(text)
        mask[row, : len(text)] = 1
    return ids, mask
