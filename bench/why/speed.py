"""How long does a cause tree take, for a short run and for runs of a million instructions?"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from bench.trace.table import markdown_table
from bench.why import verify
from bench.why.measure import record_fault
from bench.why.suite import Fault, Test, load_all
from whence.languages import open_search
from whence.trace.recording import Recording

WHOLE, FAR = 100, 3  # levels: more than any tree has, and as many as a user sees at first
# Rows of the table that the program reads, levels of the tree, and its limit in seconds.
CASES = ((25, WHOLE, 5.0), (1000, FAR, 20.0), (2000, FAR, 40.0))


def table(rows: int) -> bytes:
    """Return a table for `csv` to read, the same each time."""
    chosen = random.Random(1)
    lines = (
        f"{chosen.choice('abcdefghij')}x,{chosen.randint(-500, 500)}.{chosen.randint(0, 9)}"
        for _ in range(rows)
    )
    return "\n".join(["account,amount", *lines, ""]).encode()


def fault() -> Fault:
    (program,) = [one for one in load_all() if one.name == "csv"]
    (found,) = [one for one in program.faults if one.name == "smallest-is-the-largest"]
    return found


def seconds(recording: Recording, expect: bytes, levels: int) -> tuple[float, int, int]:
    """Return the seconds from an unopened recording to this many levels; causes; instructions."""
    started = time.monotonic()
    tree = open_search(recording, expect)
    tree.grow(levels)
    return time.monotonic() - started, len(tree), tree.thread.stream.steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the fastest counts")
    rounds = parser.parse_args().rounds
    lines, met = [], True
    for rows, levels, limit in CASES:
        test = Test(f"{rows} rows", (), table(rows))
        found = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder)
                truth = verify.run(verify.build(fault().correct, work / "correct"), test)
                recording, _ = record_fault(fault(), test, work)
                found.append(seconds(recording, truth.stdout, levels))
        took, causes, steps = min(found)
        met = met and took <= limit
        what = "whole tree" if levels == WHOLE else f"{levels} levels"
        lines.append((f"{steps:,}", what, str(causes), f"{took:.1f}", f"{took / limit:.2f}"))
    print(markdown_table(("instructions", "tree", "causes", "s", "of the limit"), lines))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
