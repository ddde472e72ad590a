"""What does a clause of a contract of a C function mean on recorded states?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from whence.changes.syntax import ParsedSource, grammar_of
from whence.contract.c_suggesting import c_suggestion
from whence.contract.cases import Clause
from whence.contract.clauses import ClauseText
from whence.contract.contracts import CallView, SeenCall
from whence.contract.versions import PairedSources
from whence.file_trees import files_below
from whence.source_lines import decoded_lines
from whence.trace.calls import CallExpression, ExpressionError, ParseExpression
from whence.trace.function_pairs import FunctionSource

_STATES = {"requires": "before", "when_ensured": "good", "when_signaled": "good"}
_EXISTENCE = re.compile(r"\\(latest|deprecated)\s*\(\s*(\w+)\s*\)")
_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(-?(?:0[xX][\da-fA-F]+|\d+))[uUlL]*\)?\s*$"
)
_WORDS = {"True": "1", "False": "0"}


@dataclass(frozen=True)
class CClause:
    """A clause, ready to be evaluated."""

    text: ClauseText
    expression: CallExpression
    constants: Mapping[str, int]  # names of numbers that the sources define

    def holds(self, view: CallView) -> bool:
        """Does the clause hold for a call?  UnknownStateError: it cannot be said."""
        state = _STATES.get(self.text.keyword, "bad")
        try:
            return bool(self.expression.value(
                view.good_process, view.good, view.bad_process, view.bad, state, self.constants
            ))  # fmt: skip
        except ExpressionError as error:
            place = f"called from {view.bad.place[0]}:{view.bad.place[1]}"
            self.text.complain(
                f"this clause cannot be evaluated: {error} ({place})", error.offset,
                hint="Guard it, as in `p && p->next`, or name a field that the type has.",
            )  # fmt: skip

    @property
    def normal(self) -> str:
        return "".join(self.text.text.split())

    @property
    def demanded(self) -> str | None:
        found = re.fullmatch(r"\\?result==(-?[\w.']+)", self.normal)
        return found[1] if found else None


class CContracts:
    """Compiles the clauses of contracts of C functions."""

    comment = "//@"

    def __init__(
        self, sources: PairedSources, good: Path, bad: Path, parse: ParseExpression
    ) -> None:
        self._sources, self._trees, self._parse = sources, (good, bad), parse

    def suggestion(self, calls: Sequence[SeenCall]) -> str | None:
        """Return a contract that the calls seen would keep; None if there is none to suggest."""
        return c_suggestion(calls)

    def clause(self, text: ClauseText, good: FunctionSource, bad: FunctionSource) -> Clause:
        """Return a clause of the contract of a function."""
        params = [_parameters(self._trees[0], good), _parameters(self._trees[1], bad)]
        plain = _WORDS.get(text.text, text.text)
        for match in _EXISTENCE.finditer(plain):
            has = [match[2] in each for each in params]
            if not any(has):
                text.complain(f"neither version has a parameter {match[2]!r}", match.start(2))
            is_so = has == [False, True] if match[1] == "latest" else has == [True, False]
            value = "1" if is_so else "0"
            plain = plain.replace(match[0], value.ljust(len(match[0])), 1)
        try:
            expression = self._parse(plain)
        except ExpressionError as error:
            text.complain(str(error), error.offset)
        self._check_names(text, expression, {*params[0], *params[1]})
        return CClause(text, expression, self._constants)

    def _check_names(self, text: ClauseText, expression: CallExpression, params: set[str]) -> None:
        for name, offset in expression.names():
            if name not in params and name not in self._names:
                near = ", ".join(sorted(params)) or "none"
                text.complain(f"{name!r} is unknown here; the parameters are: {near}", offset)
        if text.keyword == "requires" and "\\result" in text.text:
            text.complain("the result is not known at the start of a call")

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names that the sources of the bad version define outside of functions."""
        found: set[str] = set()
        for path in sorted(files_below(self._trees[1])):
            grammar = grammar_of(path.name)
            if grammar in ("c", "cpp") and path.is_file():
                source = ParsedSource(grammar, path.read_bytes())
                found.update(
                    name.text for name in source.definitions(1, source.last_line)
                    if name.scope is None
                )  # fmt: skip
        return frozenset(found)

    @cached_property
    def _constants(self) -> dict[str, int]:
        """The macros that are numbers."""
        found: dict[str, int] = {}
        for path in sorted(files_below(self._trees[1])):
            if grammar_of(path.name) in ("c", "cpp") and path.is_file():
                for line in decoded_lines(path.read_bytes()):
                    match = _MACRO.match(line)
                    if match is not None:
                        found[match[1]] = int(match[2], 0) if match[2] != "0" else 0
        return found


def _parameters(tree: Path, function: FunctionSource) -> frozenset[str]:
    """Return the names of the parameters of a function."""
    content = (tree / function.file).read_bytes()
    grammar = grammar_of(function.file)
    if grammar is None:
        return frozenset()
    return frozenset(ParsedSource(grammar, content).parameter_names(function.first, function.last))
