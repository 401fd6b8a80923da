"""The rules that the program and the training must agree on, against the program's own reference cases."""

import json
import shutil
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from landmark_training.code_text import KEPT, prepare_text
from landmark_training.encoders import OnnxEncoder
from landmark_training.evaluate import unit
from landmark_training.layout import chunk_spans, cut_windows, landmark_count, layout_window, window_capacity
from landmark_training.tokens import USUAL, TextTokenizer

ROOT = Path(__file__).parents[3]
CASES = [json.loads(line) for line in (ROOT / "test/fixtures/golden.jsonl").read_text().splitlines()]


def shipped_model() -> Path:
    """The folder of the model in use."""
    return next((ROOT / "models").glob("*/manifest.json")).parent


class Rules(unittest.TestCase):
    """Preparation, ids, lines, layout and vectors."""

    @classmethod
    def setUpClass(cls):
        cls.tokenizer = TextTokenizer(shipped_model() / "tokenizer.json")

    def test_every_case_is_prepared_and_tokenised_alike(self):
        self.assertEqual(len(CASES), 29)
        for case in CASES:
            with self.subTest(case["name"]):
                self.assertEqual(prepare_text(case["text"], self.tokenizer.preparation), case["prepared"])
                tokens = self.tokenizer.encode_text(case["text"])
                self.assertEqual(tokens.ids.tolist(), case["ids"])
                self.assertEqual(tokens.lines.tolist(), case["lines"])

    def test_every_case_is_laid_out_alike(self):
        for case in (each for each in CASES if "layout" in each):
            with self.subTest(case["name"]):
                ids, landmarks = layout_window(
                    case["ids"], case["k"], self.tokenizer.cls_id, self.tokenizer.landmark_id
                )
                self.assertEqual(ids.tolist(), case["layout"])
                self.assertEqual(landmarks.tolist(), case["landmarks"])
                self.assertEqual(len(landmarks), landmark_count(len(case["ids"]), case["k"]))

    def test_every_case_has_the_vector_of_the_model(self):
        encoder = OnnxEncoder(shipped_model() / "model.onnx", 1)
        for case in (each for each in CASES if "vector" in each):
            with self.subTest(case["name"]):
                rows = encoder.encode([(np.array(case["layout"]), np.array(case["landmarks"]))])[0]
                self.assertGreater(float(unit(rows.mean(0)) @ unit(np.array(case["vector"]))), 0.9999)

    def test_a_line_of_mixed_white_space_keeps_what_the_program_keeps(self):
        # U+001C to U+001F and U+0085 are white space to Python and not to the program.
        for preparation in KEPT:
            self.assertEqual(prepare_text("a\u001cb\u0085c\ufeffd", preparation), ["a b c\ufeffd"])

    def test_each_preparation_keeps_its_punctuation_beside_ascii_and_other_letters(self):
        for letters in ("d", "é"):
            text = f'a_b.c({letters})=>{{"x"}}; [SEP]'
            self.assertEqual(prepare_text(text, "lean-1"), [f"a b c {letters}     x     SEP "])
            self.assertEqual(prepare_text(text, "lean-2"), [f'a b.c({letters})= {{"x"}}   SEP '])

    def test_a_tokenizer_without_a_manifest_has_the_usual_preparation(self):
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "tokenizer.json"
            shutil.copyfile(shipped_model() / "tokenizer.json", copy)
            self.assertEqual(TextTokenizer(copy).preparation, USUAL)
            for preparation in KEPT:
                copy.with_name("manifest.json").write_text(json.dumps({"preparation": preparation}))
                self.assertEqual(TextTokenizer(copy).preparation, preparation)


def numbered_tokens(value: int, lengths: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and lines of the last of several texts, drawn one after the other from a plain congruential generator."""
    for length in lengths:
        ids, lines, line = [], [], 1
        for _ in range(length):
            value = value * 48_271 % 2_147_483_647
            ids.append(value % 30_522)
            value = value * 48_271 % 2_147_483_647
            line += value % 10 == 0
            lines.append(line)
    return np.array(ids, np.int32), np.array(lines, np.int32)


class Windows(unittest.TestCase):
    """Content-defined windows."""

    def test_windows_follow_each_other_and_none_is_too_long(self):
        chance = np.random.default_rng(1)
        for length in (0, 1, 255, 256, 257, 600, 5000):
            ids = chance.integers(0, 30522, length).astype(np.int32)
            lines = np.cumsum(chance.random(length) < 0.1).astype(np.int32) + 1
            windows = cut_windows(ids, lines, 256)
            self.assertEqual(windows[0][0], 0)
            self.assertEqual(windows[-1][1], length)
            self.assertTrue(all(a[1] == b[0] for a, b in zip(windows, windows[1:])))
            self.assertLessEqual(max(end - start for start, end in windows), 256)

    def test_windows_end_where_the_program_ends_them(self):
        # The program's own answers for the same tokens.
        ids, lines = numbered_tokens(7, (0, 1, 255, 257, 600))
        self.assertEqual([end for _, end in cut_windows(ids, lines, 256)], [111, 354, 600])
        equal = cut_windows(np.tile(np.arange(16, dtype=np.int32), 100), np.repeat(np.arange(100), 16), 256)
        self.assertEqual([end for _, end in equal], [256, 512, 768, 1024, 1280, 1520, 1600])

    def test_the_capacity_is_whole_chunks_behind_the_first_token(self):
        self.assertEqual(window_capacity(320, 64), 256)
        self.assertEqual(window_capacity(3, 1), 1)

    def test_chunks_know_their_lines(self):
        self.assertEqual(chunk_spans(np.array([3, 3, 4, 5, 9]), 2), [(3, 3), (4, 5), (9, 9)])
        self.assertEqual(chunk_spans(np.array([], int), 2), [(1, 1)])


if __name__ == "__main__":
    unittest.main()
