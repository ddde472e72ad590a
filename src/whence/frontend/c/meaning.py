"""Which operation of `program.operations` does an instruction compute?

The replay kernel computes the same; `operations` says it with the kernel's op codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from whence.frontend.c.call_ops import (
    FLOAT_INTRINSICS,
    INTEGER_INTRINSICS,
    OVERFLOW,
    PURE,
    SAME,
    intrinsic,
)
from whence.frontend.c.ir import (
    Float,
    FloatType,
    Global,
    Instruction,
    Int,
    IntType,
    Local,
    Module,
    PointerType,
    Type,
    Typed,
    Undefined,
    Zero,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.operations import BINARY, FCMP, FLOATING
from whence.program.operations import COp, Operation

COMPUTED = ("half", "float", "double")  # float formats that `program.operations` can compute
OTHER_INTRINSICS = {
    "round": COp.ROUND, "roundeven": COp.RINT, "minnum": COp.FMIN, "maxnum": COp.FMAX,
}  # fmt: skip
LIBRARY = {
    "sqrt": COp.SQRT, "fmod": COp.FREM, "fabs": COp.FABS, "floor": COp.FLOOR, "ceil": COp.CEIL,
    "trunc": COp.TRUNCF, "rint": COp.RINT, "nearbyint": COp.RINT, "round": COp.ROUND,
    "fmin": COp.FMIN, "fmax": COp.FMAX, "copysign": COp.COPYSIGN,
}  # fmt: skip
INDEX_BITS = 32  # width of the result of a switch: the number of its case


@dataclass(frozen=True, slots=True)
class Meaning:
    """An operation, and the operands of the instruction that it uses."""

    operation: Operation
    operands: tuple[Typed, ...]


# returns the instruction that defines a register
Definitions = Callable[[str], "Instruction | None"]


class Meanings:
    """The operations that the instructions of one module compute."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.layout = Layout(module)
        self._fuses = _fuses(module)
        self._rules: dict[str, Callable[[Instruction], Meaning | None]] = {
            **dict.fromkeys(BINARY, self._binary),
            **dict.fromkeys((*FLOATING, "fneg"), self._float),
            **dict.fromkeys(("fptrunc", "fpext"), self._float),
            **dict.fromkeys(("fptoui", "fptosi", "uitofp", "sitofp"), self._float),
            **dict.fromkeys(("bitcast", "ptrtoint", "ptrtoaddr", "inttoptr"), self._cast),
            **dict.fromkeys(("addrspacecast", "zext", "trunc"), self._cast),
            **dict.fromkeys(("call", "invoke"), self._call),
            "sext": lambda i: self._of(COp.SEXT, i.type, i.operands),
            "freeze": self._freeze,
            "icmp": lambda i: self._of(COp[i.predicate.upper()], i.type, i.operands),
            "fcmp": self._fcmp,
            "select": lambda i: self._of(COp.SELECT, i.type, i.operands),
            "getelementptr": self._address,
            "br": self._branch,
            "switch": self._switch,
            "ret": self._value,
            "store": self._value,
        }

    def of(
        self, instruction: Instruction, definitions: Definitions | None = None
    ) -> Meaning | None:
        """Return what an instruction computes from its operands.

        The result of a conditional branch, a return or a store is its condition or value; the
        result of a switch is the number of the case that it takes.  A function of the C library
        that computes one operation counts as this operation; the caller checks whether the program
        defines its own.  Return None if the instruction computes nothing, if its result comes from
        memory, from the previous block (phi) or from other code, or if a value is not a scalar.

        Given the `definitions` of its function, an extractvalue from llvm.sadd.with.overflow and
        the like has a meaning too; its operands are those of the call.
        """
        if instruction.opcode == "extractvalue":
            return self._checked(instruction, definitions) if definitions else None
        rule = self._rules.get(instruction.opcode)
        return rule(instruction) if rule else None

    def width(self, of: Type) -> int | None:
        """Return the number of bits of a scalar; None for other types."""
        if isinstance(of, IntType):
            return of.bits
        if isinstance(of, PointerType | FloatType):
            return 8 * self.layout.store_size(of)
        return None

    def constant(self, typed: Typed) -> int | None:
        """Return the bits of a scalar constant; None for addresses, which differ between runs.

        Undefined values are zero, as in the replay.
        """
        width, value = self.width(typed.type), typed.value
        if width is None:
            return None
        if isinstance(value, Int):
            return value.value & ((1 << width) - 1)
        if isinstance(value, Float):
            return value.bits
        return 0 if isinstance(value, Zero | Undefined) else None

    def _of(
        self, op: COp, result: Type, operands: Sequence[Typed], extra: tuple[int, ...] = ()
    ) -> Meaning | None:
        width = self.width(result)
        widths = tuple(w for w in (self.width(o.type) for o in operands) if w is not None)
        if width is None or len(widths) < len(operands):
            return None
        return Meaning(Operation(op, width, widths, extra), tuple(operands))

    # --- instructions ------------------------------------------------------------------------

    def _binary(self, i: Instruction) -> Meaning | None:
        return self._of(COp[BINARY[i.opcode].name], i.type, i.operands)

    def _float(self, i: Instruction) -> Meaning | None:
        return self._floating(COp[i.opcode.upper()], i.type, i.operands)

    def _fcmp(self, i: Instruction) -> Meaning | None:
        return self._floating(COp.FCMP, i.type, i.operands, (FCMP.index(i.predicate),))

    def _floating(
        self, op: COp, result: Type, operands: Sequence[Typed], extra: tuple[int, ...] = ()
    ) -> Meaning | None:
        """Return an operation on floats; OPAQUE if a float format is unknown."""
        types = (result, *(operand.type for operand in operands))
        known = all(t.kind in COMPUTED for t in types if isinstance(t, FloatType))
        return self._of(op if known else COp.OPAQUE, result, operands, extra if known else ())

    def _cast(self, i: Instruction) -> Meaning | None:
        """Return a cast that keeps the bits that fit the new type."""
        before, after = self.width(i.operands[0].type), self.width(i.type)
        if before is None or after is None:
            return None
        op = COp.COPY if before == after else COp.ZEXT if before < after else COp.TRUNC
        return self._of(op, i.type, i.operands)

    def _freeze(self, i: Instruction) -> Meaning | None:
        # freeze fixes an undefined value to whatever the machine holds.
        is_undefined = isinstance(i.operands[0].value, Undefined)
        return None if is_undefined else self._of(COp.COPY, i.type, i.operands)

    def _address(self, i: Instruction) -> Meaning | None:
        if i.element is None or not isinstance(i.type, PointerType):
            return None
        constant, indices = self.layout.gep(i.element, i.operands[1:])
        operands = (i.operands[0], *(index for index, _ in indices))
        return self._of(
            COp.ADDRESS, i.type, operands, (*(scale for _, scale in indices), constant)
        )  # fmt: skip

    def _branch(self, i: Instruction) -> Meaning | None:
        condition = i.operands[0]
        return self._of(COp.COPY, condition.type, (condition,)) if len(i.operands) == 3 else None

    def _switch(self, i: Instruction) -> Meaning | None:
        cases = tuple(self.constant(case) or 0 for case in i.operands[2::2])
        return self._of(COp.SWITCH, IntType(INDEX_BITS), i.operands[:1], cases)

    def _value(self, i: Instruction) -> Meaning | None:
        return self._of(COp.COPY, i.operands[0].type, i.operands[:1]) if i.operands else None

    # --- intrinsics --------------------------------------------------------------------------

    def _call(self, i: Instruction) -> Meaning | None:
        name = i.callee.name if isinstance(i.callee, Global) else ""
        if (library := self._library(i, name)) is not None:
            return self._floating(library, i.type, i.operands)
        if intrinsic(name, SAME):
            return self._of(COp.COPY, i.type, i.operands[:1])
        stem = intrinsic(name, PURE)
        if stem is None:
            return None
        if stem in INTEGER_INTRINSICS:
            return self._integer_intrinsic(i, COp[INTEGER_INTRINSICS[stem].name])
        if stem in FLOAT_INTRINSICS:
            return self._floating(COp[FLOAT_INTRINSICS[stem].name], i.type, i.operands)
        if stem in ("fma", "fmuladd"):
            return self._floating(self._product_and_sum(stem), i.type, i.operands)
        if stem == "is.fpclass":
            wanted = self.constant(i.operands[1]) or 0
            return self._floating(COp.FPCLASS, i.type, i.operands[:1], (wanted,))
        return self._floating(OTHER_INTRINSICS.get(stem, COp.OPAQUE), i.type, i.operands)

    def _library(self, i: Instruction, name: str) -> COp | None:
        kinds = {i.type, *(operand.type for operand in i.operands)}
        fits = {"double": name, "float": name.removesuffix("f")}
        for kind, stem in fits.items():
            if kinds == {FloatType(kind)} and name not in self._module.functions:
                return LIBRARY.get(stem)
        return None

    def _integer_intrinsic(self, i: Instruction, op: COp) -> Meaning | None:
        if op in (COp.CTLZ, COp.CTTZ):  # the second operand: is zero undefined?
            return self._of(op, i.type, i.operands[:1], (self.constant(i.operands[1]) or 0,))
        return self._of(op, i.type, i.operands[:1] if op is COp.ABS else i.operands)

    def _product_and_sum(self, stem: str) -> COp:
        """Return what the machine computes for llvm.fma and llvm.fmuladd.

        Without a fused instruction, fmuladd becomes two operations, and fma becomes a library call
        that some libraries round wrongly.
        """
        if self._fuses:
            return COp.FMA
        return COp.FMULADD if stem == "fmuladd" and self._fuses is False else COp.OPAQUE

    def _checked(self, i: Instruction, definitions: Definitions) -> Meaning | None:
        """Return the result of a checked sum, difference or product, or its overflow flag."""
        value = i.operands[0].value
        call = definitions(value.name) if isinstance(value, Local) else None
        name = call.callee.name if call and isinstance(call.callee, Global) else ""
        stem = intrinsic(name, (f"{stem}.with.overflow" for stem in OVERFLOW))
        if call is None or stem is None:
            return None
        kind = stem.partition(".")[0]
        if i.indices == (1,):
            return self._of(COp.OVERFLOW, i.type, call.operands, (OVERFLOW.index(kind),))
        return self._of(COp[kind[1:].upper()], i.type, call.operands)


def _fuses(module: Module) -> bool | None:
    """Does the machine have an instruction for a * b + c?  None: only for some functions."""
    if module.triple.startswith("aarch64"):
        return True
    groups = [line for line in module.text if line.startswith("attributes #")]
    targets = [match[1] for line in groups if (match := _FEATURES.search(line))]
    can = {"+fma" in features.split(",") for features in targets} or {False}
    return can.pop() if len(can) == 1 else None


_FEATURES = re.compile(r'"target-features"="([^"]*)"')
