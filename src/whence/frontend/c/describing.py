"""What did a step do, in terms of the source?

A store is described as `sum = 4`, a branch as `i < n = true`, a call as `f(x) = 3`: what changed
and its new value.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from whence.frontend.c import ir, terms
from whence.frontend.c.debug import DebugType
from whence.frontend.c.ir import (
    FloatType,
    Global,
    Instruction,
    IntType,
    Local,
    OtherType,
    PointerType,
)
from whence.frontend.c.names import CNames
from whence.frontend.c.source import ModuleSource, Values
from whence.frontend.c.term_writer import FLOAT_BYTES
from whence.program.source import NamedValue

# returns the source's name for an address; True: it points to text
Pointed = Callable[[int, bool], str | None]
_MAX_NAME = 80  # limit on the length of a name that is shown; guessed
# Kinds of types whose values are single values.
_SINGLE = ("basic", "enum", "pointer", "reference", "function", "member pointer")
# Calls that the compiler inserts, nameless objects, and text that no programmer would write.
UNWANTED = re.compile(
    r"temporary\b|…|_vptr\$|\b__cxa_|\beh\(|\(void \*\*?\)|\b__(?:begin|end|range)\d*\b"
)
# `stdout` of a C library has no debug information: its type is the type of the load.
_CAST_GLOBAL = re.compile(r"\*\([\w ]+\*+\)&(\w+)")


def describe_op(
    source: ModuleSource, op: int, value: int, values: Values, pointed: Pointed | None = None
) -> NamedValue | None:
    """Return what op number `op` of a module did, given its value; None if it is not worth showing.

    `values` returns the value that a register held, `pointed` describes what lies at an address.
    """
    described = _described(source, op, value, values, pointed or (lambda _address, _is_text: None))
    if described is None:
        return None
    name = _CAST_GLOBAL.sub(r"\1", described.name)
    if UNWANTED.search(name) or UNWANTED.search(described.value) or len(name) > _MAX_NAME:
        return None
    return NamedValue(name, described.value)


def _described(
    source: ModuleSource, op: int, value: int, values: Values, pointed: Pointed
) -> NamedValue | None:
    instruction = source.instruction(op)
    function = source.function_of(op)
    names = source.names
    if instruction.opcode == "store":
        return _store(names, function, instruction, value, values, pointed)
    if instruction.opcode in ("br", "switch") and len(instruction.operands) > 1:
        condition = names.condition(function, instruction, values)
        if instruction.opcode == "br":
            return NamedValue(condition, "true" if value & 1 else "false")
        kind = names.type_of(function, instruction.operands[0])
        return _named(condition, _shown(names, kind, instruction, value, pointed))
    if instruction.opcode in ("call", "invoke") and source.is_used(op):
        return _call(names, function, instruction, value, pointed)
    if instruction.opcode == "ret" and instruction.operands:
        kind = names.type_of(function, instruction.operands[0])
        return _named("return value", _shown(names, kind, instruction, value, pointed))
    return None


def describe_tested_pointer(
    source: ModuleSource, op: int, values: Values, pointed: Pointed
) -> NamedValue | None:
    """Return the pointer that a branch tests as `if (p)` does; None if it tests something else."""
    names, function = source.names, source.function_of(op)
    pointer = names.tested_pointer(function, source.instruction(op))
    if pointer is None or not isinstance(pointer.value, Local):
        return None
    value = values(pointer.value.name)
    if value is None:
        return None
    kind = names.type_of(function, pointer)
    return _named(
        names.expression(function, pointer, values),
        c_text(names, kind, pointer.type, value, pointed),
    )


def _store(
    names: CNames,
    function: str,
    instruction: Instruction,
    value: int,
    values: Values,
    pointed: Pointed,
) -> NamedValue | None:
    target = names.target(function, instruction, values)
    if not target:
        return None
    kind = names.target_type(function, instruction)
    if isinstance(instruction.operands[0].type, PointerType) and value:
        refers = names.source(function, instruction, values)
        found = terms.bare(kind)
        if refers.startswith("&") or (found is not None and found.kind == "reference"):
            return NamedValue(target, refers)
    bits = names.field_written(function, instruction)
    if bits is not None:
        return NamedValue(target, names.describe_value(kind, value >> bits[0], bits[1]))
    return _named(target, _shown(names, kind, instruction, value, pointed))


def _call(
    names: CNames, function: str, instruction: Instruction, value: int, pointed: Pointed
) -> NamedValue | None:
    callee = instruction.callee
    if isinstance(instruction.type, OtherType):
        return None
    if isinstance(callee, Global) and callee.name.startswith("llvm."):
        return None
    result = Local(instruction.result or "")
    text = names.expression(function, result)
    if text.startswith("&"):
        return None  # a reference: its object has a name of its own
    kind = names.type_of(function, result)
    return _named(text, _shown(names, kind, instruction, value, pointed))


def _named(name: str, value: str | None) -> NamedValue | None:
    return None if value is None else NamedValue(name, value)


def _shown(
    names: CNames, kind: DebugType | None, instruction: Instruction, value: int, pointed: Pointed
) -> str | None:
    """Return a value as C text; None if it is an aggregate."""
    is_call = instruction.opcode in ("call", "invoke")
    of = instruction.type if is_call else instruction.operands[0].type
    return c_text(names, kind, of, value, pointed)


def c_text(
    names: CNames, kind: DebugType | None, of: ir.Type, value: int, pointed: Pointed
) -> str | None:
    """Return a value of source type `kind` and IR type `of` as C text."""
    found = terms.bare(kind)
    if found is not None and found.kind not in _SINGLE:
        return None
    if isinstance(of, FloatType) and of.kind not in FLOAT_BYTES and 0 < value < 1 << 64:
        return None  # only the lowest 64 bits are known
    if found is not None and isinstance(of, FloatType) != (found.encoding == "float"):
        kind = found = None  # the value was converted: casts have no name
    if isinstance(of, PointerType) and value:
        return pointed(value, is_text(kind)) or hex(value)
    if found is not None:
        return names.describe_value(kind, value)
    if isinstance(of, PointerType):
        return "NULL"
    if isinstance(of, FloatType):  # a library function has no debug information
        return terms.float_text(value, FLOAT_BYTES.get(of.kind, 10))
    if of == IntType(64) and value >> 32 not in (0, 0xFFFFFFFF):
        return None  # the result of an unknown function, probably a small struct
    if isinstance(of, IntType) and of.bits > 1 and value >> (of.bits - 1) & 1:
        return str(value - (1 << of.bits))
    return str(value)


def is_text(kind: DebugType | None) -> bool:
    """Is the type a pointer to characters, or an array of characters?"""
    found = terms.bare(kind)
    is_sequence = found is not None and found.kind in ("pointer", "array")
    inside = terms.bare(found.base) if found is not None and is_sequence else None
    return inside is not None and inside.encoding.endswith("_char")
