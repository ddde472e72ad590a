"""Which values could a load have read, had its address been another one of the same table?

An address that inputs decide usually lies in a table: an array, a string, the tables of ctype.h.
If the table is small, the loaded value is a choice over its elements.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from functools import cache
from typing import Any

import z3

from whence.frontend.c import ir
from whence.inputs import InputPointer
from whence.paths.c.constants import ConstantMemory
from whence.paths.c.values import RunValues, Value, joined
from whence.paths.conditions import ConditionKind
from whence.paths.terms import Fact, Term
from whence.program.ids import Op, Step
from whence.program.operations import COp
from whence.program.rows import ALLOC
from whence.trace.c.inputs import given_strings
from whence.trace.flow import Constant, FlowNode, Initial, Left, Operand

_MAX_ELEMENTS = 400  # of a table whose elements are told apart; those of ctype.h have 384
_MAX_HOPS = 64  # steps that a pointer is followed back to its object; guessed
_CTYPE = ("__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc")
FIRST_BYTE, _CTYPE_LAST = -128, 255  # indices of these tables


class Tables:
    """The tables and the memory of one run."""

    def __init__(self, of: RunValues) -> None:
        self._of, self._flow = of, of.flow
        self._constants = ConstantMemory(of.flow.thread)
        self._strings = given_strings(of.flow.thread)
        self._heap = self._allocated()

    # --- memory ----------------------------------------------------------------------------------

    def is_constant(self, address: int) -> bool:
        """Is an address in a variable that never changes?"""
        return self._constants.is_constant(address)

    def bytes(self, address: int, size: int, before: Step) -> list[Value]:
        """Return the bytes of memory just before a step."""
        found: list[Value] = [None] * size
        for offset, operand in self._flow.memory(address, size, before):
            width = self._flow.width_of(operand) if not isinstance(operand, InputPointer) else 64
            count = min(width // 8, size - offset)
            if isinstance(operand, Initial | Left):  # it may reach beyond an object
                found[offset : offset + count] = [self._one(operand, k) for k in range(count)]
                continue
            value = self._of.of(operand)
            for k in range(count):
                found[offset + k] = _byte(value, k)
        return found

    def _one(self, operand: Initial | Left, number: int) -> Value:
        if isinstance(operand, Left):
            return self._of.left(operand, number)
        return self.initial(operand._replace(address=operand.address + number, width=8))

    def initial(self, operand: Initial) -> int | None:
        """Return what memory held before the run."""
        if not operand.width:
            return None
        size = operand.width // 8
        found = self._constants.read(operand.address, size)
        if found is None:
            found = self._strings.contents(operand.address, size)
        return None if found is None else int.from_bytes(found, "little")

    def _allocated(self) -> list[tuple[int, int, int]]:
        """The blocks from malloc: (step, address, size), in order of time."""
        effects = self._flow.thread.stream.effects
        rows = effects[effects["kind"] == ALLOC]
        return [(int(row["step"]), int(row["addr"]), int(row["len"])) for row in rows]

    def place(self, step: Step, address: int) -> object:
        """Return where an address is, told so that runs that go the same way agree.

        Blocks from malloc may lie elsewhere if inputs decide the size of one of them.
        """
        for number in range(len(self._heap) - 1, -1, -1):
            made, start, size = self._heap[number]
            if made < step and start <= address < start + size:
                return number, address - start
        return address

    # --- tables ----------------------------------------------------------------------------------

    def chosen(self, step: Step, node: FlowNode, pointer: Term) -> Value:
        """Return what a load read as a choice over the elements of its table; None: no table."""
        assert node.pointer is not None
        width, address = node.operation.width, self._flow.address(step)
        if not 0 < width <= 64 or width % 8:
            return None
        elements = self._ctype(node.pointer, width)
        if elements is None:
            elements = self._elements(step, node.pointer, address, width)
        if elements is None or elements.get(address) is None:
            return None
        known = {at: value for at, value in elements.items() if value is not None}
        self._of.add(step, ConditionKind.BOUNDS, _within(pointer, list(known)))
        return _choice(pointer, known, width, address)

    def _elements(
        self, step: Step, pointer: Operand, address: int, width: int
    ) -> dict[int, Value] | None:
        stride = self._stride(pointer) or width // 8
        area = self._object(step, pointer, address)
        if area is None or stride <= 0:
            return None
        start, size = area
        first = start + (address - start) % stride
        places = range(first, start + size - width // 8 + 1, stride)
        if not 1 < len(places) <= _MAX_ELEMENTS:
            return None
        self._of.looks_at(start, size, step)
        held = self.bytes(start, size, step)
        return {at: joined([(held[at - start + k], 8) for k in range(width // 8)]) for at in places}

    def _stride(self, pointer: Operand) -> int:
        """Return by how many bytes an address changes with its inputs; 0: unknown."""
        for _ in range(_MAX_HOPS):
            if not isinstance(pointer, int):
                return 0
            node = self._flow.node(pointer)
            if node.operation.op is COp.ADDRESS:
                inner = self._of.of(node.operands[0])
                scales = [
                    abs(scale)
                    for operand, scale in zip(
                        node.operands[1:], node.operation.extra[:-1], strict=False
                    )
                    if isinstance(self._of.of(operand), Term)
                ]
                if isinstance(inner, Term):
                    scales.append(self._stride(node.operands[0]))
                return math.gcd(*scales) if scales else 0
            if node.operation.op is not COp.COPY or len(node.operands) != 1:
                return 0
            pointer = node.operands[0]
        return 0

    def _object(self, step: Step, pointer: Operand, address: int) -> tuple[int, int] | None:
        """Return where the object at an address begins, and its size."""
        found = self._constants.around(address)
        if found is not None:
            return found
        for made, start, size in reversed(self._heap):
            if made < step and start <= address < start + size:
                return start, size
        for start, contents in self._strings.strings:
            if start <= address < start + len(contents):
                return start, len(contents)
        return self._on_stack(pointer, address)

    def _on_stack(self, pointer: Operand, address: int) -> tuple[int, int] | None:
        """Follow a pointer back to the local variable that it points into."""
        for _ in range(_MAX_HOPS):
            if not isinstance(pointer, int):
                return None
            op = self._flow.op_of(pointer)
            source, local = self._flow.thread.image.locate(Op(op))
            instruction = source.instruction(local)
            if instruction.opcode == "alloca" and instruction.element is not None:
                count = instruction.operands[0].value
                number = count.value if isinstance(count, ir.Int) else 1
                start = self._flow.value(pointer)
                size = number * self._layout(op, instruction.element)
                return (start, size) if start <= address < start + size else None
            node = self._flow.node(pointer)
            if node.operation.op not in (COp.COPY, COp.ADDRESS) or not node.operands:
                return None
            pointer = node.operands[0]
        return None

    def _layout(self, op: int, kind: ir.Type) -> int:
        return self._flow.layout_of(Op(op)).size(kind)

    # --- ctype.h ---------------------------------------------------------------------------------

    def _ctype(self, pointer: Operand, width: int) -> dict[int, Value] | None:
        """Return a table of ctype.h, if a load reads one."""
        if not isinstance(pointer, int):
            return None
        node = self._flow.node(pointer)
        if node.operation.op is not COp.ADDRESS or not isinstance(node.operands[0], int):
            return None
        base = self._flow.node(node.operands[0])
        name = self._called(base.pointer)
        if name not in _CTYPE:
            return None
        start, size = self._flow.value(node.operands[0]), width // 8
        table = ctype_table(name, width)
        return {start + size * k: table[k] for k in range(FIRST_BYTE, _CTYPE_LAST + 1)}

    def _called(self, operand: Operand | None) -> str:
        """Return the name of the function that returned an operand, or ""."""
        if not isinstance(operand, int) or isinstance(operand, Constant):
            return ""
        return self._flow.thread.image.sort(self._flow.op_of(operand)).callee or ""


@cache
def ctype_table(name: str, width: int) -> dict[int, int]:
    """Return what a table of ctype.h holds in the locale C, by index."""
    kind = {16: ctypes.c_uint16, 32: ctypes.c_int32}[width]
    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.POINTER(ctypes.POINTER(kind))
    held = function()[0]
    is_class = name == "__ctype_b_loc"
    mask = (1 << width) - 1
    found = {}
    for index in range(FIRST_BYTE, _CTYPE_LAST + 1):
        # A negative index stands for a byte, but for EOF.
        other = 0 if is_class else index + 256 if index < -1 else index
        found[index] = (held[index] if 0 <= index < 128 else other) & mask
    return found


def _byte(value: Value, number: int) -> Value:
    if isinstance(value, Term):
        size = value.term.size()
        if size < 8 * number + 8:
            return None
        if size == 8:
            return value
        return Term(z3.Extract(8 * number + 7, 8 * number, value.term), value.unknowns)
    return None if value is None else value >> 8 * number & 0xFF


def _within(pointer: Term, places: list[int]) -> Fact:
    """Return that an address is one of these."""
    term, low, high = pointer.term, min(places), max(places)
    parts = [z3.UGE(term, low), z3.ULE(term, high)]
    steps = [b - a for a, b in itertools.pairwise(sorted(places))]
    if len(set(steps)) > 1:  # with gaps: contents that are not known
        parts = [z3.Or([term == place for place in places])]
    return Fact(z3.And(parts), pointer.unknowns)


def _choice(pointer: Term, known: dict[int, Any], width: int, recorded: int) -> Value:
    """Return the value of the element at an address."""
    unknowns = pointer.unknowns
    by_value: dict[Any, list[int]] = {}
    terms: dict[Any, Any] = {}
    for place, value in known.items():
        key = value if isinstance(value, int) else (value.term.get_id(),)
        if key not in by_value:
            terms[key] = z3.BitVecVal(value, width) if isinstance(value, int) else value.term
            unknowns |= 0 if isinstance(value, int) else value.unknowns
        by_value.setdefault(key, []).append(place)
    if len(by_value) == 1 and isinstance(known[recorded], int):
        same: int = known[recorded]
        return same  # all elements are equal
    ordered = sorted(known)
    stride = min((b - a for a, b in itertools.pairwise(ordered)), default=1)
    # The commonest value comes last, without a test.
    order = sorted(by_value, key=lambda key: len(by_value[key]))
    found = terms[order[-1]]
    for key in order[:-1]:
        found = z3.If(_is_one_of(pointer.term, by_value[key], stride), terms[key], found)
    return Term(found, unknowns)


def _is_one_of(term: Any, places: list[int], step: int) -> Any:
    """Return that an address is one of these, as ranges where they follow each other."""
    ranges: list[list[int]] = []
    for place in places:
        if ranges and place - ranges[-1][1] == step:
            ranges[-1][1] = place
        else:
            ranges.append([place, place])
    tests = [
        term == low if low == high else z3.And(z3.UGE(term, low), z3.ULE(term, high))
        for low, high in ranges
    ]
    return tests[0] if len(tests) == 1 else z3.Or(tests)
