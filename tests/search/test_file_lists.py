"""Is a source file reverted together with its name in the build files?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.search.file_lists import tied_to_lists

GENERATED = "# Makefile.in generated automatically by automake 1.4 from Makefile.am\n"


@pytest.mark.parametrize("head", ["", GENERATED])
def test_a_file_and_its_name_in_a_list_are_tied(tmp_path: Path, head: str) -> None:
    versions = {
        "good": {
            "old.c": "int old;\n",
            "Makefile.in": f"{head}OBJECTS = old.o both.o\n",
            "configure": "echo creating config.status\n",
        },
        "bad": {
            "new.c": "int new;\n",
            "other.txt": "not listed\n",
            "config.sub": "# a script\n",
            "configure": "echo creating config.status; sh config.sub\n",
            "Makefile.in": f"{head}OBJECTS = new.$(OBJEXT) both.o\n",
        },
    }
    for version, files in versions.items():
        (tmp_path / version).mkdir()
        for name, text in files.items():
            (tmp_path / version / name).write_text(text)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    by_file = {change.file: change.id for change in changes.changes}
    assert set(tied_to_lists(changes)) == {
        (by_file["new.c"], by_file["Makefile.in"]),
        (by_file["Makefile.in"], by_file["old.c"]),
        (by_file["config.sub"], by_file["configure"]),
    }
