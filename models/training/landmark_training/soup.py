"""Stage 3b: the mean of the weights of several trainings from one start (model soups, arXiv 2203.05482).

The mean is taken to keep what the trainings share and to even out where they differ; measure it against each of them.
"""

import argparse
from pathlib import Path

import torch

from .encoder_weights import load_encoder, save_encoder


def main() -> None:
    """Writes the mean; the start may be one of those that are taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, nargs="+", required=True, help="folders of weights")
    parser.add_argument("--shares", type=float, nargs="+", help="of each, in the same order; else all count alike")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shares = options.shares or [1.0] * len(options.weights)
    if len(shares) != len(options.weights) or min(shares) <= 0:
        parser.error(f"--shares: expected {len(options.weights)} numbers above zero, got {shares}")
    encoders = [load_encoder(folder) for folder in options.weights]
    mean = encoders[0]
    mean.load_state_dict(mean_of_weights([encoder.state_dict() for encoder in encoders], shares))
    save_encoder(mean, options.out)


def mean_of_weights(states: list[dict[str, torch.Tensor]], shares: list[float]) -> dict[str, torch.Tensor]:
    """Name by name, each counting by its share. Raises ValueError where names or shapes differ."""
    first = states[0]
    for state in states[1:]:
        differing = [name for name in first.keys() | state.keys() if not _alike(first.get(name), state.get(name))]
        if differing:
            raise ValueError(f"These weights are of different encoders: {sorted(differing)[:4]}.")
    whole = sum(shares)
    return {
        name: sum(share / whole * state[name].float() for share, state in zip(shares, states)).to(value.dtype)
        for name, value in first.items()
    }


def _alike(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    return a is not None and b is not None and a.shape == b.shape


if __name__ == "__main__":
    main()
