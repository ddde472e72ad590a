"""Which contract would allow the differences that were seen?

The suggestion is computed from the calls of the test, and from nothing else.  `requires` is the
first simple condition on one parameter that holds for all differing calls and for no other call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from whence.contract.contracts import CallView, SeenCall
from whence.contract.rebuilt import RecordedObject, class_names, rebuilt
from whence.trace.calls import UnknownStateError

_MAX_LITERAL = 60  # characters of a literal in a suggestion; guessed
_METHODS = ("strip", "lstrip", "rstrip", "lower", "upper", "title", "casefold")


def suggestion(calls: Sequence[SeenCall]) -> str | None:
    """Return a contract that the calls seen would keep; None if there is none to suggest."""
    differing = [call.view for call in calls if call.differs]
    others = [call.view for call in calls if not call.differs]
    if not differing:
        return None
    try:
        clauses = [*_when(differing, others), *_then(differing)]
    except (UnknownStateError, RecursionError):
        clauses = []
    return "\n".join(["changed_behavior", *(f"  {clause}" for clause in clauses)])


# --- when -----------------------------------------------------------------------------------------


def _when(differing: Sequence[CallView], others: Sequence[CallView]) -> Iterator[str]:
    """Yield the clauses that say which calls differ."""
    if others:
        conditions = [
            condition
            for name in differing[0].bad.given
            for condition in _separating(name, differing, others)
        ]
        if conditions:
            yield f"requires {min(conditions, key=lambda condition: condition.rank).text}"
    raised = {_exception(view, is_good=True) for view in differing}
    if None not in raised and len(raised) == 1:
        yield f"when_signaled ({raised.pop()}) True"


def _given(view: CallView, name: str) -> Any:
    if name not in view.bad.given:
        return None
    return rebuilt(view.bad_process, view.bad.given[name])


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition on one parameter; of several, the one of the lowest rank says most."""

    rank: int
    text: str
    holds: Callable[[Any], bool]


def _separating(
    name: str, differing: Sequence[CallView], others: Sequence[CallView]
) -> Iterator[_Condition]:
    """Yield conditions on a parameter that hold for all differing calls and for no other."""
    ours, rest = ([_given(view, name) for view in views] for views in (differing, others))
    for condition in (
        *_kinds(name, ours, rest),
        *_literals(name, ours),
        *_orders(name, ours, rest),
    ):
        if all(map(condition.holds, ours)) and not any(map(condition.holds, rest)):
            yield condition


def _kinds(name: str, ours: list[Any], others: list[Any]) -> Iterator[_Condition]:
    """Yield conditions on what a value is."""
    yield _Condition(0, f"{name} is not None", lambda value: value is not None)
    yield _Condition(0, f"{name} is None", lambda value: value is None)
    if not any(isinstance(value, RecordedObject) for value in (*ours, *others)):
        yield _Condition(1, f"bool({name})", _is_true)
        yield _Condition(1, f"not {name}", lambda value: not _is_true(value))
    kinds = {class_names(value)[0] for value in ours}
    if len(kinds) == 1:
        kind = kinds.pop()
        yield _Condition(1, f"isinstance({name}, {kind})", lambda value: kind in class_names(value))


def _literals(name: str, ours: list[Any]) -> Iterator[_Condition]:
    """Yield conditions that compare a value with a literal."""
    first = ours[0]
    if _is_literal(first):
        rank = 5 if type(first) in (int, float) else 2
        yield _Condition(
            rank,
            f"{name} == {first!r}",
            lambda value: type(value) is type(first) and value == first,
        )
    if isinstance(first, str):
        yield from (_containing(name, character) for character in sorted(set(first)))


def _containing(name: str, character: str) -> _Condition:
    def holds(value: Any) -> bool:
        return isinstance(value, str) and character in value

    return _Condition(4, f"{character!r} in {name}", holds)


def _orders(name: str, ours: list[Any], others: list[Any]) -> Iterator[_Condition]:
    """Yield bounds of a number, or of the length of a text or a container."""
    for template, of in (("{}", lambda v: v), ("len({})", len)):
        try:
            measured = [of(value) for value in ours], [of(value) for value in others]
        except (TypeError, UnknownStateError):
            continue
        if all(type(value) in (int, float) for side in measured for value in side):
            yield from _bounds(template.format(name), of, measured)


def _bounds(
    label: str, of: Callable[[Any], Any], measured: tuple[list[Any], list[Any]]
) -> Iterator[_Condition]:
    least, most = min(measured[1]), max(measured[1])
    low, high = min(measured[0]), max(measured[0])
    yield _Condition(3, f"{label} > {most!r}", lambda value: bool(of(value) > most))
    yield _Condition(3, f"{label} < {least!r}", lambda value: bool(of(value) < least))
    yield _Condition(
        6, f"{low!r} <= {label} <= {high!r}", lambda value: bool(low <= of(value) <= high)
    )


def _is_true(value: Any) -> bool:
    try:
        return bool(value)
    except (UnknownStateError, TypeError):
        return False


def _is_literal(value: Any) -> bool:
    return type(value) in (int, float, str, bytes, bool) and len(repr(value)) <= _MAX_LITERAL


# --- then -----------------------------------------------------------------------------------------


def _then(views: Sequence[CallView]) -> Iterator[str]:
    """Yield the clauses that say what the calls do now."""
    raised = {_exception(view, is_good=False) for view in views}
    if None not in raised:
        yield from (f"signals ({name}) True" for name in sorted(filter(None, raised)))
        return
    returning = [view for view in views if view.bad.raised is None]
    found = [rebuilt(view.bad_process, view.bad.result) for view in returning]
    before = [
        rebuilt(view.good_process, view.good.result)
        for view in returning
        if view.good.raised is None
    ]
    if len(before) == len(found) and all(each is None for each in (*before, *found)):
        return  # what differs is no result: a case without clauses allows it
    relation = _relation(before, found) if len(before) == len(found) else None
    if relation is None and _is_literal(found[0]) and all(each == found[0] for each in found):
        relation = f"result == {found[0]!r}"
    yield f"ensures {relation or _kind(found)}"
    yield from (f"signals ({name}) True" for name in sorted(filter(None, raised)))


def _exception(view: CallView, *, is_good: bool) -> str | None:
    process, call = (view.good_process, view.good) if is_good else (view.bad_process, view.bad)
    node = process.node(call.raised)
    return node[1] if node else None


def _relation(before: Sequence[Any], found: Sequence[Any]) -> str | None:
    """Return how the result follows from that of the good version, if a simple rule says it."""
    pairs = list(zip(before, found, strict=True))
    if all(one == other and type(one) is type(other) for one, other in pairs):
        return "result == prev(result)"
    if all(type(value) in (int, float) for pair in pairs for value in pair):
        differences = {other - one for one, other in pairs}
        if len(differences) == 1:
            return f"result == prev(result) + {differences.pop()!r}"
    if all(isinstance(value, str) for pair in pairs for value in pair):
        return _text_relation(pairs)
    are_lists = all(isinstance(value, list) for pair in pairs for value in pair)
    if are_lists and all(sorted(map(repr, a)) == sorted(map(repr, b)) for a, b in pairs):
        return "sorted(result) == sorted(prev(result))"
    return None


def _text_relation(pairs: Sequence[tuple[str, str]]) -> str | None:
    for method in _METHODS:
        if all(getattr(one, method)() == other for one, other in pairs):
            return f"result == prev(result).{method}()"
    one, other = pairs[0]
    if other.startswith(one) and all(b == a + other[len(one) :] for a, b in pairs):
        return f"result == prev(result) + {other[len(one) :]!r}"
    if other.endswith(one) and all(b == other[: len(other) - len(one)] + a for a, b in pairs):
        return f"result == {other[: len(other) - len(one)]!r} + prev(result)"
    return None


def _kind(found: Sequence[Any]) -> str:
    kinds = sorted({class_names(value)[0] for value in found})
    if kinds == ["NoneType"]:
        return "result is None"
    if (
        len(kinds) == 1
        and kinds[0].isidentifier()
        and kinds[0] not in ("NamedObject", "_NotRecorded")
    ):
        return f"isinstance(result, {kinds[0]})"
    return "True"
