"""What a git directory tells: its commits with the lines they changed, and files at any commit."""

import io
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_BYTES = 200_000
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))?")


@dataclass
class Commit:
    """One commit; `changes` maps a path to its changed lines (1-based, inclusive) as they were before."""

    sha: str
    parent: str
    subject: str
    body: str
    changes: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


def commits(git_dir: Path, limit: int) -> Iterator[Commit]:
    """The newest commits, without merges, each with the files it modified."""
    command = ["git", "--git-dir", str(git_dir), "log", "--no-merges", "-n", str(limit), "-p", "-U0", "--no-renames"]
    command += ["--diff-filter=M", "--no-color", "--no-ext-diff", "--format=%x01%H%x02%P%x02%s%x02%b%x03", "HEAD"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        # Git ends lines with \n alone; a \r inside a changed line must not begin one.
        lines = io.TextIOWrapper(process.stdout, encoding="utf8", errors="replace", newline="\n")
        try:
            yield from _parse(lines)
        finally:
            process.kill()


def _parse(lines) -> Iterator[Commit]:
    commit, header, path = None, "", ""
    for line in lines:
        if line.startswith("\x01"):
            if commit:
                yield commit
            commit, header, path = None, line[1:], ""
        elif header:
            header += line
        elif line.startswith("--- a/"):
            path = line[6:].rstrip("\n")
        elif line.startswith("@@") and path and commit:
            match = HUNK.match(line)
            start, count = int(match[1]), int(match[2] or 1)
            commit.changes.setdefault(path, []).append((max(start, 1), max(start, start + count - 1, 1)))
        if header and "\x03" in header:
            sha, parents, subject, body = header.split("\x03")[0].split("\x02", 3)
            commit, header = Commit(sha, parents.split(" ")[0], subject, body), ""
    if commit:
        yield commit


class FileReader:
    """Files by `commit:path` through one `git cat-file`."""

    def __init__(self, git_dir: Path):
        command = ["git", "--git-dir", str(git_dir), "cat-file", "--batch"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, spec: str) -> str | None:
        """The text, or None where it is missing, too long or not UTF-8."""
        self._process.stdin.write(f"{spec}\n".encode())
        self._process.stdin.flush()
        header = self._process.stdout.readline().split()
        if header[-1] == b"missing":
            return None
        data = self._process.stdout.read(int(header[-1]))
        self._process.stdout.read(1)
        if len(data) > MAX_BYTES or b"\0" in data:
            return None
        try:
            return data.decode("utf8")
        except UnicodeDecodeError:
            return None

    def close(self) -> None:
        """Ends the process."""
        self._process.stdin.close()
        self._process.wait()


def paths_at_head(git_dir: Path) -> list[str]:
    """Every path of the newest commit, in git's order."""
    command = ["git", "--git-dir", str(git_dir), "ls-tree", "-r", "-z", "--name-only", "HEAD"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf8", "replace").split("\0")[:-1]
