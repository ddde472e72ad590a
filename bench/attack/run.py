"""Attack whence, and print what was tried and what failed: `python -m bench.attack.run`."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

from bench.attack import (
    archives,
    full_disk,
    kills,
    operations,
    oracles,
    repositories,
    stores,
    traces,
)
from bench.attack.attempts import KINDS, Attack

ROWS: dict[str, Attack] = {
    "damaged C traces": partial(traces.attack, language="c", forged=False),
    "forged C traces": partial(traces.attack, language="c", forged=True),
    "damaged Python traces": partial(traces.attack, language="python", forged=False),
    "forged Python traces": partial(traces.attack, language="python", forged=True),
    "operations that fail": operations.attack,
    "kills": kills.attack,
    "archives": archives.attack,
    "damaged stores": stores.attack,
    "full disk": full_disk.attack,
    "hostile repositories": repositories.attack,
    "random oracles": oracles.attack,
}


def main() -> None:
    """Run the attacks that the command line chooses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="attempts in each row")
    parser.add_argument("--only", default="", help="rows whose names contain this text")
    given = parser.parse_args()
    print("| attack | tried | failed |", " | ".join(KINDS), "|")
    print("|---|--:|--:|" + "--:|" * len(KINDS))
    for name, attack in ROWS.items():
        if given.only not in name:
            continue
        counts: Counter[str | None] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            for attempt in attack(Path(folder), given.count):
                counts[attempt.failed] += 1
                if attempt.failed:
                    print(f"  {attempt.name}: {attempt.failed}: {attempt.detail}", flush=True)
        tried = sum(counts.values())
        numbers = " | ".join(str(counts[kind]) for kind in KINDS)
        print(f"| {name} | {tried} | {tried - counts[None]} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
