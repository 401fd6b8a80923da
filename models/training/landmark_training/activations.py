"""What goes into the matrix products of an ONNX model when it runs."""

import numpy as np
import onnx
import onnxruntime


def weighted_products(model: onnx.ModelProto) -> dict[str, list[onnx.NodeProto]]:
    """Matrix products with constant weights, by the name of their input: those that share it share its quantisation."""
    constants = {each.name for each in model.graph.initializer}
    groups: dict[str, list[onnx.NodeProto]] = {}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in constants:
            groups.setdefault(node.input[0], []).append(node)
    return groups


def collect(model: onnx.ModelProto, inputs: list[np.ndarray]) -> dict[str, list[np.ndarray]]:
    """For every input of a weighted product the rows seen, one array [tokens, channels] a run."""
    names = list(weighted_products(model))
    probed = onnx.ModelProto()
    probed.CopyFrom(model)
    for name in names:
        probed.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(probed.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    seen: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for ids in inputs:
        feeds = {"input_ids": ids[None], "attention_mask": np.ones_like(ids)[None]}
        for name, value in zip(names, session.run(names, feeds)):
            seen[name].append(value[0])
    return seen
