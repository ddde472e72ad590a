"""What does an operation without a body of its own give on values that inputs decide?

An operation is a builtin operator, a builtin function or a method of a builtin type.  NO_RULE means
that there is no formula: the result is then taken as recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from whence.frontend.python.values import Obj
from whence.paths.python.builtins import BUILTIN_RULES
from whence.paths.python.comparisons import COMPARISON_RULES, as_held
from whence.paths.python.containers import CONTAINER_METHODS
from whence.paths.python.formats import by_format, by_percent
from whence.paths.python.numbers import NUMBER_RULES
from whence.paths.python.regex import looks_around, same_relations
from whence.paths.python.site import NO_RULE, Site
from whence.paths.python.texts import TEXT_METHODS
from whence.paths.python.values import (
    AnyValue,
    Found,
    Held,
    Text,
    is_symbolic,
    recorded_value,
    text_of,
)
from whence.program.operations import PyOp

_SEARCHES = frozenset({"match", "fullmatch", "search"})


def operator(site: Site, op: PyOp, operands: Sequence[AnyValue]) -> AnyValue:
    """Return the value of an operator."""
    rule = NUMBER_RULES.get(op) or COMPARISON_RULES.get(op)
    if op is PyOp.MOD and isinstance(recorded_value(operands[0]), str):
        held = as_held(operands[1])
        is_tuple = held is not None and held.kind == "tuple"
        given = held.items if held is not None and is_tuple else [operands[1]]
        return by_percent(site, operands[0], given)
    if op is PyOp.ADD:
        lists = [as_held(one) for one in operands]
        if all(one is not None and one.kind in ("list", "tuple") for one in lists):
            kinds = {one.kind for one in lists if one is not None}
            items = [item for one in lists if one is not None for item in one.items]
            return Held(kinds.pop(), items) if len(kinds) == 1 else NO_RULE
    return NO_RULE if rule is None else rule(site, *operands)


def builtin(
    site: Site, name: str, arguments: Sequence[AnyValue], keywords: Sequence[str]
) -> AnyValue:
    """Return what a builtin function returned."""
    rule = BUILTIN_RULES.get(name)
    if rule is None or (keywords and name != "print"):
        return NO_RULE
    return _applied(rule, site, *arguments)


def _applied(rule: Any, site: Site, *operands: AnyValue) -> AnyValue:
    """Apply a rule that may not expect so many operands."""
    try:
        return rule(site, *operands)
    except TypeError as error:
        if "positional argument" in str(error):
            return NO_RULE
        raise


def method(
    site: Site, name: str, on: AnyValue, arguments: Sequence[AnyValue], keywords: Sequence[str]
) -> AnyValue:
    """Return what a method of a builtin type returned."""
    plain = recorded_value(on)
    if isinstance(on, Found):
        return _group(site, on, name, arguments)
    if isinstance(plain, Obj) and plain.kind == "module" and plain.shape == "re":
        return _searched(site, name, arguments, keywords)
    if isinstance(plain, Obj) and plain.type == "re.Pattern":
        pattern = _pattern_of(plain)
        return NO_RULE if pattern is None else _found(site, pattern, name, arguments)
    if keywords and name not in ("split", "rsplit"):
        return NO_RULE
    if isinstance(plain, str) and name == "format":
        return by_format(site, on, arguments)
    text = text_of(on)
    if text is not None:
        rule = TEXT_METHODS.get(name)
        if keywords and keywords != ["sep"] and keywords != ["maxsplit"]:
            return NO_RULE
        if keywords == ["maxsplit"] and len(arguments) < 2:
            arguments = [None, *arguments]
        return NO_RULE if rule is None else _applied(rule, site, text, *arguments)
    if isinstance(on, Held):
        rule = CONTAINER_METHODS[on.kind].get(name)
        return NO_RULE if rule is None else _applied(rule, site, on, *arguments)
    return NO_RULE


# --- regular expressions ------------------------------------------------------------------------


def _searched(
    site: Site, name: str, arguments: Sequence[AnyValue], keywords: Sequence[str]
) -> AnyValue:
    if not arguments or not isinstance(arguments[0], str | bytes) or keywords:
        return NO_RULE
    try:
        pattern = re.compile(arguments[0])
    except re.error:
        return NO_RULE
    return _found(site, pattern, name, arguments[1:])


def _pattern_of(value: Obj) -> Any:
    """Return the compiled expression of a recorded pattern object."""
    try:
        given = eval(f"({value.shape},)", {"re": re, "__builtins__": {}})
        return re.compile(*given)
    except (SyntaxError, TypeError, NameError, re.error):
        return None


def _found(site: Site, pattern: Any, name: str, arguments: Sequence[AnyValue]) -> AnyValue:
    text = text_of(arguments[0]) if arguments else None
    start = arguments[1] if len(arguments) == 2 else 0
    if text is None or site.raised or len(arguments) > 2 or type(start) is not int or start < 0:
        return NO_RULE
    if start and (name not in _SEARCHES or looks_around(pattern)):
        return NO_RULE
    if name in _SEARCHES:
        return Found(pattern, name, text.part(start, len(text.chars)), site.result)
    if name not in ("findall", "split"):
        return NO_RULE
    relations = same_relations(pattern, text)
    if relations is None or pattern.groups > (name == "findall"):
        return NO_RULE
    site.shape(relations[0], text.unknowns, relations[1])
    spans = [match.span(pattern.groups) for match in pattern.finditer(text.value)]
    if name == "findall":
        return Held("list", [text.part(*span) for span in spans if span[0] >= 0])
    edges = [0, *(edge for span in spans for edge in span), len(text.chars)]
    return Held("list", [text.part(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)])


def _group(site: Site, found: Found, name: str, arguments: Sequence[AnyValue]) -> AnyValue:
    """Return what a method of a match returned."""
    match = getattr(found.pattern, found.how)(found.text.value)
    relations = same_relations(found.pattern, found.text)
    if match is None or relations is None or any(map(is_symbolic, arguments)):
        return NO_RULE
    site.shape(relations[0], found.text.unknowns, relations[1])

    def text(group: Any) -> Text | None:
        start, stop = match.span(group)
        return None if start < 0 else found.text.part(start, stop)

    given = [recorded_value(one) for one in arguments]
    if name in ("group", "__getitem__"):
        groups = [text(group) for group in given or [0]]
        return groups[0] if len(groups) == 1 else Held("tuple", groups)
    if name == "groups" and not given:
        return Held("tuple", [text(number + 1) for number in range(found.pattern.groups)])
    if name == "groupdict" and not given:
        parts = [part for group in found.pattern.groupindex for part in (group, text(group))]
        return Held("dict", parts)
    return site.result if name in ("start", "end", "span") else NO_RULE
