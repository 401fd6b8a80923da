"""Reference cases: text → prepared lines → ids and lines → layout of one window → pooled vector of a model."""

import argparse
import json
from pathlib import Path

import numpy as np

from .code_text import prepare_text
from .encoders import OnnxEncoder
from .evaluate import K, unit
from .layout import layout_window
from .tokens import TextTokenizer

# Longer texts are more than one window.
LONGEST = 440


def main() -> None:
    """Writes the cases again, with the same names and texts, for a model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="a file of cases, of which name and text are kept")
    parser.add_argument("--model", type=Path, required=True, help="folder of the exported model")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tokenizer = TextTokenizer(options.model / "tokenizer.json")
    encoder = OnnxEncoder(options.model / "model.onnx", 1)
    rows = [json.loads(line) for line in options.cases.read_text().splitlines()]
    made = [json.dumps(case_of(row["name"], row["text"], tokenizer, encoder)) for row in rows]
    options.out.write_text("\n".join(made) + "\n")


def case_of(name: str, text: str, tokenizer: TextTokenizer, encoder: OnnxEncoder) -> dict:
    """All steps for one text; layout and vector only where it is one window."""
    tokens = tokenizer.encode_text(text)
    case = {
        "name": name,
        "text": text,
        "prepared": prepare_text(text, tokenizer.preparation),
        "ids": tokens.ids.tolist(),
        "lines": tokens.lines.tolist(),
    }
    if len(tokens.ids) > LONGEST:
        return case
    ids, landmarks = layout_window(tokens.ids, K, tokenizer.cls_id, tokenizer.landmark_id)
    vector = unit(encoder.encode([(ids, landmarks)])[0].mean(0))
    rounded = [round(float(each), 4) for each in np.asarray(vector)]
    return {**case, "k": K, "layout": ids.tolist(), "landmarks": landmarks.tolist(), "vector": rounded}


if __name__ == "__main__":
    main()
