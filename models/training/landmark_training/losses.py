"""InfoNCE on pooled vectors, on landmarks (whole and cut to the stored dimensions) and on paths."""

from dataclasses import dataclass

import torch
import torch.nn.functional as functional

NEVER = -1e4


@dataclass(frozen=True)
class Weights:
    """What each part of the loss counts."""

    file: float = 1.0
    landmark: float = 0.5
    short_landmark: float = 1.0
    path: float = 0.25
    joint: float = 0.5


@dataclass(frozen=True)
class BatchStates:
    """Hidden states of a batch of B pairs with L landmarks in all, not normalised."""

    queries: torch.Tensor  # [B, D]
    landmarks: torch.Tensor  # [L, D]
    owners: torch.Tensor  # [L], the pair of each landmark
    answers: torch.Tensor  # [B], the landmark that answers each pair
    also: torch.Tensor  # [L], a landmark that meets an answer of its own pair, whether trained on or not
    paths: torch.Tensor  # [B, D]
    same: torch.Tensor  # [B, B], pairs that are no negatives of each other (itself excluded)


def loss_of(states: BatchStates, temperature: float, short: int, weights: Weights) -> dict[str, torch.Tensor]:
    """The parts of the loss and their weighted sum `total`."""
    size = len(states.queries)
    own = torch.arange(size, device=states.queries.device)
    files = _file_vectors(states, size)
    unit = functional.normalize
    queries = unit(states.queries, dim=-1)
    file_scores = queries @ unit(files, dim=-1).T
    long_scores = queries @ unit(states.landmarks, dim=-1).T
    short_scores = unit(states.queries[:, :short], dim=-1) @ unit(states.landmarks[:, :short], dim=-1).T
    path_scores = queries @ unit(states.paths, dim=-1).T
    masked = file_scores.div(temperature).masked_fill(states.same, NEVER)
    parts = {
        "file": (functional.cross_entropy(masked, own) + functional.cross_entropy(masked.T, own)) / 2,
        "landmark": _landmark_loss(long_scores, states, temperature),
        "short_landmark": _landmark_loss(short_scores, states, temperature),
        "path": functional.cross_entropy(path_scores.div(temperature).masked_fill(states.same, NEVER), own),
        "joint": _joint_loss(file_scores, short_scores, path_scores, states, temperature),
    }
    parts["total"] = sum(getattr(weights, name) * value for name, value in parts.items())
    with torch.no_grad():
        parts["accuracy"] = (masked.argmax(1) == own).float().mean()
    return parts


def _file_vectors(states: BatchStates, size: int) -> torch.Tensor:
    """Means over all landmarks of each pair's windows."""
    counts = torch.bincount(states.owners, minlength=size).unsqueeze(1)
    sums = torch.zeros(size, states.landmarks.shape[1], device=states.landmarks.device)
    return sums.index_add(0, states.owners, states.landmarks) / counts


def _landmark_loss(scores: torch.Tensor, states: BatchStates, temperature: float) -> torch.Tensor:
    """The landmark that answers against all of the batch, those of its own file too."""
    columns = torch.arange(scores.shape[1], device=scores.device)
    same = states.same[:, states.owners]
    own_pair = states.owners[None, :] == torch.arange(len(scores), device=scores.device)[:, None]
    other_answers = own_pair & states.also[None, :] & (columns[None, :] != states.answers[:, None])
    return functional.cross_entropy(scores.div(temperature).masked_fill(same | other_answers, NEVER), states.answers)


def _joint_loss(file_scores, short_scores, path_scores, states: BatchStates, temperature: float) -> torch.Tensor:
    """The sum the program ranks by: file, best landmark, half the path; a mean, so that the temperature fits."""
    size = len(file_scores)
    best = torch.full((size, size), -1.0, device=file_scores.device)
    best = best.scatter_reduce(1, states.owners.expand(size, -1), short_scores, "amax")
    scores = (file_scores + best + 0.5 * path_scores) / 2.5
    own = torch.arange(size, device=scores.device)
    return functional.cross_entropy(scores.div(temperature).masked_fill(states.same, NEVER), own)
