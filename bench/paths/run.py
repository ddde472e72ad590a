"""How many tests does `whence explore` need, by path and by relevant slice?

    python bench/paths/run.py [PROGRAM...] [--most N] [--seconds S]

Prints a table: classes, recorded runs, solver calls, conditions of a run (mean), and CPU seconds of
the exploration without the build.  Inputs keep their lengths, as in the thesis.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from whence.paths.c.program import open_c_program
from whence.paths.explore import ExploreSearch
from whence.paths.program import ChosenConditions, Contents
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest

PROGRAMS = Path(__file__).with_name("programs")
ARGUMENTS = {
    "collision": "4000 4500 700 600 400 1 0",
    "scheduler": "3 2 1 1",
    "parser": "1+2",
    "set": "1 2 3 2",
    "tree": "2 1 3 3",
    "disjoint": "0 1 2 3 0 1",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", default=list(ARGUMENTS))
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    print("| program | by | classes | runs | solver calls | conditions | CPU seconds | complete |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.programs:
        for by in ("path", "slice"):
            print(measured(name, by, options.most, options.seconds), flush=True)


def measured(name: str, by: str, most: int, seconds: float) -> str:
    """Explore one program and return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        tree, kept = Path(scratch, "tree"), Path(scratch, "kept")
        tree.mkdir()
        kept.mkdir()
        (tree / "p.c").write_bytes((PROGRAMS / f"{name}.c").read_bytes())
        commands = BuildAndTest(test=f"./p {ARGUMENTS[name]}", build="$CC -g -o p p.c")
        program = open_c_program(tree, commands, kept, [])
        solver, sizes = Solver(), []

        def run(contents: Contents) -> ChosenConditions:
            recorded = program.run(contents)
            chosen = ChosenConditions.of(recorded, "output" if by == "slice" else None)
            recorded.release()
            sizes.append(len(chosen.conditions))
            return chosen

        search = ExploreSearch(run, solver)
        began, until = time.process_time(), time.monotonic() + seconds
        search.start(program.first)
        while len(search.found.runs) < most and time.monotonic() < until and search.step():
            pass
        used = time.process_time() - began
    found = search.found
    mean = sum(sizes) / len(sizes)
    return (
        f"| {name} | {by} | {len(found.runs)} | {found.executed} | {solver.calls} | {mean:.1f} | "
        f"{used:.1f} | {'yes' if found.is_complete else 'no'}"
        f"{f', {found.diverged} diverged' if found.diverged else ''} |"
    )


if __name__ == "__main__":
    main()
