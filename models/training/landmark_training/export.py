"""Stage 5: float weights to the int8 ONNX model that the program runs, with its manifest."""

import argparse
import hashlib
import json
import random
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch

from .activations import collect
from .encoder_weights import load_encoder
from .encoders import OnnxEncoder
from .evaluate import CAPACITY, K, unit
from .layout import cut_windows, layout_window
from .pairs import read_pairs
from .quantize import quantize
from .tokens import TextTokenizer

CALIBRATION_WINDOWS = 48


def main() -> None:
    """Exports, quantises, checks against the float model and writes the folder of the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True, help="packed pairs: windows to calibrate and to check on")
    parser.add_argument(
        "--model", type=Path, required=True, help="folder of a model whose tokenizer, preparation and licence are kept"
    )
    parser.add_argument("--id", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--checked", type=int, default=1000, help="windows whose cosine to the float model is measured")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    floating = options.scratch / "float.onnx"
    export_float(options.weights, floating)
    tokenizer = TextTokenizer(options.model / "tokenizer.json")
    inputs = windows(options.pairs, CALIBRATION_WINDOWS + options.checked, tokenizer)
    samples = collect(onnx.load(floating), [ids for ids, _ in inputs[:CALIBRATION_WINDOWS]])
    target = options.out / "model.onnx"
    onnx.save(quantize(onnx.load(floating), samples), target)
    write_manifest(options.model, options.out, options.id)
    print(compare(OnnxEncoder(floating, 1), OnnxEncoder(target, 1), inputs[CALIBRATION_WINDOWS:]))


def export_float(weights: Path, target: Path) -> None:
    """The encoder as it is, in float32; inputs and output as the program expects them."""
    encoder = load_encoder(weights).eval()
    encoder.fused = False
    ids = torch.randint(1000, 20000, (2, 32))
    names = ("input_ids", "attention_mask", "last_hidden_state")
    axes = {name: {0: "batch", 1: "length"} for name in names}
    example = (ids, torch.ones_like(ids))
    torch.onnx.export(
        encoder,
        example,
        str(target),
        input_names=names[:2],
        output_names=names[2:],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def windows(pairs: Path, count: int, tokenizer: TextTokenizer) -> list[tuple[np.ndarray, np.ndarray]]:
    """Windows of different repositories, laid out as the program does; the same every time."""
    chosen = random.Random(0).sample(read_pairs(pairs), count)
    result = []
    for pair in chosen:
        ids = pair.ids.astype(np.int32)
        start, end = cut_windows(ids, np.arange(len(ids)) // 12, CAPACITY)[0]
        result.append(layout_window(ids[start:end], K, tokenizer.cls_id, tokenizer.landmark_id))
    return result


def compare(reference: OnnxEncoder, candidate: OnnxEncoder, inputs) -> dict[str, float]:
    """Cosines of pooled vectors and of single landmarks between two models."""
    ours, theirs = reference.encode(inputs), candidate.encode(inputs)
    pooled = [_cosine(a.mean(0), b.mean(0)) for a, b in zip(ours, theirs)]
    landmarks = [float(each) for a, b in zip(ours, theirs) for each in (unit(a) * unit(b)).sum(1)]
    return {
        "pooled_mean": round(float(np.mean(pooled)), 5),
        "pooled_least": round(min(pooled), 5),
        "landmark_mean": round(float(np.mean(landmarks)), 5),
        "landmark_least": round(min(landmarks), 5),
    }


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(unit(a) @ unit(b))


def write_manifest(old: Path, out: Path, name: str) -> None:
    """The manifest of the new model; tokenizer and licence are those of the old one."""
    for file in ("tokenizer.json", "tokenizer_config.json", "LICENSE"):
        if (old / file).exists():
            shutil.copyfile(old / file, out / file)
    manifest = json.loads((old / "manifest.json").read_text())
    manifest["id"] = name
    manifest["files"] = {file: hashlib.sha256((out / file).read_bytes()).hexdigest() for file in manifest["files"]}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
