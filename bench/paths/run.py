"""How many tests does `whence explore` need, by path and by relevant slice?

    python bench/paths/run.py [PROGRAM...] [--most N] [--seconds S] [--check N]

Prints a table: classes, recorded runs, solver calls, conditions of a run (mean), and CPU seconds of
whence and of the program without the build.  Inputs keep their lengths, as in the thesis.

`--check` runs N inputs of a small domain, or all of it, and prints which part of their classes the
exploration found: the coverage.  It must be 100 % where the exploration is complete.
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.inputs import argument
from whence.paths.c.program import open_c_program
from whence.paths.explore import ExploreSearch, class_key
from whence.paths.program import ChosenConditions, Contents, InputProgram
from whence.paths.python.program import open_python_program
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest

PROGRAMS = Path(__file__).with_name("programs")
SIGNS = "()+*17x"


@dataclass(frozen=True)
class Case:
    """The arguments of a program, and for each of them the values that `--check` gives it."""

    arguments: str
    domains: Sequence[Iterable[object]]


CASES = {
    "collision": Case(
        "4000 4500 700 600 400 1 0",
        [(900, 4900, 9000, 21000), (900, 5000), (-1, 0, 601), (200, 300, 499, 700),
         (200, 301, 500, 800), (0, 1), (0, 1)],
    ),
    "scheduler": Case("3 2 1 1", [range(-1, 4)] * 4),
    "parser": Case("1+2", [map("".join, itertools.product(SIGNS, repeat=3))]),
    "set": Case("1 2 3 2", [range(4)] * 4),
    "tree": Case("2 1 3 3", [range(4)] * 4),
    "disjoint_small": Case("0 1 2 0", [range(-1, 4)] * 4),
    "smallest": Case("2 1 3 3", [range(4)] * 4),
    "members": Case("2 1 3 3", [range(4)] * 4),
    "finish": Case("3 2 1 1", [range(-1, 4)] * 4),
    "together": Case("0 1 2 0 1", [range(-1, 4)] * 5),
    "disjoint": Case("0 1 2 3 0 1", [range(-1, 5)] * 6),  # two unions of four elements; C only
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    names = sorted(path.name for path in PROGRAMS.iterdir() if path.is_file())
    parser.add_argument("programs", nargs="*", default=names, metavar="PROGRAM")
    parser.add_argument("--by", action="append", choices=["path", "slice"])
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--check", type=int, default=0, metavar="N")
    options = parser.parse_args()
    print(
        "| program | by | classes | runs | solver calls | conditions | CPU s | of the program | "
        "complete | coverage |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in options.programs:
        for by in options.by or ("path", "slice"):
            print(measured(name, by, options.most, options.seconds, options.check), flush=True)


def opened(name: str, folder: Path) -> InputProgram:
    """Build a program of `programs`, or record it once."""
    tree, kept = folder / "tree", folder / "kept"
    tree.mkdir()
    kept.mkdir()
    stem, _, kind = name.partition(".")
    (tree / f"p.{kind}").write_bytes((PROGRAMS / name).read_bytes())
    arguments = CASES[stem].arguments
    if kind == "py":
        return open_python_program(tree, BuildAndTest(test=f"python p.py {arguments}"), kept, [])
    commands = BuildAndTest(test=f"./p {arguments}", build="$CC -g -o p p.c")
    return open_c_program(tree, commands, kept, [])


def measured(name: str, by: str, most: int, seconds: float, check: int) -> str:
    """Explore one program and return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        program = opened(name, Path(scratch))
        solver, sizes = Solver(), []

        def run(contents: Contents) -> ChosenConditions:
            recorded = program.run(contents)
            chosen = ChosenConditions.of(recorded, "output" if by == "slice" else None)
            recorded.release()
            sizes.append(len(chosen.conditions))
            return chosen

        search = ExploreSearch(run, solver, max_moves=0)
        began, children, until = time.process_time(), _children(), time.monotonic() + seconds
        search.start(program.first)
        while len(search.found.runs) < most and time.monotonic() < until and search.step():
            pass
        used, of_program = time.process_time() - began, _children() - children
        mean = sum(sizes) / len(sizes)
        coverage = covered(name, program, search, run, check) if check else "-"
        program.close()
    found = search.found
    return (
        f"| {name} | {by} | {len(found.runs)} | {found.executed} | {solver.calls} | {mean:.1f} | "
        f"{used:.1f} | {of_program:.1f} | {'yes' if found.is_complete else 'no'}"
        f"{f', {found.diverged} diverged' if found.diverged else ''}"
        f"{f', {found.repeated} repeated' if found.repeated else ''} | {coverage} |"
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def covered(
    name: str, program: InputProgram, search: ExploreSearch,
    run: Callable[[Contents], ChosenConditions], most: int,
) -> str:  # fmt: skip
    """Return which part of the classes of some inputs was found."""
    stem = name.partition(".")[0]
    domains = [list(one) for one in CASES[stem].domains]
    every = list(itertools.product(*domains))
    inputs = random.Random(0).sample(every, min(most, len(every)))
    shift = min(one.number for one in program.free)
    classes = set()
    for values in inputs:
        given = {argument(shift + at): str(one).encode() for at, one in enumerate(values)}
        classes.add(class_key(run({**program.first, **given})))
    share = 100 * len(classes & search.classes) / len(classes)
    return f"{share:.0f} % of {len(classes)} ({len(inputs)} of {len(every)} inputs)"


if __name__ == "__main__":
    main()
