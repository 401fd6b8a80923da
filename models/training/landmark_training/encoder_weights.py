"""The encoder: BERT, and behind it one linear map (`head`) that keeps what matters in the first dimensions."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel

HEAD = "head.safetensors"


class LandmarkEncoder(torch.nn.Module):
    """Last hidden states; `head` [dimensions, dimensions] is the identity where there is none."""

    def __init__(self, bert: BertModel, head: torch.Tensor | None = None):
        super().__init__()
        self.bert = bert
        self.head = torch.nn.Parameter(head) if head is not None else None

    def forward(self, input_ids, attention_mask):
        """Hidden states [batch, length, dimensions]."""
        states = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return states if self.head is None else states @ self.head


def load_encoder(folder: Path, attention: str = "sdpa") -> LandmarkEncoder:
    """From `config.json`, `model.safetensors` and, where there is one, the head; dropout is off, weights are float32."""
    settings = json.loads((folder / "config.json").read_text())
    settings.update(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    config = BertConfig(**settings)
    config._attn_implementation = attention
    bert = BertModel(config, add_pooling_layer=False)
    weights = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
    missing, _ = bert.load_state_dict(weights, strict=False)
    if missing:
        raise ValueError(f"{folder}: expected weights for {missing[0]}")
    head = folder / HEAD
    return LandmarkEncoder(bert, load_file(head)["head"].float() if head.exists() else None)


def save_encoder(encoder: LandmarkEncoder, folder: Path) -> None:
    """Writes what `load_encoder` reads, weights as float16."""
    folder.mkdir(parents=True, exist_ok=True)
    encoder.bert.config.save_pretrained(folder)
    weights = {name: value.detach().half().contiguous() for name, value in encoder.bert.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    if encoder.head is not None:
        save_file({"head": encoder.head.detach().contiguous()}, folder / HEAD)
