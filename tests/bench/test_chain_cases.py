"""What does the benchmark of `whence chain` know of its cases?"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.chain.run import CASES, faulty_lines, versions


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb @{<|<=} c\n", {2}),
        ("a\n@{b\nc|d}\ne @{f|g}\n", {2, 3, 4}),
        ("a\n@{|b}\nc\n", set()),
        ("a\nif @{|b || }c\n", {2}),
    ],
)
def test_the_lines_of_a_fault_are_those_of_the_failing_program(
    tmp_path: Path, text: str, lines: set[int]
) -> None:
    case = tmp_path / "case.py.txt"
    case.write_text(text)
    assert faulty_lines(case) == lines


def test_each_case_has_two_versions() -> None:
    for case in CASES.iterdir():
        bad, good = versions(case)
        assert bad != good
        assert "@{" not in bad + good
