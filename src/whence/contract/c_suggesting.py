"""Which contract of a C function would allow the differences that were seen?

As for Python, it is computed from the calls of the test.  Conditions are on one parameter, and
relations on the result and on the memory that differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from whence.contract.contracts import CallView, SeenCall
from whence.trace.calls import Call, WatchedProcess

_MAX_RELATIONS = 3  # relations on memory in one suggestion; guessed
_NULL = "NULL"


def c_suggestion(calls: Sequence[SeenCall]) -> str | None:
    """Return a contract that the calls seen would keep; None if there is none to suggest."""
    differing = [call.view for call in calls if call.differs]
    others = [call.view for call in calls if not call.differs]
    if not differing:
        return None
    clauses = [*_when(differing, others), *_then(differing)]
    return "\n".join(["changed_behavior", *(f"  {clause}" for clause in clauses)])


class _Condition(NamedTuple):
    """A condition on one parameter; of several, the one of the lowest rank says most."""

    rank: int
    text: str
    holds: Callable[[Any], bool]


def _when(differing: Sequence[CallView], others: Sequence[CallView]) -> Iterator[str]:
    """Yield the clause that says which calls differ."""
    found: list[_Condition] = []
    for name in differing[0].bad.given if others else ():
        ours, rest = ([_argument(view, name) for view in views] for views in (differing, others))
        if not name.isidentifier():
            continue
        found += [
            condition
            for condition in _conditions(name, ours, rest)
            if all(map(condition.holds, ours)) and not any(map(condition.holds, rest))
        ]
    if found:
        yield f"requires {min(found, key=lambda condition: condition.rank).text}"


def _argument(view: CallView, name: str) -> Any:
    """Return an argument: a number, NULL, or the text of a string literal."""
    state = view.bad.given.get(name)
    node = view.bad_process.node(state)
    if node is None:
        return ord(state) if isinstance(state, str) and len(state) == 1 else state
    if node[1] == _NULL:
        return None
    return (view.bad.shown or {}).get(name, node[1])


def _conditions(name: str, ours: list[Any], rest: list[Any]) -> Iterator[_Condition]:
    pointers = [value for value in (*ours, *rest) if value is None or isinstance(value, str)]
    if len(pointers) == len(ours) + len(rest):
        yield _Condition(0, f"{name} == NULL", lambda value: value is None)
        yield _Condition(0, f"{name} != NULL", lambda value: value is not None)
        first = ours[0]
        if isinstance(first, str) and first.startswith('"') and not first.endswith('..."'):
            yield _Condition(
                2, f"{name} != NULL && strcmp({name}, {first}) == 0", lambda value: value == first
            )
        return
    if not all(isinstance(value, int | float) for value in (*ours, *rest)):
        return
    first, low, high = ours[0], min(ours), max(ours)
    yield _Condition(1, name, bool)
    yield _Condition(1, f"!{name}", lambda value: not value)
    yield _Condition(2, f"{name} == {_number(first)}", lambda value: bool(value == first))
    most, least = max(rest), min(rest)
    yield _Condition(3, f"{name} > {_number(most)}", lambda value: bool(value > most))
    yield _Condition(3, f"{name} < {_number(least)}", lambda value: bool(value < least))
    yield _Condition(
        4, f"{name} >= {_number(low)} && {name} <= {_number(high)}",
        lambda value: bool(low <= value <= high),
    )  # fmt: skip


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _exception(views: Sequence[CallView]) -> str:
    """Return the type of exception that all calls raise now; `exception` is any."""
    nodes = [view.bad_process.node(view.bad.raised) for view in views]
    names = {node[1] if node is not None else "" for node in nodes}
    name = names.pop()
    is_type = not names and re.fullmatch(r"\w+(?:::\w+)*", name)
    return name if is_type else "exception"


def _then(views: Sequence[CallView]) -> Iterator[str]:
    """Yield the clauses that say what the calls do now."""
    if any(view.bad.raised is not None for view in views):
        if all(view.bad.raised is not None for view in views):
            yield f"signals ({_exception(views)}) true"
        return
    if not all(view.good.has_ended and view.bad.has_ended for view in views):
        return
    relation = _relation("\\result", [
        (_plain(view.good_process, view.good.result), _plain(view.bad_process, view.bad.result))
        for view in views
    ])  # fmt: skip
    if relation:
        yield f"ensures {relation}"
    yield from (f"ensures {text}" for text in _changed_memory(views))


def _plain(process: WatchedProcess, state: Any) -> Any:
    node = process.node(state)
    if node is not None:
        return 0 if node[1] == _NULL else None
    return state


def _relation(name: str, pairs: Sequence[tuple[Any, Any]]) -> str | None:
    """Return how a value follows from that of the good version, if a simple rule says it."""
    if not pairs or not all(isinstance(v, int | float) for pair in pairs for v in pair):
        return None
    previous = f"\\prev({name})"
    if all(one == other for one, other in pairs):
        return f"{name} == {previous}"
    steps = {other - one for one, other in pairs}
    if len(steps) == 1 and len(pairs) > 1:
        step = steps.pop()
        return f"{name} == {previous} {'+' if step > 0 else '-'} {_number(abs(step))}"
    values = {other for _, other in pairs}
    if len(values) == 1:
        return f"{name} == {_number(values.pop())}"
    if all(other > one for one, other in pairs):
        return f"{name} > {previous}"
    return f"{name} < {previous}" if all(other < one for one, other in pairs) else None


def _changed_memory(views: Sequence[CallView]) -> Iterator[str]:
    """Yield relations on memory that differs in every one of the calls."""
    count = 0
    for place in sorted(views[0].bad.around_after):
        if count >= _MAX_RELATIONS or "(new" in place or "<" in place or "{" in place:
            continue
        pairs = [(_left(v.good_process, v.good, place), _left(v.bad_process, v.bad, place))
                 for v in views]  # fmt: skip
        if any(one == other for one, other in pairs):
            continue
        relation = _relation(place, pairs)
        if relation:
            count += 1
            yield relation


def _left(process: WatchedProcess, call: Call, place: str) -> Any:
    """Return what a call left at a place."""
    if place in call.around_after:
        return _plain(process, call.around_after[place])
    return _plain(process, process.state_of(call, place, at_end=True))
