"""Which instruction is a line of one of the commonest shapes?

Nine instructions in ten have one of these shapes.  One regular expression reads each shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from whence.frontend.c.ir import VOID, Instruction, Int, IntType, Label, Type, Typed
from whence.frontend.c.tokens import LABEL, PTR, IRTokens

BOOL = IntType(1)
ONE = Typed(IntType(32), Int(1))
INTEGER_OPERATIONS = (
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or",
    "xor",
)  # fmt: skip

_HEAD = re.compile(r'  (?:%(?:[-\w.$]+|"[^"]*") = )?(\w+)')
_NAME = r"[-\w.$]+"
_TYPE = rf"(?:i\d+|ptr|float|double|%{_NAME}|\[\d+ x (?:i\d+|ptr|%{_NAME})\])"
_SCALAR = r"(?:i\d+|ptr)"
_VALUE = rf"(?:[%@]{_NAME}|-?\d+|true|false|null)"
_END = r"(?:, !dbg !(\d+))?$"
_LOOP_END = r"(?:, !dbg !(\d+))?(?:, !llvm\.loop !\d+)?$"
_LOAD = re.compile(rf"  %({_NAME}) = load ({_TYPE}), (ptr [%@]{_NAME}), align \d+{_END}")
_STORE = re.compile(rf"  store ({_SCALAR} {_VALUE}), (ptr [%@]{_NAME}), align \d+{_END}")
_ALLOCA = re.compile(rf"  %({_NAME}) = alloca ({_TYPE}), align \d+{_END}")
_BRANCH = re.compile(
    rf"  br (?:(i1 {_VALUE}), )?label %({_NAME})(?:, label %({_NAME}))?{_LOOP_END}"
)
_COMPARE = re.compile(rf"  %({_NAME}) = icmp (\w+) ({_SCALAR}) ({_VALUE}), ({_VALUE}){_END}")
_ADDRESS = re.compile(
    rf"  %({_NAME}) = getelementptr (?:inbounds |nusw |nuw )*({_TYPE}), (ptr [%@]{_NAME}), "
    rf"(i\d+ {_VALUE})(?:, (i\d+ {_VALUE}))?{_END}"
)
_BINARY = re.compile(
    rf"  %({_NAME}) = (\w+) (?:nuw |nsw |exact |disjoint )*(i\d+) ({_VALUE}), ({_VALUE}){_END}"
)
_CAST = re.compile(rf"  %({_NAME}) = (\w+) (?:nneg |nuw |nsw )*(i\d+ {_VALUE}) to (i\d+){_END}")


class _Operands(dict[str, Typed]):
    """Maps texts to operands; a module has few distinct texts, and each is read once."""

    def __init__(self) -> None:
        self._kinds: dict[str, Type] = {}
        self._labels: dict[str, Typed] = {}

    def __missing__(self, text: str) -> Typed:
        found = self[text] = IRTokens(text, 0).typed()
        return found

    def type(self, text: str) -> Type:
        found = self._kinds.get(text)
        if found is None:
            found = self._kinds[text] = IRTokens(text, 0).type()
        return found

    def label(self, name: str) -> Typed:
        found = self._labels.get(name)
        if found is None:
            found = self._labels[name] = Typed(LABEL, Label(name))
        return found


Build = Callable[[re.Match[str], int], Instruction]


class CommonShapes:
    """Reads lines of the commonest shapes."""

    def __init__(self) -> None:
        self._typed = _Operands()
        self._shape: dict[str, tuple[re.Pattern[str], Build]] = {
            "load": (_LOAD, self._load),
            "store": (_STORE, self._store),
            "alloca": (_ALLOCA, self._alloca),
            "br": (_BRANCH, self._branch),
            "icmp": (_COMPARE, self._compare),
            "getelementptr": (_ADDRESS, self._address),
            **dict.fromkeys(INTEGER_OPERATIONS, (_BINARY, self._binary)),
            **dict.fromkeys(("sext", "zext", "trunc"), (_CAST, self._cast)),
        }

    def match(self, text: str) -> tuple[Build, re.Match[str]] | None:
        """Return the builder of a line's instruction and its match; None for other shapes."""
        head = _HEAD.match(text)
        shape = self._shape.get(head[1]) if head else None
        if shape is None:
            return None
        pattern, build = shape
        match = pattern.match(text)
        return (build, match) if match else None

    def _load(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, pointer, location = match.groups()
        operands = (self._typed[pointer],)
        where = None if location is None else int(location)
        return Instruction("load", self._typed.type(kind), operands, at, 1, result, where)

    def _store(self, match: re.Match[str], at: int) -> Instruction:
        value, pointer, location = match.groups()
        operands = (self._typed[value], self._typed[pointer])
        where = None if location is None else int(location)
        return Instruction("store", VOID, operands, at, 1, None, where)

    def _alloca(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, location = match.groups()
        where = None if location is None else int(location)
        element = self._typed.type(kind)
        return Instruction("alloca", PTR, (ONE,), at, 1, result, where, element)

    def _branch(self, match: re.Match[str], at: int) -> Instruction:
        condition, first, second, location = match.groups()
        where = None if location is None else int(location)
        label = self._typed.label
        operands: tuple[Typed, ...] = (label(first),)
        if condition is not None:
            operands = (self._typed[condition], label(first), label(second))
        return Instruction("br", VOID, operands, at, 1, None, where)

    def _compare(self, match: re.Match[str], at: int) -> Instruction:
        result, predicate, kind, a, b, location = match.groups()
        operands = (self._typed[f"{kind} {a}"], self._typed[f"{kind} {b}"])
        where = None if location is None else int(location)
        return Instruction("icmp", BOOL, operands, at, 1, result, where, None, predicate)

    def _address(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, pointer, first, second, location = match.groups()
        where = None if location is None else int(location)
        typed = self._typed
        operands: tuple[Typed, ...] = (typed[pointer], typed[first])
        if second is not None:
            operands = (*operands, typed[second])
        element = typed.type(kind)
        return Instruction("getelementptr", PTR, operands, at, 1, result, where, element)

    def _binary(self, match: re.Match[str], at: int) -> Instruction:
        result, opcode, kind, a, b, location = match.groups()
        first = self._typed[f"{kind} {a}"]
        operands = (first, self._typed[f"{kind} {b}"])
        where = None if location is None else int(location)
        return Instruction(opcode, first.type, operands, at, 1, result, where)

    def _cast(self, match: re.Match[str], at: int) -> Instruction:
        result, opcode, value, kind, location = match.groups()
        operands = (self._typed[value],)
        where = None if location is None else int(location)
        return Instruction(opcode, self._typed.type(kind), operands, at, 1, result, where)
