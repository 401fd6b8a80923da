"""Comparison, costs: processor time and tokens that inserted tokens add, on the same windows of code."""

import argparse
import json
import statistics
import time
from pathlib import Path

import torch

from .encoder_weights import load_encoder
from .export import windows
from .poolings import GRANULARITIES, POOLINGS
from .text_groups import groups_of, padded
from .tokens import TextTokenizer

TOKENS_AT_ONCE = 4096
FORMS = [("mean", 0), *(("lmk-variable", k) for k in reversed(GRANULARITIES))]


def main() -> None:
    """One thread; every round runs all forms one after the other, and the median over rounds of each share is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer, encoder = TextTokenizer(options.tokenizer), load_encoder(options.base).eval()
    special = (tokenizer.cls_id, tokenizer.landmark_id)
    contents = [
        ids[[at for at in range(1, len(ids)) if at not in set(landmarks.tolist())]]
        for ids, landmarks in windows(options.pairs, options.windows, tokenizer)
    ]
    inputs = {}
    for name, k in FORMS:
        laid = [POOLINGS[name].lay_out(ids, k, (), *special).ids for ids in contents]
        inputs[name, k] = [
            padded([laid[at] for at in group]) for group in groups_of(list(map(len, laid)), TOKENS_AT_ONCE)
        ]
    seconds: dict[tuple[str, int], list[float]] = {form: [] for form in FORMS}
    for _ in range(options.rounds):
        for form in FORMS:
            seconds[form].append(_run(encoder, inputs[form]))
    plain, result = FORMS[0], []
    tokens = {form: sum(int(mask.sum()) for _, mask in own) for form, own in inputs.items()}
    for name, k in FORMS:
        own = seconds[name, k]
        share = statistics.median(a / b for a, b in zip(own, seconds[plain]))
        result.append(
            {
                "k": k,
                "tokens": tokens[name, k],
                "share_of_tokens": tokens[name, k] / tokens[plain],
                "share_of_time": share,
            }
        )
        print(result[-1], flush=True)
    options.out.write_text(json.dumps(result))


def _run(encoder, batches) -> float:
    began = time.process_time()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for ids, mask in batches:
            encoder(ids, mask)
    return time.process_time() - began


if __name__ == "__main__":
    main()
