"""What becomes a query, and what never does."""

import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import torch

from landmark_training.comments import comments_of, without
from landmark_training.git_history import commits
from landmark_training.losses import BatchStates, Weights, loss_of
from landmark_training.messages import clean_subject, first_body_sentence
from landmark_training.query_forms import drop_ids, question_of
from landmark_training.source_paths import is_source


class Messages(unittest.TestCase):
    """Commit subjects."""

    def test_types_tags_and_issue_ids_are_cut_off(self):
        cases = {
            "fix(router): keep the query when a path is redirected (#1234)": "keep the query when a path is redirected",
            "[http] Close idle connections after a timeout": "Close idle connections after a timeout",
            "src/net/pool.c: Close idle connections after a timeout": "Close idle connections after a timeout",
        }
        for subject, expected in cases.items():
            self.assertEqual(clean_subject(subject), expected)

    def test_what_says_nothing_about_code_is_dropped(self):
        for subject in (
            "docs: explain the retry loop in words",
            "Bump lodash from 4.1 to 4.2 again",
            "Fix it",
            "Merge branch main into dev",
        ):
            self.assertIsNone(clean_subject(subject))

    def test_a_trailer_is_no_sentence(self):
        self.assertEqual(first_body_sentence("Signed-off-by: A B <a@b.c>\n"), "")
        sentence = "The pool forgot a socket when two of them failed at once."
        self.assertEqual(first_body_sentence(sentence + " Now it does not.\n\nFixes #3"), sentence)


class Histories(unittest.TestCase):
    """Commits as git prints them."""

    def test_a_line_with_a_carriage_return_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            self.commit(folder, b"int a;\nint b;\n", "Begin")
            # What follows the carriage return looks like the head of a commit.
            self.commit(folder, b"int a;\n\r\x01abc\x03 int c;\n", "Close idle sockets")
            found = list(commits(Path(folder) / ".git", 10))
        self.assertEqual([(each.subject, each.changes) for each in found], [("Close idle sockets", {"a.c": [(2, 2)]})])

    @staticmethod
    def commit(folder: str, text: bytes, subject: str):
        (Path(folder) / "a.c").write_bytes(text)
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false"]
        for command in (["init", "-q"], ["add", "a.c"], ["commit", "-q", "-m", subject]):
            subprocess.run(["git", "-C", folder, *who, *command], check=True)


class Comments(unittest.TestCase):
    """Comments as queries."""

    def test_a_comment_is_taken_out_and_the_code_it_stands_at_answers(self):
        text = "int a;\n/* Closes what nobody used for a while. */\nvoid prune(void) {\n}\n"
        comment = comments_of(text, "pool.c")[0]
        self.assertEqual(comment.sentence, "Closes what nobody used for a while.")
        self.assertTrue(comment.documents)
        rest, lines = without(text, comment)
        self.assertEqual(rest.split("\n")[lines[0] - 1], "void prune(void) {")

    def test_python_docs_and_plain_comments_are_found(self):
        documented = 'def prune(pool):\n    """Close what nobody used for a while."""\n'
        text = f"{documented}    # a socket may fail while it closes\n    pool.close()\n"
        self.assertEqual([each.documents for each in comments_of(text, "pool.py")], [True, False])


class Queries(unittest.TestCase):
    """Forms of a query."""

    def test_words_are_dropped_only_where_enough_are_left(self):
        self.assertEqual(drop_ids([1, 2, 3, 4, 5], {5}), [1, 2, 3, 4])
        self.assertEqual(drop_ids([1, 2, 3, 4], {4}), [1, 2, 3, 4])

    def test_a_question_keeps_the_words_that_matter(self):
        for kind, query in (
            ("commit", "Fix a crash when the pool is empty"),
            ("doc", "Returns the oldest idle socket"),
        ):
            asked = question_of(query, kind, random.Random(1))
            self.assertTrue(set(query.lower().split()[2:]) <= set(asked.lower().split()), asked)

    def test_tests_and_vendored_files_are_no_sources(self):
        self.assertTrue(is_source("src/net/pool.c"))
        for path in ("tests/pool.c", "src/pool.test.ts", "vendor/a/b.go", "README.md", "src/PoolTest.java"):
            self.assertFalse(is_source(path), path)


class Losses(unittest.TestCase):
    """The loss by hand on two pairs."""

    def states(self, same: bool) -> BatchStates:
        """Two orthogonal pairs, the first with a second landmark that stands at the wrong place."""
        east, north = [1.0, 0.0], [0.0, 1.0]
        return BatchStates(
            queries=torch.tensor([east, north]),
            landmarks=torch.tensor([east, east, north]),
            owners=torch.tensor([0, 0, 1]),
            answers=torch.tensor([0, 2]),
            also=torch.tensor([True, same, True]),
            paths=torch.tensor([east, north]),
            same=torch.zeros(2, 2, dtype=torch.bool),
        )

    def test_a_second_landmark_of_the_answer_is_no_negative(self):
        wrong = loss_of(self.states(False), 0.05, 2, Weights())
        right = loss_of(self.states(True), 0.05, 2, Weights())
        self.assertAlmostEqual(float(wrong["landmark"]), 0.3466, places=3)  # half of ln 2
        self.assertAlmostEqual(float(right["landmark"]), 0.0, places=3)
        self.assertAlmostEqual(float(right["file"]), 0.0, places=3)


if __name__ == "__main__":
    unittest.main()
