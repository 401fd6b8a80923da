"""Commit messages as queries: what is cut off a message, and which messages say nothing about code."""

import re

CONVENTIONAL = re.compile(
    r"^(?P<type>[a-z]{2,12})(\s*\((?P<scope>[^)]*)\))?!?:\s+(?=\S)",
    re.I,
)
SILENT_TYPES = frozenset(
    "doc docs style test tests build ci release dep deps revert lint nit wip typo types chore".split()
)
KNOWN_TYPES = SILENT_TYPES | frozenset(
    "fix fixes feat feature refactor perf internal security hotfix bug bugfix".split()
)
JUNK = re.compile(
    r"\b(bump\w*|release[sd]?|releasing|merge[sd]?|typos?|change ?log|revert\w*|dependabot|dependenc\w+|deps|copyright"
    r"|licen[cs]e\w*|spelling|grammar|wording|white ?spaces?|indent\w*|(re)?format(ted|ting)|style|rustfmt|clippy|gofmt"
    r"|prettier|eslint|lint\w*|checkstyle|phpstan|psalm|mypy|pylint|ruff|flake8|staticcheck|sonar\w*|comment\w*|docs?"
    r"|docstrings?|javadocs?|phpdocs?|document(ed|s|ing|ation)?|readme|(unit )?tests?|testing|flaky|ci|workflows?"
    r"|translat\w+|review\w*|fix ?up|squash|wip|cherry[- ]pick\w*|back ?port\w*|v?\d+\.\d+\.\d+|unused|imports?"
    r"|minor|nits?|clean\w* ?ups?|cosmetic\w*|tidy\w*|todo|sync with|submodule|copilot|rename[sd]?|upgrade)\b",
    re.I,
)
TRAILER = re.compile(r"^\s*[A-Za-z-]+(-by|-id)?\s*:\s|^(fix(es|ed)?|close[sd]?|refs?|see|resolve[sd]?)\b", re.I)
ISSUE = re.compile(
    r"[(\[]?\b(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|refs?|issue|pr)\s*:?\s*)?(?:gh-|#)\d+[)\]]?", re.I
)
ISSUE_ALONE = re.compile(r"[(\[]?#\d+[)\]]?|\b[A-Z][A-Z0-9]+-\d+\b")


def clean_subject(subject: str) -> str | None:
    """The subject without type, tags and issue ids; None where it says nothing about code."""
    text = subject.strip()
    match = CONVENTIONAL.match(text)
    if match and match["type"].lower() in KNOWN_TYPES:
        if match["type"].lower() in SILENT_TYPES:
            return None
        text = text[match.end() :]
    text = re.sub(r"^(\[[^\]]{1,24}\]\s*:?\s*)+", "", text)
    text = re.sub(r"^[\w.*{},-]*/[\w./*{},-]*:\s+", "", text)
    text = re.sub(r"https?://\S+|`+|\b[0-9a-f]{8,40}\b|:[a-z_]+:(?=\s|$)", " ", text)
    text = ISSUE_ALONE.sub(" ", ISSUE.sub(" ", text))
    text = re.sub(r"\s+", " ", re.sub(r"[(\[]\s*[)\]]", " ", text)).strip(" .:;,-–—")
    return text if is_telling(text) and not JUNK.search(text) else None


def first_body_sentence(body: str) -> str:
    """The first plain sentence of a message's body, or nothing."""
    paragraph = body.replace("\r", "").strip().split("\n\n")[0]
    if not paragraph or TRAILER.match(paragraph) or re.match(r"[*\-+#>|<`~\[@]|\d+[.)]|http", paragraph):
        return ""
    sentence = first_sentence(paragraph)
    plain = "http" not in sentence and not re.search(r"#\d", sentence) and not JUNK.search(sentence)
    return sentence if plain and 6 <= len(sentence.split()) <= 40 else ""


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, white space made plain."""
    plain = re.sub(r"\s+", " ", text).strip()
    match = re.match(r"(.{12,250}?(?<!e\.g)(?<!i\.e)[.!?])(\s|$)", plain)
    return (match[1] if match else plain[:220]).strip()


def is_telling(text: str) -> bool:
    """Four words or more, mostly letters."""
    letters = sum(each.isalpha() for each in text)
    return 4 <= len(text.split()) <= 45 and letters > 0.6 * len(text)
