"""Does every input that the exploration makes go the way that its formula promises?

    python -m bench.paths.promised c|python FIRST LAST [--runs N] [--seconds S]

Explores the generated programs of the tests with these seeds, every other one by slice, and prints
one line for each program that has a run that went another way, a condition that does not hold for
its own run, or an error; then the counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.paths.exploring import check_holds, program
from tests.paths.exploring_python import check_python_holds, python_program
from tests.paths.generated import ARGUMENTS, STDIN_TEXT, generated
from tests.paths.generated_python import generated_python
from whence.paths.c.runs import CRun
from whence.paths.explore import ExploreSearch
from whence.paths.program import ChosenConditions, Contents, InputProgram, PathRun
from whence.paths.python.runs import PythonRun
from whence.paths.solver import Solver


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=["c", "python"])
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int, help="this seed is left out")
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=550.0, help="of wall-clock time, in all")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    programs = runs = bad = 0
    for seed in range(options.first, options.last):
        if time.monotonic() > until:
            print(f"stopped before seed {seed}")
            break
        problems, made = checked(options.language, seed, options.runs)
        programs, runs, bad = programs + 1, runs + made, bad + bool(problems)
        for problem in problems:
            print(f"seed {seed}: {problem}", flush=True)
    used = time.process_time()
    print(
        f"{bad} of {programs} programs; {runs} runs; {used:.0f} CPU seconds of whence", flush=True
    )


def checked(language: str, seed: int, most: int) -> tuple[list[str], int]:
    """Explore one program; return what was wrong, and how many runs were made."""
    at = "output" if seed % 2 else None
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        opened = _opened(language, seed, Path(scratch, "p"))

        def run(contents: Contents) -> ChosenConditions:
            recorded = opened.run(contents)
            found = ChosenConditions.of(recorded, at)
            problems.extend(_broken(recorded))
            recorded.release()
            return found

        try:
            search = ExploreSearch(run, Solver())
            search.start(opened.first)
            while len(search.found.runs) < most and search.step():
                pass
        except Exception as error:  # one program must not end the measurement
            return [*problems, f"{type(error).__name__}: {error}"], 0
        finally:
            opened.close()
    runs = search.found.runs
    problems += [f"run {one.id} went another way" for one in runs if not one.is_as_promised]
    if search.found.repeated:
        problems.append(f"{search.found.repeated} runs were in a known class")
    if search.found.diverged > sum(not one.is_as_promised for one in runs):
        problems.append(f"{search.found.diverged} runs diverged")
    return problems, search.found.executed


def _opened(language: str, seed: int, folder: Path) -> InputProgram:
    if language == "c":
        return program(folder, generated(seed), ARGUMENTS, stdin=STDIN_TEXT)
    return python_program(folder, {"p.py": generated_python(seed)}, "python p.py 5 8 ab-c")


def _broken(run: PathRun) -> Iterator[str]:
    """Yield that a condition of a run does not hold for its own inputs."""
    try:
        if isinstance(run, CRun):
            check_holds(run)
        elif isinstance(run, PythonRun):
            check_python_holds(run)
    except AssertionError as error:
        yield f"a condition does not hold for its own run: {error}"


if __name__ == "__main__":
    main()
