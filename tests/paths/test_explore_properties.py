"""Does the exploration by slices miss no class of inputs, and find none twice?"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.paths.exploring import program
from whence.inputs import argument
from whence.paths.explore import ExploreSearch, class_key
from whence.paths.program import ChosenConditions, Contents
from whence.paths.solver import Solver

_HEAD = """#include <stdio.h>
#include <stdlib.h>
static int part(int x, int y) { return x > y ? x - y : 3; }
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]), c = argv[3][0], out = 0, other = 1, t = 2;
    int e[4] = {1, 2, 3, 4};
"""
_TESTS = (
    "a > b",
    "a + b > 10",
    "c == 'q'",
    "b * 2 < a",
    "t > 2",
    "part(a, b) == 4",
    "c < 'm'",
    "other",
)
_SETS = (
    "out = a;",
    "t = b;",
    "other = c;",
    "out = t;",
    "a = b + 1;",
    "t = part(b, a);",
    "out = 1;",
)
# Inputs decide which element is read and written.
_TABLE_TESTS = ("e[a & 3] > b", "e[b & 3] == 2", "e[1] < c")
_TABLE_SETS = (
    "e[a & 3] = b;",
    "e[c & 3]++;",
    "out = e[b & 3];",
    "e[2] = t;",
    "t = e[e[a & 3] & 3];",
)


def random_program(seed: int, *, has_table: bool = False) -> str:
    """Return a program with three inputs, nested branches and one output."""
    random = Random(seed)
    tests = _TESTS + _TABLE_TESTS * has_table
    sets = _SETS + _TABLE_SETS * has_table

    def block(depth: int) -> str:
        lines = []
        for _ in range(random.randint(1, 2)):
            if depth and random.random() < 0.7:
                other = f" else {{ {block(depth - 1)} }}" if random.random() < 0.5 else ""
                lines.append(f"if ({random.choice(tests)}) {{ {block(depth - 1)} }}{other}")
            else:
                lines.append(random.choice(sets))
        return "\n".join(lines)

    return f'{_HEAD}{block(2)}\n{block(2)}\nprintf("%d\\n", out);\nreturn other > 40;\n}}\n'


def check_classes(folder: Path, source: str, seed: int, samples: int) -> None:
    """Every random input is in a class that was explored, and no class was reached twice."""
    opened = program(folder, source, "1 2 x")

    def run(contents: Contents) -> ChosenConditions:
        recorded = opened.run(contents)
        found = ChosenConditions.of(recorded, "output")
        recorded.release()
        return found

    search = ExploreSearch(run, Solver())
    search.start(opened.first)
    while search.step():
        pass
    assert search.found.is_complete
    assert (search.found.repeated, search.found.diverged) == (0, 0)
    random = Random(seed)
    for _ in range(samples):
        numbers = [b"%d" % random.randint(-3, 14) for _ in range(2)]
        letter = bytes([random.choice(b"abmqz")])
        inputs = {argument(1): numbers[0], argument(2): numbers[1], argument(3): letter}
        assert class_key(run({**opened.first, **inputs})) in search.classes, inputs


@pytest.mark.parametrize("seed", range(3))
def test_no_class_is_missed_and_none_is_found_twice(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, random_program(seed), seed, 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_no_class_is_missed_in_many_programs(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, random_program(seed), seed, 15)


@pytest.mark.parametrize("seed", [12, 16])
def test_no_class_is_missed_if_inputs_decide_an_address(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, random_program(seed, has_table=True), seed, 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_no_class_is_missed_if_inputs_decide_addresses(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, random_program(seed, has_table=True), seed, 10)
