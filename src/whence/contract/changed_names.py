"""Which changed constants, tables and classes does a function use?

A function whose own code is the same in both versions may differ because of what stands outside
of functions: a table of a module, an attribute of a class, a macro.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from whence.changes.syntax import ParsedSource, grammar_of, tokens
from whence.changes.tree import read_tree
from whence.trace.function_pairs import FunctionSource

_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_LINES = 400  # lines of a definition that are compared; guessed


@dataclass(frozen=True, order=True, slots=True)
class ChangedName:
    """A name that is defined outside of functions, and not as in the other version."""

    file: str
    line: int  # in the bad version; in the good one if the bad one has no such name
    name: str
    owner: str  # the class whose attribute it is; empty for a name of a module

    def __str__(self) -> str:
        return f"{self.owner}{'.' if self.owner else ''}{self.name} ({self.file}:{self.line})"


class ChangedNames:
    """The names that two trees define differently outside of functions."""

    def __init__(self, good: Path, bad: Path) -> None:
        self._trees = (good, bad)

    def used_by(self, functions: Iterable[FunctionSource]) -> list[ChangedName]:
        """Return the changed names that functions use, those of the first function first.

        A name of the function's own file counts before one of another file.
        """
        found: dict[ChangedName, None] = {}
        for function in functions:
            words = dict.fromkeys(_WORD.findall("\n".join(function.text)))
            used = [each for word in words for each in self._by_name.get(word, ())]
            for each in sorted(used, key=lambda name: name.file != function.file):
                found[each] = None
        return [*found]

    @cached_property
    def _by_name(self) -> dict[str, list[ChangedName]]:
        found: dict[str, list[ChangedName]] = defaultdict(list)
        for each in sorted(self._changed()):
            found[each.name].append(each)
        return found

    def _changed(self) -> Iterator[ChangedName]:
        entries = [read_tree(tree).entries for tree in self._trees]
        for path in {*entries[0], *entries[1]}:
            if entries[0].get(path) == entries[1].get(path) or grammar_of(path) is None:
                continue
            good, bad = (
                _definitions(tree / path) if path in of else {}
                for tree, of in zip(self._trees, entries, strict=True)
            )
            for key in good.keys() & bad.keys():
                ours, theirs = good[key], bad[key]
                if [text for _, text in ours] != [text for _, text in theirs]:
                    yield ChangedName(path, _line_of(ours, theirs), key[1], key[0])


_Definitions = dict[tuple[str, str], list[tuple[int, bytes]]]


def _line_of(good: list[tuple[int, bytes]], bad: list[tuple[int, bytes]]) -> int:
    """Return the line of the first definition of the bad version that the good one has not."""
    known = {text for _, text in good}
    return next((line for line, text in bad if text not in known), bad[0][0])


def _definitions(path: Path) -> _Definitions:
    """Return the line and text of each definition outside of functions, by class and name."""
    grammar = grammar_of(path.name)
    assert grammar is not None
    content = path.read_bytes()
    source = ParsedSource(grammar, content)
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    found: _Definitions = defaultdict(list)
    for name in source.definitions(1, source.last_line):
        around = source.function_at(name.line)
        if around is not None and (not around.is_class or around.first == name.line):
            continue
        statement = source.statement_lines(name.line, name.line)
        text = b"\n".join(lines[statement.start - 1 : statement.stop - 1][:_MAX_LINES])
        owner = around.name if around is not None else ""
        found[owner, name.text].append((name.line, b" ".join(tokens(text))))
    return found
