"""Do programs behave the same when they are recorded?

Run test suites of the standard library and of packages from PyPI twice, plain and recorded, with
the tests and the code under test in the recorded tree, and compare how each test ended.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent

from bench import WORK
from bench.isolate.cases import NotInstallableError
from bench.python.comparing import Compared, compare, from_json, to_json
from bench.python.suites import (
    Library,
    Package,
    Suite,
    known_difference,
    prepare_library,
    prepare_package,
    suites,
)
from bench.trace.table import Table, markdown_table, text_table

KEPT = "row.json"

# --- tables ------------------------------------------------------------------------------------

COLUMNS = (
    "suite", "tests", "ok", "skipped", "other", "differ", "known", "unsteady", "modules",
    "left plain", "plain s", "recorded s",
)  # fmt: skip


def cells(row: Compared) -> tuple[str, ...]:
    how = Counter(row.plain.ended.values())
    other = sum(how.values()) - how["ok"] - how["skip"]
    return (
        row.suite, str(len(row.plain.ended)), str(how["ok"]), str(how["skip"]), str(other),
        str(len(row.unknown)), str(len(row.differences) - len(row.unknown)),
        str(len(row.unsteady)), str(row.modules),
        str(len(row.left_plain)), f"{row.plain.seconds:.1f}", f"{row.recorded.seconds:.1f}",
    )  # fmt: skip


def report(rows: Sequence[Compared], missing: Mapping[str, str], table: Table) -> str:
    """Return every suite, and every test that ended differently."""
    tests = sum(len(row.plain.ended) for row in rows)
    differ = sum(len(row.unknown) for row in rows)
    same = sum(row.is_same for row in rows)
    parts = [
        f"{same} of {len(rows)} suites are the same; {differ} of {tests} tests differ.",
        table(COLUMNS, map(cells, rows)),
    ]
    listed = [
        (name.replace("|", "\\|"), row.suite, *pair, known_difference(name) or "")
        for row in rows
        for name, pair in row.differences.items()
    ]
    if listed:
        parts.append(table(("test", "suite", "plain", "recorded", "known"), listed))
    parts += [
        f"left plain in {row.suite}: {name}: {why}"
        for row in rows
        for name, why in sorted(row.left_plain.items())
    ]
    parts += [f"not recorded in {row.suite}: {', '.join(row.unseen)}" for row in rows if row.unseen]
    parts += [f"not compared: {name}: {why}" for name, why in sorted(missing.items())]
    return "\n\n".join(parts) + "\n"


def published(work: Path) -> str:
    """Return the page: all results in `work`, for every version of Python."""
    head = "# Recorded as plain?\n\n"
    head += "`python -m bench.python.differential --out bench/python/RESULTS-DIFFERENTIAL.md`, "
    head += "for each `--python`; [README.md](README.md) explains the columns.\n"
    parts = [head]
    for version in sorted({file.parent.parent.name for file in work.glob(f"*/*/{KEPT}")}):
        rows = list(kept(work / version))
        parts.append(f"## Python {version}\n\n{report(rows, {}, markdown_table)}")
    return "\n".join(parts)


def kept(folder: Path) -> Iterator[Compared]:
    """Return the earlier results for one version of Python."""
    for suite in suites():
        file = folder / suite.name / KEPT
        if file.exists():
            yield from_json(file.read_text("utf-8"))


# --- the command -------------------------------------------------------------------------------


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="NAMES", help="only these suites, separated by commas"
    )
    parser.add_argument("--group", choices=("library", "packages"), help="only this group")
    parser.add_argument("--python", default=sys.executable, help="the interpreter under test")
    parser.add_argument("--seconds", type=float, default=900, help="limit for one run of a suite")
    parser.add_argument("--work", type=Path, default=WORK / "differential")
    parser.add_argument("--show", action="store_true", help="only show earlier results")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--verbose", action="store_true", help="show the messages of failing tests")
    options = parser.parse_args(arguments)
    options.work = options.work.resolve()
    return options


def chosen(options: argparse.Namespace) -> list[Suite]:
    kind = {"library": Library, "packages": Package}.get(options.group, Library | Package)
    wanted = set(filter(None, options.only.split(",")))
    return [
        suite
        for suite in suites()
        if isinstance(suite, kind) and (not wanted or suite.name in wanted)
    ]


def compared(suite: Suite, options: argparse.Namespace, folder: Path) -> Compared:
    """Compare a suite now, and store the result."""
    place = folder / suite.name
    if isinstance(suite, Library):
        prepared = prepare_library(suite, options.python, place)
    else:
        prepared = prepare_package(suite, options.python, place, options.work / "sdists")
    row = compare(suite.name, prepared, place / "runs", options.seconds)
    (place / KEPT).write_text(to_json(row), "utf-8")
    return row


def show(row: Compared, verbose: bool) -> None:
    print(*cells(row), sep="  ", flush=True)
    for file in row.unseen:
        print(f"    not recorded: {file}")
    for name, pair in row.differences.items():
        print(f"    {name}: {pair[0]} -> {pair[1]}", known_difference(name) or "")
        if verbose:
            print(indent(row.recorded.told.get(name, ""), " " * 8))


def version_of(python: str) -> str:
    ask = "import platform; print(platform.python_version())"
    asked = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    folder = options.work / version_of(options.python)
    rows: list[Compared] = list(kept(folder)) if options.show else []
    missing: dict[str, str] = {}
    for suite in [] if options.show else chosen(options):
        try:
            rows.append(compared(suite, options, folder))
        except NotInstallableError as error:
            missing[suite.name] = str(error)
            print(f"{suite.name}: {error}", flush=True)
        else:
            show(rows[-1], options.verbose)
    if options.out:
        options.out.write_text(published(options.work), "utf-8")
    print("\n" + report(rows, missing, text_table))
    return 0 if rows and all(row.is_same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
