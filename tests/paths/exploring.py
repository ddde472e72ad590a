"""How does a test explore a small C program?"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import z3

from whence.frontend.c.rerun_inputs import InputRerunner
from whence.inputs import STDIN, InputSource, argument
from whence.paths.c.runs import CRun, CRuns
from whence.paths.explore import Exploration, explore
from whence.paths.solver import Solver
from whence.paths.terms import Unknowns
from whence.subject.trial import BuildAndTest


class Program:
    """A C program that is built once."""

    def __init__(self, folder: Path, source: str) -> None:
        tree, kept, self._runs = folder / "tree", folder / "kept", folder / "runs"
        for path in (tree, kept, self._runs):
            path.mkdir()
        (tree / "p.c").write_text(source)
        self._tree, self._kept = tree, kept

    def runs(
        self, arguments: str, *, free: Collection[InputSource] | None = None, at: str | None = None,
        stdin: bytes | None = None,
    ) -> tuple[CRuns, dict[InputSource, bytes]]:  # fmt: skip
        """Return what runs the program, and the inputs of its first run."""
        if stdin is not None:
            (self._tree / "in").write_bytes(stdin)
        redirected = "" if stdin is None else " < in"
        commands = BuildAndTest(test=f"./p {arguments}{redirected}", build="$CC -g -o p p.c")
        if free is None:
            free = [argument(k + 1) for k in range(len(arguments.split()))]
            free += [] if stdin is None else [STDIN]
        runs = CRuns(InputRerunner(self._tree, commands, self._kept), self._runs, free, at)
        return runs, dict(runs.first(stdin))


def explored(
    folder: Path, source: str, arguments: str, *, at: str | None = None, stdin: bytes | None = None,
    most: int = 60,
) -> Exploration:  # fmt: skip
    """Explore a program, and check that every run keeps what its conditions promise."""
    runs, first = Program(folder, source).runs(arguments, at=at, stdin=stdin)
    found = explore(first, runs.run, Solver(), is_over=lambda now: len(now.runs) >= most)
    for one in found.runs:
        assert isinstance(one.run, CRun)
        check_holds(one.run)
        assert one.is_as_promised, runs.inputs(one.run.contents).command
    return found


def check_holds(run: CRun) -> None:
    """Every condition of a run holds for its inputs, and so does what is known of them."""
    for condition in run.path.conditions:
        closed, facts = run.unknowns.closed(condition.fact.unknowns)
        for formula in (condition.fact.formula, *(fact.formula for fact in facts)):
            assert z3.is_true(recorded(run.unknowns, closed, formula)), (
                run.path.thread.line_at(condition.step),
                formula,
            )


def recorded(unknowns: Unknowns, closed: int, formula: z3.BoolRef) -> z3.BoolRef:
    """Return a formula with the recorded value in place of each unknown."""
    pairs = [
        (one.term, z3.BitVecVal(one.recorded, one.term.size())) for one in unknowns.members(closed)
    ]
    return z3.simplify(z3.substitute(formula, *pairs))


def outputs(found: Exploration) -> set[bytes]:
    return {one.run.ended.stdout for one in found.runs if isinstance(one.run, CRun)}
