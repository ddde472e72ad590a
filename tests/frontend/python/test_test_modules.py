"""Which test modules outside of the tree does a command name?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.frontend.python.test_modules import named_test_modules


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for file in ("tree/test_in.py", "tests/test_a.py", "tests/sub/b_test.py", "data/x.txt"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ("pytest {here}/tests/test_a.py", ["tests/test_a.py"]),
        ("pytest {here}/tests/test_a.py::Test::test_x", ["tests/test_a.py"]),
        ("pytest -q '{here}/tests'", ["tests"]),
        ("pytest ../tests/sub", ["tests/sub"]),
        ("pytest test_in.py {{tree}}/test_in.py", []),  # the tree is recorded anyway
        ("pytest {here}", []),  # the tree is in it
        ("PYTHONPATH={here}/tests prog {here}/data --file={here}/tests/test_a.py", []),
        ("pytest 'unclosed", []),
        ("prog " + "x" * 5000, []),
    ],
)
def test_files_and_folders_with_tests_are_named(test: str, named: list[str], tree: Path) -> None:
    here = tree.parent
    found = named_test_modules(test.format(here=here), tree)
    assert found == [(here / name).resolve() for name in named]
