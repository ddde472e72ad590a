"""What do containers give whose items, keys or indices inputs decide?

A container has the items of the run, in their order.  An index or a key that inputs decide is a
choice over the items where these are alike, and is taken as recorded elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import z3

from whence.paths.python.comparisons import as_held, less, note_texts, when_equal
from whence.paths.python.formulas import Formula, choice, every, no, some
from whence.paths.python.site import NO_RULE, Rule, Site
from whence.paths.python.values import (
    AnyValue,
    Held,
    Number,
    Real,
    Record,
    Text,
    Truth,
    as_number,
    is_symbolic,
    recorded_value,
    text_of,
    unknowns_of,
)

MAX_TABLE = 256  # items of a container that an index chooses from; guessed


def chosen(pairs: Sequence[tuple[Formula, AnyValue]], value: Any) -> AnyValue:
    """Return the item whose condition holds; NO_RULE if the items are not alike.

    One of the conditions holds.
    """
    items = [item for _, item in pairs]
    if not items or len(items) > MAX_TABLE:
        return NO_RULE
    unknowns = unknowns_of(items)
    texts = [text_of(item) for item in items]
    if isinstance(value, bool):
        terms = [item.term if isinstance(item, Truth) else item for item in items]
        if not all(isinstance(recorded_value(item), bool) for item in items):
            return NO_RULE
        terms = [z3.BoolVal(term) if isinstance(term, bool) else term for term in terms]
        return Truth(_choose(pairs, terms), unknowns, value)
    if isinstance(value, int):
        numbers = [as_number(item) for item in items]
        if any(isinstance(recorded_value(item), bool) for item in items):
            return NO_RULE
        known = [one.term for one in numbers if one is not None]
        if len(known) < len(items):
            return NO_RULE
        return Number(_choose(pairs, known), unknowns, value)
    if isinstance(value, str | bytes):
        alike = [
            one for one in texts
            if one is not None and len(one.chars) == len(value) and type(one.value) is type(value)
        ]  # fmt: skip
        if len(alike) < len(items):
            return NO_RULE
        columns = [_choose(pairs, [one.chars[k] for one in alike]) for k in range(len(value))]
        return Text(tuple(columns), unknowns, value)
    return NO_RULE


def _choose(pairs: Sequence[tuple[Formula, Any]], terms: Sequence[Any]) -> Any:
    found = terms[-1]
    for (condition, _), term in zip(reversed(pairs[:-1]), reversed(terms[:-1]), strict=True):
        if isinstance(term, int) and isinstance(found, int) and term == found:
            continue
        found = choice(condition, term, found)
    return found


def with_unknowns(value: AnyValue, unknowns: int) -> AnyValue:
    """Return a value that rests on more unknowns."""
    if isinstance(value, Number | Truth | Real | Text):
        return replace(value, unknowns=value.unknowns | unknowns)
    return value


# --- items --------------------------------------------------------------------------------------


def item(site: Site, whole: AnyValue, key: AnyValue) -> AnyValue:
    """object[key]"""
    text = text_of(whole)
    if text is not None:
        parts: list[AnyValue] = [text.part(k, k + 1) for k in range(len(text.chars))]
        if isinstance(text.value, bytes):
            parts = [Number(one + z3.IntVal(0), text.unknowns, known)
                     for one, known in zip(text.chars, text.value, strict=True)]  # fmt: skip
        return _at(site, parts, key)
    held = as_held(whole)
    if held is None:
        return NO_RULE
    return _entry(site, held, key) if held.kind == "dict" else _at(site, held.items, key)


def _at(site: Site, items: Sequence[AnyValue], key: AnyValue) -> AnyValue:
    index, size = as_number(key), len(items)
    if index is None:
        return NO_RULE
    if not is_symbolic(key):
        # An index of the run lies outside if code that is not recorded has changed the container.
        is_inside = -size <= index.value < size
        return None if site.raised else items[index.value] if is_inside else NO_RULE
    inside = z3.And(index.term >= -size, index.term < size)
    if not site.defined(inside, index.unknowns, "IndexError", bounds=True):
        return None
    pairs = [(some([index.term == k, index.term == k - size]), one) for k, one in enumerate(items)]
    found = chosen(pairs, site.result)
    if found is NO_RULE:
        site.fixed(key)
        return items[index.value]
    return with_unknowns(found, index.unknowns)


def _entry(site: Site, held: Held, key: AnyValue) -> AnyValue:
    keys, values = held.items[::2], held.items[1::2]
    note_texts(site, key, held)
    equalities = [when_equal(key, one) for one in keys]
    if None in equalities:
        return NO_RULE
    unknowns = unknowns_of([key, *keys])
    if not site.defined(some(equalities), unknowns, "KeyError", bounds=True):
        return None
    found = chosen(list(zip(equalities, values, strict=True)), site.result)
    if found is not NO_RULE:
        return with_unknowns(found, unknowns)
    at = key_place(site, keys, key)
    return NO_RULE if at is None or at < 0 else values[at]


def key_place(site: Site, keys: Sequence[AnyValue], key: AnyValue) -> int | None:
    """Return which of some different keys equals `key`, and pin it; -1: none; None: not known."""
    equalities = [when_equal(key, one) for one in keys]
    if None in equalities:
        return None
    values = [recorded_value(one) for one in keys]
    wanted = recorded_value(key)
    at = next((k for k, one in enumerate(values) if _is_equal(one, wanted)), -1)
    formula = every(map(no, equalities)) if at < 0 else equalities[at]
    site.shape(formula, unknowns_of([key, *keys]), at)
    return at


def _is_equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def cut(site: Site, whole: AnyValue, lower: AnyValue, upper: AnyValue, step: AnyValue) -> AnyValue:
    """object[lower:upper:step]"""
    bounds = slice(*map(recorded_value, (lower, upper, step)))
    site.fixed(lower, upper, step)
    text = text_of(whole)
    if text is not None:
        return Text(text.chars[bounds], text.unknowns, text.value[bounds])
    held = as_held(whole)
    if held is None or held.kind not in ("list", "tuple"):
        return NO_RULE
    return Held(held.kind, held.items[bounds])


def set_item(site: Site, held: Held, key: AnyValue, value: AnyValue) -> AnyValue:
    """object[key] = value"""
    if held.kind == "list":
        index = recorded_value(key)
        if not isinstance(index, int) or site.raised:
            return NO_RULE
        site.fixed(key)
        held.items[index] = value
        return None
    if held.kind != "dict":
        return NO_RULE
    at = key_place(site, held.items[::2], key)
    if at is None:
        return NO_RULE
    if at < 0:
        held.items += [key, value]
    else:
        held.items[2 * at + 1] = value
    return None


def delete_item(site: Site, held: Held, key: AnyValue) -> AnyValue:
    """del object[key]"""
    known = recorded_value(key)
    if held.kind == "list" and isinstance(known, int) and not site.raised:
        site.fixed(key)
        del held.items[known]
        return None
    if held.kind != "dict":
        return NO_RULE
    keys = held.items[::2]
    equalities = [when_equal(key, one) for one in keys]
    if None in equalities:
        return NO_RULE
    unknowns = unknowns_of([key, *keys])
    if not site.defined(some(equalities), unknowns, "KeyError", bounds=True):
        return None
    at = key_place(site, keys, key)
    if at is None or at < 0:
        return NO_RULE
    del held.items[2 * at : 2 * at + 2]
    return None


# --- methods of lists ---------------------------------------------------------------------------


def _append(_: Site, held: Held, value: AnyValue) -> AnyValue:
    held.items.append(value)
    return None


def _extend(_: Site, held: Held, values: AnyValue) -> AnyValue:
    more = as_items(values)
    if more is None:
        return NO_RULE
    held.items += more
    return None


def as_items(value: AnyValue) -> list[AnyValue] | None:
    """Return what iterating over a text or a container gives."""
    text = text_of(value)
    if text is not None and isinstance(text.value, str):
        return [text.part(k, k + 1) for k in range(len(text.chars))]
    if text is not None:
        return [Number(one + z3.IntVal(0), text.unknowns, known)
                for one, known in zip(text.chars, text.value, strict=True)]  # fmt: skip
    held = as_held(value)
    if held is None:
        return None
    return list(held.items[::2] if held.kind == "dict" else held.items)


def _insert(site: Site, held: Held, at: AnyValue, value: AnyValue) -> AnyValue:
    site.fixed(at)
    held.items.insert(recorded_value(at), value)
    return None


def _pop(site: Site, held: Held, at: AnyValue = -1, *default: AnyValue) -> AnyValue:
    if held.kind == "dict":
        place = key_place(site, held.items[::2], at)
        if place is None:
            return NO_RULE
        if place < 0:
            return default[0] if default else None
        _, value = held.items[2 * place : 2 * place + 2]
        del held.items[2 * place : 2 * place + 2]
        return value
    if held.kind != "list" or site.raised:
        return NO_RULE
    site.fixed(at)
    return held.items.pop(recorded_value(at))


def _remove(site: Site, held: Held, value: AnyValue) -> AnyValue:
    place = _first_place(site, held, value)
    if place is None:
        return NO_RULE
    if place >= 0:
        del held.items[place]
    return None


def _first_place(site: Site, held: Held, value: AnyValue) -> int | None:
    """Return the first place of a value in a list, and pin it; -1: it is not there."""
    equalities = [when_equal(value, one) for one in held.items]
    if None in equalities or held.kind == "dict":
        return None
    wanted = recorded_value(value)
    known = [_is_equal(recorded_value(one), wanted) for one in held.items]
    at = known.index(True) if True in known else -1
    before = equalities if at < 0 else equalities[:at]
    formula = every([*map(no, before), *([] if at < 0 else [equalities[at]])])
    raises = site.raised == "ValueError" or site.raised == "KeyError"
    site.shape(formula, unknowns_of([value, *held.items]), at, raises=raises)
    return at


def _place(site: Site, held: Held, value: AnyValue) -> AnyValue:
    return NO_RULE if _first_place(site, held, value) is None else site.result


def _count(site: Site, held: Held, value: AnyValue) -> AnyValue:
    equalities = [when_equal(value, one) for one in held.items]
    if None in equalities:
        return NO_RULE
    ones = [choice(one, 1, 0) for one in equalities]
    total = z3.Sum([z3.IntVal(0), *ones])
    return Number(total, unknowns_of([value, *held.items]), site.result)


def _clear(_: Site, held: Held) -> AnyValue:
    held.items.clear()
    return None


def _reverse(_: Site, held: Held) -> AnyValue:
    held.items.reverse()
    return None


def _copy(_: Site, held: Held) -> AnyValue:
    return Held(held.kind, list(held.items))


def order(site: Site, keys: Sequence[AnyValue]) -> list[int] | None:
    """Return the order in which sorting puts some keys, and pin it; None if it is not known."""
    found = order_of(keys)
    if found is None:
        return None
    site.shape(found[1], unknowns_of(keys), tuple(found[0]))
    return found[0]


def order_of(
    keys: Sequence[AnyValue], *, backwards: bool = False
) -> tuple[list[int], Formula] | None:
    """Return the order in which sorting puts some keys, and when that is their order."""
    try:
        known = [_sortable(one) for one in keys]
        found = sorted(range(len(known)), key=lambda k: known[k], reverse=backwards)
    except TypeError:
        return None
    parts = []
    for a, b in pairwise(found):
        low, high = (b, a) if backwards else (a, b)
        # Equal keys keep their order.
        formula = less(keys[high], keys[low]) if a < b else less(keys[low], keys[high])
        if formula is None:
            return None
        parts.append(no(formula) if a < b else formula)
    return found, every(parts)


def _sortable(value: AnyValue) -> Any:
    """Return what a value was in the run, in a form that Python can compare."""
    is_record = isinstance(value, Record) and value.is_ordered
    held = Held("tuple", value.items) if is_record else as_held(recorded_value(value))
    return recorded_value(value) if held is None else tuple(map(_sortable, held.items))


def _sort(site: Site, held: Held, *given: AnyValue) -> AnyValue:
    found = None if given else order(site, held.items)
    if found is None:
        return NO_RULE
    held.items[:] = [held.items[k] for k in found]
    return None


# --- methods of dicts and sets ------------------------------------------------------------------


def _get(site: Site, held: Held, key: AnyValue, default: AnyValue = None) -> AnyValue:
    if held.kind != "dict":
        return NO_RULE
    keys, values = held.items[::2], held.items[1::2]
    equalities = [when_equal(key, one) for one in keys]
    if None in equalities:
        return NO_RULE
    pairs = [*zip(equalities, values, strict=True), (True, default)]
    found = chosen(pairs, site.result)
    if found is not NO_RULE:
        return with_unknowns(found, unknowns_of([key, *keys]))
    at = key_place(site, keys, key)
    return NO_RULE if at is None else default if at < 0 else values[at]


def _keys(_: Site, held: Held) -> AnyValue:
    return Held("list", list(held.items[::2]))


def _values(_: Site, held: Held) -> AnyValue:
    return Held("list", list(held.items[1::2]))


def _pairs(_: Site, held: Held) -> AnyValue:
    pairs = zip(held.items[::2], held.items[1::2], strict=True)
    return Held("list", [Held("tuple", list(pair)) for pair in pairs])


def _set_default(site: Site, held: Held, key: AnyValue, default: AnyValue = None) -> AnyValue:
    at = key_place(site, held.items[::2], key)
    if at is None:
        return NO_RULE
    if at < 0:
        held.items += [key, default]
        return default
    return held.items[2 * at + 1]


def _add(site: Site, held: Held, value: AnyValue) -> AnyValue:
    at = key_place(site, held.items, value)
    if at is None:
        return NO_RULE
    if at < 0:
        held.items.append(value)
    return None


def _discard(site: Site, held: Held, value: AnyValue) -> AnyValue:
    at = key_place(site, held.items, value)
    if at is None:
        return NO_RULE
    if at >= 0:
        del held.items[at]
    return None


CONTAINER_METHODS: dict[str, dict[str, Rule]] = {
    "list": {
        "append": _append, "extend": _extend, "insert": _insert, "pop": _pop, "remove": _remove,
        "index": _place, "count": _count, "clear": _clear, "reverse": _reverse, "copy": _copy,
        "sort": _sort,
    },
    "tuple": {"index": _place, "count": _count},
    "dict": {
        "get": _get, "keys": _keys, "values": _values, "items": _pairs, "pop": _pop,
        "setdefault": _set_default, "clear": _clear, "copy": _copy,
    },
    "set": {"add": _add, "discard": _discard, "remove": _discard, "clear": _clear, "copy": _copy},
}  # fmt: skip
