"""Poolings by hand: inputs, the states that are read, and what a text of several windows is."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch

from landmark_training.encoder_weights import LandmarkEncoder
from landmark_training.pooling_encode import Job, Reader, encode
from landmark_training.pooling_measure import file_vectors, read_vectors
from landmark_training.pooling_train import PooledEncoder, arrange, pooled, pooled_loss, train_step, trained_weights
from landmark_training.poolings import POOLINGS, LatentAttention
from landmark_training.search_sets import Query, SearchSet
from landmark_training.sentence_ends import sentence_ends
from landmark_training.text_groups import groups_of, padded
from landmark_training.tokenised_sets import tokenise
from landmark_training.tokens import TextTokenizer
from landmark_training.train import freeze

from .test_batches import some_pairs
from .test_rules import shipped_model

CLS, SEP = 1, 2
CONFIG = {
    "hidden_size": 8,
    "layer_norm_eps": 1e-12,
    "vocab_size": 30_522,
    "max_position_embeddings": 320,
    "type_vocab_size": 2,
    "intermediate_size": 16,
    "num_attention_heads": 2,
    "num_hidden_layers": 5,
}


def laid(name: str, ids, k: int = 2, ends=()):
    """Ids and places of one window."""
    layout = POOLINGS[name].lay_out(np.array(ids), k, ends, CLS, SEP)
    return layout.ids.tolist(), layout.places.tolist(), layout.ends.tolist()


def small_encoder(seed: int = 0) -> LandmarkEncoder:
    """An encoder of five layers of eight dimensions."""
    torch.manual_seed(seed)
    return LandmarkEncoder(CONFIG).eval()


class Layouts(unittest.TestCase):
    """What each pooling puts in and reads."""

    def test_cls_reads_the_first_state_and_mean_all_of_them(self):
        self.assertEqual(laid("cls", [7, 8, 9]), ([CLS, 7, 8, 9, SEP], [0], [3]))
        self.assertEqual(laid("mean", [7, 8, 9]), ([CLS, 7, 8, 9, SEP], [0, 1, 2, 3, 4], [3]))

    def test_every_kth_state_is_read_of_the_plain_input(self):
        ids, places, ends = laid("every-k", [5, 6, 7, 8, 9], k=2)
        self.assertEqual((ids, places), ([CLS, 5, 6, 7, 8, 9, SEP], [0, 2, 4, 6]))
        self.assertEqual(ends, [2, 4, 5, 5])

    def test_landmarks_follow_every_chunk_and_the_last_partial_one(self):
        self.assertEqual(laid("lmk-fixed", [5, 6, 7], k=2), ([CLS, 5, 6, SEP, 7, SEP], [3, 5], [2, 3]))
        self.assertEqual(laid("lmk-variable", [5, 6], k=2), ([CLS, 5, 6, SEP], [3], [2]))
        self.assertEqual(laid("lmk-retro", []), ([CLS, SEP], [1], [0]))

    def test_multi_cls_stands_before_every_chunk_with_one_closing_token(self):
        self.assertEqual(laid("multi-cls", [5, 6, 7], k=2), ([CLS, 5, 6, CLS, 7, SEP], [0, 3], [2, 3]))

    def test_landmarks_at_sentences_follow_their_ends_whatever_k_is(self):
        self.assertEqual(laid("lmk-sentence", [5, 6, 7], ends=(1, 3)), ([CLS, 5, SEP, 6, 7, SEP], [2, 5], [1, 3]))
        self.assertEqual(laid("lmk-sentence", [5, 6]), ([CLS, 5, 6, SEP], [3], [2]))
        # Ends of what lies before and behind the window are none of it.
        self.assertEqual(laid("lmk-sentence", [5, 6], ends=(-4, 0, 1, 9))[1], [2, 4])

    def test_only_inputs_that_differ_by_k_have_keys_that_do(self):
        self.assertEqual(POOLINGS["every-k"].input_key(32), POOLINGS["mean"].input_key(64))
        self.assertEqual(POOLINGS["lmk-fixed"].input_key(32), POOLINGS["lmk-retro"].input_key(32))
        self.assertNotEqual(POOLINGS["lmk-fixed"].input_key(32), POOLINGS["lmk-fixed"].input_key(64))
        self.assertNotEqual(POOLINGS["multi-cls"].input_key(64), POOLINGS["lmk-fixed"].input_key(64))
        self.assertEqual(len(POOLINGS), 9)


class Reading(unittest.TestCase):
    """Rows and their mean."""

    def rows(self, name: str, states, k: int = 2, ends=()):
        layout = POOLINGS[name].lay_out(np.arange(len(states) - 2), k, ends, CLS, SEP)
        read, weight = POOLINGS[name].rows(torch.tensor(states), layout)
        return read.tolist(), weight

    def test_each_reads_its_own_states(self):
        states = [[1.0, 0.0], [3.0, 2.0], [5.0, 4.0], [7.0, 6.0]]
        self.assertEqual(self.rows("cls", states), ([[1.0, 0.0]], 1.0))
        self.assertEqual(self.rows("mean", states), ([[4.0, 3.0]], 4.0))
        self.assertEqual(self.rows("every-k", states), ([[1.0, 0.0], [5.0, 4.0]], 1.0))
        self.assertEqual(self.rows("lmk-fixed", states), ([[7.0, 6.0]], 1.0))
        self.assertEqual(self.rows("multi-cls", states), ([[1.0, 0.0]], 1.0))

    def test_a_text_of_windows_is_the_mean_over_all_rows_by_their_weight(self):
        # A window of three states with mean 1 and one of a single state 5: together as if they were one text.
        read = [(torch.tensor([[1.0]]), 3.0), (torch.tensor([[5.0]]), 1.0)]
        self.assertEqual(pooled(read).tolist(), [2.0])
        # Two landmarks and one: each counts once.
        read = [(torch.tensor([[0.0], [3.0]]), 1.0), (torch.tensor([[6.0]]), 1.0)]
        self.assertEqual(pooled(read).tolist(), [3.0])

    def test_latent_attention_starts_as_the_states_themselves_and_can_leave_them(self):
        torch.manual_seed(0)
        latent, states = LatentAttention(128, latents=4), torch.randn(2, 5, 128)
        torch.testing.assert_close(latent(states), states)
        with torch.no_grad():
            latent.out.weight.copy_(torch.eye(128))
        changed = latent(states) - states
        self.assertGreater(changed.abs().max().item(), 0.01)
        # What is added is a mixture of the values of the latents, head by head.
        value = latent.value(latent.latent_norm(latent.latents))
        self.assertTrue((changed <= value.max(0).values + 1e-5).all() and (changed >= value.min(0).values - 1e-5).all())


class Sentences(unittest.TestCase):
    """Ends of comments and paragraphs."""

    def test_a_segment_ends_with_a_comment_and_before_a_blank_line(self):
        text = "/* one\n two */\nint x; // no\n// z\nint y;\n\n/* b */\n#define A\nlast"
        self.assertEqual(sentence_ends(text, "a.c"), {2, 4, 5, 7})

    def test_python_has_hashes_and_documentation_strings(self):
        text = 'a = 1\n# one\n# two\ndef f():\n    """Doc\n    more"""\n    x\n\n\n    y'
        self.assertEqual(sentence_ends(text, "a.py"), {3, 6, 7})
        self.assertEqual(sentence_ends("# no\nx", "a.c"), set())


class Training(unittest.TestCase):
    """One step, the loss, and what is kept."""

    @classmethod
    def setUpClass(cls):
        cls.tokenizer = TextTokenizer(shipped_model() / "tokenizer.json")

    def test_the_loss_is_that_of_the_right_file_in_both_directions(self):
        rows = torch.eye(2)
        same = torch.zeros(2, 2, dtype=torch.bool)
        # Scores 1 and 0 at temperature 1: -log(e / (e + 1)), with the weights 1 and one half.
        want = 1.5 * -np.log(np.e / (np.e + 1))
        self.assertAlmostEqual(float(pooled_loss(rows, rows, same, 1.0)), want, places=5)
        self.assertAlmostEqual(float(pooled_loss(rows, rows, ~torch.eye(2, dtype=torch.bool), 1.0)), 0, places=5)

    def test_all_poolings_see_the_same_content(self):
        from landmark_training.batches import BatchSource

        words = np.random.default_rng(1).normal(size=(30_522, 8)).astype(np.float32)
        source = BatchSource(some_pairs(120), self.tokenizer, words, 1, (32, 64, 128, 256))
        special = {self.tokenizer.cls_id, self.tokenizer.landmark_id}
        seen = []
        for pooling in POOLINGS.values():
            batch = arrange(source.choices(3, 8, 160), pooling, self.tokenizer)
            seen.append([[each for each in layout.ids.tolist() if each not in special] for layout in batch.layouts])
        self.assertEqual(len(seen[0]), 8 + sum(batch.windows))
        for other in seen[1:]:
            self.assertEqual(other, seen[0])

    def test_a_step_changes_the_upper_layers_alone(self):
        from landmark_training.batches import BatchSource

        words = np.random.default_rng(1).normal(size=(30_522, 8)).astype(np.float32)
        source = BatchSource(some_pairs(120), self.tokenizer, words, 1)
        for name in ("latent", "lmk-sentence"):
            model = PooledEncoder(POOLINGS[name], small_encoder())
            freeze(model.encoder, 4)
            batch = arrange(source.choices(0, 6, 100), model.pooling, self.tokenizer)
            train_step(model, batch, 0.05, False)
            moved = {weight_name for weight_name, weight in model.named_parameters() if weight.grad is not None}
            kept = set(trained_weights(model))
            self.assertTrue(all(each.startswith(("encoder.layers.4.", "latent.")) for each in moved | kept))
            self.assertEqual(any(each.startswith("latent.") for each in kept), name == "latent")
            self.assertTrue(any(each.startswith("encoder.layers.4.") for each in moved))


class Groups(unittest.TestCase):
    """Texts that run together."""

    def test_groups_hold_at_most_so_many_tokens_with_their_padding(self):
        self.assertEqual(groups_of([3, 1, 4, 2], 8), [[1, 3], [0, 2]])
        self.assertEqual(groups_of([9], 8), [[0]])

    def test_short_texts_are_padded_and_hidden(self):
        ids, mask = padded([np.array([5, 6]), np.array([7])])
        self.assertEqual(ids.tolist(), [[5, 6], [7, 0]])
        self.assertEqual(mask.tolist(), [[1, 1], [1, 0]])


class Encoding(unittest.TestCase):
    """Vectors with shared lower layers are those of each model by itself."""

    def test_shared_layers_change_nothing(self):
        tokenizer = TextTokenizer(shipped_model() / "tokenizer.json")
        texts = ["\n".join(f"value number {at}" for at in range(150)), "// one\nshort text"]
        found = SearchSet("s", ["a.js", "b.js"], texts, [Query("q", "the short one", ("b.js",), {}, False)], [])
        tokenised = tokenise(found, {}, tokenizer)
        self.assertEqual(tokenised.counts.tolist(), [150 * 3, 3])
        encoder = small_encoder()
        models = [
            PooledEncoder(POOLINGS[name], small_encoder(seed)) for seed, name in enumerate(("mean", "every-k"), 5)
        ]
        for model in models:
            model.encoder.load_state_dict(
                {name: w for name, w in encoder.state_dict().items() if not name.startswith("layers.4.")}, strict=False
            )
        with tempfile.TemporaryDirectory() as folder:
            jobs = [
                Job(
                    Reader(model.pooling.name, model.pooling, model.encoder.layers[4:], None),
                    32,
                    Path(folder) / str(at),
                )
                for at, model in enumerate(models)
            ]
            encode(jobs, encoder, tokenised, tokenizer)
            for job, model in zip(jobs, models):
                vectors = read_vectors(job.target)
                layouts = [
                    model.pooling.lay_out(window.ids, 32, window.ends, tokenizer.cls_id, tokenizer.landmark_id)
                    for window in tokenised.windows
                ]
                with torch.inference_mode():
                    own = model.read(layouts, False)
                want = np.concatenate([rows.numpy() for rows, _ in own])
                np.testing.assert_allclose(vectors.rows, want, atol=0.06)
                self.assertEqual(vectors.tokens, sum(len(layout.ids) for layout in layouts))
                self.assertEqual(vectors.owners[-1], 1)
                self.assertEqual(vectors.spans[0, 0], 1)
                self.assertEqual(vectors.spans[vectors.owners == 0].max(), 150)
                several = [each for each, window in zip(own, tokenised.windows) if window.owner == 0]
                np.testing.assert_allclose(file_vectors(vectors, 2)[0], pooled(several).numpy(), atol=0.06)


if __name__ == "__main__":
    unittest.main()
