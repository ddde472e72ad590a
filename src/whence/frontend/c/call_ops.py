"""Which op does a call become?

A call of an intrinsic becomes another op than CALL if a replay can compute the intrinsic or if the
intrinsic does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from whence.frontend.c.constants import ModuleTables
from whence.frontend.c.ir import (
    Asm,
    Function,
    Global,
    Instruction,
    Int,
    IntType,
    OtherType,
    PointerType,
    Typed,
)
from whence.frontend.c.modelled_calls import modelled_call
from whence.frontend.c.models import ERRNO_LOCATION, READERS, WRITES_LOGGED
from whence.frontend.c.op_builder import (
    LINK,
    LoweredOp,
    OpBuilder,
    fits_word,
    float_width,
    word_width,
)
from whence.frontend.c.tables import NONE, CallFlag, OpCode, OpKind

# Stems of llvm.STEM.with.overflow, in the order of their numbers in OVERFLOW ops.
OVERFLOW = ("sadd", "uadd", "ssub", "usub", "smul", "umul")
INTEGER_INTRINSICS = {
    "abs": OpCode.ABS, "smax": OpCode.SMAX, "smin": OpCode.SMIN, "umax": OpCode.UMAX,
    "umin": OpCode.UMIN, "ctpop": OpCode.CTPOP, "ctlz": OpCode.CTLZ, "cttz": OpCode.CTTZ,
    "bswap": OpCode.BSWAP, "fshl": OpCode.FSHL, "fshr": OpCode.FSHR,
    "bitreverse": OpCode.BITREVERSE,
}  # fmt: skip
FLOAT_INTRINSICS = {
    "fabs": OpCode.FABS, "sqrt": OpCode.SQRT, "copysign": OpCode.COPYSIGN, "floor": OpCode.FLOOR,
    "ceil": OpCode.CEIL, "trunc": OpCode.TRUNCF, "rint": OpCode.RINT, "nearbyint": OpCode.RINT,
}  # fmt: skip
# Intrinsics that compute nothing.
NOTHING = (
    "lifetime", "dbg", "assume", "donothing", "experimental.noalias", "prefetch",
    "var.annotation", "invariant", "va_end", "stackrestore", "pseudoprobe", "fake.use",
    "trap", "debugtrap", "ubsantrap", "clear_cache",
)  # fmt: skip
# Intrinsics that return their first operand.
SAME = ("expect", "ssa.copy", "launder.invariant", "strip.invariant", "arithmetic.fence")
# Intrinsics that compute their result from their operands and touch no memory.
PURE = (
    "threadlocal.address", "frameaddress", "returnaddress", "stacksave", "objectsize",
    "is.constant", "fmuladd", "fma", "pow", "powi", "exp", "exp2", "exp10", "log", "log2",
    "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "round", "roundeven", "lround", "llround", "lrint", "llrint", "maxnum", "minnum", "maximum",
    "minimum", "is.fpclass", "eh.typeid.for", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat",
    "sshl.sat", "ushl.sat", "vector.reduce", "fptosi.sat", "fptoui.sat", "canonicalize",
    "ldexp", "frexp", "modf", "sincos", "scmp", "ucmp", "get.rounding", "addressofreturnaddress",
    "readcyclecounter", "readsteadycounter", "ptrmask", "allow.runtime.check",
    *INTEGER_INTRINSICS, *FLOAT_INTRINSICS, *(f"{name}.with.overflow" for name in OVERFLOW),
)  # fmt: skip
VA_LIST = {"x86_64": 24, "aarch64": 32}


def intrinsic(name: str, stems: Iterable[str]) -> str | None:
    """Return the longest of `stems` for which `name` is `llvm.STEM.types`, or None."""
    if not name.startswith("llvm."):
        return None
    rest = name[5:] + "."
    fitting = [stem for stem in stems if rest.startswith(stem + ".")]
    return max(fitting, key=len, default=None)


class CallOps(OpBuilder):
    """Builds the ops of the calls of one function."""

    def __init__(self, tables: ModuleTables, function: Function) -> None:
        super().__init__(tables, function)
        self.sites: list[tuple[int, int]] = []  # places where control can come back: (kind, target)

    def call_op(self, i: Instruction) -> LoweredOp:
        name = i.callee.name if isinstance(i.callee, Global) else ""
        if name.startswith("llvm."):
            op = self._intrinsic(i, name)
            if op is not None:
                return op
        return self._real_call(i)

    def _real_call(self, i: Instruction) -> LoweredOp:
        flags = CallFlag(0)
        symbol, callee, callee_use = NONE, NONE, NONE
        if isinstance(i.callee, Global) and i.callee.name.startswith("llvm."):
            callee = self.m.constant([0])  # an intrinsic has no address
        elif isinstance(i.callee, Global):
            symbol = self.m.symbol(i.callee.name)
            callee = self.m.constant([(symbol, 0)])
        elif isinstance(i.callee, Asm):
            flags |= CallFlag.ASM
        elif i.callee is not None:
            callee = self.operand(Typed(PointerType(), i.callee))
            callee_use = self.use_of(i.callee)
        site, normal = NONE, NONE
        if self.m.is_sure(i):
            flags |= CallFlag.SURE
            assert isinstance(i.callee, Global)
            if i.callee.name in self.m.quiet:
                flags |= CallFlag.QUIET
                site = self.m.function_number[i.callee.name]
        if isinstance(i.callee, Global):
            flags |= self._modelled(i)
        if "noreturn" in i.attributes or self._declared_noreturn(i):
            flags |= CallFlag.NORETURN
        if returns_twice(i):
            flags = (flags | CallFlag.TWICE) & ~CallFlag.QUIET
            site = len(self.sites)
            self.sites.append((1, len(self.m.rows["ops"])))
        if i.opcode == "invoke":
            flags |= CallFlag.INVOKE
            normal = self.first_block + self.number[i.labels[0]]
        fixed = len(i.function.params) if i.function is not None else len(i.operands)
        numbers = [
            callee, symbol, len(i.operands), self.m.logged_size(i.type), self.m.slots(i.type),
            int(flags), site, normal, fixed,
        ]  # fmt: skip
        for k, operand in enumerate(i.operands):
            copied = i.byval[k] if k < len(i.byval) else None
            size = self.m.layout.size(copied) if copied is not None else 0
            numbers += [self.operand(operand), self.m.slots(operand.type), size]
        return LoweredOp(
            OpCode.CALL, dst=self.dst(i) if self.m.slots(i.type) else NONE,
            c=self.layout_of(i.type), x=self.extras(numbers),
            uses=[*self.uses(i.operands), callee_use],
            kind=OpKind.CALL, call=flags, site=site,
        )  # fmt: skip

    def _modelled(self, i: Instruction) -> CallFlag:
        """Return what the model of a library function says about the memory that it writes."""
        library = modelled_call(i, self.m.module.functions)
        if library is None:
            return CallFlag(0)
        model, name = library.model, library.model.name
        flags = CallFlag.ERRNO_ADDRESS if name == ERRNO_LOCATION else CallFlag(0)
        if name in READERS or not (model.before or model.after):
            flags |= CallFlag.PURE
        return flags | (CallFlag.WRITES_LOGGED if name in WRITES_LOGGED else CallFlag(0))

    def _declared_noreturn(self, i: Instruction) -> bool:
        if not isinstance(i.callee, Global):
            return False
        name = i.callee.name
        known = self.m.module.declarations.get(name) or self.m.module.functions.get(name)
        return known is not None and "noreturn" in known.attributes

    def _intrinsic(self, i: Instruction, name: str) -> LoweredOp | None:
        """Return the op of an intrinsic; None if it must be treated as a real call."""
        if intrinsic(name, ("memcpy", "memmove", "memcpy.inline")):
            return self._memory_copy(i, i.operands[0], i.operands[1], i.operands[2])
        if intrinsic(name, ("memset", "memset.inline")):
            return self._memory_fill(i)
        if intrinsic(name, ("va_start",)):
            size = VA_LIST.get(self.m.module.triple.partition("-")[0], 32)
            return LoweredOp(
                OpCode.VASTART, a=self.operand(i.operands[0]), x=size, uses=self.uses(i.operands)
            )
        if intrinsic(name, ("va_copy",)):
            size = VA_LIST.get(self.m.module.triple.partition("-")[0], 32)
            return self._memory_copy(i, i.operands[0], i.operands[1], Typed(IntType(64), Int(size)))
        if intrinsic(name, NOTHING) or (not self.m.slots(i.type) and "assume" in name):
            return LoweredOp(OpCode.NOP)
        if intrinsic(name, SAME):
            return LoweredOp(
                OpCode.MOVE, bits=self.scalar_bits(i.type), dst=self.dst(i),
                a=self.operand(i.operands[0]), x=self.m.slots(i.type), uses=self.uses(i.operands),
            )  # fmt: skip
        return self._computing_intrinsic(i, name)

    def _computing_intrinsic(self, i: Instruction, name: str) -> LoweredOp | None:
        stem = intrinsic(name, (f"{stem}.with.overflow" for stem in OVERFLOW))
        if stem and fits_word(i.operands[0].type):
            kind = OVERFLOW.index(stem.partition(".")[0])
            return self.plain(i, OpCode.OVERFLOW, word_width(i.operands[0].type), c=kind)
        stem = intrinsic(name, INTEGER_INTRINSICS)
        if stem and fits_word(i.type):
            return self.plain(i, INTEGER_INTRINSICS[stem], word_width(i.type))
        stem = intrinsic(name, FLOAT_INTRINSICS)
        if stem and float_width(i.type):
            return self.plain(i, FLOAT_INTRINSICS[stem], float_width(i.type))
        if intrinsic(name, PURE) and i.result is not None:
            pairs = [o for o in i.operands if not isinstance(o.type, OtherType)]
            trimmed = Instruction(
                opcode="call", type=i.type, operands=tuple(pairs), line=i.line, result=i.result
            )
            return self.opaque(trimmed)
        return None

    def _memory_copy(
        self, i: Instruction, target: Typed, source: Typed, length: Typed
    ) -> LoweredOp:
        to, origin = self.place(target.value), self.place(source.value)
        constant = length.value.value if isinstance(length.value, Int) else 0
        if to is not None and origin is not None:
            return LoweredOp(OpCode.LCOPY, LINK, b=to, c=origin, x=constant)
        if origin is not None:
            return LoweredOp(
                OpCode.LCOPYOUT, LINK, a=self.operand(target), b=origin, x=constant,
                uses=self.uses([target]),
            )  # fmt: skip
        return LoweredOp(
            OpCode.COPY, a=self.operand(target), b=self.operand(source), c=self.operand(length),
            uses=self.uses(i.operands[:3]),
        )  # fmt: skip

    def _memory_fill(self, i: Instruction) -> LoweredOp:
        target, byte, length = i.operands[:3]
        place = self.place(target.value)
        if place is not None and isinstance(length.value, Int):
            return LoweredOp(
                OpCode.LFILL, a=self.operand(byte), b=place, x=length.value.value,
                uses=self.uses([byte]),
            )  # fmt: skip
        return LoweredOp(
            OpCode.FILL, a=self.operand(target), b=self.operand(byte), c=self.operand(length),
            uses=self.uses(i.operands[:3]),
        )  # fmt: skip


def returns_twice(i: Instruction) -> bool:
    sjlj = isinstance(i.callee, Global) and i.callee.name == "llvm.eh.sjlj.setjmp"
    return sjlj or "returns_twice" in i.attributes
