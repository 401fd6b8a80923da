"""Whether one model is better than another on the same queries: a paired bootstrap over queries within their sets."""

import argparse
import json
from pathlib import Path

import numpy as np

DRAWS = 10_000
ARMS = ("vectors", "file", "landmark", "path")


def main() -> None:
    """Prints means, difference and its 95 % interval for every kind of query and arm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="what `evaluate` wrote for the old model")
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    old, new = json.loads(options.old.read_text()), json.loads(options.new.read_text())
    print("| queries | arm | sets | old | new | difference | 95 % interval | better in |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind in ("commits", "questions"):
        names = sorted(name for name in old if name.startswith(kind) and name in new)
        for arm in ARMS if names else ():
            pairs = [(np.array(old[name][arm]), np.array(new[name][arm])) for name in names]
            before, after = (np.mean([pair[at].mean() for pair in pairs]) for at in (0, 1))
            low, high, share = bootstrap([b - a for a, b in pairs])
            numbers = f"{before:.3f} | {after:.3f} | {after - before:+.3f} | {low:+.3f} to {high:+.3f} | {share:.1%}"
            print(f"| {kind} | {arm} | {len(names)} | {numbers} |")


def bootstrap(differences: list[np.ndarray], seed: int = 0) -> tuple[float, float, float]:
    """95 % interval of the mean over sets of the mean difference, and the share of draws above zero."""
    chance = np.random.default_rng(seed)
    means = np.zeros(DRAWS)
    for own in differences:
        means += own[chance.integers(0, len(own), (DRAWS, len(own)))].mean(1) / len(differences)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high), float((means > 0).mean())


if __name__ == "__main__":
    main()
