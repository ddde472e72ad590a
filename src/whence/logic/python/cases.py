"""What does an operation give in each case, and when does it raise?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from whence.logic.python.terms import PythonTerm, equal, type_code
from whence.program.operations import COp, PyOp


@dataclass
class Cases:
    """The results of an operation, each with the condition under which it gives them.

    Nothing is said where `given` does not hold.
    """

    cases: list[tuple[Any, PythonTerm]]  # (condition, result); no condition: always
    raises: Any = None  # the condition under which the operation raises
    error: str = ""  # the type of the exception that it raises then
    given: Any = None  # the condition under which all of this is known

    def constraint(self, result: PythonTerm) -> Any:
        """Return the constraint that `result` is what the operation gives, or None if unknown."""
        is_raised = result.sort == "exception"
        found = self._raised(result) if is_raised else self._returned(result)
        return found if found is None or self.given is None else z3.Implies(self.given, found)

    def _raised(self, result: PythonTerm) -> Any:
        if self.raises is None:
            return None
        # Where the operation does not raise, the result is an exception of no type.
        kind = z3.If(self.raises, type_code(self.error), type_code(""))
        return result.parts[0].z3 == kind

    def _returned(self, result: PythonTerm) -> Any:
        agreeing = [
            _agree(term, result)
            if condition is None
            else z3.Implies(condition, _agree(term, result))
            for condition, term in self.cases
            if term.sort == result.sort and len(term.parts) == len(result.parts)
        ]
        if not agreeing:
            return None
        found = z3.And(agreeing)
        return found if self.raises is None else z3.Implies(z3.Not(self.raises), found)


def _agree(found: PythonTerm, result: PythonTerm) -> Any:
    """Return the constraint that two terms are equal; items of different sorts are left out."""
    if found.sort != "tuple":
        return equal(found, result)
    both = zip(found.parts, result.parts, strict=True)
    return z3.And([equal(one, other) for one, other in both if one.sort == other.sort])


# By operation: the rule gets the operation and its operands; None if nothing is known.
Rules = dict[COp | PyOp, Callable[..., Cases | PythonTerm | None]]
