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
from whence.source_lines import lines_with_ends
from whence.trace.function_pairs import FunctionSource

_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_LINES = 400  # lines of a definition that are compared; guessed


@dataclass(frozen=True, order=True, slots=True)
class ChangedConstant:
    """A name that is defined outside of functions, and not as in the other version."""

    file: str
    line: int  # in the bad version; in the good one if the bad one has no such name
    name: str
    owner: str  # the class whose attribute it is; empty for a name of a module

    def __str__(self) -> str:
        return f"{self.owner}{'.' if self.owner else ''}{self.name} ({self.file}:{self.line})"


class ChangedConstants:
    """The names that two trees define differently outside of functions."""

    def __init__(self, good: Path, bad: Path) -> None:
        self._trees = (good, bad)
        self._imports: dict[str, dict[str, set[int]]] = {}

    def used_by(
        self, functions: Iterable[FunctionSource], arguments: str = ""
    ) -> list[ChangedConstant]:
        """Return the changed names that functions use, those of the first function first.

        In Python, a name of another file must be imported, and an attribute must be one of the
        function's own class, or of a class that the function or its arguments name.
        """
        found: dict[ChangedConstant, None] = {}
        for function in functions:
            words = dict.fromkeys(_WORD.findall("\n".join(function.text)))
            used = [each for word in words for each in self._by_name.get(word, ())]
            classes = {*words, *function.name.split("."), *_WORD.findall(arguments)}
            for each in sorted(used, key=lambda name: name.file != function.file):
                if self._may_use(function, each, classes):
                    found[each] = None
        return [*found]

    def _may_use(self, function: FunctionSource, name: ChangedConstant, classes: set[str]) -> bool:
        is_python = function.file.endswith(".py")
        if name.owner and is_python:
            return name.owner.rpartition(".")[2] in classes
        if name.file == function.file or not is_python:
            return True
        return name.name in self._imported(function.file)

    def _imported(self, file: str) -> dict[str, set[int]]:
        if file not in self._imports:
            self._imports[file] = _source(self._trees[1] / file).imported_names()
        return self._imports[file]

    @cached_property
    def _by_name(self) -> dict[str, list[ChangedConstant]]:
        found: dict[str, list[ChangedConstant]] = defaultdict(list)
        for each in sorted(self._changed()):
            found[each.name].append(each)
        return found

    def _changed(self) -> Iterator[ChangedConstant]:
        entries = [read_tree(tree).entries for tree in self._trees]
        for path in {*entries[0], *entries[1]}:
            if (
                entries[0].get(path) == entries[1].get(path)
                or grammar_of(path) is None
                or path.endswith(".pyi")
            ):
                continue
            good, bad = (
                _definitions(tree / path) if path in of else {}
                for tree, of in zip(self._trees, entries, strict=True)
            )
            for key in good.keys() & bad.keys():
                ours, theirs = good[key], bad[key]
                if [text for _, text in ours] != [text for _, text in theirs]:
                    yield ChangedConstant(path, _line_of(ours, theirs), key[1], key[0])


_Definitions = dict[tuple[str, str], list[tuple[int, bytes]]]


def _line_of(good: list[tuple[int, bytes]], bad: list[tuple[int, bytes]]) -> int:
    """Return the line of the first definition of the bad version that the good one has not."""
    known = {text for _, text in good}
    return next((line for line, text in bad if text not in known), bad[0][0])


def _is_constant(language: str, text: bytes) -> bool:
    """Is a definition one of a value: no list of imports, no type and no declaration of C?"""
    if language == "python":
        return not text.startswith((b"import ", b"from "))
    return text.startswith(b"# define ") or b" = " in text


def _source(path: Path) -> ParsedSource:
    grammar = grammar_of(path.name)
    assert grammar is not None
    return ParsedSource(grammar, path.read_bytes())


def _definitions(path: Path) -> _Definitions:
    """Return the line and text of each definition outside of functions, by class and name."""
    source = _source(path)
    lines = lines_with_ends(path.read_bytes())
    found: _Definitions = defaultdict(list)
    for name in source.definitions(1, source.last_line):
        around = source.function_at(name.line)
        if around is not None and (not around.is_class or around.first == name.line):
            continue
        statement = source.statement_lines(name.line, name.line)
        text = b"".join(lines[statement.start - 1 : statement.stop - 1][:_MAX_LINES])
        if not _is_constant(source.language, b" ".join(tokens(text))):
            continue
        owner = around.name if around is not None else ""
        found[owner, name.text].append((name.line, b" ".join(tokens(text))))
    return found
