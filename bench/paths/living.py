"""How long does `whence explore` need for what living systems do, in the same run?

    python bench/paths/living.py --angr PYTHON --crosshair PYTHON [PROGRAM...] [--seconds S]

Each PYTHON is the interpreter of a virtual environment with angr or crosshair-tool in it; without
one of them its column stays empty.  The programs are those of `programs/living`.

- C: who finds a standard input (for angr: of this length) for which the program prints a text?
- Python: which returned values of a function does each find?  `crosshair cover` gets the function,
  whence a test that calls it with literals.

Prints CPU seconds (the build is left out) and what was found.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import tomllib

from whence.paths.c.program import open_c_program
from whence.paths.explore import ExploreSearch
from whence.paths.lengths import length_moves
from whence.paths.program import ChosenConditions, Contents, ExploredRun
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest

_LATE = "no answer in time"
PROGRAMS = Path(__file__).with_name("programs") / "living"
ANGR = """
import sys, angr, claripy, logging
logging.disable(logging.CRITICAL)
program, wanted, size = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
project = angr.Project(program, auto_load_libs=False)
chars = [claripy.BVS(f"c{k}", 8) for k in range(size)]
state = project.factory.full_init_state(
    stdin=angr.SimFileStream(name="stdin", content=claripy.Concat(*chars), has_end=True)
)
simulation = project.factory.simulation_manager(state)
simulation.explore(find=lambda one: wanted in one.posix.dumps(1))
print(simulation.found[0].posix.dumps(0) if simulation.found else "none")
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    programs = tomllib.loads((PROGRAMS / "programs.toml").read_text("utf-8"))
    parser.add_argument("programs", nargs="*", default=list(programs))
    parser.add_argument("--angr", default="")
    parser.add_argument("--crosshair", default="")
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    print("| program | whence | CPU s | the living system | CPU s |")
    print("|---|---|---|---|---|")
    for name in options.programs:
        with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
            row = _c if name.endswith(".c") else _python
            print(row(name, programs[name], Path(scratch), options), flush=True)


def _c(name: str, case: dict[str, str], scratch: Path, options: argparse.Namespace) -> str:
    """Find an input for which the program prints the wanted text."""
    tree = scratch / "tree"
    tree.mkdir()
    shutil.copy(PROGRAMS / name, tree / "p.c")
    (tree / "in").write_text(case["stdin"])
    answer, used = _searched(tree, scratch, case["wanted"], options.seconds)
    if not options.angr:
        return f"| {name} | {answer} | {used:.1f} | - | - |"
    subprocess.run(["cc", "-g", "-o", "plain", "p.c"], cwd=tree, check=True)
    script = scratch / "find.py"
    script.write_text(ANGR)
    command = [options.angr, str(script), str(tree / "plain"), case["wanted"]]
    ended, cost = _timed([*command, str(len(case["stdin"]))], scratch, options.seconds)
    lines = ended.splitlines() or ["fails"]
    return f"| {name} | {answer} | {used:.1f} | angr: {lines[-1][:60]} | {cost:.1f} |"


def _searched(tree: Path, scratch: Path, wanted: str, seconds: int) -> tuple[str, float]:
    """Explore by path until the program prints a text."""
    kept = scratch / "kept"
    kept.mkdir()
    program = open_c_program(tree, BuildAndTest(test="./p < in", build="$CC -g -o p p.c"), kept, [])
    until, before, made = time.monotonic() + seconds, _cpu(), []

    def run(contents: Contents) -> ChosenConditions:
        recorded = program.run(contents)
        recorded.release()
        made.append(recorded.ended.stdout)
        return ChosenConditions.of(recorded, None)

    search = ExploreSearch(run, Solver(), length_moves=_moves)
    search.start(program.first)
    while (
        not any(wanted.encode() in one for one in made)
        and time.monotonic() < until
        and search.step()
    ):
        pass
    program.close()
    is_found = any(wanted.encode() in output for output in made)
    return f"{'found' if is_found else 'not found'} in {len(made)} runs", _cpu() - before


def _moves(run: ExploredRun) -> list[Contents]:
    assert isinstance(run, ChosenConditions)
    return list(length_moves(run.run))


def _cpu() -> float:
    own, of_children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + of_children.ru_utime + of_children.ru_stime


def _python(name: str, case: dict[str, str], scratch: Path, options: argparse.Namespace) -> str:
    """Find the values that a function returns."""
    tree = scratch / "tree"
    tree.mkdir()
    shutil.copy(PROGRAMS / name, tree / name)
    stem = name.removesuffix(".py")
    call = case["call"]
    (tree / "t.py").write_text(f"from {stem} import *\nassert {call} == {case['value']}\n")
    found, used = _explored(tree, "python t.py", ["--input", "literals"], options)
    values = {one["output"].strip().partition(": ")[2] for one in found} - {""}
    answer = f"{len(values)} values"
    if not options.crosshair:
        return f"| {name} | {answer} | {used:.1f} | - | - |"
    function = call.partition("(")[0]
    command = [options.crosshair, "-m", "crosshair", "cover", f"{stem}.{function}"]
    ended, cost = _timed(
        [*command, f"--per_condition_timeout={options.seconds // 2}"], tree, options.seconds
    )
    calls = {line for line in ended.splitlines() if line.startswith(f"{function}(")}
    theirs = {_value(tree, stem, line) for line in calls}
    said = ended if ended == _LATE else f"{len(theirs)} values"
    return f"| {name} | {answer} | {used:.1f} | CrossHair: {said} | {cost:.1f} |"


def _value(tree: Path, stem: str, call: str) -> str:
    """Return what a call gives, or the exception that it raises."""
    text = f"from {stem} import *\ntry: print(repr({call}))\nexcept Exception as e: print(repr(e))"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tree, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _explored(
    tree: Path, test: str, more: Sequence[str], options: argparse.Namespace
) -> tuple[list[dict[str, str]], float]:
    command = [sys.executable, "-m", "whence", "explore", "-q", "--source", str(tree), "--test"]
    command += [test, *more, "--time", str(options.seconds), "--json", "-"]
    ended, used = _timed(command, tree, 2 * options.seconds)
    return json.loads(ended)["tests"] if ended else [], used


def _timed(command: Sequence[str], folder: Path, seconds: int) -> tuple[str, float]:
    """Return what a command prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = _LATE
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
