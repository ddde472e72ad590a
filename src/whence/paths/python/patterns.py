"""When does a pattern of a `match` statement fit a value that inputs decide?"""

from __future__ import annotations

import ast

from whence.paths.python.comparisons import when_equal
from whence.paths.python.formulas import Formula, every, no, some
from whence.paths.python.values import AnyValue


def chosen_case(node: ast.Match, subject: AnyValue, chosen: int) -> Formula | None:
    """Return when a statement chooses the case that it chose; None if there is no formula.

    `chosen` is the number of the case, or the number of cases if none fits.
    """
    if any(case.guard is not None for case in node.cases):
        return None
    fits = [_fits(case.pattern, subject) for case in node.cases[: chosen + 1]]
    if None in fits:
        return None
    before = [no(one) for one in fits[:chosen]]
    return every([*before, *fits[chosen : chosen + 1]])


def _fits(pattern: ast.pattern, subject: AnyValue) -> Formula | None:
    if isinstance(pattern, ast.MatchValue):
        try:
            return when_equal(subject, ast.literal_eval(pattern.value))
        except ValueError:
            return None
    if isinstance(pattern, ast.MatchOr):
        parts = [_fits(one, subject) for one in pattern.patterns]
        return None if None in parts else some(parts)
    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else _fits(pattern.pattern, subject)
    return None
