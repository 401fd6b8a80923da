"""Int8 weights for ONNX Runtime's integer matrix products.

Activations are quantised while the model runs: one range for a whole input. Three things keep that exact enough.
Channels with outliers are divided by a factor that the weights take over (SmoothQuant, arXiv 2211.10438). Weights are
rounded one after the other, each passing its error on to those that follow (GPTQ, arXiv 2210.17323). And no pair
of neighbouring weights can overflow the 16 bits in which processors with AVX2 and without VNNI add two products, so that
the full range of a byte is safe and every processor gives the same numbers.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .activations import weighted_products

LARGEST = 127
# 255 · (a + b) has to fit in 16 bits with sign for two neighbours of the same sign.
PAIR_LIMIT = 128
STRENGTHS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
DAMPING = 0.01


def quantize(model: onnx.ModelProto, samples: dict[str, list[np.ndarray]]) -> onnx.ModelProto:
    """The model with int8 products and an int8 word table. `samples`: inputs of the products, from `collect`."""
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    groups = weighted_products(model)
    before: dict[str, list[onnx.NodeProto]] = {}
    replaced: dict[str, list[onnx.NodeProto]] = {}
    added: list[onnx.TensorProto] = []
    for name, nodes in groups.items():
        weights = np.concatenate([constants[node.input[1]] for node in nodes], axis=1)
        strength, factors = best_factors(samples[name], weights)
        rows = np.concatenate(samples[name]) / factors
        source = name
        before[name] = []
        if strength > 0:
            source = f"{name}_even"
            added.append(numpy_helper.from_array((1 / factors).astype(np.float32), f"{name}_factors"))
            before[name].append(helper.make_node("Mul", [name, f"{name}_factors"], [source]))
        q, scale, zero = (f"{name}_{part}" for part in ("int8", "scale", "zero"))
        before[name].append(helper.make_node("DynamicQuantizeLinear", [source], [q, scale, zero]))
        for node in nodes:
            weight = constants[node.input[1]] * factors[:, None]
            integers, scales = round_weights(weight, rows)
            replaced[node.output[0]], tensors = _integer_product(node, (q, scale, zero), integers, scales)
            added += tensors
    return _rebuilt(model, before, replaced, added, constants)


def best_factors(samples: list[np.ndarray], weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The strength of smoothing that loses least on these samples, and its factor for each channel."""
    largest = np.maximum(np.abs(np.concatenate(samples)).max(0), 1e-5)
    largest_weight = np.maximum(np.abs(weights).max(1), 1e-5)
    best = (np.inf, 0.0, np.ones(len(largest)))
    for strength in STRENGTHS:
        factors = largest**strength / largest_weight ** (1 - strength) if strength else np.ones(len(largest))
        factors = factors / np.exp(np.mean(np.log(factors)))
        scaled = weights * factors[:, None]
        step = np.abs(scaled).max(0) / LARGEST
        rounded = np.round(scaled / step) * step
        error = sum(float(np.square(fake_rows(rows / factors) @ rounded - rows @ weights).sum()) for rows in samples[:24])
        # Smoothing costs a multiplication, so it has to win clearly.
        if error < best[0] * (0.9 if best[1] == 0 else 1):
            best = (error, strength, factors)
    return best[1], best[2].astype(np.float32)


def fake_rows(rows: np.ndarray) -> np.ndarray:
    """Rows as DynamicQuantizeLinear leaves them: one range for all, zero in it, 8 bits."""
    low, high = min(0.0, float(rows.min())), max(0.0, float(rows.max()))
    step = (high - low) / 255 or 1.0
    zero = round(-low / step)
    return (np.clip(np.round(rows / step) + zero, 0, 255) - zero) * step


def round_weights(weight: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Int8 weights [inputs, outputs] and a scale for each output, so that `rows @ weight` changes least."""
    rest = weight.astype(np.float64).copy()
    gram = rows.astype(np.float64).T @ rows
    gram[np.diag_indices_from(gram)] += DAMPING * np.mean(np.diag(gram))
    inverse = np.linalg.cholesky(np.linalg.inv(gram)).T
    scales = np.maximum(np.abs(weight).max(0), 1e-12) / LARGEST
    integers = np.zeros(weight.shape, np.int16)
    for at in range(len(rest)):
        integer = np.clip(np.round(rest[at] / scales), -LARGEST, LARGEST)
        if at % 2:
            left = integers[at - 1]
            integer = np.where(left > 0, np.minimum(integer, PAIR_LIMIT - left), integer)
            integer = np.where(left < 0, np.maximum(integer, -PAIR_LIMIT - left), integer)
        integers[at] = integer
        error = (rest[at] - integer * scales) / inverse[at, at]
        rest[at + 1 :] -= np.outer(inverse[at, at + 1 :], error)
    return integers.astype(np.int8), scales.astype(np.float32)


def _integer_product(node, quantised, integers, scales):
    """In the very shape that ONNX Runtime fuses into one operator."""
    (q, scale, zero), name = quantised, node.output[0]
    tensors = [
        numpy_helper.from_array(integers, f"{name}_weights"),
        numpy_helper.from_array(np.zeros(len(scales), np.int8), f"{name}_weights_zero"),
        numpy_helper.from_array(scales, f"{name}_weights_scale"),
    ]
    nodes = [
        helper.make_node("MatMulInteger", [q, tensors[0].name, zero, tensors[1].name], [f"{name}_sum"]),
        helper.make_node("Cast", [f"{name}_sum"], [f"{name}_sum_float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [scale, tensors[2].name], [f"{name}_scale"]),
        helper.make_node("Mul", [f"{name}_sum_float", f"{name}_scale"], [name]),
    ]
    return nodes, tensors


def _rebuilt(model, before, replaced, added, constants) -> onnx.ModelProto:
    nodes, done = [], set()
    for node in model.graph.node:
        if node.op_type == "Gather" and node.input[0] in constants and len(constants[node.input[0]]) > 10_000:
            table_nodes, tensors = _word_table(node, constants[node.input[0]])
            nodes += table_nodes
            added += tensors
        elif node.output[0] in replaced:
            if node.input[0] not in done:
                nodes += before[node.input[0]]
                done.add(node.input[0])
            nodes += replaced[node.output[0]]
        else:
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    kept = [each for each in model.graph.initializer if each.name in used]
    graph = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, kept + added)
    result = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    onnx.checker.check_model(result)
    return result


def _word_table(node, table: np.ndarray):
    """Word vectors in bytes, a scale for each word."""
    scales = np.maximum(np.abs(table).max(1, keepdims=True), 1e-9).astype(np.float32) / LARGEST
    name = node.output[0]
    tensors = [
        numpy_helper.from_array(np.round(table / scales).astype(np.int8), f"{name}_table"),
        numpy_helper.from_array(scales, f"{name}_table_scales"),
    ]
    nodes = [
        helper.make_node("Gather", [tensors[0].name, node.input[1]], [f"{name}_bytes"], axis=0),
        helper.make_node("Cast", [f"{name}_bytes"], [f"{name}_numbers"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [tensors[1].name, node.input[1]], [f"{name}_word_scales"], axis=0),
        helper.make_node("Mul", [f"{name}_numbers", f"{name}_word_scales"], [name]),
    ]
    return nodes, tensors
