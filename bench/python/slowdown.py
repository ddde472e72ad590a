"""How much slower is a recorded test, and how large is its trace?

Run the test of each Python case on the bad version, plain and recorded, several times, and take
the median of the processor seconds.  Then run it many times in one process, to measure the
slowdown of the test without its imports.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.isolate.methods import run_limited
from bench.python.cases import PythonCase, python_cases
from bench.python.recorded import (
    logged,
    plain_environment,
    recorded_environment,
)
from bench.python.run import add_places, parse_places, shelf_of
from bench.python.suites import INSIDE
from bench.trace.table import Table, markdown_table, text_table

SLOWDOWN = 20.0  # limit on the median, without start-up and for the test alone
LIMIT = 300.0  # seconds for one run


@dataclass(frozen=True, slots=True)
class Slowdown:
    """Processor seconds of one test.

    `first` is the recorded run that also has to instrument; `recorded` found instrumented code in
    the cache, as the plain run found its compiled modules.
    """

    case: str
    start: float  # a plain interpreter that does nothing
    plain: float
    recorded: float
    first: float
    events: int
    size: int  # bytes of the logs
    is_same: bool  # do both end with the same exit status?
    plain_again: float = 0.0  # the test alone, in a process that has imported everything
    recorded_again: float = 0.0

    @property
    def whole(self) -> float:
        return self.recorded / self.plain

    @property
    def net(self) -> float:
        """Return the slowdown without the start of a plain interpreter; the hook's start counts."""
        return (self.recorded - self.start) / max(self.plain - self.start, 0.001)

    @property
    def again(self) -> float:
        """Return the slowdown of the test alone."""
        return self.recorded_again / self.plain_again if self.plain_again else 0.0


def measured(case: PythonCase, python: str, start: float, times: int, work: Path) -> Slowdown:
    """Run the case's test plain and recorded."""
    env, script = case.case.env, case.case.env / "case" / "test.py"
    tree = env / "bad"
    path = (str(tree), str(env / "deps"), str(INSIDE))
    command = [python, str(script)]
    trace, cache = work / "trace", work / "cache"

    def recording() -> dict[str, str]:
        return recorded_environment(path, tree, trace, (script.parent,), cache)

    def plain() -> tuple[float, int]:
        return _cpu(command, plain_environment(path), work)

    def recorded() -> tuple[float, int]:
        return _cpu(command, recording(), work)

    plain()  # compiles the modules
    first, _ = recorded()
    quick, status = _typical(plain, times)
    slow, recorded_status = _typical(recorded, times)
    events, size = logged(trace)
    is_same = status == recorded_status
    again = [_again(python, script, env, work) for env in (plain_environment(path), recording())]
    return Slowdown(case.case.id, start, quick, slow, first, events, size, is_same, *again)


def _again(python: str, script: Path, env: dict[str, str], work: Path) -> float:
    """Return the processor seconds of the test in a process of its own; 0 if it does not end."""
    out = work / "again"
    out.unlink(missing_ok=True)
    _cpu([python, "-m", "bench_repeat", str(out), str(script)], env, work)
    return float(out.read_text()) if out.exists() else 0.0


def _typical(measure: Callable[[], tuple[float, int]], times: int) -> tuple[float, int]:
    runs = [measure() for _ in range(times)]
    return median(seconds for seconds, _ in runs), runs[-1][1]


def _cpu(command: Sequence[str], env: dict[str, str], work: Path) -> tuple[float, int]:
    """Return the processor seconds of a command and its children, and its exit status."""
    ended = run_limited(list(command), cwd=work, log=work / "log", env=env, seconds=LIMIT)
    return ended.cpu, ended.status


def start_up(python: str, times: int, work: Path) -> float:
    """Return the processor seconds of an interpreter that does nothing."""
    script = work / "nothing.py"
    script.write_text("")
    env = plain_environment(())
    return _typical(lambda: _cpu([python, str(script)], env, work), times)[0]


# --- tables ------------------------------------------------------------------------------------

COLUMNS = (
    "case", "plain s", "recorded s", "first s", "slower", "without start-up", "test alone",
    "events", "log bytes", "bytes/event", "same status",
)  # fmt: skip


def cells(row: Slowdown) -> tuple[str, ...]:
    each = f"{row.size / row.events:.1f}" if row.events else "-"
    return (
        row.case, f"{row.plain:.3f}", f"{row.recorded:.3f}", f"{row.first:.3f}",
        f"{row.whole:.1f}x", f"{row.net:.1f}x", f"{row.again:.1f}x" if row.again else "-",
        str(row.events), str(row.size), each,
        "yes" if row.is_same else "NO",
    )  # fmt: skip


def report(rows: Sequence[Slowdown], table: Table) -> str:
    """Return medians, and every case."""
    parts = [
        f"Start of the interpreter: {rows[0].start:.3f} s. Median slowdown "
        f"{median(row.whole for row in rows):.1f}x, without start-up "
        f"{median(row.net for row in rows):.1f}x, of the test alone {alone(rows):.1f}x "
        f"(aim: {SLOWDOWN:.0f}x or less: {'met' if is_met(rows) else 'NOT MET'}); "
        f"first run, with instrumenting, {median(row.first / row.plain for row in rows):.1f}x. "
        "Bytes per event: "
        f"{sum(row.size for row in rows) / max(1, sum(row.events for row in rows)):.1f}.",
        table(COLUMNS, map(cells, rows)),
    ]
    return "\n\n".join(parts) + "\n"


def alone(rows: Sequence[Slowdown]) -> float:
    """Return the median slowdown of tests alone, over the cases in which it was measured."""
    return median([row.again for row in rows if row.again] or [0.0])


def is_met(rows: Sequence[Slowdown]) -> bool:
    return max(alone(rows), median(row.net for row in rows)) <= SLOWDOWN


def published(rows: Sequence[Slowdown], note: str = "") -> str:
    head = "# How much slower is a recorded test?\n\n"
    head += "`python -m bench.python.slowdown --out bench/python/RESULTS-SLOWDOWN.md`; "
    head += "[README.md](README.md) explains the columns.\n\n"
    return head + (f"{note}\n\n" if note else "") + report(rows, markdown_table)


# --- the command -------------------------------------------------------------------------------


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_places(parser)
    parser.add_argument("--times", type=int, default=5, help="runs of each kind (%(default)s)")
    return parse_places(parser, arguments)


def slowdowns(options: argparse.Namespace, missing: dict[str, str]) -> Iterator[Slowdown]:
    shelf = shelf_of(options)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        start = start_up(shelf.python, options.times, work)
        for case in python_cases(shelf, options.only, missing):
            yield measured(case, shelf.python, start, options.times, work)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    missing: dict[str, str] = {}
    rows: list[Slowdown] = []
    for row in slowdowns(options, missing):
        rows.append(row)
        print(*cells(row), sep="  ", flush=True)
    if not rows:
        print("No case could be measured.", missing)
        return 2
    if options.out:
        options.out.write_text(published(rows, options.note), "utf-8")
    print("\n" + report(rows, text_table))
    return 0 if is_met(rows) and all(row.is_same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
