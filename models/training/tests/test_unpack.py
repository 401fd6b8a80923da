"""Float weights from an int8 model."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

from landmark_training.encoder_weights import load_encoder, save_encoder
from landmark_training.encoders import OnnxEncoder, TorchEncoder
from landmark_training.evaluate import unit
from landmark_training.layout import layout_window
from landmark_training.unpack import unpack, without_layers

from .test_rules import CASES, shipped_model

BASE = {
    "vocab_size": 30522,
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_attention_heads": 12,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}


class Unpacking(unittest.TestCase):
    """The shipped model, multiplied out."""

    @classmethod
    def setUpClass(cls):
        path = shipped_model() / "model.onnx"
        cls.int8, cls.encoder = OnnxEncoder(path, 1), unpack(onnx.load(path), BASE)

    def test_it_answers_as_the_int8_model(self):
        inputs = [layout_window(case["ids"], 64, 101, 102) for case in CASES if 8 < len(case["ids"]) <= 300]
        self.assertGreater(len(inputs), 4)
        with tempfile.TemporaryDirectory() as folder:
            save_encoder(self.encoder, Path(folder))
            floats = TorchEncoder(Path(folder), 1).encode(inputs)
        for ours, theirs in zip(floats, self.int8.encode([(np.asarray(a), np.asarray(b)) for a, b in inputs])):
            self.assertGreater(float(unit(ours.mean(0)) @ unit(theirs.mean(0))), 0.99)

    def test_layers_can_be_left_out(self):
        count = len(self.encoder.layers)
        kept = [self.encoder.layers[0], *self.encoder.layers[2:]]
        with tempfile.TemporaryDirectory() as folder:
            save_encoder(without_layers(unpack(onnx.load(shipped_model() / "model.onnx"), BASE), {1}), Path(folder))
            shorter = load_encoder(Path(folder))
        self.assertEqual(len(shorter.layers), count - 1)
        for ours, theirs in zip(shorter.layers, kept):
            np.testing.assert_allclose(ours.up.weight.detach(), theirs.up.weight.detach().half().float())


if __name__ == "__main__":
    unittest.main()
