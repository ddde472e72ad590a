"""How many bytes does a type take in memory, and where do its parts lie?

Sizes follow the data layout of the module as in LLVM; LLVM's defaults apply where the layout is
silent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whence.frontend.c.ir import (
    ArrayType,
    FloatType,
    FunctionType,
    Int,
    IntType,
    Module,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    Typed,
    VectorType,
)

_FLOAT_BITS = {
    "half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128,
    "ppc_fp128": 128,
}  # fmt: skip
_ENTRY = re.compile(r"([ifvp])(\d*):(\d+)(?::(\d+))?")
_Alignments = Mapping[int, int]  # width in bits -> alignment in bytes


class _Shape(NamedTuple):
    stored: int  # bytes that a store writes
    alignment: int
    offsets: tuple[int, ...] = ()  # offsets of the fields of a struct


class Layout:
    """The sizes in bytes of the types of one module; a type without a size raises TypeError."""

    def __init__(self, module: Module) -> None:
        self._types = module.types
        self._integers = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
        self._floats = {16: 2, 32: 4, 64: 8, 128: 16}
        self._vectors = {64: 8, 128: 16}
        self._pointers = {0: _Shape(8, 8)}
        for entry in module.layout.split("-"):
            if match := _ENTRY.match(entry):
                self._take(match[1], int(match[2] or 0), int(match[3]), match[4])
        self._shapes: dict[Type, _Shape] = {}
        self._leaves: dict[Type, tuple[tuple[Type, int], ...]] = {}

    def size(self, kind: Type) -> int:
        """Return the distance between two neighbouring array elements of this type."""
        shape = self._shape(kind)
        return _rounded(shape.stored, shape.alignment)

    def store_size(self, kind: Type) -> int:
        """Return the bytes that a load reads and a store writes."""
        return self._shape(kind).stored

    def alignment(self, kind: Type) -> int:
        return self._shape(kind).alignment

    def offsets(self, kind: Type) -> tuple[int, ...]:
        """Return the offsets of the fields of a struct."""
        if not isinstance(self._fields(kind), StructType):
            raise TypeError(f"{kind} is no struct")
        return self._shape(kind).offsets

    def leaves(self, kind: Type) -> tuple[tuple[Type, int], ...]:
        """Return the scalars and vectors that a value consists of, with their offsets in memory."""
        found = self._leaves.get(kind)
        if found is None:
            found = self._leaves[kind] = tuple(
                (leaf, start + offset)
                for part, start in self._parts(kind)
                for leaf, offset in ([(part, 0)] if part is kind else self.leaves(part))
            )
        return found

    def gep(self, element: Type, indices: Sequence[Typed]) -> tuple[int, list[tuple[Typed, int]]]:
        """Return what a getelementptr adds to its pointer.

        That is a constant number of bytes, and each variable index times its scale.
        """
        constant = 0
        variable: list[tuple[Typed, int]] = []
        inside: Type = ArrayType(0, element)  # the pointer is to one of many elements
        for index in indices:
            inside = self._fields(inside)
            if isinstance(inside, StructType):
                number = _constant(index)
                constant += self.offsets(inside)[number]
                inside = inside.fields[number]
                continue
            if not isinstance(inside, ArrayType | VectorType):
                raise TypeError(f"nothing to index in {inside}")
            inside = inside.element
            if isinstance(index.value, Int):
                constant += index.value.value * self.size(inside)
            else:
                variable.append((index, self.size(inside)))
        return constant, variable

    # --- one type ---

    def _take(self, letter: str, width: int, first: int, second: str | None) -> None:
        """Read one entry of the data layout: i64:64, f80:128, v16:16 or p270:32:32."""
        if letter == "p":
            self._pointers[width] = _Shape(first // 8, int(second or first) // 8)
        else:
            table = {"i": self._integers, "f": self._floats, "v": self._vectors}[letter]
            table[width] = first // 8

    def _shape(self, kind: Type) -> _Shape:
        found = self._shapes.get(kind)
        if found is None:
            found = self._shapes[kind] = self._measured(kind)
        return found

    def _measured(self, kind: Type) -> _Shape:
        if isinstance(kind, NamedType):
            return self._shape(self._fields(kind))
        if isinstance(kind, PointerType):
            return self._pointers.get(kind.space, self._pointers[0])
        if isinstance(kind, StructType):
            return self._struct(kind)
        if isinstance(kind, ArrayType):
            return _Shape(kind.count * self.size(kind.element), self.alignment(kind.element))
        bits = self._bits(kind)
        stored = (bits + 7) // 8
        if isinstance(kind, IntType):
            # An unlisted width is aligned as the next listed one, or as the largest.
            listed = min((w for w in self._integers if w >= bits), default=max(self._integers))
            return _Shape(stored, self._integers[listed])
        listed_here = self._floats if isinstance(kind, FloatType) else self._vectors
        return _Shape(stored, listed_here.get(bits) or _power_of_two(stored))

    def width(self, kind: Type) -> int:
        """Return the bits of a value; structs and arrays count with gaps, non-values are 0."""
        if isinstance(kind, (OtherType, FunctionType)):
            return 0
        is_whole = isinstance(kind, (StructType, ArrayType, NamedType))
        return 8 * self.store_size(kind) if is_whole else self._bits(kind)

    def _bits(self, kind: Type) -> int:
        """Return the width of a scalar or vector; vector elements have no gaps."""
        if isinstance(kind, IntType):
            return kind.bits
        if isinstance(kind, FloatType):
            return _FLOAT_BITS[kind.kind]
        if isinstance(kind, PointerType):
            return 8 * self.store_size(kind)
        if isinstance(kind, VectorType):
            return kind.count * self._bits(kind.element)
        raise TypeError(f"{kind} has no size")

    def _struct(self, kind: StructType) -> _Shape:
        offsets: list[int] = []
        end, alignment = 0, 1
        for part in kind.fields:
            if not kind.packed:
                end = _rounded(end, self.alignment(part))
                alignment = max(alignment, self.alignment(part))
            offsets.append(end)
            end += self.size(part)
        return _Shape(_rounded(end, alignment), alignment, tuple(offsets))

    def _fields(self, kind: Type) -> Type:
        """Return the struct that a name stands for; return any other type unchanged."""
        return self._types[kind.name] if isinstance(kind, NamedType) else kind

    def _parts(self, kind: Type) -> list[tuple[Type, int]]:
        """Return the direct parts of an aggregate with offsets; a leaf is its own part."""
        inner = self._fields(kind)
        if isinstance(inner, StructType):
            return list(zip(inner.fields, self.offsets(inner), strict=True))
        if isinstance(inner, ArrayType):
            step = self.size(inner.element)
            return [(inner.element, i * step) for i in range(inner.count)]
        self._bits(inner)  # raises TypeError if it has no size
        return [(kind, 0)]


def _constant(index: Typed) -> int:
    if not isinstance(index.value, Int):
        raise TypeError(f"a field index must be constant, not {index.value}")
    return index.value.value


def _rounded(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def _power_of_two(number: int) -> int:
    """Return the smallest power of two that is at least `number`."""
    return 1 << max(number - 1, 0).bit_length()
