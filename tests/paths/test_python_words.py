"""What does a condition say about an operation that reads a text?"""

from __future__ import annotations

from typing import Any

import pytest

from whence.frontend.python.values import Obj
from whence.paths.python.words import shape_words
from whence.paths.words import branch_words


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("int(amount)", 12, "int(amount) is a number of 2 digits"),
        ("int(amount)", -7, "int(amount) is a negative number of 1 digit"),
        ("float(x)", 1.5, "float(x) is a number"),
        ("line.find(':')", 3, "line.find(':') == 3"),
        ("line.strip()", "ab", "len(line.strip()) == 2"),
        ("name in sums", True, "name in sums"),
        ("line.startswith('#')", False, "not line.startswith('#')"),
        ("line.split(':')", Obj(1, "list", "list", (2, ("bob", " 3"))),
         "line.split(':') has 2 parts of length 3 and 2"),
        ("line.split()", Obj(1, "list", "list", (9, ("a",) * 9)), "line.split() has 9 parts"),
    ],
)  # fmt: skip
def test_a_shape_is_told_in_the_words_of_the_source(text: str, value: Any, words: str) -> None:
    assert shape_words(text, value) == words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("not (-1 < n < 5000)", "-1 < n < 5000"),
        ("not 0 <= t < 24", "0 <= t < 24"),
        ("not found", "found"),
        ("nothing", "not nothing"),
        ("not a and b", "not (not a and b)"),
        ("not (a) or (b)", "not (not (a) or (b))"),
    ],
)
def test_a_negated_condition_that_does_not_hold_is_told_without_its_negation(
    text: str, wanted: str
) -> None:
    assert branch_words(text, is_true=False, negation="not") == wanted
