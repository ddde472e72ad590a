"""Is an edit inside moved code a change of its own?"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import Files, comparison, variant
from tests.explain.explaining import explain, explain_python
from whence.changes.changeset import ChangeSet
from whence.changes.tree import EntryKind, TreeNode
from whence.explain.variant_lines import VariantLines
from whence.model import Change, Reverted

BODY = [f"    total = total + part_{n}(value, {n})\n" for n in range(12)]
OTHER = [f"other_{n} = read(name, {n})\n" for n in range(6)]


def tree(**files: list[str]) -> Files:
    return {
        f"{name}.py": TreeNode(EntryKind.FILE, "".join(lines).encode())
        for name, lines in files.items()
    }


def inner(changes: ChangeSet) -> list[Change]:
    return [change for change in changes.changes if change.inside is not None]


def edited(at: int, text: str) -> list[str]:
    return [*BODY[:at], text, *BODY[at + 1 :]]


def test_an_edit_of_a_function_that_moved_to_a_new_file_can_be_reverted_alone() -> None:
    good = tree(a=[*OTHER, "def work(value):\n", *BODY])
    moved = ["def work(value):\n", *edited(5, "    total = total - part_5(value, 5)\n")]
    bad = tree(a=["from b import work\n", *OTHER], b=moved)
    with comparison(good, bad) as (changes, _):
        (change,) = inner(changes)
        assert change.removed.decode() == BODY[5]
        assert (change.file, change.old_file, change.new.start) == ("b.py", "a.py", 7)
        assert changes.changes[change.inside or 0].file == "b.py"
        reverted = variant(changes, bad, frozenset({change.id}))
        assert reverted["b.py"].content.decode() == "".join(["def work(value):\n", *BODY])
        assert reverted["a.py"] == bad["a.py"]


def test_code_that_only_moved_has_no_edits() -> None:
    good = tree(a=[*OTHER, "def work(value):\n", *BODY])
    bad = tree(a=OTHER, b=["def work(value):\n", *BODY])
    with comparison(good, bad) as (changes, _):
        assert not inner(changes)
        assert changes.moved


def test_lines_that_are_equal_by_chance_did_not_move() -> None:
    common = ["    return None\n", "else:\n", "    x = 1\n", "\n", "}\n", "import os\n"]
    with comparison(tree(a=[*OTHER, *common]), tree(a=OTHER, b=[*common[::-1]])) as (changes, _):
        assert not changes.moved


lines = st.integers(0, 3).map(lambda n: f"    changed_{n} = compute(value, {n})\n")
edits = st.dictionaries(
    st.integers(0, len(BODY) - 1), st.lists(lines, max_size=2), min_size=1, max_size=4
)


def apply(found: dict[int, list[str]]) -> list[str]:
    return [line for at, kept in enumerate(BODY) for line in found.get(at, [kept])]


@settings(max_examples=60, deadline=None)
@given(found=edits, with_rest=st.booleans(), before=st.integers(0, 6), after=st.integers(0, 3))
def test_every_variant_of_moved_and_edited_code_is_well_defined(
    found: dict[int, list[str]], with_rest: bool, before: int, after: int
) -> None:
    good = tree(a=[*OTHER, *BODY], **({"b": OTHER[::-1]} if with_rest else {}))
    start, end = OTHER[::-1][:before], OTHER[::-1][before:]
    target = [*start, "# moved here\n" * after, *apply(found), *end]
    bad = tree(a=OTHER, b=target if with_rest else apply(found))
    with comparison(good, bad) as (changes, _):
        assert variant(changes, bad, frozenset()) == bad
        assert variant(changes, bad, changes.everything) == good
        ids = [change.id for change in changes.changes]
        for size in range(len(ids) + 1):
            for reverted in map(frozenset, combinations(ids, size)):
                check_lines(changes, good, variant(changes, bad, reverted), reverted)


def check_lines(changes: ChangeSet, good: Files, files: Files, reverted: Reverted) -> None:
    """Check that a line which is said to be in the good version has the text from there."""
    places = VariantLines(changes.changes, reverted)
    for path, node in files.items():
        for number, text in enumerate(node.content.splitlines(), 1):
            place = places.in_good(path, number)
            if place is not None:
                assert good[place[0]].content.splitlines()[place[1] - 1] == text
    for change in inner(changes):
        own = places.of_change(change.id)
        if own is not None:
            written = files[change.file].content.splitlines(keepends=True)
            assert b"".join(written[own.start - 1 : own.stop - 1]) == change.removed


PYTHON_MOVED = """
    == shapes.py
    -class Shape:
    -    def __init__(self, width, height):
    -        self.width = width
    -        self.height = height
    -    def area(self):
    -        return self.width * self.height  # [fault]
    -    def border(self):
    -        return 2 * (self.width + self.height)
    -
    -
    +from shape import Shape
     class Drawing:
         def __init__(self):
             self.shapes = []
         def add(self, width, height):
             self.shapes.append(Shape(width, height))
         def area(self):
             return sum(shape.area() for shape in self.shapes)
    == shape.py
    +class Shape:
    +    def __init__(self, width, height):
    +        self.width = width
    +        self.height = height
    +    def area(self):
    +        return self.width + self.height  # [fault]
    +    def border(self):
    +        return 2 * (self.width + self.height)
    == program.py
     from shapes import Drawing
     drawing = Drawing()
     drawing.add(3, 4)
     drawing.add(5, 6)
     assert drawing.area() == 42, drawing.area()
"""
C_MOVED = """
    == sums.c
     #include "sums.h"
    -static int rounded(int value, int step) {
    -    int rest = value % step;
    -    int half = step / 2;
    -    if (rest >= half)  // [fault]
    -        return value - rest + step;
    -    return value - rest;
    -}
     int sum(const int *values, int count) {
         int found = 0;
         for (int i = 0; i < count; i++)
             found += rounded(values[i], 10);
         return found;
     }
    == sums.h
     int sum(const int *values, int count);
    +int rounded(int value, int step);
    == rounded.c
    +#include "sums.h"
    +int rounded(int value, int step) {
    +    int rest = value % step;
    +    int half = step / 2;
    +    if (rest > half)  // [fault]
    +        return value - rest + step;
    +    return value - rest;
    +}
    == program.c
     #include "sums.h"
     int main(void) {
         int values[] = {11, 25, 38};
         return sum(values, 3) != 80;
     }
"""


@pytest.mark.parametrize("moved", ["python", "c"])
def test_the_edit_of_moved_code_is_the_root(tmp_path: Path, moved: str) -> None:
    if moved == "c":
        build = "$CC -g -w -o program program.c sums.c $(ls rounded.c 2>/dev/null)"
        answer = explain(tmp_path, C_MOVED, build=build, harmless=False)
    else:
        answer = explain_python(tmp_path, PYTHON_MOVED, harmless=False)
    assert answer.root == {"fault"}
    assert len(answer.result.root[0].ids) == 1
    assert not answer.result.auxiliary
    assert answer.result.status == "explained"
    assert "this line is new" not in " ".join(link.says.lower() for link in answer.chain)
