"""Stage 1: (query, file, lines that answer) from git histories and sources. One JSONL file a repository."""

import argparse
import gzip
import json
import random
import re
from pathlib import Path

from .comments import comments_of, without
from .git_history import FileReader, commits, paths_at_head
from .messages import clean_subject, first_body_sentence
from .source_paths import is_generated, is_source

LIST = Path(__file__).parents[1] / "repositories.txt"
COMMITS_READ = 4000
MOST_COMMITS = 600
MOST_COMMENTS = 900
MOST_NAMES = 150
COMMENTS_A_FILE = 5
MAX_FILES = 3
DEFINED = re.compile(
    r"^\s*(?:[\w@()]+\s+){0,4}?(?:function|func|fn|def|class|struct|interface|trait|enum|fun|type)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{5,})",
    re.M,
)


def main() -> None:
    """Mines every listed repository whose rows are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, default=LIST)
    parser.add_argument("--mirror", type=Path, required=True, help="folder with owner+name/repo git directories")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for repository in listed(options.repositories):
        target = options.out / f"{repository.replace('/', '__')}.jsonl.gz"
        git_dir = options.mirror / repository.replace("/", "+") / "repo"
        if target.exists() or not git_dir.exists():
            continue
        rows = mine(git_dir, repository)
        partial = target.with_suffix(".part")
        with gzip.open(partial, "wt", compresslevel=1) as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        partial.rename(target)
        kinds = [row["kind"] for row in rows]
        print(repository, {kind: kinds.count(kind) for kind in sorted(set(kinds))}, flush=True)


def listed(path: Path) -> list[str]:
    """Repositories of a list, one a line; `#` begins a remark."""
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def mine(git_dir: Path, repository: str) -> list[dict]:
    """All rows of one repository; the same every time."""
    reader, chance = FileReader(git_dir), random.Random(repository)
    rows = _commit_rows(git_dir, reader, chance) + _source_rows(git_dir, reader, chance)
    reader.close()
    return [{"repository": repository, **row} for row in rows]


def _commit_rows(git_dir: Path, reader: FileReader, chance: random.Random) -> list[dict]:
    rows, used = [], 0
    for commit in commits(git_dir, COMMITS_READ):
        changes = {path: lines for path, lines in commit.changes.items() if is_source(path)}
        subject = clean_subject(commit.subject)
        if not subject or not commit.parent or not 1 <= len(changes) <= MAX_FILES:
            continue
        body = first_body_sentence(commit.body)
        query = f"{subject}. {body}" if body and chance.random() < 0.4 else subject
        used += 1
        for path, lines in changes.items():
            text = reader.read(f"{commit.parent}:{path}")
            if text and text.count("\n") > 5 and not is_generated(text):
                group = commit.sha[:12]
                rows.append(
                    {"kind": "commit", "query": query, "group": group, "path": path, "text": text, "lines": lines[:8]}
                )
        if used >= MOST_COMMITS:
            break
    return rows


def _source_rows(git_dir: Path, reader: FileReader, chance: random.Random) -> list[dict]:
    paths = [path for path in paths_at_head(git_dir) if is_source(path)]
    chance.shuffle(paths)
    comments, names = [], []
    for path in paths:
        if len(comments) >= MOST_COMMENTS:
            break
        text = reader.read(f"HEAD:{path}")
        if not text or is_generated(text):
            continue
        found = comments_of(text, path)
        for comment in chance.sample(found, min(COMMENTS_A_FILE, len(found))):
            rest, lines = without(text, comment)
            kind = "doc" if comment.documents else "inline"
            comments.append(
                {"kind": kind, "query": comment.sentence, "group": path, "path": path, "text": rest, "lines": [lines]}
            )
        defined = list(DEFINED.finditer(text))
        if defined and len(names) < MOST_NAMES:
            match = chance.choice(defined)
            line = text.count("\n", 0, match.start(1)) + 1
            names.append(
                {
                    "kind": "name",
                    "query": match[1],
                    "group": path,
                    "path": path,
                    "text": text,
                    "lines": [(line, line + 8)],
                }
            )
    return comments + names


if __name__ == "__main__":
    main()
