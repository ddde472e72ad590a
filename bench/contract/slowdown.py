"""How many times slower does a test run while its calls are watched?

CPU seconds of the test alone, without the build, as the system counts them: plain, and
watched as `whence contract` watches it (with the functions that were changed).  Each is the least
of three runs.  For C also the seconds that reading the calls takes, per second of the plain test.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.python.cases import python_cases
from bench.python.run import add_places, parse_places, shelf_of
from bench.trace.table import text_table
from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.subject.command import run_command
from whence.subject.trial import BuildAndTest, environment

WORKLOADS = Path(__file__).with_name("workloads")
RUNS = 3
# Runs a command, and writes the CPU seconds that it used; -I and -S keep whence's hook out.
_TIMER = (
    "import resource, subprocess, sys; subprocess.call(sys.argv[2], shell=True); "
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "open(sys.argv[1], 'w').write(str(used.ru_utime + used.ru_stime))"
)


@dataclass(frozen=True)
class Workload:
    """Two versions of a program, and the test whose time is measured."""

    name: str
    good: Path
    bad: Path
    commands: BuildAndTest


@dataclass(frozen=True)
class Row:
    """What was measured of one test."""

    test: str
    plain: float
    watched: float
    times: float
    calls: int
    read: float  # seconds that reading the calls took
    error: str = ""


def own(folder: Path) -> Iterator[Workload]:
    """Yield our own programs; the versions are equal."""
    for path in sorted(WORKLOADS.iterdir()):
        name = "program.py" if path.name.endswith(".py.txt") else f"program{path.suffix}"
        trees = [folder / path.name / version for version in ("good", "bad")]
        for tree in trees:
            tree.mkdir(parents=True)
            shutil.copy(path, tree / name)
        is_python = name.endswith(".py")
        yield Workload(path.name.partition(".")[0], trees[0], trees[1], BuildAndTest(
            test="python program.py" if is_python else "./program",
            build=None if is_python else f"$CC -g -O0 -o program {name}", asked_timeout=300,
        ))  # fmt: skip


def measured(work: Workload, folder: Path) -> Row:
    """Run the test of a workload plain and watched."""
    try:
        plain = min(_plain(work, folder / "plain", folder / "cpu") for _ in range(RUNS))
        watched, calls, read = min(_watched(work, folder, number) for number in range(RUNS))
    except UserError as error:
        return Row(work.name, 0, 0, 0, 0, 0, str(error).partition("\n")[0])
    return Row(work.name, plain, watched, round(watched / max(plain, 0.001), 1), calls, read)


def _timed(commands: BuildAndTest, out: Path) -> BuildAndTest:
    """Return commands whose test writes its CPU seconds into a file."""
    words = [sys.executable, "-I", "-S", "-c", _TIMER, str(out), commands.test]
    return replace(commands, test=shlex.join(words))


def _seconds(out: Path) -> float:
    return round(float(out.read_text()), 3)


def _plain(work: Workload, tree: Path, out: Path) -> float:
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(work.good, tree, symlinks=True)
    commands = _timed(work.commands, out)
    for command in (commands.build, commands.test):
        if command is not None:
            run_command(
                command.replace("{tree}", str(tree)), cwd=tree,
                env=environment(tree), timeout=300,
            )  # fmt: skip
    return _seconds(out)


def _watched(work: Workload, folder: Path, number: int) -> tuple[float, int, float]:
    """Return the seconds of the watched test, its calls, and the seconds of reading them."""
    place, out = folder / f"watched{number}", folder / "cpu"
    place.mkdir()
    commands = _timed(work.commands, out)
    session = ContractSession(
        ContractRequest(str(work.good), str(work.bad), commands), place, lambda _: None
    )
    opened = session.open()
    began = time.process_time()
    (place / "out").mkdir()
    tree = shutil.copytree(opened.good, place / "tree", symlinks=True)
    run = opened.watch(tree, commands, place / "out", opened.sources.changed[0], 0)
    read = round(time.process_time() - began, 2)
    calls = sum(sum(process.counts.values()) for process in run.processes)
    shutil.rmtree(place)
    return _seconds(out), calls, read


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_places(parser)
    parser.add_argument("--own", action="store_true", help="only our own programs")
    options = parse_places(parser, arguments)
    rows = []
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as temporary:
        works = [work for work in own(Path(temporary) / "own") if options.only in work.name]
        for case in () if options.own else python_cases(shelf_of(options), options.only, {}):
            place = case.case.env
            commands = BuildAndTest(test=case.case.test, asked_timeout=300)
            works.append(Workload(case.case.id, place / "good", place / "bad", commands))
        for number, work in enumerate(works):
            folder = Path(temporary) / str(number)
            folder.mkdir()
            rows.append(measured(work, folder))
            print(asdict(rows[-1]), file=sys.stderr, flush=True)
    cells = [[str(value) for value in asdict(row).values()] for row in rows]
    print(text_table([*asdict(rows[0])], cells) if rows else "no test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
