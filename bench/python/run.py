"""Measure what `whence explain` finds and costs on the Python cases, compared with its rivals."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import WORK, case_folder
from bench.explain.methods import Limits
from bench.isolate.cases import python_for_cases
from bench.python import table
from bench.python.cases import PythonCase, Shelf, python_cases
from bench.python.measure import METHODS, Seen, from_json, seen, to_json
from bench.python.own import write_own_cases
from bench.trace.table import text_table


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options that name places and cases; `parse_places` reads them."""
    case_folder.add_option(parser)
    parser.add_argument(
        "--env",
        type=Path,
        default=WORK / "isolate" / "env",
        help="folder with installed cases, only read (default: that of bench/isolate)",
    )
    parser.add_argument("--work", type=Path, default=WORK / "python")
    parser.add_argument(
        "--only", default="", metavar="SUBSTR", help="only cases with this in their name"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--note", default="", help="text above the tables, e.g. the machine")
    parser.set_defaults(needs_folder=True)


def parse_places(
    parser: argparse.ArgumentParser, arguments: list[str] | None
) -> argparse.Namespace:
    """Parse the options of a benchmark that has those of `add_places`."""
    options = parser.parse_args(arguments)
    options.work, options.env = options.work.resolve(), options.env.resolve()
    if options.cases is None and not options.needs_folder:
        options.cases = write_own_cases(options.work / "own")
    options.cases = case_folder.require(parser, options.cases, hint="")
    return options


def shelf_of(options: argparse.Namespace) -> Shelf:
    """Return the places that the options name."""
    return Shelf(options.cases, options.env, options.work, python_for_cases())


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_places(parser)
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    parser.add_argument("--max-runs", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=300, help="default: %(default)s")
    parser.add_argument(
        "--again", action="store_true", help="measure again what was measured before"
    )
    parser.add_argument("--show", action="store_true", help="only show earlier results")
    parser.set_defaults(needs_folder=False)  # without one, our own cases are measured
    options = parse_places(parser, arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"unknown methods {sorted(unknown)}; there are {', '.join(METHODS)}")
    return options


def row_of(case: PythonCase, method: str, options: argparse.Namespace) -> Seen | None:
    """Return what was measured now or earlier; None if there is nothing and we only show."""
    folder = options.work / "runs" / case.case.id
    kept = folder / f"{method}.json"
    if kept.exists() and not options.again:
        return from_json(kept.read_text())
    if options.show:
        return None
    row = seen(case, method, folder / method, Limits(options.max_runs, options.seconds))
    kept.write_text(to_json(row))
    return row


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    shelf = shelf_of(options)
    rows: list[Seen] = []
    missing: dict[str, str] = {}
    for case in python_cases(shelf, options.only, missing):
        for method in options.methods:
            row = row_of(case, method, options)
            if row is not None:
                rows.append(row)
                print(*table.cells(row), sep="  ", flush=True)
        if options.out and rows:
            # After each case, so that an interrupted benchmark leaves its results.
            options.out.write_text(table.published(rows, missing, options.note), "utf-8")
    if not rows and not missing:
        print(
            f"No case in {options.cases}/python has {options.only!r} in its name.", file=sys.stderr
        )
        return 2
    print("\n" + table.report(rows, missing, text_table))
    return 0 if rows and all(aim.met for aim in table.aims(rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
