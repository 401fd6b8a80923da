"""InfoNCE on pooled vectors, on landmarks and on paths, at the stored dimensions and, counting less, at all of them."""

from dataclasses import dataclass

import torch
import torch.nn.functional as functional

NEVER = -1e4


@dataclass(frozen=True)
class Weights:
    """What each part counts; a part over all dimensions counts `full` times the same part over the stored ones."""

    file: float = 1.0
    landmark: float = 1.0
    path: float = 0.25
    joint: float = 1.0
    full: float = 0.25
    distil: float = 0.0


@dataclass(frozen=True)
class PastVectors:
    """Unit vectors of M pairs of earlier batches, with P landmarks in all, at the stored dimensions S."""

    files: torch.Tensor  # [M, S]
    landmarks: torch.Tensor  # [P, S]
    owners: torch.Tensor  # [P], the past pair of each landmark
    paths: torch.Tensor  # [M, S]
    same: torch.Tensor  # [B, M], past pairs that are no negatives of a pair of the batch


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


@dataclass(frozen=True)
class Vectors:
    """Unit vectors of a batch, cut to the first dimensions."""

    queries: torch.Tensor
    files: torch.Tensor
    landmarks: torch.Tensor
    paths: torch.Tensor


def vectors_of(states: BatchStates, dimensions: int) -> Vectors:
    """Cut, then normalised; a file is the mean over all landmarks of its pair's windows."""
    cut = [rows[:, :dimensions] for rows in (states.queries, _files(states), states.landmarks, states.paths)]
    return Vectors(*(functional.normalize(rows, dim=-1) for rows in cut))


def loss_of(
    states: BatchStates,
    temperature: float,
    short: int,
    weights: Weights,
    past: PastVectors | None = None,
    bonuses: torch.Tensor | None = None,
) -> dict[str, torch.Tensor]:
    """The parts of the loss, the weighted sum `total`, and `accuracy`: how often the right file is first.

    `past` are more negatives for the queries, at the stored dimensions (cross-batch memory, arXiv 1912.06798).
    `bonuses` `[B, B + M]` is what a teacher adds to the joint scores: the ranking that comes of it is distilled.
    """
    parts = _parts(states, vectors_of(states, short), temperature, past, bonuses)
    full = _parts(states, vectors_of(states, states.queries.shape[1]), temperature)
    parts["total"] = (
        weights.joint * parts["joint"]
        + weights.distil * parts.get("distil", 0)
        + sum(
            getattr(weights, name) * (parts[name] + weights.full * full[name]) for name in ("file", "landmark", "path")
        )
    )
    return parts


def _parts(states: BatchStates, vectors: Vectors, temperature: float, past: PastVectors | None = None, bonuses=None):
    size = len(states.queries)
    own = torch.arange(size, device=states.queries.device)
    same, owners = states.same, states.owners
    files, landmarks, paths = vectors.files, vectors.landmarks, vectors.paths
    if past is not None:
        files, landmarks = torch.cat([files, past.files]), torch.cat([landmarks, past.landmarks])
        paths, same = torch.cat([paths, past.paths]), torch.cat([same, past.same], dim=1)
        owners = torch.cat([owners, past.owners + size])
    file_scores, path_scores = vectors.queries @ files.T, vectors.queries @ paths.T
    landmark_scores = vectors.queries @ landmarks.T
    by_file = file_scores.div(temperature).masked_fill(same, NEVER)
    joint = _as_ranked(file_scores, landmark_scores, path_scores, owners).div(temperature).masked_fill(same, NEVER)
    backwards = by_file[:, :size].T
    with torch.no_grad():
        accuracy = (joint.argmax(1) == own).float().mean()
    parts = {
        "file": (functional.cross_entropy(by_file, own) + functional.cross_entropy(backwards, own)) / 2,
        "landmark": _landmark_loss(landmark_scores, states, owners, same, temperature),
        "path": functional.cross_entropy(path_scores.div(temperature).masked_fill(same, NEVER), own),
        "joint": functional.cross_entropy(joint, own),
        "accuracy": accuracy,
    }
    if bonuses is not None:
        taught = (joint.detach() + bonuses).masked_fill(same, NEVER).softmax(1)
        parts["distil"] = functional.kl_div(joint.log_softmax(1), taught, reduction="batchmean")
    return parts


def _files(states: BatchStates) -> torch.Tensor:
    size = len(states.queries)
    counts = torch.bincount(states.owners, minlength=size).unsqueeze(1)
    sums = torch.zeros(size, states.landmarks.shape[1], device=states.landmarks.device)
    return sums.index_add(0, states.owners, states.landmarks) / counts


def _landmark_loss(scores, states: BatchStates, owners, same, temperature: float) -> torch.Tensor:
    """The landmark that answers against all others, those of its own file too, but for those that answer as well."""
    columns = torch.arange(scores.shape[1], device=scores.device)
    own_pair = owners[None, :] == torch.arange(len(scores), device=scores.device)[:, None]
    also = functional.pad(states.also, (0, scores.shape[1] - len(states.also)))
    other_answers = own_pair & also[None, :] & (columns[None, :] != states.answers[:, None])
    never = same[:, owners] | other_answers
    return functional.cross_entropy(scores.div(temperature).masked_fill(never, NEVER), states.answers)


def _as_ranked(file_scores, landmark_scores, path_scores, owners) -> torch.Tensor:
    """The sum the program ranks by: file, best landmark, half the path; as a mean, so that the temperature fits."""
    best = torch.full_like(file_scores, -1.0)
    best = best.scatter_reduce(1, owners.expand(len(best), -1), landmark_scores, "amax")
    return (file_scores + best + 0.5 * path_scores) / 2.5
