"""Does a program of Debian build recorded, does it print the same, and is its failure seen?

`python -m bench.real.programs --label first`; programs.toml says what each field means.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from bench import WORK
from bench.isolate.cases import NotInstallableError, last_words
from bench.isolate.methods import Ended, run_limited
from bench.real.releases import unpacked_release
from bench.trace.table import text_table

LIST = Path(__file__).with_name("programs.toml")
COLUMNS = (
    "program",
    "gcc",
    "built",
    "same",
    "seen",
    "gcc CPU s",
    "trace CPU s",
    "why CPU s",
    "note",
)


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured of one program; an answer is None if an earlier step failed."""

    program: str
    gcc: bool  # does gcc build it?
    built: bool | None = None  # by the recording compiler
    same: bool | None = None  # does the recorded program print what the one of gcc prints?
    seen: bool | None = None  # does `whence why` explain its failure?
    gcc_cpu: float = 0.0
    trace_cpu: float = 0.0
    why_cpu: float = 0.0
    note: str = ""


def load_list() -> list[dict[str, Any]]:
    programs: list[dict[str, Any]] = tomllib.loads(LIST.read_text("utf-8"))["program"]
    return programs


def measure(program: dict[str, Any], releases: Path, work: Path, seconds: float) -> Row:
    """Build, record and explain one program, each in a fresh copy of its release."""
    name = program["name"]
    package = f"debian:{program.get('package', name)}"
    release = unpacked_release(package, f"{program['version']} unpatched", releases)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copytree(release, work / "gcc", symlinks=True)
    environment = os.environ | {"XDG_CACHE_HOME": str(work / "cache")}
    plain = environment | {"CC": "gcc", "CXX": "g++"}
    built = _run(["sh", "-c", program["build"]], work / "gcc", work, "gcc", plain, seconds)
    if built.status != 0:
        return Row(name, gcc=False, gcc_cpu=built.cpu, note=f"gcc: {last_words(built.stderr)}")
    shell = ["sh", "-c", program["prints"]]
    printed = subprocess.run(
        shell,
        cwd=work / "gcc",
        env=plain,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    command = [sys.executable, "-m", "whence"]
    options = ["--source", str(release), "--build", program["build"]]
    recorded = work / "recorded.txt"
    test = ["--test", f"({program['prints']}) >{recorded} 2>/dev/null </dev/null"]
    trace = [*command, "trace", *options, *test, "--out", str(work / "trace")]
    traced = _run(trace, work, work, "trace", environment, seconds)
    is_built = (work / "trace").exists() and recorded.exists()
    row = Row(
        name,
        gcc=True,
        built=is_built,
        same=is_built and recorded.read_bytes() == printed.stdout,
        gcc_cpu=built.cpu,
        trace_cpu=traced.cpu,
        note="" if is_built else last_words(traced.stderr),
    )
    shutil.rmtree(work / "cache", ignore_errors=True)
    why = [*command, "why", *options, "--test", program["fails"], "--json", str(work / "why.json")]
    asked = _run(why, work, work, "why", environment, seconds)
    note = row.note or ("" if asked.status == 0 else last_words(asked.stderr))
    values = asdict(row) | {"seen": asked.status == 0, "why_cpu": asked.cpu, "note": note}
    return Row(**values)


def _run(
    command: list[str], cwd: Path, work: Path, name: str, env: dict[str, str], seconds: float
) -> Ended:
    """Run one command within the limit; its output stays in `work` under `name`."""
    logs = work / f"{name}.err", work / f"{name}.out"
    return run_limited(command, cwd=cwd, log=logs[0], out=logs[1], env=env, seconds=seconds)


def _cells(row: Row) -> tuple[str, ...]:
    answers = (row.gcc, row.built, row.same, row.seen)
    words = ("-" if answer is None else "yes" if answer else "NO" for answer in answers)
    spent = (row.gcc_cpu, row.trace_cpu, row.why_cpu)
    return (row.program, *words, *(f"{cpu:.0f}" for cpu in spent), row.note)


def main(arguments: list[str] | None = None) -> int:
    programs = load_list()
    names = [program["name"] for program in programs]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--label", default="now", help="name of this measurement (%(default)s)")
    parser.add_argument("--seconds", type=float, default=300.0, help="limit for one command")
    parser.add_argument("--again", action="store_true", help="measure again what has a result")
    parser.add_argument("--work", type=Path, default=WORK / "real")
    options = parser.parse_args(arguments)
    work = options.work.resolve()
    rows = []
    for program in programs:
        if program["name"] not in options.only:
            continue
        kept = work / options.label / f"program-{program['name']}.json"
        if options.again or not kept.exists():
            folder = kept.with_suffix("")
            try:
                row = measure(program, work / "env" / "releases", folder, options.seconds)
            except NotInstallableError as error:
                row = Row(program["name"], gcc=False, note=str(error))
            kept.write_text(json.dumps(asdict(row), indent=1) + "\n", "utf-8")
        rows.append(Row(**json.loads(kept.read_text("utf-8"))))
        print(*_cells(rows[-1]), sep="  ", flush=True)
    print("\n" + text_table(COLUMNS, [_cells(row) for row in rows]))
    return 0 if all(row.seen for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
