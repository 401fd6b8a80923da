"""Stage 3: contrastive training, resumed from its checkpoint as often as it is ended."""

import argparse
import json
import os
import time
from pathlib import Path

import torch

from .batches import BatchSource, Example
from .encoder_weights import LandmarkEncoder, load_encoder, save_encoder
from .losses import BatchStates, Weights, loss_of, vectors_of
from .memory import Memory
from .negatives import read_negatives
from .pairs import no_negatives, read_pairs
from .teacher import WordTeacher
from .text_groups import groups_of, padded
from .tokens import TextTokenizer

MICRO_BATCH = 16
HEAD_RATE = 4


def main() -> None:
    """Trains until `--steps`, or until the process is ended."""
    options = _options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = load_encoder(options.start).to(device)
    trained = freeze(encoder, options.frozen_layers)
    optimizer = _optimizer(encoder, trained, options.rate)
    average = [parameter.detach().clone() for parameter in trained]
    pairs = read_pairs(options.pairs)
    memory = Memory(pairs, options.memory)
    first = _resume(options.out / "state.pt", encoder, optimizer, average, memory)
    words = encoder.words.weight.detach().cpu().numpy()
    negatives = read_negatives(options.negatives, pairs) if options.negatives else None
    tokenizer = TextTokenizer(options.tokenizer)
    teacher = WordTeacher(pairs, tokenizer) if options.distil else None
    source = BatchSource(
        pairs,
        tokenizer,
        words,
        options.seed,
        negatives=negatives,
        second_window=options.second_window,
    )
    print(f"{len(pairs)} pairs; {sum(p.numel() for p in trained)} weights to train; from step {first}", flush=True)
    began, tokens, smooth = time.process_time(), 0, {}
    for step in range(first, options.steps):
        for group in optimizer.param_groups:
            group["lr"] = group["full_rate"] * min(1, (step + 1) / 20) * max(0.05, 1 - step / options.steps)
        batch = source.batch(step, options.batch, options.longest)
        parts, count = train_step(encoder, batch, memory, teacher, options, device)
        tokens += count
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for mean, parameter in zip(average, trained):
                mean.lerp_(parameter, min(0.02, 1 / (step + 1) + 0.002))
        smooth = {name: 0.95 * smooth.get(name, value) + 0.05 * value for name, value in parts.items()}
        if (step + 1) % 10 == 0:
            speed = tokens / (time.process_time() - began)
            line = {
                "step": step + 1,
                **{name: round(value, 3) for name, value in smooth.items()},
                "tokens_a_cpu_second": int(speed),
            }
            print(json.dumps(line), flush=True)
        if (step + 1) % options.save_every == 0 or step + 1 == options.steps:
            _save(options.out, step + 1, encoder, optimizer, trained, average, memory)


def _options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=Path, required=True, help="folder of weights to go on from")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--negatives", type=Path, help="what the stage negatives wrote for these pairs")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--longest", type=int, default=224, help="tokens of a window, at most")
    parser.add_argument("--second-window", type=float, default=0.2, help="share of long files that have two windows")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--distil", type=float, default=0.0, help="weight of the ranking by words and cosines")
    parser.add_argument("--memory", type=int, default=768, help="pairs of each repository that stay as negatives")
    parser.add_argument("--short", type=int, default=128, help="dimensions of a stored landmark")
    parser.add_argument("--frozen-layers", type=int, default=3, help="layers from below that stay as they are")
    parser.add_argument("--bfloat16", action="store_true")
    parser.add_argument(
        "--cached", action="store_true", help="cached gradients: memory of a few texts at any batch size"
    )
    parser.add_argument("--save-every", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _optimizer(encoder: LandmarkEncoder, trained, rate: float) -> torch.optim.Optimizer:
    """The head, one matrix that starts as a rotation, learns faster than what was trained before."""
    head = [encoder.head] if encoder.head is not None else []
    rest = [parameter for parameter in trained if parameter is not encoder.head]
    groups = [{"params": rest, "full_rate": rate}, {"params": head, "full_rate": HEAD_RATE * rate, "weight_decay": 0.0}]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=rate, weight_decay=0.01)


def freeze(encoder: LandmarkEncoder, layers: int) -> list[torch.nn.Parameter]:
    """Freezes the embeddings and so many layers; returns what is trained."""
    for part in (encoder.words, encoder.positions, encoder.types, encoder.norm, *encoder.layers[:layers]):
        part.requires_grad_(False)
    encoder.train()
    return [parameter for parameter in encoder.parameters() if parameter.requires_grad]


def train_step(
    encoder: LandmarkEncoder,
    batch: list[Example],
    memory: Memory,
    teacher: WordTeacher | None,
    options,
    device: str,
) -> tuple[dict[str, float], int]:
    """Gradients of one batch, which is then remembered; returns the parts of the loss and the tokens seen."""
    texts = [example.query_ids for example in batch] + [example.path_ids for example in batch]
    texts += [window.ids for example in batch for window in example.windows]
    places = [[len(ids) - 1] for ids in texts[: 2 * len(batch)]]
    places += [window.landmarks for example in batch for window in example.windows]
    groups = groups_of([len(ids) for ids in texts], MICRO_BATCH * 256)
    graph = torch.no_grad() if options.cached else torch.enable_grad()
    with graph:
        rows = _rows(encoder, texts, places, groups, options)
    leaves = [row.detach().requires_grad_() for row in rows] if options.cached else rows
    states, pairs = _states(batch, leaves, device), [example.pair for example in batch]
    past, bonuses = memory.past(pairs, device), teacher and teacher.bonuses(pairs, pairs + memory.past_pairs(pairs))
    if bonuses is not None:
        bonuses = bonuses.to(device)
    parts = loss_of(states, options.temperature, options.short, Weights(distil=options.distil), past, bonuses)
    parts["total"].backward()
    memory.add(pairs, vectors_of(states, options.short), states.owners)
    if options.cached:
        for group in groups:
            again = _rows(encoder, texts, places, [group], options)
            torch.autograd.backward([again[at] for at in group], [leaves[at].grad for at in group])
    return {name: value.item() for name, value in parts.items()}, sum(map(len, texts))


def _rows(encoder, texts, places, groups, options) -> list[torch.Tensor]:
    """Hidden states at the landmarks of each text of the groups, `[landmarks, dimensions]` in float32."""
    device = encoder.words.weight.device
    rows: list[torch.Tensor] = [torch.empty(0)] * len(texts)
    for group in groups:
        ids, mask = padded([texts[at] for at in group])
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=options.bfloat16):
            states = encoder(ids.to(device), mask.to(device)).float()
        for row, at in enumerate(group):
            rows[at] = states[row, torch.as_tensor(places[at], device=device)]
    return rows


def _states(batch: list[Example], rows: list[torch.Tensor], device: str) -> BatchStates:
    size = len(batch)
    owners, answers, also, at = [], [], [], 0
    for number, example in enumerate(batch):
        for window in example.windows:
            if window.answer is not None:
                answers.append(at + window.answer)
            also += [landmark in window.near for landmark in range(len(window.landmarks))]
            owners += [number] * len(window.landmarks)
            at += len(window.landmarks)
    pairs = [example.pair for example in batch]
    same = [[a is not b and no_negatives(a, b) for b in pairs] for a in pairs]
    return BatchStates(
        queries=torch.cat(rows[:size]),
        paths=torch.cat(rows[size : 2 * size]),
        landmarks=torch.cat(rows[2 * size :]),
        owners=torch.tensor(owners, device=device),
        answers=torch.tensor(answers, device=device),
        also=torch.tensor(also, device=device),
        same=torch.tensor(same, device=device),
    )


def _resume(path: Path, encoder, optimizer, average, memory: Memory) -> int:
    if not path.exists():
        return 0
    state = torch.load(path)
    encoder.load_state_dict(state["encoder"])
    optimizer.load_state_dict(state["optimizer"])
    for mean, value in zip(average, state["average"]):
        mean.copy_(value)
    memory.restore(state["memory"])
    return state["step"]


def _save(out: Path, step: int, encoder, optimizer, trained, average, memory: Memory) -> None:
    state = {
        "step": step,
        "encoder": encoder.state_dict(),
        "optimizer": optimizer.state_dict(),
        "average": average,
        "memory": memory.state(),
    }
    torch.save(state, out / "state.part")
    (out / "state.part").rename(out / "state.pt")
    save_encoder(encoder, out / "last")
    now = [parameter.detach().clone() for parameter in trained]
    with torch.no_grad():
        for parameter, mean in zip(trained, average):
            parameter.copy_(mean)
        save_encoder(encoder, out / "average")
        for parameter, value in zip(trained, now):
            parameter.copy_(value)


if __name__ == "__main__":
    main()
