"""Which object of the source lies where an IR address points?

IR says with which type it accesses memory (a %struct.node, its field 1, an i32).  Debug information
says which object the source has there.  This module combines the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.debug import Debug, DebugMember, DebugType
from whence.frontend.c.layout import Layout
from whence.frontend.c.metadata import Ref
from whence.frontend.c.terms import (
    UNKNOWN,
    Bits,
    CTerm,
    advance,
    bare,
    cast,
    constant_term,
    element,
    member_of,
    pointee,
    term_kind,
    within,
)

_RECORDS = ("struct", "class", "union")
_NAME = re.compile(r"(?:struct|class|union)\.(.*?)(?:\.\d+)?(?:\.base)?(?:\.\d+)?")
_ARGUMENTS = re.compile(r"<[^<>]*>")  # template arguments
_TYPE_NAME = re.compile(
    r"(?:distinct )?!DI(?:Composite|Derived)Type\(tag: DW_TAG_"
    r'(?:structure_type|class_type|union_type|typedef), name: "([^"]+)"'
)


def source_name(name: str) -> str:
    """Return the source name of an IR type: "struct.node.3" is `node`.

    Return "" if the type has no name in the source.
    """
    found = _NAME.fullmatch(name)
    name = found[1] if found else name
    short = without_arguments(name).rsplit("::", 1)[-1]
    return "" if short == "anon" else short


def without_arguments(name: str) -> str:
    """Return a name without its template arguments."""
    while "<" in name and (shorter := _ARGUMENTS.sub("", name)) != name:
        name = shorter
    return name


class SourceObjects:
    """The objects of a module, as debug information describes them."""

    def __init__(self, module: ir.Module, debug: Debug) -> None:
        self._debug, self._layout = debug, Layout(module)
        self._metadata, self._types = module.metadata, module.types
        self._fits: dict[tuple[DebugType, ir.Type], bool] = {}

    def size(self, kind: ir.Type) -> int:
        return 0 if isinstance(kind, ir.OtherType | ir.FunctionType) else self._layout.size(kind)

    def fields(self, kind: ir.Type) -> list[tuple[ir.Type, int]]:
        """Return the fields of an IR struct, each with its byte offset."""
        shape = self._types.get(kind.name) if isinstance(kind, ir.NamedType) else kind
        if not isinstance(shape, ir.StructType):
            return []
        return list(zip(shape.fields, self._layout.offsets(kind), strict=True))

    @cached_property
    def _by_name(self) -> dict[str, int]:
        """Map the names of records and typedefs to nodes, definitions preferred to declarations."""
        found: dict[str, int] = {}
        for number, text in self._metadata.items():
            match = _TYPE_NAME.match(text)
            if match and (match[1] not in found or "elements:" in text):
                found[match[1]] = number
        return found

    def record(self, kind: ir.Type) -> DebugType | None:
        """Return the source type that a named IR struct was made from."""
        name = source_name(kind.name) if isinstance(kind, ir.NamedType) else ""
        return self._debug.type(Ref(self._by_name[name])) if name in self._by_name else None

    # --- does an IR type fit a source type? ---

    def fits(self, kind: DebugType | None, seen: ir.Type) -> bool:
        """Can IR access an object of source type `kind` as a `seen`?"""
        found = bare(kind)
        if found is None:
            return False
        key = (found, seen)
        if key not in self._fits:
            self._fits[key] = self._compare(found, seen)
        return self._fits[key]

    def _compare(self, kind: DebugType, seen: ir.Type) -> bool:
        if isinstance(seen, ir.PointerType):
            is_null = kind.kind == "basic" and kind.size == 0
            return kind.kind in ("pointer", "reference", "function") or is_null
        if isinstance(seen, ir.FloatType):
            return kind.encoding == "float" and self.size(seen) == kind.size
        if isinstance(seen, ir.IntType):
            is_scalar = kind.kind in ("basic", "enum", "member pointer")
            return is_scalar and kind.encoding != "float" and self.size(seen) == kind.size
        if isinstance(seen, ir.ArrayType):
            counts_match = kind.count in (None, 0, seen.count) or seen.count == 0
            return kind.kind == "array" and counts_match and self.fits(kind.base, seen.element)
        if isinstance(seen, ir.NamedType):
            mine, theirs = source_name(seen.name), source_name(kind.name)
            same = mine == theirs if mine and theirs else self._same_shape(kind, seen)
            is_union = seen.name.startswith("union.")
            return kind.kind in _RECORDS and is_union == (kind.kind == "union") and same
        return False

    def _same_shape(self, kind: DebugType, seen: ir.NamedType) -> bool:
        """Do two records have the same size and, unless they are unions, the same fields?"""
        if self.size(seen) != kind.size or kind.kind == "union":
            return self.size(seen) == kind.size
        at: dict[int, list[DebugMember]] = {}
        for member in kind.members:
            at.setdefault(member.offset, []).append(member)
        return all(
            offset not in at
            or any(each.is_bitfield or self.fits(each.type, field) for each in at[offset])
            for field, offset in self.fields(seen)
        )

    def seen_as(self, place: CTerm, seen: ir.Type) -> CTerm:
        """Return the object at this address that IR accesses: `s` accessed as i32 can be `s.x`.

        An object that is copied whole under another type keeps its name.
        """
        found = bare(place.type)
        if place.bits or place.seen == seen or self.fits(place.type, seen):
            return place
        if place.opaque:
            return replace(place, type=self.record(seen))
        inner = list(self._first_parts(place, seen, 8))
        if inner:
            return replace(inner[0], others=tuple(inner[1:]))
        for other in place.pointer.others if place.pointer else ():
            if self.fits(pointee(other).type, seen):
                return pointee(other)
        is_coerced = isinstance(seen, ir.StructType | ir.VectorType | ir.IntType | ir.FloatType)
        if found and is_coerced and (found.kind in _RECORDS or found.size == self.size(seen)):
            return place
        return self.recast(place, seen)

    def recast(self, place: CTerm, seen: ir.Type) -> CTerm:
        """Return the object at this address, cast to the type that IR sees."""
        kind = self.record(seen)
        recast = cast(place, str(kind) if kind else self._spell(seen), kind)
        return replace(recast, seen=seen)

    def _spell(self, seen: ir.Type) -> str:
        if isinstance(seen, ir.IntType):
            return {8: "char", 16: "short", 32: "int", 64: "long"}.get(seen.bits, "char")
        if isinstance(seen, ir.FloatType):
            return "long double" if seen.kind == "x86_fp80" else seen.kind
        return "void *" if isinstance(seen, ir.PointerType) else "char"

    def _first_parts(self, place: CTerm, seen: ir.Type, depth: int) -> Iterator[CTerm]:
        """Yield the parts at the start of an object that IR can access as a `seen`."""
        found = bare(place.type)
        if not found or not depth:
            return
        if found.kind == "array":
            parts = [element(place, constant_term(0))]
        else:
            parts = [
                self._unit(place, 0, seen) if member.is_bitfield else member_of(place, member)
                for member in found.members
                if member.bit_offset == 0
            ]
        for part in parts:
            is_unit = part.bits is not None and isinstance(seen, ir.IntType)
            if is_unit or (part.bits is None and self.fits(part.type, seen)):
                yield part
        for part in parts:
            if part.bits is None:
                yield from self._first_parts(part, seen, depth - 1)

    def _unit(self, owner: CTerm, offset: int, seen: ir.Type) -> CTerm:
        """Return the unit of bytes that holds bit-fields, named by the first of them."""
        width = 8 * self.size(seen)
        found = bare(owner.type)
        members = found.members if found else ()
        first = next((each for each in members if each.bit_offset // 8 >= offset), None)
        term = member_of(owner, first) if first else owner
        return replace(term, bits=Bits(owner, 8 * offset, width, width))

    # --- steps ---

    def field(self, place: CTerm, record: ir.Type, number: int) -> CTerm:
        """Return the part of an object that is field `number` of the IR struct `record`."""
        seen, offset = self.fields(record)[number]
        if isinstance(record, ir.StructType):
            return replace(place, indexed=None)  # a struct passed in registers, piece by piece
        part = self._part(place, offset, seen) or within(place, offset, self.size(seen))
        if part is place and not place.opaque:  # the source type is not known
            return replace(member_of(place, DebugMember(UNKNOWN, None, 0, 0)), opaque=True)
        return part

    def _part(self, place: CTerm, offset: int, seen: ir.Type) -> CTerm | None:
        found = bare(place.type)
        if not found or found.kind not in _RECORDS:
            return None
        near = [each for each in found.members if each.offset == offset]
        for member in near:
            if member.is_bitfield:
                return self._unit(place, offset, seen)
            if self.fits(member.type, seen):
                return member_of(place, member)
        for member in found.members:
            if member.offset <= offset < member.offset + max(member.bits // 8, 1):
                inner = self._part(member_of(place, member), offset - member.offset, seen)
                if inner:
                    return inner
        if len(near) == 1 and term_kind(member_of(place, near[0])) not in _RECORDS[:2]:
            return member_of(place, near[0])
        return next((member_of(place, each) for each in near if not each.is_base), None)

    def moved(self, base: CTerm, seen: ir.Type, index: CTerm, rows: CTerm | None) -> CTerm:
        """Return the object `index` * sizeof(`seen`) bytes after the one that `base` points to.

        `rows` is x if the index is a product x * n, which selects a row of a VLA.
        """
        size = self.size(seen)
        place = pointee(base)
        if place.opaque:
            return place
        array = bare(place.type)
        if base.place and array and array.kind == "array" and array.base:
            if self.fits(array.base, seen) or array.base.size == size:
                return element(place, index)
            if rows and array.base.kind == "array" and array.base.count is None:
                return element(place, rows)
        if self.fits(place.type, seen):
            return advance(base, index)
        for other in base.others:
            if self.fits(pointee(other).type, seen):
                return advance(other, index)
        if array and array.size == size:
            return advance(base, index)
        if size == 1 and index.number is not None and index.number >= 0 and array and array.size:
            part = within(place, index.number, 1)
            if part is not place:
                return part
        seen_there = self.recast(place, seen)
        moved = advance(seen_there.pointer or seen_there, index)
        return replace(moved, type=seen_there.type, seen=seen)
