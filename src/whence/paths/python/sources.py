"""Which unknowns are the inputs of a Python run?

The contents of a source are bytes.  A character of a text is the unknown of its byte; it stays an
ASCII character, so that all other characters keep their places.  A character beyond ASCII keeps its
value.  The contents of a literal are: for a str its UTF-8 bytes, for bytes these, for a bool 0 or
1, for everything else (a number, a tuple, list, set or dict) its source text.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping
from typing import Any

import z3

from whence.inputs import InputByte, InputRange, InputSource, SourceKind
from whence.paths.python.values import AnyValue, Held, Number, Real, Text, Truth, exact
from whence.paths.terms import Fact, NumberText, Term, Unknowns

_ASCII = 127
_RETURN = 13  # a text that is read from a file has none: Python makes it a newline
_QUOTED = ((32, 33), (35, 38), (40, 91), (93, 126))  # printable, no quotes and no backslash


class InputValues:
    """The values of the free inputs of one run."""

    def __init__(
        self,
        unknowns: Unknowns,
        contents: Mapping[InputSource, bytes],
        free: Collection[InputSource],
    ) -> None:
        self._unknowns, self._contents, self._free = unknowns, contents, frozenset(free)

    def is_free(self, source: InputSource) -> bool:
        return source in self._free and source in self._contents

    def has(self, byte: InputByte) -> bool:
        return self.is_free(byte.source) and byte.offset < len(self._contents[byte.source])

    def is_value(self, read: InputRange, value: str) -> bool:
        """Do the contents of a source spell this text?"""
        given = self._contents.get(read.source)
        return given is not None and given == value.encode("utf-8", "surrogateescape")

    def spelling(self, read: InputRange) -> str:
        """Return a part of an argument as Python gives it to the program."""
        given = self._contents[read.source][read.start : read.stop]
        return given.decode("utf-8", "surrogateescape")

    def all_bytes(self, source: InputSource) -> list[Number]:
        """Return all bytes of a source, as numbers."""
        found = []
        for offset, known in enumerate(self._contents[source]):
            term = self.byte(InputByte(source, offset), in_bytes=known > _ASCII)
            found.append(Number(term.term, term.unknowns, known))
        return found

    def text(self, read: InputRange, value: str | bytes) -> Text | None:
        """Return bytes of a source as a text; None if it is not the text that was read."""
        given = self._contents[read.source][read.start : read.stop]
        plain = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
        if plain != given:
            return None
        chars, unknowns, at = [], 0, read.start
        for one in value:
            code = one if isinstance(one, int) else ord(one)
            if isinstance(value, bytes) or code <= _ASCII:
                found = self.byte(InputByte(read.source, at), in_bytes=isinstance(value, bytes))
                chars.append(found.term)
                unknowns |= found.unknowns
                at += 1
            else:
                assert isinstance(one, str)
                chars.append(code)
                at += len(one.encode("utf-8", "surrogateescape"))
        return Text(tuple(chars), unknowns, value)

    def byte(self, byte: InputByte, *, in_bytes: bool = False) -> Term:
        """Return the term of an input byte: a number."""
        is_new = byte not in self._unknowns
        recorded = self._contents[byte.source][byte.offset]
        found = self._unknowns.whole(byte, z3.IntSort(), recorded)
        if is_new:
            low = int(byte.source.kind in (SourceKind.ARGUMENT, SourceKind.VARIABLE))
            fact = z3.And(found.term >= low, found.term <= (255 if in_bytes else _ASCII))
            is_read = byte.source.kind in (SourceKind.STDIN, SourceKind.FILE, SourceKind.STREAM)
            if is_read and not in_bytes and recorded != _RETURN:
                fact = z3.And(fact, found.term != _RETURN)
            self._unknowns.add_fact(byte, Fact(fact, found.unknowns))
        return found

    def keep_from(self, byte: InputByte, value: int) -> None:
        """Let a byte never have a value: it would be read in another way."""
        found = self.byte(byte)
        self._unknowns.add_fact(byte, Fact(found.term != value, found.unknowns))

    # --- literals -------------------------------------------------------------------------------

    def literal(self, source: InputSource, value: Any) -> AnyValue:
        """Return the value of a literal whose recorded value is `value`."""
        contents = self._contents[source]
        if isinstance(value, str | bytes):
            found = self.text(InputRange(source, 0, len(contents)), value)
            return value if found is None else found
        if isinstance(value, bool):
            number = self._number(NumberText(source, 0, len(contents)), int(value))
            limits = z3.And(number.term >= 0, number.term <= 1)
            self._unknowns.add_fact(
                NumberText(source, 0, len(contents)), Fact(limits, number.unknowns)
            )
            return Truth(number.term == 1, number.unknowns, value)
        return self._expression(source, ast.parse(contents, mode="eval").body)

    def _expression(self, source: InputSource, node: ast.expr) -> AnyValue:
        """Return the value of a part of a literal's source text, which is one line."""
        assert node.end_col_offset is not None
        text = NumberText(source, node.col_offset, node.end_col_offset)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            kind = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}[type(node)]
            return Held(kind, [self._expression(source, one) for one in node.elts])
        if isinstance(node, ast.Dict):
            parts = [one for pair in zip(node.keys, node.values, strict=True) for one in pair]
            known = [self._expression(source, one) for one in parts if one is not None]
            return Held("dict", known)
        value = ast.literal_eval(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(text, value)
        if isinstance(value, float) and math.isfinite(value):
            return self._real(text, value)
        if isinstance(value, str):
            return self._quoted(text, value)
        return value

    def number(self, read: InputRange, value: float) -> Number | Real:
        """Return the number that a part of a source spells, and that any other one may replace."""
        text = NumberText(read.source, read.start, read.stop)
        return self._number(text, value) if isinstance(value, int) else self._real(text, value)

    def _real(self, text: NumberText, value: float) -> Real:
        found = self._unknowns.whole(text, z3.RealSort(), exact(value))
        return Real(found.term, found.unknowns, value)

    def _number(self, text: NumberText, value: int) -> Number:
        found = self._unknowns.whole(text, z3.IntSort(), value)
        return Number(found.term, found.unknowns, value)

    def _quoted(self, text: NumberText, value: str) -> AnyValue:
        """Return a string inside of a literal; its characters stay plain ones."""
        given = self._contents[text.source][text.start + 1 : text.stop - 1]
        if given != value.encode("utf-8", "surrogatepass") or not value.isascii() or not value:
            return value
        chars, unknowns = [], 0
        for at in range(text.start + 1, text.stop - 1):
            byte = InputByte(text.source, at)
            is_new = byte not in self._unknowns
            found = self.byte(byte)
            if is_new:
                plain = z3.Or([z3.And(found.term >= a, found.term <= b) for a, b in _QUOTED])
                self._unknowns.add_fact(byte, Fact(plain, found.unknowns))
            chars.append(found.term)
            unknowns |= found.unknowns
        return Text(tuple(chars), unknowns, value)


def literal_contents(node: ast.expr) -> bytes:
    """Return the contents of a literal."""
    value = ast.literal_eval(node)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return b"%d" % value
    return ast.unparse(node).encode("ascii", "backslashreplace")


def literal_text(contents: bytes, kind: str) -> str:
    """Return the source text of a literal with these contents; `kind` is the type of its value."""
    if kind == "str":
        return repr(contents.decode("utf-8", "surrogatepass"))
    if kind == "bytes":
        return repr(contents)
    if kind == "bool":
        return str(contents not in (b"0", b""))
    return contents.decode("ascii")
