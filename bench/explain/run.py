"""Measure what `whence explain` finds and costs, beside searches by outcomes alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import WORK, case_folder
from bench.explain import table
from bench.explain.cases import (
    SIZES,
    Regression,
    hidden_case,
    real_cases,
    sample,
)
from bench.explain.harmless import TooSmallError
from bench.explain.methods import METHODS, Limits, Measured, measure
from bench.trace.table import text_table
from bench.why.suite import BadSuiteError, load_all

LIMITS = {"c": Limits(100, 3600.0), "hidden": Limits(1000, 900.0)}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    case_folder.add_option(parser)
    parser.add_argument(
        "--only", default="", metavar="SUBSTR", help="only cases with this in their name"
    )
    parser.add_argument("--group", choices=("c", "hidden"), help="only this group")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="default: %(default)s")
    parser.add_argument("--faults", type=int, default=1, help="faults of a program, for each size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    parser.add_argument("--max-runs", type=int, metavar="N", help="limit for one search")
    parser.add_argument("--seconds", type=float, metavar="S", help="limit for one search")
    parser.add_argument(
        "--again", action="store_true", help="measure again what was measured before"
    )
    parser.add_argument("--make", action="store_true", help="only make and verify the versions")
    parser.add_argument("--show", action="store_true", help="only show earlier results")
    parser.add_argument("--work", type=Path, default=WORK / "explain")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as Markdown")
    options = parser.parse_args(arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"unknown methods {sorted(unknown)}; there are {', '.join(METHODS)}")
    options.sizes = [int(size) for size in options.sizes.split(",")]
    if options.group != "hidden":
        hint = "--group hidden measures the seeded faults alone."
        options.cases = case_folder.require(parser, options.cases, hint)
    options.work = options.work.resolve()
    return options


def regressions(options: argparse.Namespace, missing: dict[str, str]) -> Iterator[Regression]:
    """Yield the chosen cases one by one; `missing` gets those that cannot be made."""
    env = options.work / "env"
    env.mkdir(parents=True, exist_ok=True)
    if options.group != "hidden":
        # bench/isolate installs the same cases into this folder.
        yield from real_cases(
            options.cases, options.work.with_name("isolate") / "env", options.only, missing
        )
    if options.group != "c":
        for plan in sample(load_all(), options.sizes, options.faults):
            if options.only in plan.id:
                try:
                    yield hidden_case(plan, env, options.seed)
                except (BadSuiteError, TooSmallError) as error:
                    missing[plan.id] = str(error)


def limits_for(regression: Regression, options: argparse.Namespace) -> Limits:
    usual = LIMITS["c" if regression.case.group == "c" else "hidden"]
    return Limits(options.max_runs or usual.runs, options.seconds or usual.seconds)


def row_of(regression: Regression, method: str, options: argparse.Namespace) -> Measured | None:
    """Return what was measured now or earlier; None if there is nothing and we only show."""
    folder = options.work / "runs" / regression.case.id
    kept = folder / f"{method}.json"
    if kept.exists() and not options.again:
        return table.from_json(kept.read_text())
    if options.show:
        return None
    row = measure(regression, method, folder / method, limits_for(regression, options))
    kept.write_text(table.to_json(row))
    return row


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    rows: list[Measured] = []
    missing: dict[str, str] = {}
    for regression in regressions(options, missing):
        if options.make:
            print(regression.case.id, regression.note, flush=True)
            continue
        for method in options.methods:
            row = row_of(regression, method, options)
            if row is not None:
                rows.append(row)
                print(*table.cells(row), sep="  ", flush=True)
        if options.out and rows:
            # After each case, so that an interrupted benchmark leaves its results.
            options.out.write_text(table.published(rows, missing), "utf-8")
    if rows:
        print("\n" + table.report(rows, missing, text_table))
    for name, reason in sorted(missing.items()):
        print(f"not measured: {name}: {reason}")
    return 0 if rows and all(aim.met for aim in table.aims(rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
