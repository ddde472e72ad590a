"""How does a test explore a small Python program?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import z3

from whence.paths.explore import Exploration, explore
from whence.paths.input_spec import parse_input_spec
from whence.paths.program import ChosenConditions, ExploredRun
from whence.paths.python.program import PythonInputProgram, open_python_program
from whence.paths.python.runs import PythonRun
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest


def python_program(
    folder: Path, files: Mapping[str, str], test: str, *, inputs: Sequence[str] = ()
) -> PythonInputProgram:
    """Open a program of some files."""
    tree, kept = folder / "tree", folder / "kept"
    tree.mkdir(parents=True)
    kept.mkdir()
    for name, text in files.items():
        (tree / name).write_text(text)
    specs = [parse_input_spec(one) for one in inputs]
    return open_python_program(tree, BuildAndTest(test=test), kept, specs)


def explored_python(
    folder: Path, files: Mapping[str, str], test: str, *, at: str | None = None, most: int = 40,
    inputs: Sequence[str] = (),
) -> Exploration:  # fmt: skip
    """Explore a program, and check that every run keeps what its conditions promise."""
    opened = python_program(folder, files, test, inputs=inputs)
    found = explore(
        opened.first,
        lambda contents: ChosenConditions.of(opened.run(contents), at),
        Solver(),
        is_over=lambda now: len(now.runs) >= most,
    )
    for one in found.runs:
        check_python_holds(python_run(one.run))
        assert one.is_as_promised, {source.words: text for source, text in one.run.contents.items()}
    assert not found.diverged
    opened.close()
    return found


def explored_script(
    folder: Path, source: str, arguments: str = "", *, stdin: str | None = None,
    at: str | None = None, most: int = 40,
) -> Exploration:  # fmt: skip
    """Explore a script that is started with these arguments and this standard input."""
    files = {"p.py": source} | ({} if stdin is None else {"in": stdin})
    command = f"python p.py {arguments}" + ("" if stdin is None else " < in")
    return explored_python(folder, files, command, at=at, most=most)


def python_run(run: ExploredRun) -> PythonRun:
    assert isinstance(run, ChosenConditions)
    assert isinstance(run.run, PythonRun)
    return run.run


def check_python_holds(run: PythonRun) -> None:
    """Every condition of a run holds for its inputs, and so does what is known of them."""
    for condition in run.path.conditions:
        closed, facts = run.unknowns.closed(condition.fact.unknowns)
        for formula in (condition.fact.formula, *(fact.formula for fact in facts)):
            assert z3.is_true(run.unknowns.recorded(formula, closed)), (
                run.path.thread.line_at(condition.step),
                formula,
            )


def seen(found: Exploration) -> set[str]:
    """Return the outputs of all runs."""
    return {python_run(one.run).ended.stdout.decode().strip() for one in found.runs}
