"""Measures what `whence explain` finds and costs on the Python cases, beside its rivals."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # so that the file can be run as it is

from bench.explain.methods import Limits  # noqa: E402  needs the line above
from bench.isolate.cases import python_for_cases  # noqa: E402
from bench.python import table  # noqa: E402
from bench.python.cases import PythonCase, Shelf, python_cases  # noqa: E402
from bench.python.measure import METHODS, Seen, from_json, seen, to_json  # noqa: E402
from bench.trace.table import text_table  # noqa: E402


def add_places(parser: argparse.ArgumentParser) -> None:
    """The options that say where cases come from; `shelf_of` reads them."""
    parser.add_argument(
        "--shared",
        type=Path,
        default=ROOT.parent / "shared" / "bench",
        help="folder with the cases; $WHENCE_BENCH_CASES wins",
    )
    parser.add_argument(
        "--env",
        type=Path,
        default=ROOT / ".bench" / "isolate" / "env",
        help="where cases may be installed already; only read (default: bench/isolate's)",
    )
    parser.add_argument("--work", type=Path, default=ROOT / ".bench" / "python")
    parser.add_argument("--only", default="", metavar="SUBSTR", help="only cases so named")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables, as Markdown")
    parser.add_argument("--note", default="", help="said above the tables: where, beside what")


def shelf_of(options: argparse.Namespace) -> Shelf:
    shared = Path(os.environ.get("WHENCE_BENCH_CASES") or options.shared).resolve()
    options.work = options.work.resolve()
    return Shelf(shared, options.env.resolve(), options.work, python_for_cases())


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_places(parser)
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    parser.add_argument("--max-runs", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=300, help="default: %(default)s")
    parser.add_argument("--again", action="store_true", help="also what was measured already")
    parser.add_argument("--show", action="store_true", help="only what was measured already")
    options = parser.parse_args(arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"unknown methods {sorted(unknown)}; there are {', '.join(METHODS)}")
    return options


def row_of(case: PythonCase, method: str, options: argparse.Namespace) -> Seen | None:
    """What was measured before, or is now; None if it was not and we only show."""
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
            # After each case, so that a benchmark that is stopped has not run for nothing.
            options.out.write_text(table.published(rows, missing, options.note), "utf-8")
    if not rows and not missing:
        print(f"No case to measure in {shelf.shared}; name another folder with --shared.")
        return 2
    print("\n" + table.report(rows, missing, text_table))
    return 0 if rows and all(aim.met for aim in table.aims(rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
