"""How does the cost of questions grow with the length of a run, up to billions of instructions?

    python -m bench.trace.long_runs                     # 100 million, 1 and 3 billion instructions
    python -m bench.trace.long_runs --millions 100 300
    python -m bench.trace.long_runs --explain           # what does a whole `whence explain` cost?

The run is that of a small virtual machine which fails at its end.  The cause of the failure is near
the start of the run (`early`), or near its end (`late`).  To be explained, the program has a good
version, which also stores other values in every round.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import WORK
from bench.isolate.methods import run_limited
from bench.trace import ask, table
from whence.frontend.c.record import record
from whence.subject.trial import BuildAndTest

MILLIONS = (100, 1000, 3000)  # instructions of the runs
CAUSES = ("early", "late")
PATIENCE = 600.0  # limit for one question in seconds; a slower one is shown as too slow
PROGRAM = Path(__file__).parent / "drivers" / "long_run.c"
ROUND = 518  # instructions of one round of the machine's loop, as recorded at -O0
HEAD = ("instructions", "cause", "log", "recorded s", "open s", "first cause s", "slice s")
EXPLAINED = ("cause", "rounds (million)", "s", "CPU s", "peak", "status", "root")
# What the good version has in place of a text of the program.  Only the first two are faults.
GOOD = {
    '!strcmp(argv[2], "early") ? 90 : 100': '!strcmp(argv[2], "early") ? 110 : 100',
    '"late")) m->limit = 95;': '"late")) m->limit = 105;',
    "m->table[a & 1023] += a;": "m->table[a & 1023] -= a;",
    "m->cells[i->arg]--;": "m->cells[i->arg] -= 1;",
    "return m->cells[1] ? i->arg : at + 1;": "return m->cells[1] != 0 ? i->arg : at + 1;",
}


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


def explain(millions: int, where: str, work: Path) -> tuple[str, ...]:
    """Run `whence explain` on the program and its good version; return a row of the table."""
    shutil.rmtree(work, ignore_errors=True)
    bad = good = PROGRAM.read_text("utf-8")
    for old, new in GOOD.items():
        assert good.count(old) == 1, old
        good = good.replace(old, new)
    for version, text in (("good", good), ("bad", bad)):
        (work / version).mkdir(parents=True)
        (work / version / PROGRAM.name).write_text(text, "utf-8")
    rounds = millions * 1_000_000 // ROUND
    command = [sys.executable, "-m", "whence", "explain", "--good", "good", "--bad", "bad"]
    command += ["--build", "$CC -g -O0 -o long_run long_run.c"]
    command += ["--test", f"./long_run {rounds} {where}", "--json", "result.json"]
    ended = run_limited(
        command,
        cwd=work,
        log=work / "stderr.log",
        out=work / "report.txt",
        env=os.environ | {"XDG_CACHE_HOME": str(work / "cache")},
        seconds=PATIENCE,
        grace=60.0,
    )
    result = work / "result.json"
    document = json.loads(result.read_text("utf-8")) if result.exists() else {}
    root = ", ".join(f"line {change['new'][0]}" for change in document.get("root", []))
    return (
        *(where, f"{rounds / 1e6:.2f}", f"{ended.seconds:.0f}", f"{ended.cpu:.0f}"),
        *(table.mib(ended.peak_kib * 1024), document.get("status", "none"), root),
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", nargs="+", type=int, default=MILLIONS, metavar="N")
    parser.add_argument("--work", type=Path, default=WORK / "trace" / "long")
    parser.add_argument("--no-slice", action="store_true", help="do not measure slices")
    parser.add_argument("--causes", nargs="+", choices=CAUSES, default=CAUSES)
    parser.add_argument("--explain", action="store_true", help="measure `whence explain`")
    options = parser.parse_args(arguments)
    if options.explain:
        rows = []
        for millions in options.millions:
            for where in options.causes:
                rows.append(explain(millions, where, options.work))
                print(*rows[-1], sep="  ", flush=True)
        print(table.markdown_table(EXPLAINED, rows))
        return 0
    runs = []
    for millions in options.millions:
        for where in options.causes:
            run = measure(millions, where, options.work, with_slice=not options.no_slice)
            runs.append(run.shown())
            print(table.markdown_table(HEAD, runs[-1:]), flush=True)
    print(table.markdown_table(HEAD, runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
