"""Does the exploration of Python programs by slices find each class of inputs, and none twice?"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.paths.exploring_python import python_program
from whence.inputs import argument
from whence.paths.explore import ExploreSearch, class_key
from whence.paths.program import ChosenConditions, Contents
from whence.paths.solver import Solver

_HEAD = """import sys
def part(x, y):
    if x == 7:
        raise ValueError(x)
    return x - y if x > y else 3
def main(a, b, c):
    out, other, t, d, e = 0, 1, 2, {"k": 1}, [1, 2, 3]
"""
_TAIL = """    print(out)
main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
"""
_TESTS = (
    "a > b", "a + b > 10", "c == 'q'", "b * 2 < a", "t > 2", "part(a, b) == 4", "c < 'm'", "other",
    "d['k'] > b", "e[0] == t", "c in d",
)  # fmt: skip
_SETS = (
    "out = a", "t = b", "other = c", "out = t", "a = b + 1", "t = part(b, a)", "out = 1",
    "d['k'] += a", "d[c] = 1", "e[0] = b", "out = 1 if t > 2 else 2", "out = len(d)", "e.append(t)",
)  # fmt: skip


def random_program(seed: int) -> str:
    """Return a program with three inputs, nested branches and one output."""
    random = Random(seed)

    def block(depth: int, margin: str) -> str:
        lines = []
        for _ in range(random.randint(1, 2)):
            if depth and random.random() < 0.7:
                lines.append(
                    f"{margin}if {random.choice(_TESTS)}:\n{block(depth - 1, margin + ' ')}"
                )
                if random.random() < 0.5:
                    lines.append(f"{margin}else:\n{block(depth - 1, margin + ' ')}")
            else:
                lines.append(f"{margin}{random.choice(_SETS)}\n")
        return "".join(lines)

    return _HEAD + block(2, "    ") + block(2, "    ") + _TAIL


def check_classes(folder: Path, seed: int, samples: int) -> None:
    """Every random input is in a class that was explored, and no class was reached twice."""
    opened = python_program(folder, {"p.py": random_program(seed)}, "python p.py 1 2 x")

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
        # The lengths of the texts stay as they are.
        numbers = [b"%d" % random.randint(0, 9) for _ in range(2)]
        letter = bytes([random.choice(b"akmqz")])
        inputs = {argument(1): numbers[0], argument(2): numbers[1], argument(3): letter}
        assert class_key(run({**opened.first, **inputs})) in search.classes, inputs


@pytest.mark.parametrize("seed", range(2))
def test_no_class_is_missed_and_none_is_found_twice(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, seed, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 42))
def test_no_class_is_missed_in_many_programs(tmp_path: Path, seed: int) -> None:
    check_classes(tmp_path, seed, 8)
