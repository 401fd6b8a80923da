"""Comparison, RetroMAE with landmarks: masked modelling whose decoder gets the mean of landmarks (arXiv 2205.12035).

As in "LMK > CLS": landmarks are never masked, the decoder predicts none of them, and its first place holds their mean
where RetroMAE has [CLS]. Unlike the published code the inputs come from the same layout as everywhere (one [CLS], no
closing token besides the landmarks), k is drawn per text, and the landmark id is the tokenizer's.
"""

import argparse
import copy
import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from torch import nn

from .encoder_weights import LandmarkEncoder, load_encoder
from .pairs import Pair
from .pooling_train import FROZEN_LAYERS, optimizer_of, set_rate, training_pairs
from .poolings import GRANULARITIES, POOLINGS, Layout
from .text_groups import groups_of, padded
from .tokens import TextTokenizer
from .train import freeze

ENCODER_SHARE = 0.3
DECODER_SHARE = 0.5
TOKENS_AT_ONCE = 4096


@dataclass(frozen=True)
class Masked:
    """Inputs with masks [texts, length] and which places are predicted there, for the encoder and for the decoder."""

    encoder_ids: torch.Tensor
    encoder_hidden: torch.Tensor
    decoder_ids: torch.Tensor
    decoder_hidden: torch.Tensor


def mask_inputs(ids: torch.Tensor, is_content: torch.Tensor, mask_id: int, chance: torch.Generator) -> Masked:
    """Masks shares of the content; first tokens, landmarks and padding stay as they are and are not predicted."""

    def hidden(share: float) -> torch.Tensor:
        return (torch.rand(ids.shape, generator=chance) < share) & is_content

    for_encoder, for_decoder = hidden(ENCODER_SHARE), hidden(DECODER_SHARE)
    return Masked(
        ids.masked_fill(for_encoder, mask_id), for_encoder, ids.masked_fill(for_decoder, mask_id), for_decoder
    )


def content_of(layouts: list[Layout], mask: torch.Tensor) -> torch.Tensor:
    """Where tokens of the text stand, [texts, length]: by place and not by id, so that a literal [SEP] is content."""
    content = mask.bool()
    content[:, 0] = False
    for row, layout in enumerate(layouts):
        content[row, torch.as_tensor(layout.places)] = False
    return content


class RetroModel(nn.Module):
    """The encoder, a decoder of one layer that starts as the encoder's last, and a map to words that both share."""

    def __init__(self, encoder: LandmarkEncoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = copy.deepcopy(encoder.layers[-1]).requires_grad_(True)
        width = encoder.config["hidden_size"]
        self.before_words = nn.Linear(width, width)
        self.words_norm = nn.LayerNorm(width)
        self.words_bias = nn.Parameter(torch.zeros(encoder.config["vocab_size"]))
        with torch.no_grad():
            self.before_words.weight.copy_(torch.eye(width))
            self.before_words.bias.zero_()

    def forward(self, masked: Masked, targets, mask, layouts: list[Layout]) -> tuple[torch.Tensor, torch.Tensor]:
        """Loss of the encoder's and of the decoder's predictions; `targets` are the ids before masking."""
        states = self.encoder(masked.encoder_ids, mask)
        sentence = torch.stack([states[row, torch.as_tensor(each.places)].mean(0) for row, each in enumerate(layouts)])
        inputs = self.encoder.embed(masked.decoder_ids)
        inputs = torch.cat([sentence[:, None].to(inputs.dtype), inputs[:, 1:]], 1)
        decoded = self.encoder.through(inputs, mask, [self.decoder])
        return self._loss(states, targets, masked.encoder_hidden), self._loss(decoded, targets, masked.decoder_hidden)

    def _loss(self, states, targets, hidden) -> torch.Tensor:
        rows = self.words_norm(functional.gelu(self.before_words(states[hidden])))
        scores = functional.linear(rows, self.encoder.words.weight, self.words_bias)
        return functional.cross_entropy(scores.float(), targets[hidden])


def texts_of(pairs: list[Pair], step: int, seed: int, size: int, longest: int) -> list[tuple[np.ndarray, int]]:
    """Stretches of code with a k each; the same step gives the same ones."""
    chance = random.Random(seed * 1_000_003 + step)
    drawn = []
    for pair in chance.sample(pairs, size):
        start = chance.randint(0, max(0, len(pair.ids) - longest))
        drawn.append((pair.ids[start : start + longest], chance.choice(GRANULARITIES)))
    return drawn


def retro_step(model: RetroModel, texts, tokenizer: TextTokenizer, mask_id: int, chance, bfloat16: bool):
    """Adds the gradients of one batch; returns the mean losses of encoder and decoder."""
    pooling = POOLINGS["lmk-retro"]
    layouts = [pooling.lay_out(ids, k, (), tokenizer.cls_id, tokenizer.landmark_id) for ids, k in texts]
    sums = np.zeros(2)
    for group in groups_of([len(layout.ids) for layout in layouts], TOKENS_AT_ONCE):
        own = [layouts[at] for at in group]
        ids, mask = padded([layout.ids for layout in own])
        masked = mask_inputs(ids, content_of(own, mask), mask_id, chance)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
            parts = model(masked, ids, mask, own)
        share = len(group) / len(layouts)
        (sum(parts) * share).backward()
        sums += [part.item() * share for part in parts]
    return sums.tolist()


def main() -> None:
    """Trains the encoder's upper layers and writes them; ended early, it starts again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--longest", type=int, default=160)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--bfloat16", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    target = options.out / "retro.pt"
    if target.exists():
        return
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    encoder = load_encoder(options.base)
    freeze(encoder, FROZEN_LAYERS)
    model = RetroModel(encoder)
    optimizer = optimizer_of(model, options.rate)
    tokenizer, pairs = TextTokenizer(options.tokenizer), training_pairs(options.pairs)
    chance = torch.Generator().manual_seed(options.seed)
    log = []
    for step in range(options.steps):
        set_rate(optimizer, step, options.steps)
        began = time.process_time()
        texts = texts_of(pairs, step, options.seed, options.batch, options.longest)
        encoder_loss, decoder_loss = retro_step(model, texts, tokenizer, tokenizer.mask_id, chance, options.bfloat16)
        nn.utils.clip_grad_norm_([weight for weight in model.parameters() if weight.requires_grad], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seconds = round(time.process_time() - began, 2)
        log.append({"step": step + 1, "encoder": encoder_loss, "decoder": decoder_loss, "seconds": seconds})
        print(json.dumps(log[-1]), flush=True)
    (options.out / "retro.json").write_text(json.dumps({"log": log}))
    learned = {name for name, weight in model.named_parameters() if weight.requires_grad}
    weights = {name: weight for name, weight in model.state_dict().items() if name in learned}
    torch.save({name: weight for name, weight in weights.items() if name.startswith("encoder.")}, target)


if __name__ == "__main__":
    main()
