"""Stage 3a: a rotation behind the encoder that gathers what tells landmarks apart in the first dimensions.

All cosines over all dimensions stay as they are. Landmarks are stored with fewer dimensions, and those keep most then.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from .encoder_weights import HEAD
from .encoders import open_encoder
from .evaluate import unit
from .export import windows
from .tokens import TextTokenizer


def main() -> None:
    """Copies weights and puts the rotation beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="folder of weights without a head")
    parser.add_argument("--encoder", type=Path, help="model.onnx of the same weights, which is faster")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=1400)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shutil.copytree(options.weights, options.out)
    inputs = windows(options.pairs, options.windows, TextTokenizer(options.tokenizer))
    rows = unit(np.concatenate(open_encoder(options.encoder or options.weights).encode(inputs)))
    head = principal_axes(rows)
    save_file({"head": torch.from_numpy(head)}, options.out / HEAD)
    kept = np.square((rows - rows.mean(0)) @ head[:, :128]).sum() / np.square(rows - rows.mean(0)).sum()
    print(f"{len(rows)} landmarks; the first 128 dimensions keep {kept:.1%} of the variance")


def principal_axes(rows: np.ndarray) -> np.ndarray:
    """Orthogonal [dimensions, dimensions], the axis of largest variance first; what all rows share is not counted."""
    axes = np.linalg.eigh(np.cov(rows.T))[1][:, ::-1]
    return np.ascontiguousarray(axes, dtype=np.float32)


if __name__ == "__main__":
    main()
