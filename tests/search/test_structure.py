"""Which changes of Python code are tied, because one reverted alone leaves no structure?"""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from textwrap import dedent

import pytest

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId
from whence.search.structure import tied_by_structure

STRING = (
    '''
    READ = """Read a file.

    It is closed.
    """
    print(READ)

    WRITE = """Write a file."""
    print(WRITE)
    ''',
    '''
    print("read")

    COPY = """Copy a file.

    The other is replaced.
    """
    print(COPY)

    WRITE = """Write a file.
    """
    print(WRITE)
    ''',
)
TRY = (
    """
    def load(path):
        try:
            data = open(path).read()
        except OSError:
            data = ""
        return data
    """,
    """
    def load(path):
        if path:
            data = open(path).read()
        else:
            data = ""
        return data
    """,
)
DECORATOR = (
    """
    class Marker:
        def __init__(self, name):
            self.name = name

        def call(self, function=None):
            self.count = 1
            return function
    """,
    """
    class Marker:
        slots = ("name",)

        def __init__(self, name: str):
            self.name = name

        @overload
        def call(self, function: int): ...

        @overload
        def call(self, function: str): ...

        def call(self, function=None):
            self.count = 1
            return function
    """,
)
BRACKETS = (
    """
    names = call(
        "a",
        "b",
    )
    """,
    """
    names = [
        "a",
        "c",
    ]
    """,
)


def changes_between(folder: Path, old: str, new: str) -> ChangeSet:
    for name, text in (("good", old), ("bad", new)):
        (folder / name).mkdir()
        (folder / name / "m.py").write_text(dedent(text))
    return compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))


def parses(changes: ChangeSet, reverted: frozenset[ChangeId]) -> bool:
    try:
        ast.parse(changes.nodes(reverted)["m.py"].content)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize(("old", "new"), [STRING, TRY, DECORATOR, BRACKETS])
def test_every_set_that_keeps_ties_parses(tmp_path: Path, old: str, new: str) -> None:
    changes = changes_between(tmp_path, old, new)
    groups = [*tied_by_structure(changes)]
    tied = {change for group in groups for change in group}
    atoms = [*groups, *(frozenset({c.id}) for c in changes.changes if c.id not in tied)]
    for count in range(len(atoms) + 1):
        for chosen in itertools.combinations(atoms, count):
            assert parses(changes, frozenset().union(*chosen)), chosen


@pytest.mark.parametrize(("old", "new"), [STRING, TRY, BRACKETS])
def test_without_ties_some_sets_do_not_parse(tmp_path: Path, old: str, new: str) -> None:
    """The programs above are of the kind that needs ties."""
    changes = changes_between(tmp_path, old, new)
    everything = [change.id for change in changes.changes]
    subsets = itertools.chain.from_iterable(
        itertools.combinations(everything, n) for n in range(len(everything))
    )
    assert not all(parses(changes, frozenset(subset)) for subset in subsets)


def test_edits_within_one_structure_are_independent(tmp_path: Path) -> None:
    old = '''
    class Shop:
        """Sells things.

        It opens at nine.
        """

        def price(self, item):
            if item:
                cents = 100
                rate = 2
                return cents * rate
            return 0
    '''
    new = (
        old.replace("Sells", "Buys")
        .replace("nine", "ten")
        .replace("cents = 100", "cents = 101")
        .replace("cents * rate", "cents + rate")
        .replace("return 0", "return 1")
    )
    changes = changes_between(tmp_path, old, new)
    assert len(changes.changes) == 5
    assert not list(tied_by_structure(changes))


def test_a_renamed_function_does_not_tie_its_edits(tmp_path: Path) -> None:
    old = "def price(a):\n    b = a\n    c = b\n    return c\n"
    new = old.replace("price", "cost").replace("return c", "return c + 1")
    changes = changes_between(tmp_path, old, new)
    assert len(changes.changes) == 2
    assert not list(tied_by_structure(changes))


def test_equal_lines_of_two_classes_are_tied(tmp_path: Path) -> None:
    """The diff takes the end of `First` for the end of `Second`."""
    old = "class First:\n    a = 1\n    x = 1\n    y = 2\n\nlast = 2\n"
    new = (
        "class Other:\n    b = 0\n\nclass Second:\n    a = 3\n    x = 1\n    y = 2\n"
        "\nclass First:\n    a = 4\n\nlast = 2\n"
    )
    changes = changes_between(tmp_path, old, new)
    assert len(changes.changes) > 1
    assert any(len(group) > 1 for group in tied_by_structure(changes))
