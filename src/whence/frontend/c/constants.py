"""What do the tables of a module refer to: names, addresses, constants, sizes of values?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whence.frontend.c.ir import (
    ArrayType,
    Bytes,
    Elements,
    Expression,
    Float,
    FloatType,
    Global,
    Instruction,
    Int,
    IntType,
    Label,
    Local,
    Module,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    Typed,
    Undefined,
    Value,
    VectorType,
    Zero,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.tables import ARRAYS, CONSTANT, SymbolFlag


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol whose address a replay needs; `text` is how IR writes that address."""

    name: str
    text: str
    flags: SymbolFlag
    size: int


def quote(name: str) -> str:
    """Return a name as IR writes it after % or @."""
    plain = name.replace(".", "").replace("_", "").replace("$", "").replace("-", "")
    if plain.isascii() and (plain.isalnum() or not plain) and name:
        number_like = name[0].isdigit() and not name.isdigit()
        if not number_like:
            return name
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}"
        for byte in name.encode("utf-8", "surrogateescape")
    )
    return f'"{escaped}"'


class ModuleTables:
    """The tables of one module while they are filled."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.layout = Layout(module)
        self.rows: dict[str, list[object]] = {name: [] for name in ARRAYS}
        self.rows["extras"].append(0)  # so that 0 can mean "no layout"
        self.names: dict[str, int] = {}
        self.symbols: dict[str, int] = {}
        self.symbol_list: list[Symbol] = []
        self.recorded: set[str] = set()  # the functions that will be recorded
        # functions that only calls of this module enter; their entry is not logged
        self.quiet: set[str] = set()
        self.function_number: dict[str, int] = {}
        self._pool: dict[object, int] = {}

    def is_sure(self, instruction: Instruction) -> bool:
        """Does this call certainly enter a recorded function of this module?"""
        callee = instruction.callee
        if not isinstance(callee, Global) or callee.name not in self.recorded:
            return False
        function = self.module.functions[callee.name]
        own = function.linkage in ("internal", "private") or (
            function.linkage == "" and function.dso_local
        )
        return own and function.type == instruction.function

    # --- contents of the tables ------------------------------------------------------------------

    def name(self, text: str) -> int:
        return self.names.setdefault(text, len(self.names))

    def symbol(self, name: str, text: str | None = None) -> int:
        key = text or name
        number = self.symbols.get(key)
        if number is None:
            number = self.symbols[key] = len(self.symbols)
            flags, size = self._symbol_facts(name) if text is None else (SymbolFlag(0), 0)
            symbol = Symbol(key, text or f"@{quote(name)}", flags, size)
            self.symbol_list.append(symbol)
            self.rows["symbols"].append((self.name(key), int(flags), size))
        return number

    def _symbol_facts(self, name: str) -> tuple[SymbolFlag, int]:
        variable = self.module.variables.get(name)
        if variable is None:
            flags = SymbolFlag.FUNCTION
            if name in self.module.functions:
                flags |= SymbolFlag.DEFINED
            return flags, 0
        flags = SymbolFlag(0)
        if variable.initial is not None and variable.linkage != "available_externally":
            flags |= SymbolFlag.DEFINED
        if variable.constant:
            flags |= SymbolFlag.CONSTANT
        if variable.thread_local:
            flags |= SymbolFlag.TLS
        sized = not (isinstance(variable.type, NamedType) and self._opaque(variable.type))
        return flags, self.layout.size(variable.type) if sized else 0

    def _opaque(self, named: NamedType) -> bool:
        return isinstance(self.module.types.get(named.name, OtherType("opaque")), OtherType)

    def constant(self, slots: Sequence[int | tuple[int, int]]) -> int:
        """Return the operand for a constant, given slot by slot: a number or (symbol, addend)."""
        key = tuple(slots)
        index = self._pool.get(key)
        if index is None:
            index = self._pool[key] = len(self.rows["constants"])
            for slot in slots:
                if isinstance(slot, tuple):
                    self.rows["relocs"].append((len(self.rows["constants"]), *slot))
                    slot = 0
                self.rows["constants"].append(slot & 0xFFFFFFFFFFFFFFFF)
        return CONSTANT | index

    def slots(self, of: Type) -> int:
        """Return the number of 8-byte slots that a value of this type takes in a frame."""
        if isinstance(of, IntType):
            return (of.bits + 63) // 64
        if isinstance(of, PointerType):
            return 1
        if isinstance(of, FloatType):
            return 2 if of.kind in ("x86_fp80", "fp128", "ppc_fp128") else 1
        if isinstance(of, VectorType):
            return (self.layout.store_size(of) + 7) // 8
        if isinstance(of, OtherType):
            return 0
        return sum(self.slots(leaf) for leaf, _ in self.layout.leaves(of))

    def logged_size(self, of: Type) -> int:
        """Return the size of a value in the log, in which the leaves of an aggregate are packed."""
        if isinstance(of, OtherType):
            return 0
        if self.is_aggregate(of):
            return sum(self.layout.store_size(leaf) for leaf, _ in self.layout.leaves(of))
        return self.layout.store_size(of)

    @staticmethod
    def is_aggregate(of: Type) -> bool:
        return isinstance(of, (StructType, NamedType, ArrayType))

    def constant_slots(self, typed: Typed) -> list[int | tuple[int, int]]:
        """Return the slots of a constant; a value that is unknown before the run is 0."""
        of, value = typed.type, typed.value
        count = self.slots(of)
        if isinstance(value, Int) and isinstance(of, IntType):
            number = value.value & ((1 << of.bits) - 1)
            return [(number >> (64 * i)) & 0xFFFFFFFFFFFFFFFF for i in range(count)]
        if isinstance(value, Float):
            return [(value.bits >> (64 * i)) & 0xFFFFFFFFFFFFFFFF for i in range(count)]
        if isinstance(value, (Zero, Undefined)):
            return [0] * count
        if isinstance(value, (Global, Expression)):
            return [self._address(value)]
        if isinstance(of, VectorType) and isinstance(value, Elements):
            return self._vector(of, value, count)
        if isinstance(value, Elements):
            return [slot for element in value.elements for slot in self.constant_slots(element)]
        if isinstance(value, Bytes):
            return list(value.data)
        return [0] * count

    def _vector(self, of: VectorType, value: Elements, count: int) -> list[int | tuple[int, int]]:
        bits = of.element.bits if isinstance(of.element, IntType) else None
        width = bits or 8 * self.layout.store_size(of.element)
        packed = 0
        for position, element in enumerate(value.elements):
            slot = self.constant_slots(element)[0]
            packed |= (slot if isinstance(slot, int) else 0) << (width * position)
        return [(packed >> (64 * i)) & 0xFFFFFFFFFFFFFFFF for i in range(count)]

    def _address(self, value: Value) -> int | tuple[int, int]:
        if isinstance(value, Global):
            variable = self.module.variables.get(value.name)
            if value.name.startswith("llvm.") or (variable and variable.thread_local):
                return 0
            return self.symbol(value.name), 0
        if not isinstance(value, Expression):
            return 0
        if value.opcode == "blockaddress":
            function, label = (operand.value for operand in value.operands)
            if isinstance(function, Global) and isinstance(label, (Label, Local)):
                text = f"blockaddress(@{quote(function.name)}, %{quote(label.name)})"
                return self.symbol(text, text), 0
            return 0
        parts = [self._any(operand) for operand in value.operands]
        if value.opcode == "getelementptr" and value.element is not None:
            offset, unknown = self.layout.gep(value.element, value.operands[1:])
            return 0 if unknown else _plus(parts[0], offset)
        if value.opcode in ("ptrtoint", "inttoptr", "bitcast", "addrspacecast", "no_cfi",
                            "dso_local_equivalent", "trunc", "ptrtoaddr"):  # fmt: skip
            return parts[0]
        if value.opcode == "add" and isinstance(parts[1], int):
            return _plus(parts[0], parts[1])
        if value.opcode == "sub" and isinstance(parts[1], int):
            return _plus(parts[0], -parts[1])
        if value.opcode == "sub" and isinstance(parts[0], tuple) and isinstance(parts[1], tuple):
            return parts[0][1] - parts[1][1] if parts[0][0] == parts[1][0] else 0
        return 0

    def _any(self, typed: Typed) -> int | tuple[int, int]:
        slots = self.constant_slots(typed)
        return slots[0] if slots else 0


def _plus(address: int | tuple[int, int], offset: int) -> int | tuple[int, int]:
    if isinstance(address, tuple):
        return address[0], address[1] + offset
    return address + offset


def globals_in(value: Value) -> Iterable[Global]:
    if isinstance(value, Global):
        yield value
    elif isinstance(value, Elements):
        for element in value.elements:
            yield from globals_in(element.value)
    elif isinstance(value, Expression) and value.opcode != "blockaddress":
        for element in value.operands:
            yield from globals_in(element.value)
