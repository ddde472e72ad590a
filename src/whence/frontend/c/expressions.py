"""Which C expression computed a register?

A load from the alloca of `x` is `x`, a getelementptr is a member or an element, a phi is a
choice between the values that the branches before it lead to.  Casts are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from whence.frontend.c import ir, terms
from whence.frontend.c.bodies import FunctionBody, successors
from whence.frontend.c.debug import Debug, DebugMember, DebugType, Subprogram
from whence.frontend.c.objects import SourceObjects, without_arguments
from whence.frontend.c.terms import NAMELESS, TEMPORARY, CTerm, constant_term, term_value, wrap

Values = Callable[[str], int | None]  # what a register held, if that is known

RETURN_VALUE = "return value"
VTABLE = "vtable"
EXCEPTION = "exception"

_DEEPEST = 40  # how far back an expression is followed
_BINARY = {
    "add": ("+", terms.SUM), "sub": ("-", terms.SUM), "mul": ("*", terms.PRODUCT),
    "sdiv": ("/", terms.PRODUCT), "udiv": ("/", terms.PRODUCT), "fdiv": ("/", terms.PRODUCT),
    "srem": ("%", terms.PRODUCT), "urem": ("%", terms.PRODUCT), "frem": ("%", terms.PRODUCT),
    "fadd": ("+", terms.SUM), "fsub": ("-", terms.SUM), "fmul": ("*", terms.PRODUCT),
    "shl": ("<<", terms.SHIFT), "lshr": (">>", terms.SHIFT), "ashr": (">>", terms.SHIFT),
    "and": ("&", terms.AND), "or": ("|", terms.OR), "xor": ("^", terms.XOR),
}  # fmt: skip
_RELATIONS = {
    "eq": ("==", terms.EQUALITY), "ne": ("!=", terms.EQUALITY), "lt": ("<", terms.ORDER),
    "le": ("<=", terms.ORDER), "gt": (">", terms.ORDER), "ge": (">=", terms.ORDER),
}  # fmt: skip
_CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
    "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "freeze", "ptrtoaddr",
)  # fmt: skip
# How x86-64 finds the next argument of a variadic function.
_VA_ARG = re.compile(r"reg_save_area\b.* : ([^ ]+?)(?:\[0\])?(?:\.|->)overflow_arg_area$")
_MANGLED = re.compile(r"(?:_ZT[VIST])?(?:_Z)?(?:N[KVr]*)?(St)?(?:L)?")
_OPERATOR = re.compile(
    r"\boperator(\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?|[-+*/%^&|~!=,]+)(?:<.*>)?$"
)
_COPIES = ("llvm.memcpy", "llvm.memmove", "llvm.memset")


class ExpressionContext:
    """A module with what its source calls things."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.debug = Debug(module.metadata)
        self.objects = SourceObjects(module, self.debug)
        self._bodies: dict[str, FunctionBody] = {}

    def body(self, function: str) -> FunctionBody:
        if function not in self._bodies:
            self._bodies[function] = FunctionBody(self.module.functions[function], self.debug)
        return self._bodies[function]

    def global_term(self, name: str) -> CTerm:
        """Return a global as an object; a string literal as a value."""
        variable = self.module.variables.get(name)
        if variable is None:
            return CTerm(self.function_name(name), place=False)
        known = None if variable.debug is None else self.debug.global_variable(variable.debug)
        if known and known.name:
            return CTerm(known.name, terms.PRIMARY, known.type, place=True)
        if variable.constant and isinstance(variable.initial, ir.Bytes):
            text = terms.quoted(variable.initial.data.removesuffix(b"\0"))
            if known:
                return CTerm(text, terms.PRIMARY, known.type, place=True)
            return CTerm(text, opaque=True)
        return CTerm(unmangled_name(name), terms.PRIMARY, known.type if known else None, place=True)

    def subprogram(self, name: str) -> Subprogram | None:
        function = self.module.functions.get(name)
        return self.debug.subprogram(function.subprogram) if function else None

    def function_name(self, name: str) -> str:
        known = self.subprogram(name)
        return known.name if known else unmangled_name(name)


def unmangled_name(name: str) -> str:
    """Return the name in the source of a mangled or private name, as far as it is easy to see.

    _ZN2ns3Foo3barEi  ->  ns::Foo::bar        __const.main.table  ->  table
    """
    if name.startswith(("_Zn", "_Zd")):
        return "operator new" if name[2] == "n" else "operator delete"
    if name.startswith("_Z"):
        at, parts = _MANGLED.match(name), list[str]()
        rest = name[at.end() :] if at else ""
        while found := re.match(r"\d+", rest):
            end = found.end() + int(found[0])
            parts.append(rest[found.end() : end])
            rest = rest[end:]
        shown = [part for part in parts if part != "__1"]  # libc++ versions its names
        return "::".join((["std"] if at and at[1] else []) + shown) if shown else name
    if name.startswith("__const."):
        return name.rsplit(".", 1)[-1]
    return name


class Writer:
    """Writes the values of one function."""

    def __init__(
        self, program: ExpressionContext, body: FunctionBody, values: Values | None
    ) -> None:
        self.program, self.body, self.values = program, body, values
        self.objects = program.objects
        self.terms: dict[str, CTerm] = {}
        self.shared = body.terms if values is None else {}
        self.depth = 0
        self.is_cut = False  # something was too deep to be followed

    # --- operands ---

    def value(self, operand: ir.Value | ir.Typed) -> CTerm:
        """Return an operand as a value."""
        return term_value(self.term(operand))

    def term(self, operand: ir.Value | ir.Typed) -> CTerm:
        kind, value = (
            (operand.type, operand.value)
            if isinstance(operand, ir.Typed)
            else (ir.OtherType("unknown"), operand)
        )
        if isinstance(value, ir.Local):
            return self._register(value.name)
        if isinstance(value, ir.Global):
            return self.program.global_term(value.name)
        if isinstance(value, ir.Expression):
            return self._constant_expression(value)
        return self._constant(kind, value)

    def _constant(self, kind: ir.Type, value: ir.Value) -> CTerm:
        if isinstance(value, ir.Int):
            is_truth = kind == ir.IntType(1)
            return constant_term(value.value & 1 if is_truth else value.value)
        if isinstance(value, ir.Zero):
            return CTerm("NULL", number=0) if isinstance(kind, ir.PointerType) else constant_term(0)
        if isinstance(value, ir.Float) and isinstance(kind, ir.FloatType):
            size = {"half": 2, "float": 4, "double": 8}.get(kind.kind, 10)
            return CTerm(terms.float_text(value.bits, size))
        if isinstance(value, ir.Bytes):
            return CTerm(terms.quoted(value.data.removesuffix(b"\0")))
        return NAMELESS

    def _constant_expression(self, value: ir.Expression) -> CTerm:
        if value.opcode == "getelementptr" and value.element:
            return self._element_pointer(value.element, value.operands)
        if value.opcode in _CASTS:
            return self.term(value.operands[0])
        if value.opcode in _BINARY and len(value.operands) == 2:
            return self._binary(value.opcode, value.operands)
        return NAMELESS

    def _register(self, name: str) -> CTerm:
        found = self.terms.get(name) or self.shared.get(name)
        if found:
            return found
        if self.depth >= _DEEPEST:
            self.is_cut = True
            return NAMELESS
        self.depth += 1
        term = self.terms[name] = self._compute(name)
        self.depth -= 1
        if not self.is_cut:  # or the text would depend on what was asked first
            self.shared[name] = term
        return term

    def _compute(self, name: str) -> CTerm:
        home = self.body.homes.get(name)
        if home and home.is_pointed_to:
            there = CTerm(home.name, terms.PRIMARY, home.type, place=True)
            return CTerm(home.name, place=True, pointer=None, indexed=None, refers=there)
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
        if instruction.opcode in _BINARY:
            return self._binary(instruction.opcode, instruction.operands)
        if instruction.opcode in _CASTS:
            return self._cast(instruction)
        if instruction.opcode == "phi":
            return _Choice(self, instruction, label).term()
        return NAMELESS

    def _parameter(self, parameter: ir.Parameter) -> CTerm:
        """A parameter is what it is stored to first."""
        if parameter.sret:
            return CTerm(RETURN_VALUE, terms.PRIMARY, self._result_type(), place=True)
        forms = {parameter.name}  # a bool is extended before it is stored
        for each in self.body.function.blocks[0].instructions:
            value = each.operands[0].value if each.operands else None
            if not isinstance(value, ir.Local) or value.name not in forms:
                continue
            if each.opcode in _CASTS and each.result is not None:
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
        """Return the object that an access of this type through the pointer is to."""
        term = self.term(pointer)
        if term.refers:
            return term
        return self.objects.seen_as(terms.pointee(term), seen)

    def _read(self, place: CTerm) -> CTerm:
        """Return the value of an object; that of a reference is the address of another."""
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
        """Return the value that was put aside at an alloca without a name, if it is one."""
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
        """Return an index: the number if it is known, the expression otherwise."""
        if self.values and isinstance(operand.value, ir.Local):
            known = self._known(operand.value.name)
            if known is not None:
                return constant_term(known)
        return self.value(operand)

    def _known(self, name: str) -> int | None:
        """Return the number that a register, or what it was extended from, held."""
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
        """Return x of an index x * n."""
        if not isinstance(operand.value, ir.Local):
            return None
        found = self.body.definitions.get(operand.value.name)
        is_product = found is not None and found[0].opcode == "mul"
        return self._index(found[0].operands[0]) if found and is_product else None

    # --- what is written ---

    def target(self, instruction: ir.Instruction) -> CTerm:
        if instruction.opcode == "store":
            value, pointer = instruction.operands
            place = self._object(pointer, value.type)
            return self._field_written(place, value)[0] if place.bits else place
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
                term = self._field_written(place, instruction.operands[0])[1]
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
        operator = _BINARY.get(instruction.predicate)
        if operator is None:
            return NAMELESS
        return terms.binary(term_value(self._read(self.target(instruction))), *operator, new)

    def field_bits(self, instruction: ir.Instruction) -> tuple[int, int] | None:
        """Return the lowest bit and the width of the bit-field that a store writes."""
        value, pointer = instruction.operands
        place = self._object(pointer, value.type)
        return self._bits_written(place, value)[:2] if place.bits else None

    def _field_written(self, place: CTerm, value: ir.Typed) -> tuple[CTerm, CTerm]:
        """Return the bit-field that is written with the bits around it, and what it gets."""
        low, width, new = self._bits_written(place, value)
        field = self._field(place, low, width)
        if new is value:  # one field fills the unit
            return field, self.value(value)
        return field, self._inserted(new, low) if new else constant_term(0)

    def _bits_written(self, place: CTerm, value: ir.Typed) -> tuple[int, int, ir.Typed | None]:
        """Return the lowest bit and the width of the field, and the operand that is put there.

        unit = (unit & ~mask) | (value & width) << low
        """
        assert place.bits is not None
        kept, new = value, None
        found = self._defined(value)
        if found and found.opcode == "or":
            kept, new = found.operands
        clearing = self._defined(kept)
        mask = clearing.operands[1].value if clearing and clearing.opcode == "and" else None
        if not isinstance(mask, ir.Int):
            return 0, place.bits.width, value
        cleared = ~mask.value & (1 << place.bits.width) - 1
        low = (cleared & -cleared).bit_length() - 1 if cleared else 0
        return low, cleared.bit_length() - low, new

    def _defined(self, operand: ir.Typed) -> ir.Instruction | None:
        name = operand.value.name if isinstance(operand.value, ir.Local) else ""
        return self.body.definitions[name][0] if name in self.body.definitions else None

    def _inserted(self, operand: ir.Typed, low: int) -> CTerm:
        if isinstance(operand.value, ir.Int):
            return constant_term(operand.value.value >> low)
        for opcode in ("shl", "and"):
            found = self._defined(operand)
            if found and found.opcode == opcode and isinstance(found.operands[1].value, ir.Int):
                operand = found.operands[0]
        return self.value(operand)

    def _field(self, term: CTerm, start: int, width: int) -> CTerm:
        """Return the bit-field at these bits of a unit."""
        bits = term.bits
        assert bits is not None
        found = terms.member_at(bits.owner, bits.start + start, width)
        return terms.member_of(bits.owner, found) if found else replace(term, bits=None)

    # --- operations ---

    def _cast(self, instruction: ir.Instruction) -> CTerm:
        return self.term(instruction.operands[0])

    def _binary(self, opcode: str, operands: tuple[ir.Typed, ...]) -> CTerm:
        left, right = self.term(operands[0]), self.value(operands[1])
        if left.bits and right.number is not None:
            part = self._extract(opcode, left, right.number)
            if part:
                return part
        left = term_value(left)
        if opcode == "xor" and right.number in (-1, 1) and operands[1].type == ir.IntType(1):
            return terms.invert(left)
        if opcode == "xor" and right.number == -1:
            return CTerm("~" + wrap(left, terms.UNARY), terms.UNARY, left.type)
        if opcode == "sdiv" and self._is_distance(operands[0]):
            return left
        operator, rank = _BINARY[opcode]
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
        """Is it the difference of two pointers, in bytes?"""
        found = self._defined(operand)
        if not found or found.opcode != "sub":
            return False
        ends = [self._defined(each) for each in found.operands]
        return all(each is not None and each.opcode == "ptrtoint" for each in ends)

    def _extract(self, opcode: str, left: CTerm, number: int) -> CTerm | None:
        """Return the bits that a shift or mask leaves of a unit, named if they are a field."""
        bits = left.bits
        assert bits is not None
        if opcode == "shl":
            return replace(left, bits=replace(bits, start=bits.start - number))
        if opcode in ("lshr", "ashr"):
            start, width = bits.start + number, bits.loaded - number
        elif opcode == "and":
            start, width = bits.start, (number & (1 << bits.loaded) - 1).bit_length()
        else:
            return None
        member = terms.member_at(bits.owner, start, width)
        named = terms.member_of(bits.owner, member) if member else left
        is_exact = member is not None and member.bits == width
        rest = None if is_exact else replace(bits, start=start, width=width)
        return CTerm(named.text, named.rank, named.type, bits=rest)

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
        """Return x if the source does not compare it with 0 itself: `if (x)`.

        Such a test is placed where its operand begins, a written != at the operator.
        """
        if left.rank in terms.TRUTHS or (left.rank == terms.UNARY and left.text[0] == "!"):
            return left
        if instruction.predicate == "eq":
            return None
        tested = self._defined(instruction.operands[0])
        while tested and tested.opcode in _CASTS:
            tested = self._defined(tested.operands[0])
        if not tested or tested.location is None or instruction.location is None:
            return None
        locate = self.program.debug.location
        here, there = locate(instruction.location), locate(tested.location)
        if not here or not there:
            return None
        return left if (here.line, here.column) <= (there.line, there.column) else None

    def select(self, instruction: ir.Instruction) -> CTerm:
        condition, then, otherwise = (self.value(each) for each in instruction.operands)
        return terms.choose(condition, then, otherwise, instruction.type == ir.IntType(1))

    # --- calls ---

    def call(self, instruction: ir.Instruction) -> CTerm:
        callee = instruction.callee
        name = callee.name if isinstance(callee, ir.Global) else ""
        if name.startswith(("llvm.expect", "llvm.launder", "llvm.strip", "llvm.ptr.annotation")):
            return self.term(instruction.operands[0])
        if name.startswith("llvm.fmuladd"):
            left, right, more = (self.value(each) for each in instruction.operands)
            return terms.add_terms(terms.binary(left, "*", terms.PRODUCT, right), more)
        if name == "__errno_location":
            return CTerm("errno", place=True, opaque=True)
        known = self.program.subprogram(name)
        signature = known.type.signature if known and known.type else ()
        text = self._call_text(instruction, name, known, signature)
        result = signature[0] if signature else None
        found = terms.bare(result)
        if found and found.kind == "reference":
            return CTerm(text, terms.PRIMARY, found.base, place=True)
        return CTerm(text, terms.PRIMARY, result)

    def _call_text(
        self,
        instruction: ir.Instruction,
        name: str,
        known: Subprogram | None,
        signature: tuple[DebugType | None, ...],
    ) -> str:
        arguments = list(self._arguments(instruction, name, signature))
        if name.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
            arguments.pop()  # whether it is volatile, which no source says
        if isinstance(instruction.callee, ir.Asm):
            return f"asm({', '.join(wrap(each, terms.CHOICE) for each in arguments)})"
        method = self._virtual_method(instruction) if not name else None
        if method:
            return _method_call(arguments[0], method, arguments[1:])
        if not name:
            called = self.value(instruction.callee) if instruction.callee else NAMELESS
            shown = wrap(called, terms.PRIMARY)
        elif name.startswith("llvm."):
            shown = name.split(".")[1]
        else:
            shown = self.program.function_name(name)
        operator = _OPERATOR.search(shown)
        if operator and arguments:
            return _operator_call(operator[1], arguments)
        shown = without_arguments(shown)
        if known and known.is_method and arguments:
            return _method_call(arguments[0], shown.rsplit("::", 1)[-1], arguments[1:])
        return f"{shown}({_listed(arguments)})"

    def _virtual_method(self, instruction: ir.Instruction) -> str | None:
        """Return the method that a call takes from the table of its first argument."""
        if not isinstance(instruction.callee, ir.Local) or not instruction.operands:
            return None
        entry = self._defined(ir.Typed(ir.PointerType(), instruction.callee))
        slot = self._defined(entry.operands[0]) if entry and entry.opcode == "load" else None
        if not slot or slot.opcode != "getelementptr" or len(slot.operands) != 2:
            return None
        table, index = self.term(slot.operands[0]), slot.operands[1].value
        if "_vptr$" not in table.text or not isinstance(index, ir.Int):
            return None
        owner = terms.bare(terms.pointee(self.term(instruction.operands[0])).type)
        while owner:
            if index.value in owner.virtual_methods:
                return owner.virtual_methods[index.value]
            bases = (terms.bare(each.type) for each in owner.members if each.is_base)
            owner = next(bases, None)
        return None

    def _arguments(
        self, instruction: ir.Instruction, name: str, signature: tuple[DebugType | None, ...]
    ) -> Iterable[CTerm]:
        """Yield the arguments that the source has: not where a struct is returned to."""
        callee = self.program.module.functions.get(name)
        parameters = callee.parameters if callee else ()
        position = 0
        for index, operand in enumerate(instruction.operands):
            if index < len(parameters) and parameters[index].sret:
                continue
            position += 1
            term = self.term(operand)
            kind = signature[position] if position < len(signature) else None
            copied = index < len(instruction.byval) and instruction.byval[index]
            found = terms.bare(kind)
            if (term.place and copied) or (found and found.kind == "reference"):
                there = terms.pointee(term)
                yield CTerm(there.text, there.rank, there.type)
            else:
                yield terms.c_literal(term if index == 0 else term_value(term), kind)

    def extractvalue(self, instruction: ir.Instruction) -> CTerm:
        return replace(self.value(instruction.operands[0]), type=None)

    def atomic(self, instruction: ir.Instruction) -> CTerm:
        return self._read(self._object(instruction.operands[0], instruction.operands[1].type))


def _mask(number: int) -> CTerm:
    """Return a constant as one writes it beside & or |."""
    if number < 0:
        return CTerm("~" + _mask(~number).text, terms.UNARY)
    return CTerm(str(number) if number < 256 else hex(number))


def _listed(arguments: Iterable[CTerm]) -> str:
    return ", ".join(wrap(term_value(each), terms.CHOICE) for each in arguments)


def _method_call(this: CTerm, name: str, arguments: list[CTerm]) -> str:
    """Return a call of a method: `v.size()`, `p->size()`."""
    called = terms.member_of(terms.pointee(this), DebugMember(name, None, 0, 0))
    return f"{called.text}({_listed(arguments)})"


def _operator_call(operator: str, arguments: list[CTerm]) -> str:
    """Return a call of an operator, a method or not: `v[2]`, `*it`, `a == b`."""
    first = arguments[0]
    text = wrap(terms.pointee(first) if first.place else first, terms.UNARY)
    listed = _listed(arguments[1:])
    if operator in ("[]", "()"):
        return f"{text}{operator[0]}{listed}{operator[1]}"
    return f"{text} {operator} {listed}" if listed else f"{operator}{text}"


def _whole(place: CTerm) -> CTerm:
    """Return all of what a memcpy from the first element of an array is about."""
    if place.indexed and place.indexed[1].number == 0 and place.indexed[0].place:
        return place.indexed[0]
    return place


def _copied(term: CTerm) -> CTerm:
    """Return what a memcpy takes from there: all of a struct, or from a pointer on."""
    is_record = terms.term_kind(terms.pointee(term)) in ("struct", "class", "union")
    return _whole(terms.pointee(term)) if term.place or is_record else term


def _like(term: CTerm, kind: DebugType | None, is_unsigned: bool) -> CTerm:
    """Return a constant as it is written beside a value of this type."""
    if term.number is None or (is_unsigned and term.number < 0):
        return term
    return terms.c_literal(term, kind)


def _wider(left: CTerm, right: CTerm) -> DebugType | None:
    """Return the type of an arithmetic result, if it is that of an operand."""
    known = [kind for kind in (left.type, right.type) if kind and kind.size >= 4]
    widest = max(known, key=lambda kind: kind.size, default=None)
    return None if terms.term_kind(CTerm("", type=widest)) == "enum" else widest


class _Choice:
    """Writes a phi: what the branches on the ways to it choose from."""

    def __init__(self, writer: Writer, phi: ir.Instruction, label: str) -> None:
        self.writer, self.label = writer, label
        self.is_truth = phi.type == ir.IntType(1)
        pairs = zip(phi.operands[::2], phi.operands[1::2], strict=True)
        self.incoming = {
            each.value.name: value for value, each in pairs if isinstance(each.value, ir.Label)
        }
        self.head = writer.body.dominators.get(label)
        self.found: dict[str, CTerm | None] = {}

    def term(self) -> CTerm:
        term = (self._from(self.head) if self.head else None) or NAMELESS
        variadic = _VA_ARG.search(term.text)
        if variadic:
            return CTerm(f"va_arg({variadic[1]})", place=True, opaque=True)
        return term

    def _from(self, label: str) -> CTerm | None:
        """Return the value that the phi will have if this block runs; None: it will not run."""
        if label not in self.found:
            if self.writer.depth >= _DEEPEST:
                self.writer.is_cut = True
                return NAMELESS
            self.writer.depth += 1
            self.found[label] = self._chosen(label)
            self.writer.depth -= 1
        return self.found[label]

    def _chosen(self, label: str) -> CTerm | None:
        ends = self._ends(label)
        block = self.writer.body.blocks[label]
        if len(ends) == 1 and ends != [label]:  # however it goes on, this comes of it
            return self.writer.value(self.incoming[ends[0]])
        targets = successors(block)
        ways = [self._along(label, each) for each in targets]
        values = [each for each in ways if each is not None]
        if len(values) < 2 or values[0].text == values[1].text:
            return values[0] if values else None
        if block.instructions[-1].opcode != "br":
            return NAMELESS
        condition = self.writer.value(block.instructions[-1].operands[0])
        return terms.choose(condition, values[0], values[1], self.is_truth)

    def _along(self, label: str, target: str) -> CTerm | None:
        if target != self.label:
            return self._from(target) if self._ends(target) else None
        return self.writer.value(self.incoming[label]) if label in self.incoming else None

    def _ends(self, label: str) -> list[str]:
        """Return the blocks that come to the phi next, of those that can run from here on."""
        found, seen, waiting = list[str](), {label, self.label, self.head}, [label]
        while waiting:
            here = waiting.pop()
            targets = successors(self.writer.body.blocks[here])
            if self.label in targets and here in self.incoming:
                found.append(here)
            fresh = [each for each in targets if each not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        return sorted(found)


_WRITERS: dict[str, Callable[[Writer, ir.Instruction], CTerm]] = {
    "alloca": Writer.alloca,
    "load": Writer.load,
    "getelementptr": Writer.getelementptr,
    "icmp": Writer.compare,
    "fcmp": Writer.compare,
    "fneg": Writer.fneg,
    "select": Writer.select,
    "call": Writer.call,
    "invoke": Writer.call,
    "landingpad": lambda _, __: CTerm(EXCEPTION),
    "extractvalue": Writer.extractvalue,
    "atomicrmw": Writer.atomic,
    "cmpxchg": Writer.atomic,
}
