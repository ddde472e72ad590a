"""Which C expression computed a register?

A load from the alloca of `x` is `x`, a getelementptr is a member or an element, a phi is a
choice between the values that the branches before it lead to.  Casts are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from whence.frontend.c import ir, terms
from whence.frontend.c.bit_fields import BitFields
from whence.frontend.c.bodies import FunctionBody
from whence.frontend.c.call_writer import CallWriter
from whence.frontend.c.debug import DebugType
from whence.frontend.c.expression_context import ExpressionContext
from whence.frontend.c.phi_choice import PhiChoice
from whence.frontend.c.term_writer import BINARY, CASTS, TermWriter, Values
from whence.frontend.c.terms import NAMELESS, TEMPORARY, CTerm, constant_term, term_value, wrap

# Names for values that have none in the source.
RETURN_VALUE = "return value"
VTABLE = "vtable"
EXCEPTION = "exception"

_RELATIONS = {
    "eq": ("==", terms.EQUALITY), "ne": ("!=", terms.EQUALITY), "lt": ("<", terms.ORDER),
    "le": ("<=", terms.ORDER), "gt": (">", terms.ORDER), "ge": (">=", terms.ORDER),
}  # fmt: skip
_COPIES = ("llvm.memcpy", "llvm.memmove", "llvm.memset")


class ExpressionWriter(TermWriter):
    """Writes the values of one function as C expressions."""

    def __init__(
        self, program: ExpressionContext, body: FunctionBody, values: Values | None
    ) -> None:
        super().__init__(program, body, values)
        self.bit_fields = BitFields(self)
        self.calls = CallWriter(self)

    def constant_expression(self, value: ir.Expression) -> CTerm:
        if value.opcode == "getelementptr" and value.element:
            return self._element_pointer(value.element, value.operands)
        if value.opcode in CASTS:
            return self.term(value.operands[0])
        if value.opcode in BINARY and len(value.operands) == 2:
            return self._binary(value.opcode, value.operands)
        return NAMELESS

    def compute(self, name: str) -> CTerm:
        home = self.body.homes.get(name)
        if home and home.is_pointed_to:
            variable = CTerm(home.name, terms.PRIMARY, home.type, place=True)
            return CTerm(home.name, place=True, pointer=None, indexed=None, refers=variable)
        if home:
            return CTerm(home.name, terms.PRIMARY, home.type, place=True)
        if name in self.body.parameters:
            return self._parameter(self.body.parameters[name])
        if name not in self.body.definitions:
            return NAMELESS
        instruction, label = self.body.definitions[name]
        write = _WRITERS.get(instruction.opcode)
        if write:
            return write(self, instruction)
        if instruction.opcode in BINARY:
            return self._binary(instruction.opcode, instruction.operands)
        if instruction.opcode in CASTS:
            return self._cast(instruction)
        if instruction.opcode == "phi":
            return PhiChoice(self, instruction, label).term()
        return NAMELESS

    def _parameter(self, parameter: ir.IRParameter) -> CTerm:
        """Write a parameter as the variable that it is stored to first."""
        if parameter.sret:
            return CTerm(RETURN_VALUE, terms.PRIMARY, self._result_type(), place=True)
        forms = {parameter.name}  # a bool is extended before the store
        for each in self.body.function.blocks[0].instructions:
            value = each.operands[0].value if each.operands else None
            if not isinstance(value, ir.Local) or value.name not in forms:
                continue
            if each.opcode in CASTS and each.result is not None:
                forms.add(each.result)
            if each.opcode == "store":
                place = self._object(each.operands[1], each.operands[0].type)
                return self._read(place)
        return NAMELESS

    def _result_type(self) -> DebugType | None:
        known = self.program.subprogram(self.body.function.name)
        return known.type.signature[0] if known and known.type and known.type.signature else None

    # --- memory ---

    def _object(self, pointer: ir.Typed, seen: ir.Type) -> CTerm:
        """Return the object that an access of type `seen` through the pointer reads or writes."""
        term = self.term(pointer)
        if term.refers:
            return term
        return self.objects.seen_as(terms.pointee(term), seen)

    def _read(self, place: CTerm) -> CTerm:
        """Return the value of an object; the value of a reference is the object it refers to."""
        if place.refers:
            return place.refers
        found = terms.bare(place.type)
        if found and found.kind == "reference":
            return CTerm(place.text, place.rank, found.base, place=True)
        others = tuple(self._read(each) for each in place.others)
        return CTerm(
            place.text, place.rank, place.type, bits=place.bits, opaque=place.opaque, others=others
        )

    def alloca(self, instruction: ir.Instruction) -> CTerm:
        name = instruction.result or ""
        if name in self.body.result_slots:
            return CTerm(RETURN_VALUE, terms.PRIMARY, self._result_type(), place=True)
        return CTerm(TEMPORARY, place=True, opaque=True)

    def load(self, instruction: ir.Instruction) -> CTerm:
        pointer = instruction.operands[0].value
        kept = self._kept(pointer) if isinstance(pointer, ir.Local) else None
        return kept or self._read(self._object(instruction.operands[0], instruction.type))

    def _kept(self, pointer: ir.Local) -> CTerm | None:
        """Return the value that a nameless alloca holds, if it is stored to exactly once."""
        found = self.body.definitions.get(pointer.name)
        if not found or found[0].opcode != "alloca" or pointer.name in self.body.homes:
            return None
        stores = self.body.stores.get(pointer.name, [])
        if len(stores) != 1 or pointer.name in self.body.result_slots:
            return None
        return self.term(stores[0].operands[0])

    def getelementptr(self, instruction: ir.Instruction) -> CTerm:
        element = instruction.element or ir.IntType(8)
        return self._element_pointer(element, instruction.operands)

    def _element_pointer(self, seen: ir.Type, operands: tuple[ir.Typed, ...]) -> CTerm:
        base, first, *rest = operands
        term = self.term(base)
        if isinstance(base.value, ir.Global) and base.value.name.startswith("_ZTV"):
            return CTerm(VTABLE)
        if rest and self._is_zero(first):
            place = self.objects.seen_as(terms.pointee(term), seen)
        else:
            index = self._index(first)
            place = self.objects.moved(term, seen, index, self._row(first))
        for operand in rest:
            if isinstance(seen, ir.ArrayType | ir.VectorType):
                place = terms.element(place, self._index(operand))
                seen = seen.element
            else:
                number = operand.value.value if isinstance(operand.value, ir.Int) else 0
                place = self.objects.field(place, seen, number)
                seen = self.objects.fields(seen)[number][0]
        return place

    def _is_zero(self, operand: ir.Typed) -> bool:
        return operand.value in (ir.Int(0), ir.Zero())

    def _index(self, operand: ir.Typed) -> CTerm:
        """Return an index as a number if its value is known, else as an expression."""
        if self.values and isinstance(operand.value, ir.Local):
            known = self._known(operand.value.name)
            if known is not None:
                return constant_term(known)
        return self.value(operand)

    def _known(self, name: str) -> int | None:
        """Return the number that a register held, or the register that it was extended from."""
        assert self.values is not None
        found = self.body.definitions.get(name)
        raw = self.values(name)
        if raw is not None:
            kind = found[0].type if found else None
            bits = kind.bits if isinstance(kind, ir.IntType) else 64
            return raw - (1 << bits) if raw >> (bits - 1) & 1 else raw
        if found and found[0].opcode in ("sext", "zext"):
            inner = found[0].operands[0].value
            return self._known(inner.name) if isinstance(inner, ir.Local) else None
        return None

    def _row(self, operand: ir.Typed) -> CTerm | None:
        """Return x if the index is x * n."""
        if not isinstance(operand.value, ir.Local):
            return None
        found = self.body.definitions.get(operand.value.name)
        is_product = found is not None and found[0].opcode == "mul"
        return self._index(found[0].operands[0]) if found and is_product else None

    # --- what an instruction writes ---

    def target(self, instruction: ir.Instruction) -> CTerm:
        if instruction.opcode == "store":
            value, pointer = instruction.operands
            place = self._object(pointer, value.type)
            return self.bit_fields.written(place, value)[0] if place.bits else place
        if instruction.opcode in ("atomicrmw", "cmpxchg"):
            return self._object(instruction.operands[0], instruction.operands[1].type)
        if instruction.opcode in ("call", "invoke") and self._copies(instruction):
            return _whole(terms.pointee(self.term(instruction.operands[0])))
        return NAMELESS

    def source(self, instruction: ir.Instruction) -> CTerm:
        target = self.target(instruction)
        if instruction.opcode == "store":
            place = self._object(instruction.operands[1], instruction.operands[0].type)
            if place.bits:
                term = self.bit_fields.written(place, instruction.operands[0])[1]
            else:
                term = self.term(instruction.operands[0])
            if terms.term_kind(target) == "reference" or target.refers:
                return terms.pointee(term)
        elif instruction.opcode in ("atomicrmw", "cmpxchg"):
            term = self._atomic_result(instruction)
        elif self._copies(instruction):
            term = self.term(instruction.operands[1])
            if isinstance(instruction.operands[1].type, ir.PointerType):
                return _copied(term)
        else:
            return NAMELESS
        return terms.c_literal(term_value(term), target.type)

    def _copies(self, instruction: ir.Instruction) -> bool:
        callee = instruction.callee
        return isinstance(callee, ir.Global) and callee.name.startswith(_COPIES)

    def _atomic_result(self, instruction: ir.Instruction) -> CTerm:
        new = self.value(instruction.operands[-1])
        if instruction.opcode == "cmpxchg" or instruction.predicate == "xchg":
            return new
        operator = BINARY.get(instruction.predicate)
        if operator is None:
            return NAMELESS
        return terms.binary(term_value(self._read(self.target(instruction))), *operator, new)

    def field_bits(self, instruction: ir.Instruction) -> tuple[int, int] | None:
        """Return the lowest bit and the width of the bit-field that a store writes."""
        value, pointer = instruction.operands
        place = self._object(pointer, value.type)
        return self.bit_fields.bits_written(place, value)[:2] if place.bits else None

    # --- operations ---

    def _cast(self, instruction: ir.Instruction) -> CTerm:
        return self.term(instruction.operands[0])

    def _binary(self, opcode: str, operands: tuple[ir.Typed, ...]) -> CTerm:
        left, right = self.term(operands[0]), self.value(operands[1])
        if left.bits and right.number is not None:
            part = self.bit_fields.extracted(opcode, left, right.number)
            if part:
                return part
        left = term_value(left)
        if opcode == "xor" and right.number in (-1, 1) and operands[1].type == ir.IntType(1):
            return terms.invert(left)
        if opcode == "xor" and right.number == -1:
            return CTerm("~" + wrap(left, terms.UNARY), terms.UNARY, left.type)
        if opcode == "sdiv" and self._is_distance(operands[0]):
            return left
        operator, rank = BINARY[opcode]
        return replace(self._arithmetic(opcode, operator, rank, left, right),
                       type=_wider(left, right))  # fmt: skip

    def _arithmetic(
        self, opcode: str, operator: str, rank: int, left: CTerm, right: CTerm
    ) -> CTerm:
        if opcode == "add":
            return terms.add_terms(left, right)
        if opcode == "sub":
            is_digit = right.number is not None and chr(right.number & 127).isalnum()
            letter = terms.c_literal(right, left.type) if is_digit else right
            return terms.subtract_terms(left, letter if terms.is_character(left.type) else right)
        if opcode in ("and", "or", "xor") and right.number is not None:
            right = _mask(right.number)
        return terms.binary(left, operator, rank, right)

    def _is_distance(self, operand: ir.Typed) -> bool:
        """Is the operand the difference of two pointers, in bytes?"""
        found = self.defined(operand)
        if not found or found.opcode != "sub":
            return False
        ends = [self.defined(each) for each in found.operands]
        return all(each is not None and each.opcode == "ptrtoint" for each in ends)

    def fneg(self, instruction: ir.Instruction) -> CTerm:
        term = self.value(instruction.operands[0])
        return replace(terms.negate(term), type=term.type)

    def compare(self, instruction: ir.Instruction) -> CTerm:
        left, right = (self.value(each) for each in instruction.operands)
        is_zero = right.number == 0 or right.text == "0.0"
        if is_zero and instruction.predicate in ("ne", "une", "eq"):
            truth = self._truth(instruction, left)
            if truth:
                return terms.invert(truth) if instruction.predicate == "eq" else truth
        operator, rank = _RELATIONS.get(instruction.predicate[-2:], ("==", terms.EQUALITY))
        is_unsigned = instruction.predicate.startswith("u") and instruction.opcode == "icmp"
        left, right = _like(left, right.type, is_unsigned), _like(right, left.type, is_unsigned)
        kind = instruction.operands[0].type
        if is_unsigned and (right.number or 0) < 0 and isinstance(kind, ir.IntType):
            right = constant_term((right.number or 0) + (1 << kind.bits))
        return terms.binary(left, operator, rank, right)

    def _truth(self, instruction: ir.Instruction, left: CTerm) -> CTerm | None:
        """Return x if the source tests `if (x)` without comparing x with 0.

        clang places such a test where its operand begins, and a written != at the operator.
        """
        if left.rank in terms.TRUTHS or (left.rank == terms.UNARY and left.text[0] == "!"):
            return left
        if instruction.predicate == "eq":
            return None
        tested = self.defined(instruction.operands[0])
        while tested and tested.opcode in CASTS:
            tested = self.defined(tested.operands[0])
        if not tested or tested.location is None or instruction.location is None:
            return None
        locate = self.program.debug.location
        test_at, operand_at = locate(instruction.location), locate(tested.location)
        if not test_at or not operand_at:
            return None
        return (
            left if (test_at.line, test_at.column) <= (operand_at.line, operand_at.column) else None
        )

    def select(self, instruction: ir.Instruction) -> CTerm:
        condition, then, otherwise = (self.value(each) for each in instruction.operands)
        return terms.choose(condition, then, otherwise, instruction.type == ir.IntType(1))

    def call(self, instruction: ir.Instruction) -> CTerm:
        return self.calls.call(instruction)

    def extractvalue(self, instruction: ir.Instruction) -> CTerm:
        return replace(self.value(instruction.operands[0]), type=None)

    def atomic(self, instruction: ir.Instruction) -> CTerm:
        return self._read(self._object(instruction.operands[0], instruction.operands[1].type))


def _mask(number: int) -> CTerm:
    """Return a constant as programmers write it beside & or |."""
    if number < 0:
        return CTerm("~" + _mask(~number).text, terms.UNARY)
    return CTerm(str(number) if number < 256 else hex(number))


def _whole(place: CTerm) -> CTerm:
    """Return the whole array if a memcpy starts at its first element."""
    if place.indexed and place.indexed[1].number == 0 and place.indexed[0].place:
        return place.indexed[0]
    return place


def _copied(term: CTerm) -> CTerm:
    """Return what a memcpy copies from: a whole struct or array, or else the pointer."""
    is_record = terms.term_kind(terms.pointee(term)) in ("struct", "class", "union")
    return _whole(terms.pointee(term)) if term.place or is_record else term


def _like(term: CTerm, kind: DebugType | None, is_unsigned: bool) -> CTerm:
    """Return a constant as it is written beside a value of type `kind`."""
    if term.number is None or (is_unsigned and term.number < 0):
        return term
    return terms.c_literal(term, kind)


def _wider(left: CTerm, right: CTerm) -> DebugType | None:
    """Return the type of an arithmetic result if it is the type of an operand."""
    known = [kind for kind in (left.type, right.type) if kind and kind.size >= 4]
    widest = max(known, key=lambda kind: kind.size, default=None)
    return None if terms.term_kind(CTerm("", type=widest)) == "enum" else widest


_WRITERS: dict[str, Callable[[ExpressionWriter, ir.Instruction], CTerm]] = {
    "alloca": ExpressionWriter.alloca,
    "load": ExpressionWriter.load,
    "getelementptr": ExpressionWriter.getelementptr,
    "icmp": ExpressionWriter.compare,
    "fcmp": ExpressionWriter.compare,
    "fneg": ExpressionWriter.fneg,
    "select": ExpressionWriter.select,
    "call": ExpressionWriter.call,
    "invoke": ExpressionWriter.call,
    "landingpad": lambda _, __: CTerm(EXCEPTION),
    "extractvalue": ExpressionWriter.extractvalue,
    "atomicrmw": ExpressionWriter.atomic,
    "cmpxchg": ExpressionWriter.atomic,
}
