"""Comments of a source file as queries for the code they stand at."""

import re
from dataclasses import dataclass

from .messages import first_sentence, is_telling

DEFINITION = re.compile(
    r"\b(function|func|fn|def|class|struct|interface|public|private|protected|internal|static|export|const|impl|enum"
    r"|trait|void|int|char|bool|module|type|val|var|let|fun|record)\b|\)\s*\{"
)
PYTHON_DOC = re.compile(
    r'^([ \t]*)(?:async )?(?:def|class) [^\n]*?(?:\n[^\n]*?){0,8}?:[ \t]*\n\s*[rRbu]?"""(.*?)"""', re.S | re.M
)
NOT_A_QUERY = re.compile(
    r"copyright|licen[cs]e|eslint|todo|fixme|xxx|hack\b|lint|noqa|pragma|@ts-|istanbul|http|inheritdoc|region\b|[{};=]\s*$|\w\(.*\);?$",
    re.I,
)
CODE_LINES = 12


@dataclass(frozen=True)
class Comment:
    """First sentence of a comment, its own lines (0-based, end exclusive), and whether a definition follows."""

    sentence: str
    start: int
    end: int
    documents: bool


def comments_of(text: str, path: str) -> list[Comment]:
    """Comments that say something in words, in order."""
    found = _python_docs(text) if path.endswith(".py") else []
    return sorted(found + _blocks(text.split("\n"), path), key=lambda each: each.start)


def without(text: str, comment: Comment) -> tuple[str, tuple[int, int]]:
    """The text without that comment, and the lines of the code it stands at (1-based, inclusive)."""
    lines = text.split("\n")
    rest = lines[: comment.start] + lines[comment.end :]
    first = min(comment.start + 1, len(rest))
    return "\n".join(rest), (first, min(first + CODE_LINES - 1, len(rest)))


def _python_docs(text: str) -> list[Comment]:
    found = []
    for match in PYTHON_DOC.finditer(text):
        start, end = text.count("\n", 0, match.start(2)), text.count("\n", 0, match.end(2)) + 1
        found += _comment(match[2], start, end, True) if end - start < 40 else []
    return found


def _blocks(lines: list[str], path: str) -> list[Comment]:
    hash_comments = path.endswith((".py", ".rb"))
    found, at = [], 0
    while at < len(lines):
        text = lines[at].strip()
        end = at + 1
        if text.startswith("/*"):
            while end <= len(lines) and "*/" not in lines[end - 1]:
                end += 1
        elif text.startswith("#" if hash_comments else "//"):
            while end < len(lines) and lines[end].strip().startswith("#" if hash_comments else "//"):
                end += 1
        else:
            at = end
            continue
        following = lines[end] if end < len(lines) else ""
        if following.strip() and end - at < 40:
            found += _comment("\n".join(lines[at:end]), at, end, DEFINITION.search(following) is not None)
        at = end
    return found


def _comment(raw: str, start: int, end: int, documents: bool) -> list[Comment]:
    text = "\n".join(re.sub(r"^\s*(/\*+|\*+/|\*|//+!?|#+)\s?", "", line).replace("*/", "") for line in raw.split("\n"))
    text = re.split(r"\n\s*(?:@\w+|:param|Args:|Parameters|Returns:)", text)[0]
    text = re.sub(r"<[^>\n]{1,40}>|\{@\w+ ([^}]*)\}", lambda match: match[1] or " ", text)
    sentence = first_sentence(text.replace("`", ""))
    good = is_telling(sentence) and not NOT_A_QUERY.search(sentence)
    return [Comment(sentence, start, end, documents)] if good else []
