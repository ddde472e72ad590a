"""Which of the changed files are the test itself, and no changes to the program?

A test that came with the bad version has to be run on the good one too.  We know only the
command that runs it, so only files that this names are taken for a test: those that the good
version lacks, as the command cannot pass there without them, and those that are called a test.
What else it names may be the program.
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
    """What a test command names of the files that differ."""

    tests: tuple[str, ...]  # files and directories
    others: tuple[str, ...]  # files of both versions that are not called a test

    def leaves(self, file: str) -> bool:
        """Is this file none of the tests?"""
        return not any(file == test or file.startswith(f"{test}/") for test in self.tests)


def named_in(test: str, prefix: str, changed: Mapping[str, str]) -> NamedFiles:
    """Sort out what the command `test`, run in the directory `prefix`, names.

    `changed` has the files that differ, with A for those that only the bad version has.
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
    """Every word that could be a path, as seen from the top of the tree."""
    lexer = shlex.shlex(test, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # an unclosed quote: the shell will say so
        return
    for word in words:
        for part in (word, word.partition("::")[0], word.partition("=")[2]):
            inside = re.fullmatch(r"(?:\{tree\}|\$WHENCE_TREE)/(.*)", part)
            path = posixpath.normpath(inside[1] if inside else posixpath.join(prefix, part))
            if path not in (".", "..") and not path.startswith(("/", "../")):
                yield path
