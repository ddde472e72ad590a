"""Which test modules outside of the tree does a test command name?

`pytest /elsewhere/tests/test_x.py` runs a module that neither belongs to the tree nor is a script.
Its assertions are where the run fails, so it is recorded as well.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

_TESTS = ("test_*.py", "*_test.py", "*/test_*.py", "*/*_test.py")


def named_test_modules(test: str, tree: Path) -> list[Path]:
    """Return the Python files, and the folders with tests, that a command names outside the tree.

    A folder that holds the tree itself is left out: it holds other programs, too.
    """
    top = tree.resolve()
    return [
        path
        for path in dict.fromkeys(_paths(test, top))
        if not path.is_relative_to(top) and not top.is_relative_to(path) and _is_test(path)
    ]


def _paths(test: str, tree: Path) -> Iterator[Path]:
    """Yield every word of the command that could be a path; a node id names its file."""
    try:
        words = shlex.split(test)
    except ValueError:  # an unclosed quote: the shell will report it
        return
    for word in words:
        name = word.replace("{tree}", str(tree)).partition("::")[0]
        if name and "\0" not in name and "=" not in name and not name.startswith("-"):
            yield (tree / name).resolve()


def _is_test(path: Path) -> bool:
    try:
        if path.is_file():
            return path.suffix == ".py"
        return path.is_dir() and any(chain.from_iterable(map(path.glob, _TESTS)))
    except OSError:  # a word that is too long for a path, or a folder that may not be read
        return False
