"""Run every method on every case, and print one table of what they found and what it cost."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import WORK, case_folder
from bench.isolate import methods, synthetic, table
from bench.isolate.cases import (
    Case,
    NotInstallableError,
    install,
    load,
    python_for_cases,
)
from bench.isolate.score import Answer, Row, score

METHODS = ("fast", "after", "add", "dd", "ddmin", methods.RIVAL)
MAX_RUNS = {"python": 300, "c": 100, "synthetic": 1000}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    case_folder.add_option(parser)
    parser.add_argument(
        "--only", default="", metavar="SUBSTR", help="only cases with this in their name"
    )
    parser.add_argument(
        "--language",
        choices=("python", "c", "synthetic"),
        help="only cases of this language (c: also the generated ones), or only the generated ones",
    )
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    parser.add_argument("--max-runs", type=int, metavar="N", help=f"default: {MAX_RUNS}")
    parser.add_argument(
        "--seconds", type=float, default=300, help=f"limit for one search of {methods.RIVAL}"
    )
    parser.add_argument("--work", type=Path, default=WORK / "isolate")
    parser.add_argument("--jobs", type=int, metavar="N", help="number of parallel runs of whence")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument(
        "--scale", action="store_true", help="only measure whence on 10,000 changes"
    )
    options = parser.parse_args(arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"unknown methods {sorted(unknown)}; there are {', '.join(METHODS)}")
    if not options.scale and options.language != "synthetic":
        hint = "--language synthetic measures the generated cases alone."
        options.cases = case_folder.require(parser, options.cases, hint)
    options.work = options.work.resolve()
    return options


def cases_to_run(options: argparse.Namespace, missing: dict[str, str]) -> Iterator[Case]:
    """Yield the chosen cases one by one; `missing` gets those that cannot be installed."""
    python = python_for_cases()
    for language in ("python", "c"):
        if options.language not in (None, language):
            continue
        for case_file in sorted((options.cases / language).glob("*/case.json")):
            folder = case_file.parent
            if options.only not in folder.name:
                continue
            env = options.work / "env" / folder.name
            try:
                install(folder, env, python)
            except NotInstallableError as error:
                missing[folder.name] = str(error)
                print(f"{folder.name:26} not installable: {error}", flush=True)
                continue
            yield load(folder, env, python)
    for variant in synthetic.VARIANTS:
        name = f"synthetic-{variant}"
        if options.language != "python" and options.only in name:
            env = options.work / "env" / name
            shutil.rmtree(env, ignore_errors=True)
            yield synthetic.write_c_project(env, variant)


def answer(case: Case, method: str, options: argparse.Namespace) -> Answer:
    work = options.work / "runs" / case.id / method
    limits = limits_for(case, options)
    if method != methods.RIVAL:
        return methods.whence(case, method, work, limits)[0]
    try:
        program = methods.install_rival(options.work / methods.RIVAL)
    except NotInstallableError as error:
        return Answer(error=str(error))
    return methods.rival(case, program, work, limits)


def limits_for(case: Case, options: argparse.Namespace) -> methods.Limits:
    runs = options.max_runs or MAX_RUNS[case.group]
    return methods.Limits(runs, options.seconds, options.jobs)


def scale(options: argparse.Namespace) -> int:
    """Run whence once on 10,000 changes, and print runs, time and memory."""
    env = options.work / "env" / "scale"
    shutil.rmtree(env, ignore_errors=True)
    case = synthetic.write_scale_project(env, python_for_cases())
    method = options.methods[0]
    limits = methods.Limits(options.max_runs or 1000, options.seconds, options.jobs)
    found, ended = methods.whence(case, method, options.work / "runs" / "scale", limits)
    print(table.line(table.COLUMNS))
    row = score(case.id, case.group, method, case.culprits, case.supporting, found)
    print(table.line(table.cells(row)))
    print(f"peak resident size {ended.peak_kib / 1024:.0f} MiB")
    return 0 if row.finds_all else 1


def save(options: argparse.Namespace, rows: list[Row], missing: dict[str, str]) -> None:
    if options.json:
        options.json.write_text(table.document(rows, missing))
    if options.markdown:
        options.markdown.write_text(table.markdown(rows, missing))


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.scale:
        return scale(options)
    rows: list[Row] = []
    missing: dict[str, str] = {}
    print(table.line(table.COLUMNS), flush=True)
    for case in cases_to_run(options, missing):
        for method in options.methods:
            # The rival builds SQLite for each run, so it runs on C cases only with --language c.
            if (method, case.group, options.language) == (methods.RIVAL, "c", None):
                continue
            found = answer(case, method, options)
            rows.append(score(case.id, case.group, method, case.culprits, case.supporting, found))
            print(table.line(table.cells(rows[-1])), flush=True)
        # After each case, so that an interrupted benchmark leaves its results.
        save(options, rows, missing)
    if not rows and not missing:
        print(f"No case in {options.cases} has {options.only!r} in its name.", file=sys.stderr)
        return 2
    save(options, rows, missing)
    print(f"\n{table.text_summary(rows)}")
    for name, reason in missing.items():
        print(f"not installable: {name}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
