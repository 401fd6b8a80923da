"""Other ways to ask what a commit subject or a comment says."""

import random
import re

from .code_text import split_case

FIX = re.compile(r"^(fix(es|ed)?|prevent|avoid|handle|correct(ly)?|resolve|ensure|make sure)\s+(that\s+|for\s+)?", re.I)
ADD = re.compile(r"^(add(s|ed)?|support|allow|implement|introduce|enable|expose|provide)\s+(support for\s+)?", re.I)
CHANGE = re.compile(
    r"^(use|change|update|improve|move|refactor|remove|drop|replace|simplify|optimi[sz]e|reduce)\s+", re.I
)
VERB = re.compile(
    r"^(returns?|gets?|sets?|creates?|checks?|parses?|converts?|adds?|removes?|calls?|sends?|writes?|reads?|computes?|finds?|runs?)\b",
    re.I,
)

# What comes before a thing that is done, before a thing that does something, and before a whole sentence.
ABOUT = ("where is the code for", "how does it deal with", "what happens with", "which code handles", "why")
ASKED = ("what", "which function", "where is the code that", "the part that")
SAID = ("where", "how is it that", "where does the code say", "why")


def question_of(query: str, kind: str, chance: random.Random) -> str:
    """A question form of the query, or the query itself where none fits."""
    text = query.rstrip(".!")
    if kind == "name":
        return chance.choice([text, split_case(text).replace("_", " ").lower(), f"where is {text} defined"])
    lowered = text[:1].lower() + text[1:]
    rest = next((lowered[match.end() :] for match in (p.match(lowered) for p in (FIX, ADD, CHANGE)) if match), None)
    if rest and len(rest.split()) >= 3:
        return f"{chance.choice(ABOUT)} {rest}"
    if VERB.match(lowered):
        return f"{chance.choice(ASKED)} {lowered}"
    return f"{chance.choice(SAID)} {lowered}"


def drop_ids(ids: list[int], leaks: set[int], least: int = 4) -> list[int]:
    """Without the ids that give the answer away, where enough others are left."""
    rest = [each for each in ids if each not in leaks]
    return rest if len(rest) >= least else ids
