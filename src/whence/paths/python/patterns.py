"""When does a pattern of a `match` statement fit a value that inputs decide?"""

from __future__ import annotations

import ast

from whence.frontend.python.values import Obj
from whence.paths.python.comparisons import when_equal
from whence.paths.python.containers import as_items
from whence.paths.python.formulas import Formula, every, no, some
from whence.paths.python.site import NO_RULE
from whence.paths.python.values import AnyValue, Held, Text, is_symbolic, recorded_value


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
    if isinstance(pattern, ast.MatchSingleton):
        value = recorded_value(subject)
        is_known = not is_symbolic(subject) and not isinstance(value, Obj)
        return value is pattern.value if is_known else False if isinstance(subject, Text) else None
    if isinstance(pattern, ast.MatchSequence):
        return _fits_items(pattern, subject)
    return None


def _fits_items(pattern: ast.MatchSequence, subject: AnyValue) -> Formula | None:
    """Return when a sequence fits, item by item; a text is no sequence here."""
    if isinstance(subject, Text | str | bytes):
        return False
    parts = as_items(subject)
    if parts is None or (isinstance(subject, Held) and subject.kind not in ("list", "tuple")):
        return None
    wanted = pattern.patterns
    stars = [at for at, one in enumerate(wanted) if isinstance(one, ast.MatchStar)]
    if len(parts) < len(wanted) - len(stars) or (not stars and len(parts) > len(wanted)):
        return False
    behind = len(wanted) - stars[0] - 1 if stars else 0
    pairs = list(zip(wanted[: stars[0]] if stars else wanted, parts, strict=False))
    if behind:
        pairs += zip(wanted[-behind:], parts[-behind:], strict=True)
    found = [_fits(one, part) for one, part in pairs]
    return None if None in found else every(found)


def bound_value(pattern: ast.pattern, name: str, subject: AnyValue) -> AnyValue:
    """Return what a pattern binds to a name; `NO_RULE` if that is not known."""
    own = getattr(pattern, "name", None)
    if isinstance(pattern, ast.MatchAs):
        inner = pattern.pattern
        return subject if own == name or inner is None else bound_value(inner, name, subject)
    parts = as_items(subject)
    if not isinstance(pattern, ast.MatchSequence) or parts is None:
        return NO_RULE
    wanted = pattern.patterns
    for at, one in enumerate(wanted):
        behind = len(wanted) - at - 1
        if isinstance(one, ast.MatchStar):
            if one.name == name:
                return Held("list", parts[at : len(parts) - behind])
            continue
        is_after = any(isinstance(other, ast.MatchStar) for other in wanted[:at])
        place = len(parts) - behind - 1 if is_after else at
        if name in _names(one) and place < len(parts):
            return bound_value(one, name, parts[place])
    return NO_RULE


def _names(pattern: ast.pattern) -> set[str]:
    """Return the names that a pattern binds."""
    return {name for one in ast.walk(pattern) if (name := getattr(one, "name", None))}
