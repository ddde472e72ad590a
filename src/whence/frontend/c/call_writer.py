"""How does the source write a call?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence.frontend.c import ir, terms
from whence.frontend.c.debug import DebugMember, DebugType, Subprogram
from whence.frontend.c.mangled_names import read_mangled_name
from whence.frontend.c.objects import without_arguments
from whence.frontend.c.term_writer import TermWriter
from whence.frontend.c.terms import NAMELESS, CTerm, term_value, wrap

_OPERATOR = re.compile(
    r"\boperator(\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?|[-+*/%^&|~!=,]+)(?:<.*>)?$"
)

# Operators that return a reference in all but odd programs.
_REFERENCES = re.compile(r"\boperator(\[\]|\*|<<|>>|[-+*/%&|^]?=)$")


class CallWriter:
    """Writes the calls of one function as the source does."""

    def __init__(self, writer: TermWriter) -> None:
        self.writer, self.program = writer, writer.program

    def call(self, instruction: ir.Instruction) -> CTerm:
        callee = instruction.callee
        name = callee.name if isinstance(callee, ir.Global) else ""
        if name.startswith(("llvm.expect", "llvm.launder", "llvm.strip", "llvm.ptr.annotation")):
            return self.writer.term(instruction.operands[0])
        if name.startswith("llvm.fmuladd"):
            left, right, more = (self.writer.value(each) for each in instruction.operands)
            return terms.add_terms(terms.binary(left, "*", terms.PRODUCT, right), more)
        if name == "__errno_location":
            return CTerm("errno", place=True, opaque=True)
        known = self.program.subprogram(name)
        signature = known.type.signature if known and known.type else ()
        text = self._call_text(instruction, name, known, signature)
        if not known and _REFERENCES.search(self.program.function_name(name)):
            return CTerm(text, terms.PRIMARY, place=True)
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
            arguments.pop()  # the argument "is volatile", which has no counterpart in the source
        if isinstance(instruction.callee, ir.Asm):
            return f"asm({', '.join(wrap(each, terms.CHOICE) for each in arguments)})"
        method = self._virtual_method(instruction) if not name else None
        if method:
            return _method_call(arguments[0], method, arguments[1:])
        if not name:
            called = self.writer.value(instruction.callee) if instruction.callee else NAMELESS
            callee = wrap(called, terms.PRIMARY)
        elif name.startswith("llvm."):
            callee = name.split(".")[1]
        else:
            callee = self.program.function_name(name)
        operator = _OPERATOR.search(callee)
        if operator and arguments:
            return _operator_call(operator[1], arguments)
        callee = without_arguments(callee)
        mangled = None if known else read_mangled_name(name)
        if mangled and mangled.is_constructor:
            return f"{callee}({_listed(arguments[1:])})"
        is_method = known.is_method if known else mangled is not None and mangled.is_method
        if is_method and mangled and mangled.name == "operator conversion":
            return wrap(terms.pointee(arguments[0]), terms.PRIMARY)
        if is_method and arguments:
            return _method_call(arguments[0], callee.rsplit("::", 1)[-1], arguments[1:])
        return f"{callee}({_listed(arguments)})"

    def _virtual_method(self, instruction: ir.Instruction) -> str | None:
        """Return the virtual method that a call takes from the vtable of its first argument."""
        if not isinstance(instruction.callee, ir.Local) or not instruction.operands:
            return None
        entry = self.writer.defined(ir.Typed(ir.PointerType(), instruction.callee))
        slot = self.writer.defined(entry.operands[0]) if entry and entry.opcode == "load" else None
        if not slot or slot.opcode != "getelementptr" or len(slot.operands) != 2:
            return None
        table, index = self.writer.term(slot.operands[0]), slot.operands[1].value
        if "_vptr$" not in table.text or not isinstance(index, ir.Int):
            return None
        owner = terms.bare(terms.pointee(self.writer.term(instruction.operands[0])).type)
        while owner:
            if index.value in owner.virtual_methods:
                return owner.virtual_methods[index.value]
            bases = (terms.bare(each.type) for each in owner.members if each.is_base)
            owner = next(bases, None)
        return None

    def _arguments(
        self, instruction: ir.Instruction, name: str, signature: tuple[DebugType | None, ...]
    ) -> Iterable[CTerm]:
        """Yield the arguments that the source has; skip the address of a returned struct."""
        callee = self.program.module.functions.get(name)
        parameters = callee.parameters if callee else ()
        position = 0
        for index, operand in enumerate(instruction.operands):
            is_result = instruction.sret is not None and index == instruction.sret[0]
            if is_result or (index < len(parameters) and parameters[index].sret):
                continue
            position += 1
            term = self.writer.term(operand)
            kind = signature[position] if position < len(signature) else None
            copied = index < len(instruction.byval) and instruction.byval[index]
            found = terms.bare(kind)
            if (term.place and copied) or (found and found.kind == "reference"):
                target = terms.pointee(term)
                yield CTerm(target.text, target.rank, target.type)
            else:
                yield terms.c_literal(term if position == 1 else term_value(term), kind)


def _listed(arguments: Iterable[CTerm]) -> str:
    return ", ".join(wrap(term_value(each), terms.CHOICE) for each in arguments)


def _method_call(this: CTerm, name: str, arguments: list[CTerm]) -> str:
    """Write a call of a method: `v.size()`, `p->size()`."""
    called = terms.member_of(terms.pointee(this), DebugMember(name, None, 0, 0))
    return f"{called.text}({_listed(arguments)})"


def _operator_call(operator: str, arguments: list[CTerm]) -> str:
    """Write a call of an operator, whether it is a method or not: `v[2]`, `*it`, `a == b`."""
    first = arguments[0]
    text = wrap(terms.pointee(first) if first.place else first, terms.UNARY)
    listed = _listed(arguments[1:])
    if operator == "->":  # the result is used as a pointer
        return text
    if operator in ("[]", "()"):
        return f"{text}{operator[0]}{listed}{operator[1]}"
    return f"{text} {operator} {listed}" if listed else f"{operator}{text}"
