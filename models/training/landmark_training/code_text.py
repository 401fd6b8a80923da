"""Preparation `lean-1`, the same rule as src/engine/model/codeText.ts.

`lean-2` keeps seven marks of punctuation; it was tried, and the program does not know it.
"""

import regex

LINE_END = regex.compile(r"\r\n|\n|\r")
# Consumes both sides, as the program does: in `getXHeader` the `X` is used up by `tX` and stays with `Header`.
CASE_CHANGE = regex.compile(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])")
# White space as JavaScript's `\s` has it; Python's own class is another one.
WHITE_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# What of punctuation each preparation keeps; none of it has a meaning of its own in a character class.
KEPT = {"lean-1": "", "lean-2": '(){}.="'}
DROPPED = {name: regex.compile(rf"[^\p{{L}}\p{{M}}\p{{Nd}}{WHITE_SPACE}{kept}]") for name, kept in KEPT.items()}
DROPPED_ASCII = {name: regex.compile(rf"[^A-Za-z0-9\t\n\v\f\r {kept}]") for name, kept in KEPT.items()}


def split_lines(text: str) -> list[str]:
    """The lines of a text; a text that ends with a line end has an empty last line, an empty text has one line."""
    return LINE_END.split(text)


def split_case(line: str) -> str:
    """A space where an ASCII word changes case."""
    return CASE_CHANGE.sub(lambda m: f"{m[1]} {m[2]}" if m[1] else f"{m[3]} {m[4]}", line)


def prepare_line(line: str, preparation: str) -> str:
    """A line of code as words: case changes become spaces, and so does all but letters, marks, digits and the kept."""
    dropped = DROPPED_ASCII if line.isascii() else DROPPED
    return dropped[preparation].sub(" ", split_case(line))


def prepare_text(text: str, preparation: str) -> list[str]:
    """The prepared lines of a text, one for each line of it."""
    return [prepare_line(line, preparation) for line in split_lines(text)]
