"""Which unknowns does a term read, and is arithmetic of floats in it?

The terms of a run share most of their parts.  Each part is looked at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import z3


class TermReads(NamedTuple):
    """What is in a term."""

    unknowns: int
    has_reals: bool


class TermReader:
    """Says what is in the terms of one run."""

    def __init__(self) -> None:
        self._known: dict[int, TermReads] = {}  # by the number of a term
        self._alive: list[Any] = []  # numbers are given again otherwise

    def read(self, term: Any) -> TermReads:
        work = [(term, False)]
        while work:
            one, is_ready = work.pop()
            number = one.get_id()
            if number in self._known:
                continue
            children = one.children()
            if children and not is_ready:
                work.append((one, True))
                work += [(child, False) for child in children]
                continue
            self._known[number] = self._joined(one, children)
            self._alive.append(one)
        return self._known[term.get_id()]

    def _joined(self, term: Any, children: list[Any]) -> TermReads:
        kind = term.decl().kind()
        if not children:
            if kind != z3.Z3_OP_UNINTERPRETED:
                return TermReads(0, has_reals=False)
            unknown = 1 << int(term.decl().name().removeprefix("u"))
            return TermReads(unknown, z3.is_real(term))
        unknowns, has_reals = 0, kind == z3.Z3_OP_TO_REAL
        for child in children:
            found = self._known[child.get_id()]
            unknowns |= found.unknowns
            has_reals |= found.has_reals
        return TermReads(unknowns, has_reals)
