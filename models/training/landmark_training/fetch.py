"""Stage 0: bare clones of the listed repositories, `owner+name/repo` each. Those that are there stay."""

import argparse
import subprocess
from pathlib import Path

from .mine import LIST, listed


def main() -> None:
    """Clones one after the other; a clone that fails leaves nothing behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, default=LIST)
    parser.add_argument("--source", default="https://github.com", help="what stands before /owner/name")
    parser.add_argument("--mirror", type=Path, required=True)
    options = parser.parse_args()
    for name in listed(options.repositories):
        target = options.mirror / name.replace("/", "+") / "repo"
        if target.exists():
            continue
        partial = target.with_name("part")
        subprocess.run(["rm", "-rf", str(partial)], check=True)
        partial.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--bare", "--quiet", f"{options.source}/{name}", str(partial)], check=True)
        partial.rename(target)
        print(name, flush=True)


if __name__ == "__main__":
    main()
