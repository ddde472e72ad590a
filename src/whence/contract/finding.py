"""Where are the contracts of a version: in comments of its source, or in files?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from whence.contract.cases import Clause, read_contract
from whence.contract.clauses import ClauseText, ContractLine, complain, contract_blocks
from whence.contract.contracts import FunctionContract, SeenCall
from whence.contract.versions import PairedSources
from whence.errors import UserError
from whence.source_lines import decoded_lines
from whence.trace.function_pairs import FunctionSource

_HEADER = re.compile(r"^\s*function\s+(\S+)\s*$")
_NAMED = re.compile(r"(?:(.*?[^:]):)?(?!:)(.+)")  # names of C++ have two colons
HOW_TO_NAME = "Name it as FILE:NAME or FILE:LINE, with the path in the tree."
FunctionKey = tuple[str, str, int]  # file, name and first line


class ContractLanguage(Protocol):
    """How contracts are written in a language."""

    @property
    def comment(self) -> str:
        """What a line of a contract begins with in the source."""

    def clause(self, text: ClauseText, good: FunctionSource, bad: FunctionSource) -> Clause:
        """Return a clause; a mistake in it is an error with its place."""

    def suggestion(self, calls: Sequence[SeenCall], /) -> str | None:
        """Return a contract that the calls seen would keep; None if there is none to suggest."""


class ContractReader:
    """Reads the contracts for the functions that both versions have."""

    def __init__(
        self, sources: PairedSources, bad: Path, language: ContractLanguage
    ) -> None:  # fmt: skip
        self._sources, self._bad, self._language = sources, bad, language

    def read(self, files: Sequence[Path]) -> dict[FunctionKey, FunctionContract]:
        """Return the contracts in the sources and in `files`, by the place of the function."""
        found: dict[FunctionKey, FunctionContract] = {}
        for function, lines in (*self._in_sources(), *self._in_files(files)):
            key = (function.file, function.name, function.first)
            if key in found:
                complain(lines, 0, f"{function.name} has another contract already")
            good = self._counterpart(function, lines)
            found[key] = read_contract(lines, partial(self._clause, good, function))
        return found

    def _clause(self, good: FunctionSource, bad: FunctionSource, text: ClauseText) -> Clause:
        return self._language.clause(text, good, bad)

    def _counterpart(
        self, function: FunctionSource, lines: Sequence[ContractLine]
    ) -> FunctionSource:
        good = self._sources.pairs.get(function)
        if good is None:
            complain(lines, 0, f"{function.name} is new: the good version has no such function",
                     "A contract is about a function that both versions have.")  # fmt: skip
        return good

    # --- in sources ---

    def _in_sources(self) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        by_file: dict[str, list[FunctionSource]] = {}
        for function in self._sources.bad:
            by_file.setdefault(function.file, []).append(function)
        for file, functions in sorted(by_file.items()):
            content = (self._bad / file).read_bytes()
            if self._language.comment.encode() not in content:
                continue
            lines = decoded_lines(content)
            for block in contract_blocks(_comments(lines, file, self._language.comment)):
                yield self._after(block, functions), block

    def _after(
        self, block: tuple[ContractLine, ...], functions: Sequence[FunctionSource]
    ) -> FunctionSource:
        following = block[-1].line + 1
        found = next((each for each in functions if each.first == following), None)
        if found is None:
            complain(block, 0, "no function follows this contract",
                     "Write it directly before the function, above its decorators.")  # fmt: skip
        return found

    # --- in files ---

    def _in_files(
        self, files: Sequence[Path]
    ) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        for file in files:
            try:
                content = file.read_bytes()
            except OSError as error:
                raise UserError(
                    f"--contracts {file} cannot be read: {error.strerror}.\n"
                    "Name a file with contracts; docs/contract.md describes it.",
                    slug="bad-contract",
                ) from None
            yield from self._in_file(str(file), decoded_lines(content))

    def _in_file(
        self, file: str, lines: Sequence[str]
    ) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        function: FunctionSource | None = None
        block: list[ContractLine] = []
        for number, text in enumerate(lines, 1):
            line = ContractLine(file, number, 0, text, text)
            header = _HEADER.match(text)
            if header is not None:
                if function is not None:
                    yield function, tuple(block)
                function, block = self._named(header[1], line, header.start(1)), []
            elif text.strip() and not text.lstrip().startswith("#"):
                if function is None:
                    complain([line], 0, "a file of contracts begins with: function NAME")
                block.append(line)
        if function is not None:
            yield function, tuple(block)

    def _named(self, name: str, line: ContractLine, column: int) -> FunctionSource:
        """Return the function that NAME, FILE:NAME or FILE:LINE means."""
        found = [each for each in self._sources.bad if is_called_so(each, name)]
        what = f"several functions are called {split_name(name)[1]}: {places_of(found)}"
        if not found:
            what = f"the bad version has no function {name!r}"
        if len(found) != 1:
            complain([line], column, what, HOW_TO_NAME)
        return found[0]


def split_name(name: str) -> tuple[str, str]:
    """Return the file, if there is one, and the name or the line that a text spells."""
    found = _NAMED.fullmatch(name)
    return (found[1] or "", found[2]) if found else ("", name)


def is_called_so(function: FunctionSource, name: str) -> bool:
    """Does NAME, FILE:NAME or FILE:LINE, with its first line, mean a function?"""
    file, short = split_name(name)
    is_there = file in ("", function.file)
    return is_there and (function.name == short or (bool(file) and str(function.first) == short))


def places_of(functions: Sequence[FunctionSource]) -> str:
    """Return how several functions with one name are told apart."""
    is_one_file = len({(each.file, each.name) for each in functions}) < len(functions)
    return ", ".join(
        f"{each.file}:{each.first if is_one_file else each.name}" for each in functions[:4]
    )


def _comments(lines: Sequence[str], file: str, sign: str) -> Iterator[ContractLine]:
    comment = re.compile(rf"^(\s*{re.escape(sign)} ?)(.*)$")
    for number, text in enumerate(lines, 1):
        match = comment.match(text)
        if match is not None:
            yield ContractLine(file, number, len(match[1]), match[2], text)


ContractsByFunction = Mapping[FunctionKey, FunctionContract]
