"""Int8 weights for ONNX Runtime's integer matrix products.

Activations are quantised while the model runs: one range for a whole input. Three things keep that exact enough.
Channels with outliers are divided by a factor that the weights take over (SmoothQuant, arXiv 2211.10438). Weights are
rounded one after the other, each passing its error on to those that follow (GPTQ, arXiv 2210.17323). Processors with
AVX2 and without VNNI add two neighbouring products in 16 bits: weights up to 64 can never overflow these, and the full
range of a byte is taken only where no sample does so (behind GELU, where most inputs are next to nothing).
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .activations import weighted_products

FULL = 127
# 255 · (64 + 64) fits in 16 bits with sign.
SAFE = 64
PAIR_LIMIT = 32_767
CHECKED_TOKENS = 300
STRENGTHS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DAMPING = 0.01
CHOSEN_ON = 8
BLOCK = 64


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
        source = name
        before[name] = []
        if strength > 0:
            source = f"{name}_even"
            added.append(numpy_helper.from_array((1 / factors).astype(np.float32), f"{name}_factors"))
            before[name].append(helper.make_node("Mul", [name, f"{name}_factors"], [source]))
        q, scale, zero = (f"{name}_{part}" for part in ("int8", "scale", "zero"))
        before[name].append(helper.make_node("DynamicQuantizeLinear", [source], [q, scale, zero]))
        largest = safe_range(samples[name], weights, factors)
        root = error_root(np.concatenate(samples[name]) / factors)
        for node in nodes:
            weight = constants[node.input[1]] * factors[:, None]
            integers, scales = round_weights(weight, root, largest)
            replaced[node.output[0]], tensors = _integer_product(node, (q, scale, zero), integers, scales)
            added += tensors
    return _rebuilt(model, before, replaced, added, constants)


def best_factors(samples: list[np.ndarray], weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The strength of smoothing that loses least on these samples, and its factor for each channel.

    Every token counts alike: the few with huge states would else decide alone.
    """
    largest = np.maximum(np.abs(np.concatenate(samples)).max(0), 1e-5)
    largest_weight = np.maximum(np.abs(weights).max(1), 1e-5)
    best = (np.inf, 0.0, np.ones(len(largest), np.float32))
    chosen = samples[:CHOSEN_ON]
    exact = [rows @ weights for rows in chosen]
    for strength in STRENGTHS:
        factors = largest**strength / largest_weight ** (1 - strength) if strength else np.ones(len(largest))
        factors = factors.astype(np.float32)
        error = rounding_error(chosen, exact, weights, factors)
        # Smoothing costs a multiplication, so it has to win clearly.
        if error < best[0] * (0.9 if best[1] == 0 else 1):
            best = (error, strength, factors)
    return best[1], best[2]


def rounding_error(
    samples: list[np.ndarray], exact: list[np.ndarray], weights: np.ndarray, factors: np.ndarray
) -> float:
    """Mean over the tokens of the share of the product that is lost when both sides are rounded."""
    scaled = weights * factors[:, None]
    step = np.abs(scaled).max(0) / SAFE
    rounded = np.round(scaled / step) * step
    shares = []
    for rows, product in zip(samples, exact):
        lost = fake_rows(rows / factors) @ rounded - product
        shares.append(np.square(lost).sum(1) / np.square(product).sum(1))
    return float(np.mean(np.concatenate(shares)))


def byte_rows(rows: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Rows as DynamicQuantizeLinear makes them: numbers from 0 to 255, the step between them, and their zero."""
    low, high = min(0.0, float(rows.min())), max(0.0, float(rows.max()))
    step = (high - low) / 255 or 1.0
    zero = round(-low / step)
    return np.clip(np.round(rows / step) + zero, 0, 255), step, zero


def fake_rows(rows: np.ndarray) -> np.ndarray:
    """Rows after they were made bytes and read back."""
    numbers, step, zero = byte_rows(rows)
    return (numbers - zero) * step


def safe_range(samples: list[np.ndarray], weights: np.ndarray, factors: np.ndarray) -> int:
    """The full range where no two neighbouring products overflow 16 bits on the samples, else one that never can."""
    scaled = weights * factors[:, None]
    integers = np.round(scaled / np.abs(scaled).max(0) * FULL).astype(np.float32)
    numbers = np.concatenate([byte_rows(rows / factors)[0] for rows in samples])
    # The tokens with the largest pairs.
    pairs = numbers[:, 0::2] + numbers[:, 1::2]
    for at in np.argsort(-pairs.max(1), kind="stable")[:CHECKED_TOKENS]:
        sums = numbers[at, 0::2, None] * integers[0::2] + numbers[at, 1::2, None] * integers[1::2]
        if np.abs(sums).max() > PAIR_LIMIT:
            return SAFE
    return FULL


def error_root(rows: np.ndarray) -> np.ndarray:
    """How an error in one weight is made good by those that follow: upper triangular [inputs, inputs].

    The Cholesky factor of the inverse of the inputs' second moments, every token counting alike.
    """
    even = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    moments = (even.T @ even).astype(np.float64)
    moments[np.diag_indices_from(moments)] += DAMPING * np.mean(np.diag(moments))
    return np.linalg.cholesky(np.linalg.inv(moments)).T.astype(np.float32)


def round_weights(weight: np.ndarray, root: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Int8 weights [inputs, outputs] up to `largest` and a scale for each output; products change as little as can be.

    `root` comes from `error_root`.
    """
    rest = weight.astype(np.float32).copy()
    scales = np.maximum(np.abs(weight).max(0), 1e-12).astype(np.float32) / largest
    integers = np.zeros(weight.shape, np.int8)
    for start in range(0, len(rest), BLOCK):
        end = min(start + BLOCK, len(rest))
        errors = np.zeros((end - start, rest.shape[1]), np.float32)
        for at in range(start, end):
            integers[at] = np.clip(np.round(rest[at] / scales), -largest, largest)
            error = errors[at - start] = (rest[at] - integers[at] * scales) / root[at, at]
            rest[at + 1 : end] -= np.outer(root[at, at + 1 : end], error)
        rest[end:] -= root[start:end, end:].T @ errors
    return integers, scales


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
    scales = np.maximum(np.abs(table).max(1, keepdims=True), 1e-9).astype(np.float32) / FULL
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
