"""What does the contract of a Python function say about a call?"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from whence.contract.clauses import CaseText, ContractLine, contract_text_of, read_cases
from whence.contract.contracts import CallView, CaseOutcome
from whence.contract.python_clauses import KnownNames, PythonClause, compile_clause
from whence.contract.rebuilt import NotRecordedError
from whence.trace.calls import Call, WatchedProcess

_ANY_EXCEPTION = ("Exception", "BaseException")


@dataclass(frozen=True)
class ContractCase:
    """One case: when it fits a call, and what it then demands."""

    text: CaseText
    clauses: tuple[PythonClause, ...]

    def of(self, keyword: str) -> list[PythonClause]:
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

    def broken(self, view: CallView) -> PythonClause | None:
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
class PythonContract:
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
        except NotRecordedError:
            return CaseOutcome(False, is_known=False)
        return CaseOutcome(True) if fits else None


def read_contract(lines: Sequence[ContractLine], known: KnownNames) -> PythonContract:
    """Return the contract that some lines spell."""
    cases = tuple(
        ContractCase(case, tuple(compile_clause(clause, known) for clause in case.clauses))
        for case in read_cases(lines)
    )
    _check_contradictions(cases)
    return PythonContract(contract_text_of(lines), cases)


def _head(clause: PythonClause) -> str:
    exception = clause.text.exception
    return f"({exception}) {clause.text.text}" if exception else clause.text.text


def _forbids(clause: PythonClause) -> bool:
    """Does a clause say that an exception must not be raised?"""
    return clause.text.text in ("False", "false")


def _is_of(process: WatchedProcess, call: Call, clause: PythonClause) -> bool:
    """Is the exception of a call of the type that a clause names?"""
    node = process.node(call.raised)
    name = node[1] if node else ""
    wanted = (clause.text.exception or "").rpartition(".")[2]
    return wanted in process.classes.get(name, (name,)) or wanted in _ANY_EXCEPTION


def _signals(
    clauses: Sequence[PythonClause], view: CallView, process: WatchedProcess, call: Call
) -> bool:
    """Is the exception of a call of a named type, and do the clauses of its types hold?"""
    fitting = [clause for clause in clauses if _is_of(process, call, clause)]
    return bool(fitting) and all(clause.holds(view) for clause in fitting)


def _check_contradictions(cases: Sequence[ContractCase]) -> None:
    """Refuse two cases that fit the same calls and demand two different results."""
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for case in cases:
        key = tuple(sorted(
            f"{clause.text.keyword} {clause.text.exception} {_normal(clause.text.text)}"
            for clause in case.clauses if clause.text.keyword not in ("ensures", "signals")
        ))  # fmt: skip
        for clause in case.of("ensures"):
            value = _demanded(clause.text.text)
            if value is None:
                continue
            if key in seen and seen[key][0] != value:
                clause.text.complain(
                    f"two cases contradict each other: they fit the same calls, and one demands "
                    f"{seen[key][0]}, the other {value} as the result"
                )
            seen[key] = (value, clause.text.text)


def _normal(text: str) -> str:
    return ast.dump(ast.parse(f"({text.replace(chr(92), ' ')}\n)", mode="eval"))


def _demanded(text: str) -> str | None:
    """Return the constant that a clause demands as the result, if it does."""
    tree = ast.parse(f"({text.replace(chr(92), ' ')}\n)", mode="eval").body
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], ast.Eq):
        left, right = tree.left, tree.comparators[0]
        if isinstance(left, ast.Name) and left.id == "result" and isinstance(right, ast.Constant):
            return repr(right.value)
    return None
