"""How does the source write the values and addresses of a module?

Every register has a C expression, every store a target, every branch a condition; an object that a
user names has a place.  A part without a name in the source is written as `…`.
"""

from __future__ import annotations

from whence.errors import UserError
from whence.frontend.c import ir, terms
from whence.frontend.c.bit_fields import selected_bits
from whence.frontend.c.debug import DebugType
from whence.frontend.c.expression_context import ExpressionContext
from whence.frontend.c.expressions import ExpressionWriter
from whence.frontend.c.term_writer import Values
from whence.frontend.c.terms import CTerm
from whence.frontend.c.variables import (
    PathStep,
    VariablePath,
    VariablePlace,
    VisibleVariable,
    follow,
    parse_path,
    visible_variables,
)


class CNames(ExpressionContext):
    """The values and addresses of a module, as C expressions."""

    def expression(
        self, function: str, operand: ir.Value | ir.Typed, values: Values | None = None
    ) -> str:
        """Return an operand as a C expression; an index that `values` knows is a number."""
        return self._writer(function, values).value(operand).text

    def target(
        self, function: str, instruction: ir.Instruction, values: Values | None = None
    ) -> str:
        """Return the target of a store, atomic operation, memcpy or memset, as an lvalue."""
        return self._writer(function, values).target(instruction).text

    def source(
        self, function: str, instruction: ir.Instruction, values: Values | None = None
    ) -> str:
        """Return the value that such an instruction writes."""
        return self._writer(function, values).source(instruction).text

    def condition(
        self, function: str, instruction: ir.Instruction, values: Values | None = None
    ) -> str:
        """Return the condition of a branch or the value of a switch.

        A branch goes to its first label if the condition is true.  clang compiles `if (!x)` to `x`
        with swapped labels, so its condition is `x`.
        """
        if not instruction.operands or isinstance(instruction.operands[0].value, ir.Label):
            return ""
        return self._writer(function, values).value(instruction.operands[0]).text

    def tested_pointer(self, function: str, branch: ir.Instruction) -> ir.Typed | None:
        """Return the pointer that a branch tests as `if (p)` or `if (!p)` does, or None."""
        writer = self._writer(function, None)
        test = writer.defined(branch.operands[0])
        if test is None or test.opcode != "icmp":
            return None
        pointer = test.operands[0]
        if not isinstance(pointer.type, ir.PointerType):
            return None
        is_whole = writer.value(branch.operands[0]).text == writer.value(pointer).text
        return pointer if is_whole else None

    def call(self, function: str, instruction: ir.Instruction, values: Values | None = None) -> str:
        """Return a call as an expression."""
        return self._writer(function, values).call(instruction).text

    def type_of(self, function: str, operand: ir.Value | ir.Typed) -> DebugType | None:
        """Return the source type of an operand, or None."""
        return self._writer(function, None).value(operand).type

    def target_type(self, function: str, instruction: ir.Instruction) -> DebugType | None:
        """Return the source type of the object that an instruction writes, or None."""
        return self._writer(function, None).target(instruction).type

    def field_written(self, function: str, instruction: ir.Instruction) -> tuple[int, int] | None:
        """Return the lowest bit and the width of the bit-field that a store changes.

        The bits are counted in the stored value.  Return None if the store is not to a bit-field.
        """
        return self._writer(function, None).field_bits(instruction)

    def field_read(self, function: str, unit: str, value: int) -> tuple[ir.Instruction, int] | None:
        """Return what selects a bit-field from a unit that was loaded, and its result.

        `unit` is the register with the unit, and `value` what it held.  Return None if the
        register holds no unit, or no field is selected from it: it is loaded to be written, too.
        """
        if not self.is_unit(function, unit):
            return None
        name = unit
        for instruction, _ in self.body(function).definitions.values():
            operands = instruction.operands
            if not operands or operands[0].value != ir.Local(name) or not instruction.result:
                continue
            selected = selected_bits(instruction, value)
            if selected is None:
                return None
            name, value = instruction.result, selected
            if not self.is_unit(function, name):
                return instruction, value
        return None

    def is_unit(self, function: str, register: str) -> bool:
        """Does a register hold a unit of bit-fields?"""
        return self._writer(function, None).value(ir.Local(register)).bits is not None

    def describe_value(self, kind: DebugType | None, raw: int, bits: int | None = None) -> str:
        """Return the text for a value: 'a' (97), BLUE, NULL; `bits` is the width of a bit-field."""
        return terms.describe_term(kind, raw, bits)

    def object_name(self, kind: DebugType | None, offset: int, size: int, base: str) -> str:
        """Return the name of these bytes of an object `base` of type `kind`: `base.buf[3]`."""
        whole = CTerm(base, terms.UNARY if base[:1] in "*&" else terms.PRIMARY, kind, place=True)
        return terms.within(whole, offset, size).text

    def variables_at(self, function: str, line: int | None = None) -> list[VisibleVariable]:
        """Return the variables that a line of a function can name, innermost first."""
        found = visible_variables(self.module, self.debug, function)
        return [each for each in found if line is None or each.first <= line <= each.last]

    def resolve(self, function: str, line: int, text: str) -> tuple[VisibleVariable, VariablePlace]:
        """Return the variable that a user's `opt->name[3]` starts from, and its target."""
        path = parse_path(text)
        visible = self.variables_at(function, line)
        for variable in visible:
            if variable.name == path.variable:
                return variable, follow(variable.type, path.steps, text)
        this = next((each for each in visible if each.name == "this"), None)
        if this:  # in a method, a member can be named without `this`
            return this, follow(this.type, (PathStep("->", path.variable), *path.steps), text)
        listed = ", ".join(dict.fromkeys(each.name for each in visible if each.depth)) or "none"
        raise UserError(
            f"There is no variable {path.variable!r} at line {line}, in "
            f"{self.function_name(function)}.\nIts local variables at this line are: {listed}.",
            slug="unknown-variable",
        )

    def path(self, kind: DebugType | None, text: str) -> tuple[VariablePath, VariablePlace]:
        """Parse a user's `opt->name[3]`; return it, and its place if `opt` has type `kind`."""
        path = parse_path(text)
        return path, follow(kind, path.steps, text)

    def _writer(self, function: str, values: Values | None) -> ExpressionWriter:
        return ExpressionWriter(self, self.body(function), values)


def name_of_value(
    names: CNames, function: str, operand: ir.Value | ir.Typed, values: Values | None = None
) -> str | None:
    """Return an operand as a C expression; None if a part of it has no name in the source."""
    text = names.expression(function, operand, values)
    return text if terms.is_named(CTerm(text)) else None
