"""How does a test explore a small C program?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import z3

from whence.paths.c.program import CInputProgram, open_c_program
from whence.paths.c.runs import CRun
from whence.paths.explore import Exploration, explore
from whence.paths.input_spec import parse_input_spec
from whence.paths.program import ChosenConditions, ExploredRun
from whence.paths.solver import Solver
from whence.paths.terms import Unknowns
from whence.subject.trial import BuildAndTest


def program(
    folder: Path, source: str, arguments: str = "", *, stdin: bytes | None = None,
    inputs: Sequence[str] = (), test: str | None = None, name: str = "p.c",
) -> CInputProgram:  # fmt: skip
    """Build a program of one source file; its test is ./p with these arguments."""
    tree, kept = folder / "tree", folder / "kept"
    for path in (tree, kept):
        path.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(source)
    if stdin is not None:
        (tree / "in").write_bytes(stdin)
    command = test or f"./p {arguments}{'' if stdin is None else ' < in'}"
    compiler = "$CC" if name.endswith(".c") else "$CXX"
    commands = BuildAndTest(test=command, build=f"{compiler} -g -o p {name}")
    return open_c_program(tree, commands, kept, [parse_input_spec(one) for one in inputs])


def explored(
    folder: Path, source: str, arguments: str, *, at: str | None = None, stdin: bytes | None = None,
    most: int = 60,
) -> Exploration:  # fmt: skip
    """Explore a program, and check that every run keeps what its conditions promise."""
    opened = program(folder, source, arguments, stdin=stdin)
    found = explore(
        opened.first,
        lambda contents: ChosenConditions.of(opened.run(contents), at),
        Solver(),
        is_over=lambda now: len(now.runs) >= most,
    )
    for one in found.runs:
        check_holds(c_run(one.run))
        assert one.is_as_promised, opened.inputs(one.run.contents).command
    assert not found.diverged
    return found


def c_run(run: ExploredRun) -> CRun:
    assert isinstance(run, ChosenConditions)
    assert isinstance(run.run, CRun)
    return run.run


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
    return unknowns.recorded(formula, closed)


def outputs(found: Exploration) -> set[bytes]:
    return {c_run(one.run).ended.stdout for one in found.runs}
