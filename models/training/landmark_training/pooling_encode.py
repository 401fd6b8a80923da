"""Comparison, vectors: every pooling's rows for the files and queries of search sets, one file a set, pooling and k.

Poolings whose inputs are the same share the layers that none of them trained.
"""

import argparse
import copy
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from .encoder_weights import LandmarkEncoder, load_encoder
from .pooling_train import FROZEN_LAYERS
from .poolings import FIXED, GRANULARITIES, POOLINGS, LatentAttention, Layout, Pooling
from .text_groups import groups_of, padded
from .tokenised_sets import TokenisedSet, add_set_options, open_set
from .tokens import TextTokenizer

TOKENS_AT_ONCE = 4096
# The base as it is, read by its own pooling and at landmarks, beside what was trained.
UNTRAINED = {"base": "mean", "base-lmk": "lmk-fixed"}


@dataclass(frozen=True)
class Reader:
    """One trained pooling: its upper layers and what reads their states."""

    label: str
    pooling: Pooling
    layers: nn.ModuleList
    latent: LatentAttention | None

    def states(self, encoder: LandmarkEncoder, lower: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """States that are read, from those of the shared layers, [batch, length, dimensions]."""
        states = encoder.through(lower, mask, self.layers)
        return states if self.latent is None else self.latent(states)


@dataclass(frozen=True)
class Job:
    """One file to write: a reader at one granularity."""

    reader: Reader
    k: int
    target: Path


def open_reader(label: str, encoder: LandmarkEncoder, run: Path) -> Reader | None:
    """The reader of a label; none where it is not trained yet."""
    pooling = POOLINGS[UNTRAINED.get(label, label)]
    layers = copy.deepcopy(encoder.layers[FROZEN_LAYERS:])
    latent = LatentAttention(encoder.config["hidden_size"]) if pooling.latent else None
    if label in UNTRAINED:
        return Reader(label, pooling, layers, latent)
    if not (run / f"{label}.pt").exists():
        return None
    weights = torch.load(run / f"{label}.pt")
    for at, layer in enumerate(layers):
        prefix = f"encoder.layers.{at + FROZEN_LAYERS}."
        layer.load_state_dict({name[len(prefix) :]: w for name, w in weights.items() if name.startswith(prefix)})
    if latent is not None:
        latent.load_state_dict({name[7:]: w for name, w in weights.items() if name.startswith("latent.")})
    return Reader(label, pooling, layers.eval(), latent)


def texts_of(tokenised: TokenisedSet) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """Content ids and ends of sentences of all windows, then of all queries by kind."""
    windows = [(window.ids, window.ends) for window in tokenised.windows]
    return windows + [(np.array(ids), ()) for own in tokenised.query_ids.values() for ids in own]


def encode(jobs: list[Job], encoder: LandmarkEncoder, tokenised: TokenisedSet, tokenizer: TextTokenizer) -> None:
    """Runs jobs whose inputs are the same, and writes each one's file."""
    texts = texts_of(tokenised)
    laid = [
        [job.reader.pooling.lay_out(ids, job.k, ends, tokenizer.cls_id, tokenizer.landmark_id) for ids, ends in texts]
        for job in jobs
    ]
    rows: list[list[tuple[np.ndarray, float]]] = [[(np.empty(0), 0.0)] * len(texts) for _ in jobs]
    readers = {id(job.reader): job.reader for job in jobs}
    for group in groups_of([len(each.ids) for each in laid[0]], TOKENS_AT_ONCE):
        ids, mask = padded([laid[0][at].ids for at in group])
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            lower = encoder.through(encoder.embed(ids), mask, encoder.layers[:FROZEN_LAYERS])
            for key, reader in readers.items():
                states = reader.states(encoder, lower, mask).float()
                for number, job in enumerate(jobs):
                    if id(job.reader) == key:
                        for row, at in enumerate(group):
                            read, weight = job.reader.pooling.rows(states[row], laid[number][at])
                            rows[number][at] = (read.numpy(), weight)
    for job, layouts, read in zip(jobs, laid, rows):
        write(job.target, tokenised, layouts, read)


def write(target: Path, tokenised: TokenisedSet, layouts: list[Layout], read: list[tuple[np.ndarray, float]]) -> None:
    """Rows [segments, dimensions] with owner, weight and lines of each, and a vector a query of every kind."""
    owners, weights, spans = [], [], []
    for window, layout, (rows, weight) in zip(tokenised.windows, layouts, read):
        owners += [window.owner] * len(rows)
        weights += [weight] * len(rows)
        spans += spans_of(window.lines, layout.ends)
    files = len(tokenised.windows)
    arrays = {
        "rows": np.concatenate([rows for rows, _ in read[:files]]).astype(np.float16),
        "owners": np.array(owners, np.int32),
        "weights": np.array(weights, np.float32),
        "spans": np.array(spans, np.int32),
        "tokens": np.array(sum(len(layout.ids) for layout in layouts[:files])),
    }
    at = files
    for kind, own in tokenised.queries.items():
        arrays[f"query_{kind}"] = np.stack([rows.mean(0) for rows, _ in read[at : at + len(own)]])
        at += len(own)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez(file, **arrays)
    partial.rename(target)


def spans_of(lines: np.ndarray, ends: np.ndarray) -> list[tuple[int, int]]:
    """First and last line of each segment; a segment without tokens of its own has those of the last one."""
    spans, start = [], 0
    for end in ends.tolist():
        first, last = min(start, max(0, len(lines) - 1)), max(0, min(end, len(lines)) - 1)
        spans.append((int(lines[first]), int(lines[max(first, last)])) if len(lines) else (1, 1))
        start = end
    return spans


def main() -> None:
    """Writes what is not there yet of the chosen sets, arrangement and granularities."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder that the trainings wrote")
    parser.add_argument("--base", type=Path, required=True)
    add_set_options(parser)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", required=True, help="names of sets")
    parser.add_argument("--labels", nargs="+", default=[*POOLINGS, *UNTRAINED])
    parser.add_argument("--k", nargs="+", type=int, default=[FIXED], choices=GRANULARITIES)
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    tokenizer, encoder = TextTokenizer(options.tokenizer), load_encoder(options.base).eval()
    readers = [reader for label in options.labels if (reader := open_reader(label, encoder, options.run))]
    for name in options.only:
        tokenised = open_set(name, options.sets, options.questions, options.rows, tokenizer, options.cache)
        groups: dict[tuple[str, int], list[Job]] = {}
        for reader in readers:
            for k in options.k if reader.pooling.uses_k else [0]:
                target = options.out / name / f"{reader.label}-{k}.npz"
                if not target.exists():
                    groups.setdefault(reader.pooling.input_key(k), []).append(Job(reader, k, target))
        for key, jobs in groups.items():
            began = time.process_time()
            encode(jobs, encoder, tokenised, tokenizer)
            print(name, key, [job.target.stem for job in jobs], f"{time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
