"""Measure `whence explain` on real regressions of C and C++ projects."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import WORK, case_folder
from bench.isolate.cases import NotInstallableError
from bench.real import table
from bench.real.cases import RealCase, install, load_list, load_recipe
from bench.real.measure import Measured, from_json, measure, to_json
from bench.trace.table import text_table

SECONDS = 300.0  # default limit for one case


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    case_folder.add_option(parser)
    names = [case.name for case in load_list()]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument(
        "--mirrors", type=Path, metavar="DIR", help="use the repositories DIR/OWNER+NAME/repo"
    )
    parser.add_argument("--label", default="now", help="name of this measurement (%(default)s)")
    parser.add_argument(
        "--python", default=sys.executable, help="the Python whose whence is measured"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for one case")
    parser.add_argument("--again", action="store_true", help="measure again what has a result")
    parser.add_argument("--show", action="store_true", help="only show earlier results")
    parser.add_argument("--work", type=Path, default=WORK / "real")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as Markdown")
    options = parser.parse_args(arguments)
    if options.cases and not options.show:
        options.cases = case_folder.require(parser, options.cases, "", layouts=("real",))
    options.work = options.work.resolve()
    options.mirrors = options.mirrors and options.mirrors.resolve()
    return options


def row_of(case: RealCase, options: argparse.Namespace) -> Measured | None:
    """Return what was measured now or earlier; None if there is nothing and we only show."""
    folder = options.work / options.label
    kept = folder / f"{case.name}.json"
    if kept.exists() and not options.again:
        return from_json(kept.read_text("utf-8"))
    if options.show:
        return None
    if lacking := case.missing_programs():
        raise NotInstallableError(f"this machine has no {', '.join(lacking)}")
    recipe = load_recipe(case, options.cases)
    env = options.work / "env" / case.name
    install(case, recipe, env, options.mirrors)
    row = measure(case, recipe, env, folder / case.name, options.python, options.seconds)
    kept.write_text(to_json(row), "utf-8")
    return row


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    cases = [case for case in load_list() if case.name in options.only]
    rows: list[Measured] = []
    missing: dict[str, str] = {}
    for case in cases:
        try:
            row = row_of(case, options)
        except NotInstallableError as error:
            missing[case.name] = str(error)
            continue
        if row is not None:
            rows.append(row)
            print(*table.cells(case, row), row.note, sep="  ", flush=True)
        if options.out and rows:
            # After each case, so that an interrupted benchmark leaves its results.
            options.out.write_text(table.published(cases, rows, missing), "utf-8")
    if rows:
        print("\n" + table.report(cases, rows, text_table))
    for name, reason in sorted(missing.items()):
        print(f"not measured: {name}: {reason}")
    return 0 if rows and all(row.explained and row.is_in_root for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
