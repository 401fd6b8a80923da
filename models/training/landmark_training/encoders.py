"""Hidden states at landmarks, from PyTorch weights or from an exported ONNX model."""

import os
from pathlib import Path
from typing import Protocol

import numpy as np


class Encoder(Protocol):
    """Anything that turns laid-out inputs into rows at their landmarks."""

    def encode(self, inputs: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """For every (ids, landmark positions) a float32 array [landmarks, dimensions]."""


class OnnxEncoder:
    """As the program runs it: one input a run, for the range of the activations is chosen over a whole run."""

    def __init__(self, path: Path, threads: int):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.enable_mem_pattern = False
        # Idle threads must not spin: on a shared machine they take the time of those that work.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def encode(self, inputs):
        """See Encoder."""
        rows = []
        for ids, landmarks in inputs:
            feeds = {"input_ids": ids[None], "attention_mask": np.ones_like(ids)[None]}
            rows.append(self._session.run(["last_hidden_state"], feeds)[0][0][landmarks])
        return rows


class TorchEncoder:
    """Float weights in batches of similar length."""

    BATCH_TOKENS = 4096

    def __init__(self, folder: Path, threads: int):
        import torch

        from .encoder_weights import load_encoder

        torch.set_num_threads(threads)
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = load_encoder(folder).eval().to(self._device)

    def encode(self, inputs):
        """See Encoder."""
        torch = self._torch
        order = sorted(range(len(inputs)), key=lambda at: len(inputs[at][0]))
        rows: list[np.ndarray] = [np.empty(0)] * len(inputs)
        with torch.inference_mode():
            for batch in self._batches(order, inputs):
                length = max(len(inputs[at][0]) for at in batch)
                ids = torch.zeros(len(batch), length, dtype=torch.long)
                mask = torch.zeros_like(ids)
                for row, at in enumerate(batch):
                    count = len(inputs[at][0])
                    ids[row, :count] = torch.from_numpy(inputs[at][0])
                    mask[row, :count] = 1
                states = self._model(ids.to(self._device), mask.to(self._device)).float().cpu().numpy()
                for row, at in enumerate(batch):
                    rows[at] = states[row][inputs[at][1]]
        return rows

    def _batches(self, order, inputs):
        batch: list[int] = []
        for at in order:
            if batch and len(inputs[at][0]) * (len(batch) + 1) > self.BATCH_TOKENS:
                yield batch
                batch = []
            batch.append(at)
        if batch:
            yield batch


def open_encoder(path: Path, threads: int | None = None) -> Encoder:
    """An ONNX file or a folder of float weights."""
    threads = threads or int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    return OnnxEncoder(path, threads) if path.suffix == ".onnx" else TorchEncoder(path, threads)
