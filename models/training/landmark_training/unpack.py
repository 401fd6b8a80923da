"""Stage 0, where only the int8 file of a model is left: its weights multiplied out, to go on training from them."""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from .encoder_weights import LandmarkEncoder, save_encoder

HEAD_OUTPUT = "last_hidden_state"


def main() -> None:
    """Writes a folder of float weights; layers may be left out, for a faster model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx that the stage export wrote")
    parser.add_argument("--config", type=Path, required=True, help="config.json of the base it was made from")
    parser.add_argument(
        "--without-layers", type=int, nargs="*", default=[], help="layers to leave out, 0 is the lowest"
    )
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    encoder = unpack(onnx.load(options.model), json.loads(options.config.read_text()))
    save_encoder(without_layers(encoder, set(options.without_layers)), options.out)


def unpack(model: onnx.ModelProto, config: dict) -> LandmarkEncoder:
    """An encoder with the int8 weights times their scales; what evened channels out is taken back."""
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    products = _products(model, constants)
    layers = 1 + max(int(name.split(".")[1].split("/")[0]) for name in products if "layers." in name)
    head = products.get(HEAD_OUTPUT)
    encoder = LandmarkEncoder({**config, "num_hidden_layers": layers}, None if head is None else _tensor(head))
    weights = {}
    for name, value in encoder.state_dict().items():
        if name in constants:
            weights[name] = _tensor(constants[name])
        elif name == "words.weight":
            weights[name] = _tensor(_ending(constants, "_table") * _ending(constants, "_table_scales"))
        elif name == "positions.weight":
            # Exported as one table together with the only type.
            weights[name] = _tensor(next(each for each in constants.values() if each.shape == tuple(value.shape)))
        elif name == "types.weight":
            weights[name] = torch.zeros_like(value)
        elif name == "head":
            weights[name] = value
        else:
            _, layer, part, _ = name.split(".")
            weights[name] = _tensor(products[f"/layers.{layer}/{part}/MatMul_output_0"].T)
    encoder.load_state_dict(weights)
    return encoder


def without_layers(encoder: LandmarkEncoder, left_out: set[int]) -> LandmarkEncoder:
    """The same encoder with fewer layers."""
    encoder.layers = nn.ModuleList(layer for at, layer in enumerate(encoder.layers) if at not in left_out)
    encoder.config = {**encoder.config, "num_hidden_layers": len(encoder.layers)}
    return encoder


def _products(model: onnx.ModelProto, constants: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The float weights [inputs, outputs] of every integer product, by the name of its output."""
    source = {node.output[0]: node.input[0] for node in model.graph.node if node.input}
    found = {}
    for node in model.graph.node:
        if node.op_type != "MatMulInteger":
            continue
        name = node.output[0].removesuffix("_sum")
        weight = constants[f"{name}_weights"] * constants[f"{name}_weights_scale"]
        inputs = source[node.input[0]]
        if inputs.endswith("_even"):
            weight = weight * constants[f"{inputs.removesuffix('_even')}_factors"][:, None]
        found[name] = weight
    return found


def _ending(constants: dict[str, np.ndarray], end: str) -> np.ndarray:
    return next(value for name, value in constants.items() if name.endswith(end)).astype(np.float32)


def _tensor(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.array(values, np.float32))


if __name__ == "__main__":
    main()
