"""What do the cases of a contract say about a call?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from whence.contract.clauses import (
    CaseText,
    ClauseText,
    ContractLine,
    contract_text_of,
    read_cases,
)
from whence.contract.contracts import CallView, CaseOutcome
from whence.trace.calls import Call, UnknownStateError, WatchedProcess

_ANY_EXCEPTION = ("Exception", "BaseException", "exception")


class Clause(Protocol):
    """A clause of a contract, in the language of the program."""

    @property
    def text(self) -> ClauseText: ...

    def holds(self, view: CallView) -> bool:
        """Does the clause hold for a call?  UnknownStateError: it cannot be said."""

    @property
    def normal(self) -> str:
        """The expression without its layout."""

    @property
    def demanded(self) -> str | None:
        """The constant that the clause demands as the result, if it does."""


@dataclass(frozen=True)
class ContractCase:
    """One case: when it fits a call, and what it then demands."""

    text: CaseText
    clauses: tuple[Clause, ...]

    def of(self, keyword: str) -> list[Clause]:
        return [clause for clause in self.clauses if clause.text.keyword == keyword]

    def fits(self, view: CallView) -> bool:
        """Does the case speak about this call?"""
        if not all(clause.holds(view) for clause in self.of("requires")):
            return False
        ensured, signaled = self.of("when_ensured"), self.of("when_signaled")
        if view.good.raised is None:
            # Only `when_signaled`: the case is about calls that raised.
            return (bool(ensured) or not signaled) and all(each.holds(view) for each in ensured)
        if not signaled:
            return not ensured
        return _signals(signaled, view, view.good_process, view.good)

    def broken(self, view: CallView) -> Clause | None:
        """Return the clause that a call breaks; None if it breaks none."""
        ensures, signals = self.of("ensures"), self.of("signals")
        if view.bad.raised is None:
            demanding = [clause for clause in signals if not _forbids(clause)]
            if demanding and not ensures:
                return demanding[0]
            return next((clause for clause in ensures if not clause.holds(view)), None)
        if not signals:
            return ensures[0] if ensures else None
        for clause in signals:
            if _is_of(view.bad_process, view.bad, clause) and not clause.holds(view):
                return clause
        fitting = [clause for clause in signals if _is_of(view.bad_process, view.bad, clause)]
        forbidding = all(_forbids(clause) for clause in signals)
        return None if fitting or (forbidding and not ensures) else signals[0]


@dataclass(frozen=True)
class CaseContract:
    """The cases of one function."""

    text: str
    cases: tuple[ContractCase, ...]

    def check(self, view: CallView) -> CaseOutcome | None:
        """Return what the cases that fit a call say about it; None if no case fits."""
        fits = False
        try:
            for case in self.cases:
                if case.fits(view):
                    fits = True
                    clause = case.broken(view)
                    if clause is not None:
                        return CaseOutcome(
                            False, f"`{clause.text.keyword} {_head(clause)}` does not hold"
                        )
        except UnknownStateError:
            return CaseOutcome(False, is_known=False)
        return CaseOutcome(True) if fits else None


def read_contract(
    lines: Sequence[ContractLine], compile_clause: Callable[[ClauseText], Clause]
) -> CaseContract:
    """Return the contract that some lines spell."""
    cases = tuple(
        ContractCase(case, tuple(compile_clause(clause) for clause in case.clauses))
        for case in read_cases(lines)
    )
    _check_contradictions(cases)
    return CaseContract(contract_text_of(lines), cases)


def _head(clause: Clause) -> str:
    exception = clause.text.exception
    return f"({exception}) {clause.text.text}" if exception else clause.text.text


def _forbids(clause: Clause) -> bool:
    """Does a clause say that an exception must not be raised?"""
    return clause.text.text in ("False", "false")


def _is_of(process: WatchedProcess, call: Call, clause: Clause) -> bool:
    """Is the exception of a call of the type that a clause names?"""
    node = process.node(call.raised)
    name = node[1] if node else ""
    wanted = _unqualified(clause.text.exception or "")
    classes = map(_unqualified, process.classes.get(name, (name,)))
    return wanted in classes or wanted in _ANY_EXCEPTION


def _unqualified(name: str) -> str:
    return name.rpartition("::")[2].rpartition(".")[2]


def _signals(
    clauses: Sequence[Clause], view: CallView, process: WatchedProcess, call: Call
) -> bool:
    """Is the exception of a call of a named type, and do the clauses of its types hold?"""
    fitting = [clause for clause in clauses if _is_of(process, call, clause)]
    return bool(fitting) and all(clause.holds(view) for clause in fitting)


def _check_contradictions(cases: Sequence[ContractCase]) -> None:
    """Refuse two cases that fit the same calls and demand two different results."""
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for case in cases:
        key = tuple(sorted(
            f"{clause.text.keyword} {clause.text.exception} {clause.normal}"
            for clause in case.clauses if clause.text.keyword not in ("ensures", "signals")
        ))  # fmt: skip
        for clause in case.of("ensures"):
            value = clause.demanded
            if value is None:
                continue
            if key in seen and seen[key][0] != value:
                clause.text.complain(
                    f"two cases contradict each other: they fit the same calls, and one demands "
                    f"{seen[key][0]}, the other {value} as the result"
                )
            seen[key] = (value, clause.text.text)
