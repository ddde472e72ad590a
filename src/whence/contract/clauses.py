"""What does the text of a contract say?

    changed_behavior
      requires amount > 100
      when_ensured result == 0
      when_signaled (KeyError e) e.args[0] == name
      ensures result == prev(result) + 1
      signals (ValueError) True
    also changed_behavior ...

The keywords are those of the thesis.  A clause ends where the next keyword begins, or at `;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from whence.errors import UserError

CLAUSES = ("requires", "when_ensured", "when_signaled", "ensures", "signals")
_KEYWORD = re.compile(
    r"\b(changed_behavior|also|requires|when_ensured|when_signaled|ensures|signals)\b"
)
_EXCEPTION = re.compile(r"\s*\(\s*([A-Za-z_](?:\w|\.|::)*)\s*([A-Za-z_]\w*)?\s*\)")


@dataclass(frozen=True, slots=True)
class ContractLine:
    """A line of a contract, without the comment signs, and where it is."""

    file: str
    line: int
    column: int  # from 0, where `text` begins
    text: str
    whole: str  # the whole source line, for messages


@dataclass(frozen=True, slots=True)
class ClauseText:
    """One clause: its keyword and its expression, and where the expression is."""

    keyword: str
    text: str
    exception: str | None  # the type that a signals clause names
    variable: str | None  # the name that it gives to the exception
    lines: tuple[ContractLine, ...]  # all lines of the contract, for places
    offset: int  # of `text` in the joined lines

    def complain(self, what: str, offset: int = 0, hint: str = "") -> NoReturn:
        """Raise an error that shows a place in this clause."""
        complain(self.lines, self.offset + offset, what, hint)


@dataclass(frozen=True, slots=True)
class CaseText:
    """One case of a contract."""

    clauses: tuple[ClauseText, ...]

    def of(self, keyword: str) -> tuple[ClauseText, ...]:
        return tuple(clause for clause in self.clauses if clause.keyword == keyword)


def complain(lines: Sequence[ContractLine], offset: int, what: str, hint: str = "") -> NoReturn:
    """Raise an error that shows the place at `offset` of the joined lines."""
    for line in lines:
        if offset <= len(line.text) or line is lines[-1]:
            column = line.column + min(offset, len(line.text))
            raise UserError(
                f"{line.file}:{line.line}: {what}\n  {line.whole}\n  {' ' * column}^\n"
                f"{hint or 'Correct the contract; docs/contract.md describes the language.'}",
                slug="bad-contract",
            )
        offset -= len(line.text) + 1
    raise AssertionError(what)


def read_cases(lines: Sequence[ContractLine]) -> tuple[CaseText, ...]:
    """Return the cases of a contract."""
    text = "\n".join(line.text for line in lines)
    found = [match for match in _KEYWORD.finditer(text) if not _is_inside(text, match.start())]
    if not found or found[0][1] not in ("changed_behavior", *CLAUSES):
        complain(lines, len(text) - len(text.lstrip()), "a contract begins with changed_behavior")
    cases: list[list[ClauseText]] = []
    if text[: found[0].start()].strip():
        complain(lines, len(text) - len(text.lstrip()), "a contract begins with changed_behavior")
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        _keyword(match, text[match.end() : end], lines, cases)
    for case in cases:
        _check_case(case)
    return tuple(CaseText(tuple(case)) for case in cases)


def _keyword(
    match: re.Match[str], rest: str, lines: Sequence[ContractLine], cases: list[list[ClauseText]]
) -> None:
    keyword = match[1]
    if keyword in ("changed_behavior", "also"):
        if rest.strip(" \t\n;"):
            offset = match.end() + len(rest) - len(rest.lstrip())
            complain(lines, offset, f"{keyword} is followed by a clause: {', '.join(CLAUSES)}")
        if keyword == "changed_behavior":
            cases.append([])
        elif not cases:
            complain(lines, match.start(), "`also` needs a case before it")
        return
    if not cases:  # changed_behavior may be left out in a contract with one case
        cases.append([])
    cases[-1].append(_clause(keyword, rest, match.end(), lines))


def _clause(keyword: str, rest: str, offset: int, lines: Sequence[ContractLine]) -> ClauseText:
    exception = variable = None
    if keyword in ("signals", "when_signaled"):
        found = _EXCEPTION.match(rest)
        if found is None:
            complain(
                lines,
                offset,
                f"{keyword} names the exception in brackets: {keyword} (ValueError e) …",
            )
        exception, variable = found[1], found[2]
        offset, rest = offset + found.end(), rest[found.end() :]
        rest = rest if rest.strip(" \t\n;") else "True"
    text = rest.rstrip(" \t\n;")
    leading = len(text) - len(text.lstrip())
    if not text.strip():
        complain(lines, offset, f"{keyword} has no expression")
    return ClauseText(keyword, text.strip(), exception, variable, tuple(lines), offset + leading)


def _check_case(case: Sequence[ClauseText]) -> None:
    """Refuse a case that says nothing."""
    if case and not any(clause.keyword in CLAUSES for clause in case):
        case[0].complain("this case has no clause")


def _is_inside(text: str, position: int) -> bool:
    """Is a position of the text inside a string literal or brackets?"""
    depth, quote = 0, ""
    for character in text[:position]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
    return bool(quote) or depth > 0


def contract_text_of(lines: Sequence[ContractLine]) -> str:
    """Return the text of a contract for reports."""
    return "\n".join(line.text.strip() for line in lines if line.text.strip())


def contract_blocks(lines: Iterator[ContractLine]) -> Iterator[tuple[ContractLine, ...]]:
    """Yield the lines of each contract: neighbours belong together."""
    block: list[ContractLine] = []
    for line in lines:
        if block and line.line != block[-1].line + 1:
            yield tuple(block)
            block = []
        block.append(line)
    if block:
        yield tuple(block)
