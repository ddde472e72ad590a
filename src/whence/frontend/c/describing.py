"""What did a step do, in the words of the source?

A store says `sum = 4`, a branch `i < n = true`, a call `f(x) = 3`: the name of what changed and
its new value.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.frontend.c.ir import Global, Instruction, IntType, Local, OtherType, PointerType
from whence.frontend.c.names import Names
from whence.frontend.c.source import ModuleSource, Values


@dataclass(frozen=True, slots=True)
class Named:
    """A name and a value, as a programmer writes them."""

    name: str
    value: str


def describe(source: ModuleSource, op: int, value: int, values: Values) -> Named | None:
    """Return what op number `op` of a module did, given its value; None if it is not worth a word.

    `values` gives what a register of the function held then.
    """
    instruction = source.instruction(op)
    function = source.function_of(op)
    names = source.names
    if instruction.opcode == "store":
        return _store(names, function, instruction, value, values)
    if instruction.opcode in ("br", "switch") and len(instruction.operands) > 1:
        condition = names.condition(function, instruction, values)
        if instruction.opcode == "br":
            return Named(condition, "true" if value & 1 else "false")
        kind = names.type_of(function, instruction.operands[0])
        return Named(condition, names.describe_value(kind, value))
    if instruction.opcode in ("call", "invoke") and instruction.result is not None:
        return _call(names, function, instruction, value)
    if instruction.opcode == "ret" and instruction.operands:
        kind = names.type_of(function, instruction.operands[0])
        return Named("return value", _shown(names, kind, instruction, value))
    return None


def _store(
    names: Names, function: str, instruction: Instruction, value: int, values: Values
) -> Named | None:
    target = names.target(function, instruction, values)
    if not target or target in ("temporary", "…"):
        return None
    kind = names.target_type(function, instruction)
    return Named(target, _shown(names, kind, instruction, value))


def _call(names: Names, function: str, instruction: Instruction, value: int) -> Named | None:
    callee = instruction.callee
    if isinstance(instruction.type, OtherType):
        return None
    if isinstance(callee, Global) and callee.name.startswith("llvm."):
        return None
    result = Local(instruction.result or "")
    text = names.expression(function, result)
    return Named(text, _shown(names, names.type_of(function, result), instruction, value))


def _shown(names: Names, kind: object, instruction: Instruction, value: int) -> str:
    if kind is None:
        of = instruction.operands[0].type if instruction.opcode != "call" else instruction.type
        if isinstance(of, PointerType):
            return hex(value) if value else "NULL"
        if isinstance(of, IntType) and of.bits > 1 and value >> (of.bits - 1) & 1:
            return str(value - (1 << of.bits))
        return str(value)
    return names.describe_value(kind, value)  # type: ignore[arg-type]  # a debug type, opaque here
