"""Int8 weights: exact enough, and safe on processors that add two products in 16 bits."""

import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from landmark_training.activations import collect, weighted_products
from landmark_training.encoders import OnnxEncoder
from landmark_training.quantize import (
    FULL,
    SAFE,
    best_factors,
    error_root,
    fake_rows,
    quantize,
    round_weights,
    safe_range,
)


class Rounding(unittest.TestCase):
    """Weights alone."""

    def setUp(self):
        chance = np.random.default_rng(0)
        mix = chance.normal(size=(64, 64)) * np.exp(chance.normal(size=64))
        self.rows = chance.normal(size=(500, 64)) @ mix
        self.weight = chance.normal(size=(64, 32))

    def test_the_safe_range_never_overflows_16_bits(self):
        self.assertLessEqual(255 * 2 * SAFE, 32_767)
        self.assertEqual(np.abs(round_weights(self.weight, error_root(self.rows), SAFE)[0].astype(int)).max(), SAFE)

    def test_the_full_range_is_taken_only_where_inputs_are_mostly_nothing(self):
        ones = np.ones(64)
        sparse = [np.abs(self.rows) * (np.arange(64) % 8 == 0) / 4]
        self.assertEqual(safe_range(sparse, self.weight, ones), FULL)
        self.assertEqual(safe_range([self.rows], np.sign(self.weight), ones), SAFE)

    def test_passing_errors_on_loses_less_than_plain_rounding(self):
        integers, scales = round_weights(self.weight, error_root(self.rows), FULL)
        plain = np.round(self.weight / scales)
        loss = [np.square(self.rows @ (each * scales - self.weight)).sum() for each in (integers, plain)]
        self.assertLess(loss[0], 0.8 * loss[1])

    def test_an_outlier_channel_is_evened_out(self):
        samples = [np.random.default_rng(1).normal(size=(50, 64)) * np.r_[40.0, np.ones(63)]]
        strength, factors = best_factors(samples, self.weight)
        self.assertGreater(strength, 0)
        self.assertEqual(int(factors.argmax()), 0)

    def test_rows_are_rounded_as_the_runtime_does(self):
        node = helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"])
        back = helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"])
        graph = helper.make_graph(
            [node, back],
            "rows",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 64])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 64])],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        import onnxruntime

        session = onnxruntime.InferenceSession(model.SerializeToString())
        rows = self.rows.astype(np.float32)
        np.testing.assert_allclose(session.run(None, {"x": rows})[0], fake_rows(rows), atol=1e-4)


class WholeModel(unittest.TestCase):
    """A small model through the runtime."""

    def test_a_quantised_model_answers_as_the_float_one(self):
        import tempfile
        from pathlib import Path

        chance = np.random.default_rng(2)
        table = chance.normal(size=(12_000, 16)).astype(np.float32)
        weights = {"up": chance.normal(size=(16, 32)), "down": chance.normal(size=(32, 16)) / 4}
        constants = [
            numpy_helper.from_array(value.astype(np.float32), name)
            for name, value in {"table": table, **weights}.items()
        ]
        nodes = [
            helper.make_node("Gather", ["table", "input_ids"], ["words"]),
            helper.make_node("MatMul", ["words", "up"], ["wide"]),
            helper.make_node("Relu", ["wide"], ["bent"]),
            helper.make_node("MatMul", ["bent", "down"], ["out"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMax", ["mask"], ["one"], keepdims=0),
            helper.make_node("Mul", ["out", "one"], ["last_hidden_state"]),
        ]
        names = ("input_ids", "attention_mask")
        graph = helper.make_graph(
            nodes,
            "small",
            [helper.make_tensor_value_info(name, TensorProto.INT64, [1, None]) for name in names],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, None, 16])],
            constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        inputs = [chance.integers(0, 12_000, 60) for _ in range(20)]
        smaller = quantize(model, collect(model, inputs))
        self.assertEqual(list(weighted_products(smaller)), [])
        with tempfile.TemporaryDirectory() as folder:
            rows = []
            for name, each in (("float", model), ("int8", smaller)):
                onnx.save(each, Path(folder) / f"{name}.onnx")
                rows.append(
                    OnnxEncoder(Path(folder) / f"{name}.onnx", 1).encode([(ids, np.arange(60)) for ids in inputs])
                )
        ours, theirs = np.concatenate(rows[0]), np.concatenate(rows[1])
        cosines = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
        self.assertGreater(cosines.min(), 0.998)


if __name__ == "__main__":
    unittest.main()
