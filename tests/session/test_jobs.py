"""Is the answer the same for any number of jobs, and found sooner with more of them?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.session.projects import Logged, Project, numbered
from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import Outcome, Reverted, Run
from whence.search.isolate import Answer, IsolateProblem, isolate_changes
from whence.search.laboratory import Laboratory
from whence.search.space import Search
from whence.search.workers import Job
from whence.subject.trial import BuildAndTest

# A function got a new parameter, and its callers pass it; one of them passes a wrong value.
GOOD_C = {
    "Makefile": "prog: prog.c sum.c sum.h\n\t$(CC) -w -o $@ prog.c sum.c\n",
    "sum.h": "int sum(int a, int b);\n",
    "sum.c": '#include "sum.h"\nint sum(int a, int b)\n{\n    return a + b;\n}\n',
    "prog.c": '#include <stdlib.h>\n#include "sum.h"\n'
    "int one(void)\n{\n    return sum(1, 2);\n}\n"
    "int two(void)\n{\n    return sum(3, 4);\n}\n"
    "int main(void)\n{\n    if (one() != 3) exit(1);\n    if (two() != 7) exit(2);\n"
    "    return 0;\n}\n",
}
BAD_C = {
    "Makefile": "prog: prog.c sum.c sum.h\n\t$(CC) -O0 -w -o $@ prog.c sum.c\n",
    "sum.h": "int sum(int x, int y, int z);\n",
    "sum.c": '#include "sum.h"\nint sum(int x, int y, int z)\n{\n    return x + y + z;\n}\n',
    "prog.c": '#include <stdlib.h>\n#include "sum.h"\n'
    "int one(void)\n{\n    return sum(1, 2, 0);\n}\n"
    "int two(void)\n{\n    return sum(3, 4, 9);\n}\n"
    "int main(void)\n{\n    if (3 != one()) exit(1);\n    if (7 != two()) exit(2);\n"
    "    return 0;\n}\n",
}


def a_c_program(folder: Path) -> Project:
    """Make a program whose wrong argument can only be reverted together with the parameter."""
    return Project(folder, GOOD_C, BAD_C, "./prog\nends $?", ("--build", "make -s prog"))


def one_of_many(folder: Path) -> Project:
    return numbered(folder, 16, "has 11 && ends 1")


def either_of_two(folder: Path) -> Project:
    return numbered(folder, 12, "has 3 && has 9 && ends 1", "--all")


def two_and_what_one_of_them_needs(folder: Path) -> Project:
    """Reverting 4 or 8 without the other breaks the program."""
    judge = "has 4 || { has 8 && ends 125; }; has 8 || { has 4 && ends 125; }; has 2 && ends 1"
    return numbered(folder, 12, f"{judge}; has 8 && ends 1", "--all")


@pytest.mark.parametrize(
    ("make", "minimal"),
    [
        (a_c_program, [{1, 2, 5, 6, 7}]),
        (one_of_many, [{11}]),
        (either_of_two, [{3}, {9}]),
        (two_and_what_one_of_them_needs, [{2, 4, 8}]),
    ],
)
def test_the_answer_is_the_same_for_any_number_of_jobs(
    tmp_path: Path, make: Callable[[Path], Project], minimal: list[set[int]]
) -> None:
    project = make(tmp_path)
    ends = [project.found("--fresh", "--jobs", jobs) for jobs in ("1", "2", "4")]
    found = [ends[0].reverted, *map(set, ends[0].document["alternatives"])]
    assert sorted(found, key=min) == minimal
    assert ends[1].answer == ends[0].answer
    assert ends[2].answer == ends[0].answer


def test_idle_workers_run_ahead(tmp_path: Path) -> None:
    project = numbered(tmp_path, 16, "sleep 0.2; has 11 && ends 1")
    one = project.found("--jobs", "1")
    alone = project.logged()
    project.forget()
    four = project.found("--jobs", "4", "--fresh")
    together = project.logged()
    assert four.answer == one.answer
    assert steps(alone) == len(alone)
    assert steps(together) < steps(alone)


class AtOnce:
    """Workers whose runs end immediately."""

    size = 4

    def submit(self, reverted: Reverted, *_: object, **__: object) -> Job:
        job = Job()
        job.future.set_result(Run(Outcome.PASS if 2 in reverted else Outcome.FAIL))
        return job

    def close(self) -> None: ...


def test_looking_ahead_never_delays_the_search(tmp_path: Path) -> None:
    """Looking ahead replays the search; if runs are quicker than that, nothing is replayed."""
    folder = one_of_many(tmp_path).folder
    changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
    replayed: list[Search[Answer]] = []

    def search() -> Search[Answer]:
        replayed.append(isolate_changes(IsolateProblem(changes.changes)))
        return replayed[-1]

    answer = Laboratory(changes, BuildAndTest("true"), None, AtOnce()).answer(search)
    assert answer.root == (frozenset({2}),)
    assert len(replayed) == 1


def steps(runs: list[Logged]) -> int:
    """Return the length of the longest sequence of runs that do not overlap."""
    ended = [run for run in runs if run.ended is not None]
    count, free = 0, 0
    for run in sorted(ended, key=lambda run: run.ended or 0):
        if run.started >= free:
            count, free = count + 1, run.ended or 0
    return count
