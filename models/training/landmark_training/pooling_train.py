"""Comparison, training: one pooling on the same pairs, windows and steps as all others; resumed from its checkpoint."""

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as functional
from torch import nn

from .batches import BatchSource, Choice
from .encoder_weights import LandmarkEncoder, load_encoder
from .losses import NEVER
from .pairs import Pair, no_negatives, read_pairs
from .poolings import FIXED, GRANULARITIES, POOLINGS, LatentAttention, Layout, Pooling
from .text_groups import groups_of, padded
from .tokens import TextTokenizer
from .train import freeze

# Doc comments of these are the functions that the comparison searches; none of their pairs is trained on.
HELD_OUT = (
    "TanStack/query",
    "celery/celery",
    "caddyserver/caddy",
    "hyperium/hyper",
    "mockito/mockito",
    "symfony/console",
)
FROZEN_LAYERS = 4
# Of batches; that of the report, whatever the default model is trained with.
MIXED = 0.4
NEW_RATE = 10
SHORT = 128
SHORT_WEIGHT = 0.5
TOKENS_AT_ONCE = 4096


class PooledEncoder(nn.Module):
    """The encoder and, for latent attention, the part behind it."""

    def __init__(self, pooling: Pooling, encoder: LandmarkEncoder):
        super().__init__()
        self.pooling = pooling
        self.encoder = encoder
        self.latent = LatentAttention(encoder.config["hidden_size"]) if pooling.latent else None

    def forward(self, ids, mask) -> torch.Tensor:
        """States that are read, [batch, length, dimensions]."""
        states = self.encoder(ids, mask)
        return states if self.latent is None else self.latent(states)

    def read(self, layouts: list[Layout], bfloat16: bool) -> list[tuple[torch.Tensor, float]]:
        """For every input its rows [segments, dimensions] in float32, and what each row counts."""
        read: list[tuple[torch.Tensor, float]] = [(torch.empty(0), 0.0)] * len(layouts)
        for group in groups_of([len(layout.ids) for layout in layouts], TOKENS_AT_ONCE):
            ids, mask = padded([layouts[at].ids for at in group])
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
                states = self(ids, mask).float()
            for row, at in enumerate(group):
                read[at] = self.pooling.rows(states[row], layouts[at])
        return read


def trained_weights(model: PooledEncoder) -> dict[str, torch.Tensor]:
    """What differs from the base: the layers that learn, and the part behind the encoder."""
    learns = {name for name, weight in model.named_parameters() if weight.requires_grad}
    return {name: weight for name, weight in model.state_dict().items() if name in learns}


def pooled(read: list[tuple[torch.Tensor, float]]) -> torch.Tensor:
    """The weighted mean of the rows of several inputs, [dimensions]."""
    total = sum(rows.sum(0) * weight for rows, weight in read)
    return total / sum(len(rows) * weight for rows, weight in read)


def pooled_loss(queries, files, same, temperature: float) -> torch.Tensor:
    """InfoNCE in both directions over all dimensions and, at half the weight, over the first; rows [pairs, dimensions].

    `same` [pairs, pairs] marks pairs that are no negatives of each other.
    """
    own = torch.arange(len(queries))
    total = torch.zeros(())
    for dimensions, weight in ((queries.shape[1], 1.0), (SHORT, SHORT_WEIGHT)):
        scores = functional.normalize(queries[:, :dimensions], dim=-1) @ functional.normalize(
            files[:, :dimensions], dim=-1
        ).T.div(temperature)
        scores = scores.masked_fill(same, NEVER)
        total = total + weight * (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2
    return total


@dataclass(frozen=True)
class Arranged:
    """The inputs of a batch: one a query, then the windows of each file."""

    layouts: list[Layout]
    windows: list[int]
    same: torch.Tensor


def arrange(choices: list[Choice], pooling: Pooling, tokenizer: TextTokenizer) -> Arranged:
    """Lays out what was chosen; the content is the same for every pooling."""

    def lay_out(ids, k, ends):
        return pooling.lay_out(ids, k, ends, tokenizer.cls_id, tokenizer.landmark_id)

    layouts = [lay_out(choice.query, max(GRANULARITIES), ()) for choice in choices]
    for choice in choices:
        for cut in choice.cuts:
            ids = choice.pair.ids[cut.start : cut.start + cut.length]
            ends = [end - cut.start for end in choice.pair.ends]
            layouts.append(lay_out(ids, cut.k if len(pooling.trained_k) > 1 else FIXED, ends))
    pairs = [choice.pair for choice in choices]
    same = torch.tensor([[a is not b and no_negatives(a, b) for b in pairs] for a in pairs])
    return Arranged(layouts, [len(choice.cuts) for choice in choices], same)


def train_step(model: PooledEncoder, batch: Arranged, temperature: float, bfloat16: bool) -> float:
    """Adds the gradients of one batch and returns its loss."""
    read = model.read(batch.layouts, bfloat16)
    size = len(batch.windows)
    queries = torch.stack([pooled([each]) for each in read[:size]])
    files, at = [], size
    for count in batch.windows:
        files.append(pooled(read[at : at + count]))
        at += count
    loss = pooled_loss(queries, torch.stack(files), batch.same, temperature)
    loss.backward()
    return loss.item()


def optimizer_of(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW; what starts from nothing learns faster than what was trained before."""
    known = [
        weight for name, weight in model.named_parameters() if weight.requires_grad and name.startswith("encoder.")
    ]
    new = [weight for name, weight in model.named_parameters() if not name.startswith("encoder.")]
    groups = [{"params": known, "full_rate": rate}, {"params": new, "full_rate": NEW_RATE * rate}]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=rate, weight_decay=0.01)


def set_rate(optimizer: torch.optim.Optimizer, step: int, steps: int) -> None:
    """Up over ten steps, then down in a line."""
    for group in optimizer.param_groups:
        group["lr"] = group["full_rate"] * min(1, (step + 1) / 10) * max(0.05, 1 - step / steps)


def training_pairs(folder: Path) -> list[Pair]:
    """All packed pairs but those of the repositories held out."""
    return [pair for pair in read_pairs(folder) if pair.repository not in HELD_OUT]


def main() -> None:
    """Trains until `--steps`, or until the process is ended."""
    options = _options()
    target = options.out / f"{options.pooling}.pt"
    if target.exists():
        return
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    model = PooledEncoder(POOLINGS[options.pooling], load_encoder(options.base))
    freeze(model.encoder, options.frozen_layers)
    start = options.start or (options.out / "retro.pt" if model.pooling.pretrained else None)
    if start:
        model.load_state_dict(torch.load(start), strict=False)
    optimizer = optimizer_of(model, options.rate)
    tokenizer = TextTokenizer(options.tokenizer)
    words = model.encoder.words.weight.detach().numpy()
    source = BatchSource(training_pairs(options.pairs), tokenizer, words, options.seed, GRANULARITIES, mixed=MIXED)
    state = options.out / f"{options.pooling}.state"
    first, tokens, log = _resume(state, model, optimizer)
    for step in range(first, options.steps):
        set_rate(optimizer, step, options.steps)
        began = time.process_time()
        batch = arrange(source.choices(step, options.batch, options.longest), model.pooling, tokenizer)
        loss = train_step(model, batch, options.temperature, options.bfloat16)
        nn.utils.clip_grad_norm_([weight for weight in model.parameters() if weight.requires_grad], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        tokens += sum(len(layout.ids) for layout in batch.layouts)
        log.append({"step": step + 1, "loss": round(loss, 4), "seconds": round(time.process_time() - began, 2)})
        print(json.dumps(log[-1]), flush=True)
        if (step + 1) % 20 == 0:
            saved = {"step": step + 1, "tokens": tokens, "log": log, "model": trained_weights(model)}
            _save(state, {**saved, "optimizer": optimizer.state_dict()})
    (options.out / f"{options.pooling}.json").write_text(json.dumps({"tokens": tokens, "log": log}))
    _save(target, trained_weights(model))


def _options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pooling", choices=list(POOLINGS), required=True)
    parser.add_argument("--base", type=Path, required=True, help="folder of the weights that all start from")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="what an earlier training of this pooling wrote, to go on from")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--longest", type=int, default=160, help="content tokens of a window, at most")
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--frozen-layers", type=int, default=FROZEN_LAYERS)
    parser.add_argument("--bfloat16", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _resume(path: Path, model: PooledEncoder, optimizer) -> tuple[int, int, list]:
    if not path.exists():
        return 0, 0, []
    state = torch.load(path)
    model.load_state_dict(state["model"], strict=False)
    optimizer.load_state_dict(state["optimizer"])
    return state["step"], state["tokens"], state["log"]


def _save(path: Path, state: dict) -> None:
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.rename(path)


if __name__ == "__main__":
    main()
