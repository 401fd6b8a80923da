"""Where a text of code has something like ends of sentences: after a comment and before a blank line."""

from .code_text import split_lines

HASH_COMMENTS = (".py", ".pyx", ".rb", ".sh", ".yml", ".yaml", ".toml")
QUOTES = ('"""', "'''")


def sentence_ends(text: str, path: str) -> set[int]:
    """Lines (1-based) after which a segment ends: the last line of a comment, and the last before blank ones."""
    lines = [line.strip() for line in split_lines(text)]
    comment = _comment_lines(lines, path)
    ends = set()
    for at, line in enumerate(lines[:-1]):
        ends_comment = comment[at] and not comment[at + 1]
        if line and (ends_comment or not lines[at + 1]):
            ends.add(at + 1)
    return ends


def _comment_lines(lines: list[str], path: str) -> list[bool]:
    """Whether each line lies in a comment of whole lines, documentation strings of Python too."""
    hashes, python = path.endswith(HASH_COMMENTS), path.endswith((".py", ".pyx"))
    inside, found = "", []
    for line in lines:
        if inside:
            found.append(True)
            inside = "" if inside in line else inside
            continue
        opened = _opened(line, python)
        inside = opened if opened and opened not in line[2:] else ""
        found.append(bool(opened) or line.startswith("#" if hashes else ("//", "--")))
    return found


def _opened(line: str, python: bool) -> str:
    """What closes the comment that this line opens; empty where it opens none."""
    if python:
        return next((quote for quote in QUOTES if line.lstrip("rRbBuU").startswith(quote)), "")
    return "*/" if line.startswith("/*") else "-->" if line.startswith("<!--") else ""
