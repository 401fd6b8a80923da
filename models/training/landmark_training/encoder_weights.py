"""The encoder: BERT, and behind it one linear map (`head`) that keeps what matters in the first dimensions."""

import json
from pathlib import Path

import torch
import torch.nn.functional as functional
from safetensors.torch import load_file, save_file
from torch import nn

HEAD = "head.safetensors"
HIDDEN = -1e4


class Layer(nn.Module):
    """One layer of BERT: attention and feed-forward part, each added to its input and then normalised."""

    def __init__(self, width: int, inner: int, heads: int, epsilon: float):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out, self.out_norm = nn.Linear(width, width), nn.LayerNorm(width, epsilon)
        self.up, self.down, self.down_norm = (
            nn.Linear(width, inner),
            nn.Linear(inner, width),
            nn.LayerNorm(width, epsilon),
        )

    def forward(self, states, mask, fused: bool):
        """`mask` is added to the attention scores; `fused` takes PyTorch's own attention."""
        batch, length, width = states.shape
        query, key, value = (
            part(states).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        if fused:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask.to(query.dtype))
        else:
            scores = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5 + mask
            mixed = scores.softmax(-1) @ value
        states = self.out_norm(self.out(mixed.transpose(1, 2).reshape(batch, length, width)) + states)
        return self.down_norm(self.down(functional.gelu(self.up(states))) + states)


class LandmarkEncoder(nn.Module):
    """Last hidden states. Without dropout; `head` [dimensions, dimensions] is the identity where there is none."""

    def __init__(self, config: dict, head: torch.Tensor | None = None):
        super().__init__()
        width, epsilon = config["hidden_size"], config["layer_norm_eps"]
        self.config = config
        self.fused = True
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, epsilon)
        shape = (width, config["intermediate_size"], config["num_attention_heads"], epsilon)
        self.layers = nn.ModuleList(Layer(*shape) for _ in range(config["num_hidden_layers"]))
        self.head = nn.Parameter(head) if head is not None else None

    def forward(self, input_ids, attention_mask):
        """Hidden states [batch, length, dimensions]."""
        states = self.through(self.embed(input_ids), attention_mask, self.layers)
        return states if self.head is None else states @ self.head

    def embed(self, input_ids):
        """What the first layer takes, [batch, length, dimensions]."""
        table = self.positions.weight + self.types.weight[0]
        return self.norm(self.words(input_ids) + table[: input_ids.shape[1]])

    def through(self, states, attention_mask, layers):
        """States behind these layers, in order."""
        mask = (1 - attention_mask[:, None, None, :].float()) * HIDDEN
        for layer in layers:
            states = layer(states, mask, self.fused)
        return states


# Names of the base model's file, in which every weight is kept, to names here.
NAMES = {
    "embeddings.word_embeddings.": "words.",
    "embeddings.position_embeddings.": "positions.",
    "embeddings.token_type_embeddings.": "types.",
    "embeddings.LayerNorm.": "norm.",
    "encoder.layer.": "layers.",
    "attention.self.": "",
    "attention.output.dense.": "out.",
    "attention.output.LayerNorm.": "out_norm.",
    "intermediate.dense.": "up.",
    "output.dense.": "down.",
    "output.LayerNorm.": "down_norm.",
}


def own_name(name: str) -> str:
    """`encoder.layer.0.output.dense.weight` → `layers.0.down.weight`."""
    for theirs, ours in NAMES.items():
        name = name.replace(theirs, ours)
    return name


def load_encoder(folder: Path) -> LandmarkEncoder:
    """From `config.json`, `model.safetensors` and, where there is one, the head; weights become float32."""
    head = folder / HEAD
    config = json.loads((folder / "config.json").read_text())
    encoder = LandmarkEncoder(config, load_file(head)["head"].float() if head.exists() else None)
    weights = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
    own = {
        own_name(name): value
        for name, value in weights.items()
        if not name.startswith(("pooler.", "embeddings.position_ids"))
    }
    missing, extra = encoder.load_state_dict(own, strict=False)
    if extra or set(missing) - {"head"}:
        raise ValueError(f"{folder}: expected the weights of a BERT encoder, got others: {[*missing, *extra][:4]}")
    return encoder


def save_encoder(encoder: LandmarkEncoder, folder: Path) -> None:
    """Writes what `load_encoder` reads, weights as float16 under the names of the base model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(encoder.config, indent=2) + "\n")
    weights = {
        name: value.detach().half().contiguous() for name, value in encoder.state_dict().items() if name != "head"
    }
    save_file({_base_name(name): value for name, value in weights.items()}, folder / "model.safetensors")
    if encoder.head is not None:
        save_file({"head": encoder.head.detach().contiguous()}, folder / HEAD)


def _base_name(name: str) -> str:
    parts = name.split(".")
    if parts[0] != "layers":
        return {ours: theirs for theirs, ours in NAMES.items()}[f"{parts[0]}."] + parts[1]
    part = f"{parts[2]}."
    inside = {ours: theirs for theirs, ours in NAMES.items()}.get(part, f"attention.self.{part}")
    return f"encoder.layer.{parts[1]}.{inside}{parts[3]}"
