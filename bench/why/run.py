"""Measure for every seeded fault how much of the cause tree a user reads before seeing it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import CHECKOUT, WORK
from bench.trace.table import markdown_table
from bench.why import table, verify
from bench.why.measure import Row, row_of
from bench.why.suite import Fault, Program, Test, load_all

PATIENCE = 300.0  # limit in seconds for one run

Run = tuple[Fault, Test]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="PROGRAM[/FAULT]", default="", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of parallel runs")
    parser.add_argument("--check", action="store_true", help="only check that each fault fails")
    parser.add_argument("--work", type=Path, default=WORK / "why")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    options.work = options.work.resolve()
    return options


def chosen(programs: list[Program], only: str) -> list[Run]:
    program, _, fault = only.partition("/")
    return [
        (each, test)
        for one in programs
        if program in ("", one.name)
        for each in one.faults
        if fault in ("", each.name)
        for test in each.tests
    ]


def name_of(run: Run) -> str:
    fault, test = run
    return f"{fault.program}/{fault.name}/{test.name}"


def measured(run: Run, work: Path) -> Row | str:
    """Return what was measured in a fresh process, or why nothing was."""
    fault, test = run
    folder = work / name_of(run)
    words = [sys.executable, "-m", "bench.why.measure", fault.program, fault.name, test.name]
    try:
        done = subprocess.run(
            [*words, str(folder)], cwd=CHECKOUT, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"it took over {PATIENCE:.0f} s"
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
    return row_of(json.loads(done.stdout))


def all_measured(runs: list[Run], options: argparse.Namespace) -> Iterator[tuple[Run, Row | str]]:
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from zip(runs, pool.map(lambda run: measured(run, options.work), runs), strict=True)


def check(programs: list[Program]) -> int:
    """Print what is wrong with the suite itself."""
    wrong = 0
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            for complaint in verify.complaints(program, Path(folder)):
                wrong += 1
                print(complaint, flush=True)
        print(f"{program.name}: {len(program.faults)} faults", flush=True)
    return 1 if wrong else 0


def save(options: argparse.Namespace, rows: list[Row], broken: dict[str, str]) -> None:
    if options.json:
        options.json.write_text(table.document(rows, broken), "utf-8")
    if options.out:
        report = table.report(rows, broken, markdown_table)
        options.out.write_text(table.HEAD + report, "utf-8")


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    programs = load_all()
    runs = chosen(programs, options.only)
    if not runs:
        print(f"No fault {options.only!r}; the programs are {[one.name for one in programs]}.")
        return 2
    if options.check:
        wanted = {fault.program for fault, _ in runs}
        return check([program for program in programs if program.name in wanted])
    rows: list[Row] = []
    broken: dict[str, str] = {}
    for run, answer in all_measured(runs, options):
        if isinstance(answer, str):
            broken[name_of(run)] = answer
            print(f"{name_of(run)}: {answer}", flush=True)
        else:
            rows.append(answer)
            print(progress(answer), flush=True)
    if rows:
        save(options, rows, broken)
        print("\n" + table.report(rows, broken))
    return 0 if rows and not broken and all(aim.met for aim in table.aims(rows)) else 1


def progress(row: Row) -> str:
    """Print one line while others are measured."""
    walk = row.tree
    name = f"{row.program}/{row.fault}/{row.test}"
    if walk is None:
        return f"{name}: no tree: {row.error}"
    where = "NOT FOUND" if walk.level is None else f"level {walk.level}"
    share = table.tree_share(row)
    return f"{name}: {where}, {share:.1%}, {walk.read.lines} lines, {walk.read.seconds:.2f} s"


if __name__ == "__main__":
    sys.exit(main())
