"""Which changes of C are tied, because one reverted alone leaves something open?"""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId
from whence.search.dependencies import read_dependencies
from whence.search.open_signs import tied_by_signs

GUARD = (
    "int first(void);\nint second(void);\n",
    "#ifndef A_H\n#define A_H\nint first(void);\nint second(void);\n#endif\n",
)
NESTED = (
    "#if A\nint a;\n#endif\nint b;\nint c;\nint d;\n",
    "#if A\nint a;\n#if B\nint b;\n# endif\nint c;\n#endif\nint d;\n",
)
COMMENT = (
    "int a;\nint b;\nint c;\nint d;\n",
    "int a;\n/* Not needed:\nint b;\nint c; */\nint d;\n",
)
OTHER_COMMENT = (
    "/* file.h: what it is */\nint a;\nint b;\n",
    "/* file.h --- what it is\nint a;\n*/\nint b;\n",
)


def changes_between(folder: Path, old: str, new: str) -> ChangeSet:
    for name, text in (("good", old), ("bad", new)):
        (folder / name).mkdir()
        (folder / name / "m.h").write_text(text)
    return compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))


def compiles(changes: ChangeSet, reverted: frozenset[ChangeId]) -> bool:
    words = ["gcc", "-fsyntax-only", "-xc", "-"]
    text = changes.nodes(reverted)["m.h"].content
    return subprocess.run(words, input=text, capture_output=True, check=False).returncode == 0


def closed_sets(changes: ChangeSet) -> list[frozenset[ChangeId]]:
    """Return all sets of changes that hold what their members require."""
    requires = read_dependencies(changes).requires
    ids = [change.id for change in changes.changes]
    subsets = (
        frozenset(each) for size in range(len(ids)) for each in itertools.combinations(ids, size)
    )
    return [s for s in subsets if all(requires.get(c, frozenset()) <= s for c in s)]


@pytest.mark.parametrize(("old", "new"), [GUARD, NESTED, COMMENT, OTHER_COMMENT])
def test_what_is_tied_compiles(tmp_path: Path, old: str, new: str) -> None:
    changes = changes_between(tmp_path, old, new)
    assert len(changes.changes) > 1
    assert any(len(group) > 1 for group in tied_by_signs(changes.changes))
    assert all(compiles(changes, reverted) for reverted in closed_sets(changes))


def test_conditionals_that_are_closed_are_not_tied(tmp_path: Path) -> None:
    old = "int a;\nint b;\nint c;\n"
    new = "#if A\nint a0;\n#endif\nint a;\nint b;\n#if A\nint c0;\n#endif\nint c;\n/* A. */\n"
    changes = changes_between(tmp_path, old, new)
    assert not [group for group in tied_by_signs(changes.changes) if len(group) > 1]
