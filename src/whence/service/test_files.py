"""Which of the changed files are the test itself, rather than the program?

A test that is new in the bad version must run on the good version too.  We only know the command
that runs the test.  Of the files that it names, we take those for a test that the good version
lacks, because the command cannot pass without them, and those whose name says test.  Other named
files may be the program.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TEST = re.compile(
    r"(?i)(^|[/_.-])(tests?|specs?|checks?)([/_.-]|$)|(^|/)t(/|$)|(?-i:Tests?)\.\w+$"
)


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files that differ and that a test command names."""

    tests: tuple[str, ...]  # files and directories
    others: tuple[str, ...]  # files of both versions whose name does not say test

    def leaves(self, file: str) -> bool:
        """Is this file not one of the tests?"""
        return not any(file == test or file.startswith(f"{test}/") for test in self.tests)


def named_in(test: str, prefix: str, changed: Mapping[str, str]) -> NamedFiles:
    """Return the changed files that the command `test`, run in the directory `prefix`, names.

    `changed` holds the files that differ, with A for those that only the bad version has.
    """
    tests: set[str] = set()
    others: set[str] = set()
    for path in set(_paths(test, prefix)):
        if path in changed:
            is_test = changed[path] == "A" or _TEST.search(path)
            (tests if is_test else others).add(path)
        elif _TEST.search(path) and any(file.startswith(f"{path}/") for file in changed):
            tests.add(path)
    return NamedFiles(tuple(sorted(tests)), tuple(sorted(others)))


def _paths(test: str, prefix: str) -> Iterator[str]:
    """Yield every word that could be a path, relative to the top of the tree."""
    lexer = shlex.shlex(test, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # an unclosed quote: the shell will report it
        return
    for word in words:
        for part in (word, word.partition("::")[0], word.partition("=")[2]):
            inside = re.fullmatch(r"(?:\{tree\}|\$WHENCE_TREE)/(.*)", part)
            path = posixpath.normpath(inside[1] if inside else posixpath.join(prefix, part))
            if path not in (".", "..") and not path.startswith(("/", "../")):
                yield path
