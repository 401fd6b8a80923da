"""Which paths of a repository are sources worth training on: no tests, examples, vendored or generated files."""

import re

EXTENSIONS = frozenset(
    "js mjs cjs jsx ts mts cts tsx vue svelte py pyx go rs java kt scala".split()
    + "c h cc cpp cxx hpp hh cs php rb swift lua".split()
)
SKIPPED_FOLDER = re.compile(
    r"^(_*tests?_*|specs?|e2e|test[-_]?(data|cases?|fixtures?|utils?|suite)|_*fixtures?_*|_*mocks?_*|bench(es|marks?)?"
    r"|examples?|samples?|demos?|docs?|documentation|website|vendor(ed)?|third[-_]?party|node_modules|deps|external"
    r"|dist|build|generated|_*snapshots?_*|locales?|i18n|translations?|playground|\.?ci|\.github)$"
    r"|[a-z]Tests?$|[._-]tests?$",
    re.I,
)
SKIPPED_NAME = re.compile(
    r"^(tests?[._-]|conftest\.|version\.|setup\.py)|[._-](tests?|specs?|bench|stories|e2e)\.\w+$"
    r"|[a-z0-9](Tests?|TestCase|Spec|Benchmark)\.\w+$|\.min\.js$|\.d\.ts$|\.pb\.|_pb2|[._]generated\.|\.g\.cs$",
)
GENERATED = re.compile(r"code generated|auto-?\s?generated|automatically generated|@generated|do not edit", re.I)


def is_source(path: str) -> bool:
    """By the path alone."""
    *folders, name = path.split("/")
    if "." not in name or name.rsplit(".", 1)[1].lower() not in EXTENSIONS:
        return False
    return not SKIPPED_NAME.search(name) and not any(SKIPPED_FOLDER.search(folder) for folder in folders)


def is_generated(text: str) -> bool:
    """A file that says so in its first lines."""
    return GENERATED.search(text[:400]) is not None
