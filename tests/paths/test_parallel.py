"""Does an exploration find the same if several runs are made at the same time?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.paths.exploring import program
from tests.paths.exploring_python import python_program
from whence.paths.explore import ExploreSearch
from whence.paths.lengths import length_moves
from whence.paths.parallel import ParallelRuns
from whence.paths.program import ChosenConditions, Contents, ExploredRun, InputProgram
from whence.paths.solver import Solver

# It keeps a note in its tree, says where it runs, and reads a file that may change.
NOTES = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char place[4096], line[20] = "";
    FILE *in = fopen(argv[1], "r"), *note = fopen("note", "a");
    fputs("seen", note);
    printf("%ld in %s\\n", ftell(note), getcwd(place, sizeof place));
    fgets(line, sizeof line, in);
    int x = atoi(line), y = atoi(argv[2]);
    if (x > 40)
        puts(y == x + 2 ? "two more" : y < 0 ? "less" : "other");
    else
        puts(y % 7 == 3 ? "three" : "small");
    return 0;
}
"""
SCRIPT = """import sys, pathlib
note = pathlib.Path("note")
print(note.exists(), pathlib.Path.cwd())
note.write_text("seen")
x = int(sys.argv[1])
print("big" if x > 50 else "seven" if x * 3 == 21 else "small")
"""
PARSER = """
def total(text):
    return sum(int(part) for part in text.split(",") if part)
"""
TEST = """from p import total
def test_total():
    assert total("1,2") == 3
test_total()
"""


def found_with(opened: InputProgram, jobs: int, folder: Path, most: int) -> list[object]:
    """Explore with so many runs at a time; return the inputs, ways and outputs of the runs."""
    runs = ParallelRuns(opened, jobs, folder)
    outputs: list[bytes] = []

    def run(contents: Contents) -> ChosenConditions:
        made = runs.run(contents)
        outputs.append(made.ended.stdout)
        found = ChosenConditions.of(made, "output")
        made.release()
        return found

    def moves(one: ExploredRun) -> list[Contents]:
        assert isinstance(one, ChosenConditions)
        return list(length_moves(one.run))

    search = ExploreSearch(run, Solver(), length_moves=moves, announce=runs.announce)
    search.start(opened.first)
    while len(search.found.runs) < most and search.step():
        pass
    assert runs.problem is None
    runs.close()
    return [
        outputs,
        search.classes,
        [(one.run.contents, one.run.ways) for one in search.found.runs],
    ]


def check_same(open_it: Callable[[Path], InputProgram], folder: Path, most: int = 12) -> None:
    opened = open_it(folder)
    one, three = (found_with(opened, jobs, folder / str(jobs), most) for jobs in (1, 3))
    for first, second in zip(one, three, strict=True):
        assert first == second
    opened.close()


def test_runs_of_a_c_program_that_reads_and_writes_files(tmp_path: Path) -> None:
    def opened(folder: Path) -> InputProgram:
        return program(folder, NOTES, stdin=b"50\n", test="./p in 52")

    check_same(opened, tmp_path)


@pytest.mark.parametrize(
    ("files", "test"),
    [({"p.py": SCRIPT}, "python p.py 60"), ({"p.py": PARSER, "t.py": TEST}, "python t.py")],
)
def test_runs_of_a_python_program(tmp_path: Path, files: dict[str, str], test: str) -> None:
    check_same(lambda folder: python_program(folder, files, test), tmp_path, most=5)


def test_runs_go_on_if_the_processes_are_killed(tmp_path: Path) -> None:
    opened = program(tmp_path, NOTES, stdin=b"50\n", test="./p in 52")
    runs = ParallelRuns(opened, 2, tmp_path / "jobs")
    source = next(one for one in opened.free if one.number)
    many = [{**opened.first, source: b"%d" % number} for number in range(5)]
    runs.announce(many)
    for recorder in runs._recorders:
        recorder.process.kill()
    assert len([runs.run(contents) for contents in many]) == 5
    runs.close()
    opened.close()
