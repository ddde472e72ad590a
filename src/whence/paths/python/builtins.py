"""What do the builtin functions of Python give on values that inputs decide?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.paths.python.comparisons import as_truth, less, truth_of
from whence.paths.python.containers import as_items, order, order_of
from whence.paths.python.conversions import to_float, to_int, to_str
from whence.paths.python.formulas import every, no, some
from whence.paths.python.numbers import NUMBER_RULES, number
from whence.paths.python.site import NO_RULE, Rule, Site
from whence.paths.python.values import (
    AnyValue,
    Counted,
    Held,
    Number,
    Real,
    Text,
    as_number,
    as_real,
    is_symbolic,
    recorded_value,
    text_of,
    unknowns_of,
)
from whence.program.operations import PyOp


def _absolute(site: Site, value: AnyValue) -> AnyValue:
    if isinstance(value, Real):
        return Real(z3.If(value.term >= 0, value.term, -value.term), value.unknowns, site.result)
    known = as_number(value)
    if known is None:
        return NO_RULE
    return number(z3.If(known.term >= 0, known.term, -known.term), known, value=abs(known.value))


def _extreme(wants_less: bool) -> Rule:
    def rule(site: Site, *given: AnyValue) -> AnyValue:
        values = as_items(given[0]) if len(given) == 1 else list(given)
        if not values or site.raised:
            return NO_RULE
        numbers = [as_number(one) for one in values]
        if None not in numbers and isinstance(site.result, int):
            return _extreme_number(numbers, wants_less)
        return _extreme_value(site, values, wants_less)

    return rule


def _extreme_number(numbers: Sequence[Any], wants_less: bool) -> Number:
    found: Number = numbers[0]
    for one in numbers[1:]:
        is_better = one.term < found.term if wants_less else one.term > found.term
        value = min(found.value, one.value) if wants_less else max(found.value, one.value)
        found = number(z3.If(is_better, one.term, found.term), one, found, value=value)
    return found


def _extreme_value(site: Site, values: Sequence[AnyValue], wants_less: bool) -> AnyValue:
    """Pin which of some values is the least or the greatest; of equal ones it is the first."""
    ranked = order_of(values, backwards=not wants_less)
    if ranked is None:
        return NO_RULE
    at = ranked[0][0]
    parts = []
    for k, one in enumerate(values):
        a, b = (one, values[at]) if wants_less else (values[at], one)
        formula = less(a, b) if k > at else less(b, a)
        if formula is None:
            return NO_RULE
        if k != at:
            parts.append(no(formula) if k > at else formula)
    site.shape(every(parts), unknowns_of(values), at)
    return values[at]


def _total(site: Site, values: AnyValue, start: AnyValue = 0) -> AnyValue:
    items = as_items(values)
    if items is None:
        return NO_RULE
    numbers = [as_number(one) for one in [start, *items]]
    known = [one for one in numbers if one is not None]
    if len(known) == len(numbers):
        total = z3.Sum([one.term for one in known])
        return number(total, *known, value=sum(one.value for one in known))
    reals = [one for one in map(as_real, [start, *items]) if one is not None]
    if len(reals) < len(numbers):
        return NO_RULE
    return Real(z3.Sum([one.term for one in reals]), unknowns_of(reals), site.result)


def _quantified(join: Callable[[Any], Any]) -> Rule:
    def rule(site: Site, values: AnyValue) -> AnyValue:
        items = as_items(values)
        truths = [None] if items is None else [truth_of(one) for one in items]
        if None in truths or not isinstance(site.result, bool):
            return NO_RULE
        return as_truth(join(truths), unknowns_of(items or ()), site.result)

    return rule


def _sorted(site: Site, values: AnyValue, *given: AnyValue) -> AnyValue:
    items = as_items(values)
    found = None if items is None or given else order(site, items)
    if items is None or found is None:
        return NO_RULE
    return Held("list", [items[k] for k in found])


def _listed(kind: str) -> Rule:
    def rule(_: Site, values: AnyValue = None) -> AnyValue:
        items = as_items(values)
        return NO_RULE if items is None else Held(kind, items)

    return rule


def _reversed(_: Site, values: AnyValue) -> AnyValue:
    items = as_items(values)
    return NO_RULE if items is None else Held("list", items[::-1])


def _enumerated(site: Site, values: AnyValue, start: AnyValue = 0) -> AnyValue:
    items, first = as_items(values), as_number(start)
    if items is None or first is None:
        return NO_RULE
    site.fixed(start)
    return Held("list", [Held("tuple", [first.value + k, one]) for k, one in enumerate(items)])


def _zipped(_: Site, *columns: AnyValue) -> AnyValue:
    items = [as_items(one) for one in columns]
    known = [one for one in items if one is not None]
    if len(known) < len(items):
        return NO_RULE
    return Held("list", [Held("tuple", list(row)) for row in zip(*known, strict=False)])


def _length(site: Site, value: AnyValue) -> AnyValue:
    if isinstance(value, Counted):
        gap = value.stop.term - value.start.term
        if value.step != 1:
            return NO_RULE
        return Number(z3.If(gap > 0, gap, 0), value.unknowns, site.result)
    return site.result


def _code(site: Site, value: AnyValue) -> AnyValue:
    text = text_of(value)
    if text is None or len(text.chars) != 1:
        return NO_RULE
    return Number(text.chars[0] + z3.IntVal(0), text.unknowns, site.result)


def _character(site: Site, value: AnyValue) -> AnyValue:
    known = as_number(value)
    if known is None:
        return NO_RULE
    if site.raised or known.value > 127:
        return NO_RULE
    site.shape(z3.And(known.term >= 0, known.term <= 127), known.unknowns, "ascii", raises=True)
    return Text((known.term,), known.unknowns, site.result)


def _truth(site: Site, value: AnyValue = False) -> AnyValue:
    found = truth_of(value)
    if found is None or not isinstance(site.result, bool):
        return NO_RULE
    return as_truth(found, unknowns_of([value]), site.result)


def _range(site: Site, *given: AnyValue) -> AnyValue:
    numbers = [as_number(one) for one in given]
    known = [one for one in numbers if one is not None]
    if len(known) < len(given) or not known:
        return NO_RULE
    zero = Number(z3.IntVal(0), 0, 0)
    start, stop = (zero, known[0]) if len(known) == 1 else (known[0], known[1])
    step = 1
    if len(known) == 3:
        site.fixed(given[2])
        step = known[2].value
    return NO_RULE if not step else Counted(start, stop, step, site.result)


def _divided(site: Site, a: AnyValue, b: AnyValue) -> AnyValue:
    whole = NUMBER_RULES[PyOp.FLOORDIV](site, a, b)
    if whole in (NO_RULE, None):
        return whole
    rest = NUMBER_RULES[PyOp.MOD](site, a, b)
    return Held("tuple", [whole, rest])


def _power(site: Site, a: AnyValue, b: AnyValue, *more: AnyValue) -> AnyValue:
    return NO_RULE if more else NUMBER_RULES[PyOp.POW](site, a, b)


def _rounded(_: Site, value: AnyValue, *more: AnyValue) -> AnyValue:
    if isinstance(value, Number) and not more:
        return value
    return NO_RULE


def _of_type(site: Site, *_: AnyValue) -> AnyValue:
    """The types of values are those of the run."""
    return site.result


def _nothing(*_: AnyValue) -> AnyValue:
    return None


def by_key(site: Site, name: str, items: Sequence[AnyValue], keys: Sequence[AnyValue]) -> AnyValue:
    """Return what `sorted`, `min` or `max` returned with a key function."""
    if len(items) != len(keys) or not items:
        return NO_RULE
    if name == "sorted":
        found = order(site, keys)
        return NO_RULE if found is None else Held("list", [items[k] for k in found])
    ranked = order_of(keys, backwards=name == "max")
    if ranked is None or _extreme_value(site, keys, name == "min") is NO_RULE:
        return NO_RULE
    return items[ranked[0][0]]


def mapped(site: Site, name: str, values: AnyValue) -> AnyValue:
    """Return what `map` gives for a builtin function."""
    items, rule = as_items(values), BUILTIN_RULES.get(name)
    function = _MAPPED.get(name)
    if items is None or rule is None or function is None:
        return NO_RULE
    found = []
    for one in items:
        try:
            result = function(recorded_value(one))
        except ValueError:
            return NO_RULE
        found.append(rule(site.for_result(result), one) if is_symbolic(one) else result)
    return NO_RULE if any(one is NO_RULE for one in found) else Held("list", found)


_MAPPED: dict[str, Callable[[Any], Any]] = {
    "int": int, "float": float, "str": str, "ord": ord, "len": len, "abs": abs, "bool": bool,
}  # fmt: skip
BUILTIN_RULES: dict[str, Rule] = {
    "abs": _absolute, "min": _extreme(wants_less=True), "max": _extreme(wants_less=False),
    "sum": _total, "any": _quantified(some), "all": _quantified(every), "sorted": _sorted,
    "list": _listed("list"), "tuple": _listed("tuple"), "reversed": _reversed,
    "iter": _listed("list"), "enumerate": _enumerated, "zip": _zipped, "len": _length,
    "ord": _code, "chr": _character, "bool": _truth, "int": to_int, "float": to_float,
    "str": to_str, "range": _range, "divmod": _divided, "pow": _power, "round": _rounded,
    "isinstance": _of_type, "type": _of_type, "callable": _of_type, "issubclass": _of_type,
    "id": _of_type, "print": _nothing,
}  # fmt: skip
