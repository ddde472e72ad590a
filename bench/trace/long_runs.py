"""How does the cost of questions grow with the length of a run, up to billions of instructions?

    python -m bench.trace.long_runs                     # 100 million, 1 and 3 billion instructions
    python -m bench.trace.long_runs --millions 100 300

The run is that of a small virtual machine which fails at its end.  The cause of the failure is near
the start of the run (`early`), or near its end (`late`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import WORK
from bench.trace import ask, table
from whence.frontend.c.record import record
from whence.subject.trial import BuildAndTest

MILLIONS = (100, 1000, 3000)  # instructions of the runs
PATIENCE = 600.0  # limit for one question in seconds; a slower one is shown as too slow
PROGRAM = Path(__file__).parent / "drivers" / "long_run.c"
ROUND = 518  # instructions of one round of the machine's loop, as recorded at -O0
HEAD = ("instructions", "cause", "log", "recorded s", "open s", "first cause s", "slice s")


@dataclass(frozen=True, slots=True)
class LongRun:
    """What the questions about one long run cost; None: it took longer than PATIENCE."""

    instructions: int
    where: str  # of the cause: early or late
    log: int
    recorded: float
    questions: dict[str, dict[str, Any] | None]  # open, cause, near

    def shown(self) -> tuple[str, ...]:
        costs = (_shown(self.questions[name]) for name in ("open", "cause", "near"))
        count = f"{self.instructions / 1e6:,.0f} M"
        return (count, self.where, table.mib(self.log), f"{self.recorded:.1f}", *costs)


def _shown(cost: dict[str, Any] | None) -> str:
    if cost is None:
        return f"over {PATIENCE:.0f}"
    return f"{cost['seconds']:.1f} ({table.mib(cost['peak'])})"


def measure(millions: int, where: str, work: Path, *, with_slice: bool) -> LongRun:
    """Record a run, and ask it."""
    tree, out = work / "tree", work / "out"
    for folder in (tree, out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    shutil.copy(PROGRAM, tree)
    rounds = millions * 1_000_000 // ROUND
    test = f"./long_run {rounds} {where}"
    started = time.monotonic()
    record(tree, BuildAndTest(test=test, build="$CC -g -O0 -o long_run long_run.c"), out)
    recorded = time.monotonic() - started
    names = ("open", "cause", "near") if with_slice else ("open", "cause")
    answers = {name: _asked(name, out, tree) for name in names}
    answers.setdefault("near", None)
    first = answers["open"] or {}
    shutil.rmtree(out)
    return LongRun(first.get("instructions", 0), where, first.get("bytes", 0), recorded, answers)


def _asked(question: str, trace: Path, tree: Path) -> dict[str, Any] | None:
    command = [sys.executable, "-m", ask.__name__, question, str(trace), str(tree)]
    try:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", nargs="+", type=int, default=MILLIONS, metavar="N")
    parser.add_argument("--work", type=Path, default=WORK / "trace" / "long")
    parser.add_argument("--no-slice", action="store_true", help="do not measure slices")
    options = parser.parse_args(arguments)
    runs = []
    for millions in options.millions:
        for where in ("early", "late"):
            run = measure(millions, where, options.work, with_slice=not options.no_slice)
            runs.append(run.shown())
            print(table.markdown_table(HEAD, runs[-1:]), flush=True)
    print(table.markdown_table(HEAD, runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
