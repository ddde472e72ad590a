"""What is the value of a step that read input?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whence.frontend.python.values import Obj, items
from whence.inputs import InputByte, InputRange, SourceKind
from whence.paths.python.formulas import Formula, every
from whence.paths.python.options import PARSERS
from whence.paths.python.site import Site
from whence.paths.python.sources import InputValues
from whence.paths.python.values import AnyValue, Held, Options, Text, unknowns_of

_NEWLINE = 10
_LINES = frozenset({"readline", "__next__", "next", "input", "readlines"})


def read_value(
    site: Site, inputs: InputValues, ranges: Sequence[InputRange], how: str
) -> AnyValue | None:
    """Return what a step read by the method `how`; None if no free input is in it."""
    free = [one for one in ranges if inputs.is_free(one.source)]
    if not free:
        return None
    value = site.result
    if isinstance(value, str | bytes) and len(ranges) == 1:
        found = inputs.text(ranges[0], value)
        if found is not None:
            _keep_line(site, inputs, ranges[0], found, how)
            return found
    if isinstance(value, Obj) and value.kind == "tuple":
        found_tuple = _numbered(site, inputs, ranges, items(value) or (), how)
        if found_tuple is not None:
            return found_tuple
    texts = items(value) if isinstance(value, Obj) and value.kind == "list" else None
    if texts is not None:
        listed = _listed(site, inputs, ranges, texts, how)
        if listed is not None:
            return listed
    if how in PARSERS:
        return _parsed(site, inputs, free, value, how)
    return _pinned(site, inputs, free, value)


def _parsed(
    site: Site, inputs: InputValues, ranges: Sequence[InputRange], value: Any, how: str
) -> AnyValue:
    """Return the options that a parser found in the arguments."""
    parts: list[AnyValue] = []
    for one in ranges:
        parts += inputs.all_bytes(one.source)
    whole = unknowns_of([site.pinned(how, parts, None)])
    choice = f"the choice of {how} which argument is for which option"
    made = unknowns_of([site.pinned(choice, [], None)])
    if isinstance(value, Obj) and value.kind == "tuple":
        found = items(value) or ()  # parse_known_args also returns the arguments that are left
        return Held("tuple", [Options(whole, one, tuple(ranges), made) for one in found])
    return Options(whole, value, tuple(ranges), made)


def _keep_line(site: Site, inputs: InputValues, read: InputRange, text: Text, how: str) -> None:
    """Add the condition that a line ends where it ended."""
    is_stream = read.source.kind in (SourceKind.STDIN, SourceKind.FILE)
    if how not in _LINES or not is_stream or not text.chars:
        return
    parts: list[Formula] = []
    unknowns = text.unknowns
    for char, known in zip(text.chars, text.value, strict=True):
        is_end = known in ("\n", _NEWLINE)
        if not isinstance(char, int):
            parts.append(char == _NEWLINE if is_end else char != _NEWLINE)
    if how == "input" and inputs.has(InputByte(read.source, read.stop)):
        end = inputs.byte(InputByte(read.source, read.stop))
        parts.append(end.term == _NEWLINE)
        unknowns |= end.unknowns
    ends = text.value[-1:] in ("\n", b"\n")
    site.shape(every(parts), unknowns, (len(text.chars), ends))


def _numbered(
    site: Site, inputs: InputValues, ranges: Sequence[InputRange], parts: Sequence[Any], how: str
) -> Held | None:
    """Return a line with what stands beside it, as `enumerate(file)` yields it."""
    texts = [at for at, one in enumerate(parts) if isinstance(one, str | bytes)]
    if len(texts) != 1 or len(ranges) != 1:
        return None
    line = inputs.text(ranges[0], parts[texts[0]])
    if line is None:
        return None
    _keep_line(site, inputs, ranges[0], line, how)
    return Held("tuple", [line if at == texts[0] else one for at, one in enumerate(parts)])


def _listed(
    site: Site, inputs: InputValues, ranges: Sequence[InputRange], texts: Sequence[Any], how: str
) -> Held | None:
    """Return a list of arguments, or of the lines of a file."""
    found: list[AnyValue] = []
    if len(ranges) == 1 and ranges[0].source.kind in (SourceKind.STDIN, SourceKind.FILE):
        at = ranges[0].start
        for one in texts:
            if not isinstance(one, str | bytes):
                return None
            size = len(one.encode("utf-8", "surrogateescape") if isinstance(one, str) else one)
            line = inputs.text(InputRange(ranges[0].source, at, at + size), one)
            if line is None:
                return None
            _keep_line(site, inputs, InputRange(ranges[0].source, at, at + size), line, how)
            found.append(line)
            at += size
        return Held("list", found)
    rest = list(ranges)
    for one in texts:
        while rest and isinstance(one, str) and not inputs.is_value(rest[0], one):
            rest.pop(0)
        if not rest or not isinstance(one, str):
            return None
        own = rest.pop(0)
        found.append(inputs.text(own, one) if inputs.is_free(own.source) else one)
    return Held("list", found)


def _pinned(site: Site, inputs: InputValues, ranges: Sequence[InputRange], value: Any) -> AnyValue:
    """Return a value as recorded that rests on all of these inputs."""
    parts: list[AnyValue] = []
    for one in ranges:
        parts += inputs.all_bytes(one.source)
    return site.pinned("reading the input", parts, value)
