"""Are compiled modules removed that would hide changes to their sources?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.changes.tree import Tree, read_tree
from whence.subject.extensions import extensions, without_spare

SO = ".cpython-311-x86_64-linux-gnu.so"


def tree(folder: Path, files: dict[str, str]) -> Tree:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_tree(folder)


BOTH = {f"p/fast{SO}": "1", "p/fast.py": "1", f"p/only{SO}": "1", "p/only.pyx": "1", "lib.so": "1"}


def test_compiled_modules_are_found_with_their_sources(tmp_path: Path) -> None:
    found = extensions(tree(tmp_path, BOTH))
    assert found.spare == {f"p/fast{SO}": ("p/fast.py",)}
    assert found.needed == {f"p/only{SO}": ("p/only.pyx",)}


@pytest.mark.parametrize(
    ("change", "left_out", "expected_notes"),
    [
        ({"p/fast.py": "2"}, {f"p/fast{SO}"}, ["The test runs without p/fast."]),
        ({"p/only.pyx": "2"}, set(), ["No command compiles p/only."]),
        ({"p/other.py": "2"}, set(), []),
        ({f"p/only{SO}": "2"}, set(), []),  # the compiled module itself is the change
    ],
)
def test_only_modules_that_hide_changes_are_removed(
    change: dict[str, str], left_out: set[str], expected_notes: list[str], tmp_path: Path
) -> None:
    trees = tree(tmp_path / "good", BOTH), tree(tmp_path / "bad", BOTH | change)
    *found, notes = without_spare(*trees)
    for before, after in zip(trees, found, strict=True):
        assert before.entries.keys() - after.entries.keys() == left_out
    assert [
        note[: len(start)] for note, start in zip(notes, expected_notes, strict=True)
    ] == expected_notes
