"""Which op does each instruction become?

An instruction whose result a replay cannot compute, or need not, becomes OPAQUE: the run
logs its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from whence.frontend.c.constants import ModuleTables
from whence.frontend.c.ir import (
    ArrayType,
    Asm,
    FloatType,
    Function,
    Global,
    Instruction,
    Int,
    IntType,
    Label,
    Local,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    Typed,
    Value,
    VectorType,
)
from whence.frontend.c.models import MODELS
from whence.frontend.c.plan import Private, private_memory
from whence.frontend.c.tables import CONSTANT, NONE, CallFlag, OpCode, OpFlag, OpKind

# As plain numbers: an operation on flags costs more than all else about an instruction.
LOGGED, LINK, CHECKED = int(OpFlag.LOGGED), int(OpFlag.LINK), int(OpFlag.CHECKED)

BINARY = {
    "add": OpCode.ADD, "sub": OpCode.SUB, "mul": OpCode.MUL, "udiv": OpCode.UDIV,
    "sdiv": OpCode.SDIV, "urem": OpCode.UREM, "srem": OpCode.SREM, "shl": OpCode.SHL,
    "lshr": OpCode.LSHR, "ashr": OpCode.ASHR, "and": OpCode.AND, "or": OpCode.OR, "xor": OpCode.XOR,
}  # fmt: skip
FLOATING = {
    "fadd": OpCode.FADD, "fsub": OpCode.FSUB, "fmul": OpCode.FMUL, "fdiv": OpCode.FDIV,
    "frem": OpCode.FREM,
}  # fmt: skip
ICMP = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
FCMP = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
)  # fmt: skip
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
NOTHING = (
    "lifetime", "dbg", "assume", "donothing", "experimental.noalias", "prefetch",
    "var.annotation", "invariant", "va_end", "stackrestore", "pseudoprobe", "fake.use",
    "trap", "debugtrap", "ubsantrap", "clear_cache",
)  # fmt: skip
SAME = ("expect", "ssa.copy", "launder.invariant", "strip.invariant", "arithmetic.fence")
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
FAULTING = frozenset({
    OpCode.LOAD, OpCode.STORE, OpCode.COPY, OpCode.FILL, OpCode.LCOPYOUT, OpCode.RMW, OpCode.CALL,
    OpCode.UDIV, OpCode.SDIV, OpCode.UREM, OpCode.SREM, OpCode.VASTART, OpCode.OPAQUE,
})  # fmt: skip
VA_LIST = {"x86_64": 24, "aarch64": 32}


def intrinsic(name: str, stems: Iterable[str]) -> str | None:
    """Which of `stems` is the intrinsic `llvm.STEM.types`?  The longest that fits."""
    if not name.startswith("llvm."):
        return None
    rest = name[5:] + "."
    fitting = [stem for stem in stems if rest.startswith(stem + ".")]
    return max(fitting, key=len, default=None)


@dataclass(slots=True)
class LoweredOp:
    """One row of `ops`, with its uses."""

    code: OpCode
    flags: int = 0
    bits: int = 0
    dst: int = NONE
    a: int = NONE
    b: int = NONE
    c: int = NONE
    x: int = 0
    uses: list[int] = field(default_factory=list)
    use_blocks: list[int] = field(default_factory=list)
    kind: OpKind = OpKind.PLAIN
    call: CallFlag | None = None
    site: int = NONE


class Operations:
    """The instructions of one function, turned into ops."""

    def __init__(self, tables: ModuleTables, function: Function) -> None:
        self.m = tables
        self.function = function
        self.first_block = len(tables.rows["blocks"])
        self.number = {block.label: i for i, block in enumerate(function.blocks)}
        self.private: Private = private_memory(function, tables.layout)
        self.sites: list[tuple[int, int]] = []  # where control comes back: (kind, target)
        self.slot: dict[str, int] = {}
        self.use: dict[str, int] = {}  # register -> the op or parameter that defines it
        self.handlers: dict[str, Callable[[Instruction], LoweredOp]] = {
            "icmp": self._icmp, "fcmp": self._fcmp, "fneg": self._fneg,
            "trunc": self._trunc, "zext": self._move, "sext": self._sext,
            "bitcast": self._move, "ptrtoint": self._trunc, "inttoptr": self._move,
            "ptrtoaddr": self._trunc, "addrspacecast": self._move, "freeze": self._move,
            "fptrunc": self._fptrunc, "fpext": self._fpext,
            "fptoui": self._to_int, "fptosi": self._to_int,
            "uitofp": self._to_float, "sitofp": self._to_float,
            "select": self._select, "getelementptr": self._gep, "load": self._load,
            "store": self._store, "alloca": self._alloca, "call": self._call,
            "invoke": self._call, "phi": self._phi, "ret": self._ret, "br": self._br,
            "switch": self._switch, "indirectbr": self._indirectbr,
            "unreachable": lambda _: LoweredOp(OpCode.UNREACHABLE),
            "fence": lambda _: LoweredOp(OpCode.NOP),
            "atomicrmw": self._rmw, "cmpxchg": self._rmw, "insertvalue": self._insert,
            "extractvalue": self._extract, "landingpad": self._landingpad,
            "resume": lambda i: LoweredOp(OpCode.RESUME, a=self.operand(i.operands[0]),
                                    uses=self.uses(i.operands)),
        }  # fmt: skip

    # --- operands ----------------------------------------------------------------------------

    def operand(self, typed: Typed) -> int:
        if type(typed.value) is Local:
            return self.slot[typed.value.name]
        slots = self.m.constant_slots(typed)
        return self.m.constant(slots) if slots else NONE

    def uses(self, operands: Iterable[Typed]) -> list[int]:
        return [self.use_of(operand.value) for operand in operands]

    def use_of(self, value: Value) -> int:
        return self.use.get(value.name, NONE) if type(value) is Local else NONE

    def extras(self, numbers: Iterable[int]) -> int:
        table = self.m.rows["extras"]
        index = len(table)
        table.extend(numbers)
        return index

    def dst(self, instruction: Instruction) -> int:
        return NONE if instruction.result is None else self.slot[instruction.result]

    def place(self, value: Value) -> int | None:
        if type(value) is Local and value.name in self.private.places:
            return self.private.places[value.name].offset
        return None

    def block_of(self, value: object) -> int:
        if not isinstance(value, Label):
            raise ValueError(f"{value} is no label")
        return self.first_block + self.number[value.name]

    # --- instructions ------------------------------------------------------------------------

    def op_of(self, instruction: Instruction) -> LoweredOp:
        opcode = instruction.opcode
        if opcode in BINARY:
            op = self._binary(instruction, BINARY[opcode])
        elif opcode in FLOATING:
            op = self._floating(instruction, FLOATING[opcode])
        else:
            handler = self.handlers.get(opcode)
            op = handler(instruction) if handler else self._opaque(instruction)
        return op

    def _opaque(self, instruction: Instruction) -> LoweredOp:
        """An op that is not recomputed: its result is logged, its operands are what it used."""
        pairs = [(self.operand(o), self.m.slots(o.type)) for o in instruction.operands]
        numbers = [len(pairs), *(number for pair in pairs for number in pair)]
        has_result = instruction.result is not None and self.m.slots(instruction.type) > 0
        return LoweredOp(
            OpCode.OPAQUE,
            flags=LOGGED if has_result else 0,
            bits=self.m.logged_size(instruction.type),
            dst=self.dst(instruction) if has_result else NONE,
            b=self._layout(instruction.type),
            c=self.m.slots(instruction.type),
            x=self.extras(numbers),
            uses=self.uses(instruction.operands),
        )

    def _plain(self, instruction: Instruction, code: OpCode, bits: int, **fields: int) -> LoweredOp:
        operands = [self.operand(o) for o in instruction.operands[:3]] + [NONE] * 3
        return LoweredOp(
            code, bits=bits, dst=self.dst(instruction), a=operands[0], b=operands[1],
            c=fields.get("c", operands[2]), x=fields.get("x", 0),
            uses=self.uses(instruction.operands),
        )  # fmt: skip

    def _binary(self, i: Instruction, code: OpCode) -> LoweredOp:
        return self._plain(i, code, _bits(i.type)) if _is_word(i.type) else self._opaque(i)

    def _floating(self, i: Instruction, code: OpCode) -> LoweredOp:
        bits = _float_bits(i.type)
        return self._plain(i, code, bits) if bits else self._opaque(i)

    def _icmp(self, i: Instruction) -> LoweredOp:
        of = i.operands[0].type
        if not _is_word(of):
            return self._opaque(i)
        return self._plain(i, OpCode.ICMP, _bits(of), c=ICMP.index(i.predicate))

    def _fcmp(self, i: Instruction) -> LoweredOp:
        bits = _float_bits(i.operands[0].type)
        return (
            self._plain(i, OpCode.FCMP, bits, c=FCMP.index(i.predicate))
            if bits
            else self._opaque(i)
        )

    def _fneg(self, i: Instruction) -> LoweredOp:
        return self._floating(i, OpCode.FNEG)

    def _trunc(self, i: Instruction) -> LoweredOp:
        if _is_word(i.type) and _is_word(i.operands[0].type):
            return self._plain(i, OpCode.TRUNC, _bits(i.type))
        return self._opaque(i)

    def _move(self, i: Instruction) -> LoweredOp:
        if i.opcode == "freeze" and not isinstance(i.operands[0].value, Local):
            return self._opaque(i)  # whatever an undefined value happens to be
        before, after = i.operands[0].type, i.type
        same = self.m.slots(before) == self.m.slots(after)
        if same and not (self.m.slots(after) > 1 and i.opcode not in ("bitcast", "freeze")):
            return self._plain(i, OpCode.MOVE, self._scalar_bits(after), x=self.m.slots(after))
        return self._opaque(i)

    def _scalar_bits(self, of: Type) -> int:
        """How wide a value of one slot is; 64 for all others."""
        if isinstance(of, IntType):
            return min(of.bits, 64)
        if isinstance(of, (FloatType, VectorType)):
            return min(8 * self.m.layout.store_size(of), 64)
        return 64

    def _sext(self, i: Instruction) -> LoweredOp:
        source = i.operands[0].type
        if _is_word(i.type) and _is_word(source):
            return self._plain(i, OpCode.SEXT, _bits(i.type), c=_bits(source))
        return self._opaque(i)

    def _fptrunc(self, i: Instruction) -> LoweredOp:
        return self._float_cast(i, OpCode.FPTRUNC, "double", "float")

    def _fpext(self, i: Instruction) -> LoweredOp:
        return self._float_cast(i, OpCode.FPEXT, "float", "double")

    def _float_cast(self, i: Instruction, code: OpCode, source: str, target: str) -> LoweredOp:
        if i.operands[0].type == FloatType(source) and i.type == FloatType(target):
            return self._plain(i, code, _float_bits(i.type))
        return self._opaque(i)

    def _to_int(self, i: Instruction) -> LoweredOp:
        bits = _float_bits(i.operands[0].type)
        if not bits or not _is_word(i.type):
            return self._opaque(i)
        code = OpCode.FPTOUI if i.opcode == "fptoui" else OpCode.FPTOSI
        return self._plain(i, code, _bits(i.type), c=bits)

    def _to_float(self, i: Instruction) -> LoweredOp:
        bits = _float_bits(i.type)
        if not bits or not _is_word(i.operands[0].type):
            return self._opaque(i)
        code = OpCode.UITOFP if i.opcode == "uitofp" else OpCode.SITOFP
        return self._plain(i, code, bits, c=_bits(i.operands[0].type))

    def _select(self, i: Instruction) -> LoweredOp:
        if not isinstance(i.operands[0].type, IntType):
            return self._opaque(i)
        return self._plain(i, OpCode.SELECT, self._scalar_bits(i.type), x=self.m.slots(i.type))

    def _gep(self, i: Instruction) -> LoweredOp:
        if i.result in self.private.places:
            return LoweredOp(OpCode.NOP)
        if isinstance(i.type, VectorType) or i.element is None:
            return self._opaque(i)
        offset, indices = self.m.layout.gep(i.element, i.operands[1:])
        op = LoweredOp(
            OpCode.GEP if indices else OpCode.GEPC, bits=64, dst=self.dst(i),
            a=self.operand(i.operands[0]), c=self.m.constant([offset]) & ~CONSTANT,
            uses=self.uses(i.operands),
        )  # fmt: skip
        if indices:
            numbers = [len(indices)]
            for index, scale in indices:
                wrapped = scale & 0xFFFFFFFFFFFFFFFF
                bits = _bits(index.type)
                numbers += [self.operand(index), bits, wrapped & NONE, wrapped >> 32]
            op.x = self.extras(numbers)
        return op

    def _layout(self, of: Type) -> int:
        """How the slots of an aggregate are spread: n, then n times (offset in memory, size)."""
        if not self.m.is_aggregate(of):
            return 0
        leaves = self.m.layout.leaves(of)
        numbers = [len(leaves)]
        for leaf, offset in leaves:
            numbers += [offset, self.m.layout.store_size(leaf)]
        return self.extras(numbers)

    def _load(self, i: Instruction) -> LoweredOp:
        pointer, size = i.operands[0], self.m.layout.store_size(i.type)
        place = self.place(pointer.value)
        if place is not None:
            return LoweredOp(
                OpCode.LLOAD, LINK, dst=self.dst(i), b=place, c=self._layout(i.type),
                x=size,
            )  # fmt: skip
        return LoweredOp(
            OpCode.LOAD, LINK | LOGGED, dst=self.dst(i),
            a=self.operand(pointer), c=self._layout(i.type), x=size, uses=self.uses(i.operands),
        )  # fmt: skip

    def _store(self, i: Instruction) -> LoweredOp:
        value, pointer = i.operands
        size = self.m.layout.store_size(value.type)
        place = self.place(pointer.value)
        op = LoweredOp(
            OpCode.STORE, a=self.operand(value), c=self._layout(value.type), x=size,
            uses=self.uses(i.operands),
        )  # fmt: skip
        if place is not None:
            op.code, op.b = OpCode.LSTORE, place
        else:
            op.b = self.operand(pointer)
        return op

    def _alloca(self, i: Instruction) -> LoweredOp:
        if i.element is None or i.result is None:
            raise ValueError("an alloca without a type")
        size = self.m.layout.size(i.element)
        if i.result in self.private.allocas:
            return LoweredOp(OpCode.LALLOCA, b=self.private.places[i.result].offset, x=size)
        return LoweredOp(
            OpCode.ALLOCA, LOGGED, bits=64, dst=self.dst(i),
            a=self.operand(i.operands[0]), c=self.m.constant([size]) & ~CONSTANT, x=8,
            uses=self.uses(i.operands),
        )  # fmt: skip

    def _rmw(self, i: Instruction) -> LoweredOp:
        pointer, *values = i.operands
        pairs = [(self.operand(o), self.m.slots(o.type)) for o in values]
        numbers = [len(pairs), *(number for pair in pairs for number in pair)]
        return LoweredOp(
            OpCode.RMW, LINK | LOGGED, bits=self.m.logged_size(i.type),
            dst=self.dst(i), a=self.operand(pointer),
            c=self.extras(numbers), x=self.m.layout.store_size(values[-1].type),
            uses=self.uses(i.operands),
        )  # fmt: skip

    def _insert(self, i: Instruction) -> LoweredOp:
        offset, of = self._slot_path(i.operands[0].type, i.indices)
        return self._plain(
            i, OpCode.INSERT, self.m.slots(of), c=offset, x=self.m.slots(i.type)
        )  # fmt: skip

    def _extract(self, i: Instruction) -> LoweredOp:
        offset, of = self._slot_path(i.operands[0].type, i.indices)
        return self._plain(i, OpCode.EXTRACT, self._scalar_bits(of), c=offset, x=self.m.slots(of))

    def _slot_path(self, of: Type, path: Sequence[int]) -> tuple[int, Type]:
        offset = 0
        for index in path:
            of = self.m.module.types[of.name] if isinstance(of, NamedType) else of
            if isinstance(of, StructType):
                offset += sum(self.m.slots(member) for member in of.fields[:index])
                of = of.fields[index]
            elif isinstance(of, ArrayType):
                offset += index * self.m.slots(of.element)
                of = of.element
        return offset, of

    def _landingpad(self, i: Instruction) -> LoweredOp:
        return LoweredOp(
            OpCode.LANDINGPAD, LOGGED, bits=self.m.logged_size(i.type),
            dst=self.dst(i), c=self.m.slots(i.type),
        )  # fmt: skip

    # --- control -----------------------------------------------------------------------------

    def _phi(self, i: Instruction) -> LoweredOp:
        numbers = [len(i.operands) // 2, self.m.slots(i.type)]
        op = LoweredOp(OpCode.PHI, bits=self._scalar_bits(i.type), dst=self.dst(i), kind=OpKind.PHI)
        for value, label in zip(i.operands[::2], i.operands[1::2], strict=True):
            block = self.block_of(label.value)
            numbers += [block, self.operand(value)]
            op.uses.append(self.use_of(value.value))
            op.use_blocks.append(block)
        op.x = self.extras(numbers)
        return op

    def _ret(self, i: Instruction) -> LoweredOp:
        op = LoweredOp(OpCode.RET, uses=self.uses(i.operands), kind=OpKind.RETURN)
        if i.operands:
            op.a, op.x = self.operand(i.operands[0]), self.m.slots(i.operands[0].type)
        return op

    def _br(self, i: Instruction) -> LoweredOp:
        if len(i.operands) == 1:
            return LoweredOp(OpCode.BR, a=self.block_of(i.operands[0].value))
        condition, yes, no = i.operands
        a, b = self.block_of(yes.value), self.block_of(no.value)
        return LoweredOp(
            OpCode.CBR, a=self.operand(condition), b=a, c=b, uses=self.uses([condition]),
            kind=OpKind.BRANCH if a != b else OpKind.PLAIN,
        )  # fmt: skip

    def _switch(self, i: Instruction) -> LoweredOp:
        value, default, *cases = i.operands
        numbers = [self.block_of(default.value), len(cases) // 2]
        for case, label in zip(cases[::2], cases[1::2], strict=True):
            slot = self.m.constant_slots(case)[0]
            number = slot if isinstance(slot, int) else 0
            numbers += [number & NONE, number >> 32, self.block_of(label.value)]
        return LoweredOp(
            OpCode.SWITCH, bits=_bits(value.type) if _is_word(value.type) else 0,
            a=self.operand(value), x=self.extras(numbers), uses=self.uses([value]),
            kind=OpKind.BRANCH,
        )  # fmt: skip

    def _indirectbr(self, i: Instruction) -> LoweredOp:
        address, *labels = i.operands
        numbers = [len(labels), *(self.block_of(label.value) for label in labels)]
        return LoweredOp(
            OpCode.INDIRECTBR, a=self.operand(address), x=self.extras(numbers),
            uses=self.uses([address]), kind=OpKind.BRANCH,
        )  # fmt: skip

    # --- calls -------------------------------------------------------------------------------

    def _call(self, i: Instruction) -> LoweredOp:
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
        if isinstance(i.callee, Global) and self._is_pure(i.callee.name):
            flags |= CallFlag.PURE
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
            OpCode.CALL, dst=self.dst(i) if self.m.slots(i.type) else NONE, c=self._layout(i.type),
            x=self.extras(numbers), uses=[*self.uses(i.operands), callee_use],
            kind=OpKind.CALL, call=flags, site=site,
        )  # fmt: skip

    def _is_pure(self, name: str) -> bool:
        model = MODELS.get(name)
        known = model is not None and not (model.before or model.after)
        return known and name not in self.m.module.functions

    def _declared_noreturn(self, i: Instruction) -> bool:
        if not isinstance(i.callee, Global):
            return False
        name = i.callee.name
        known = self.m.module.declarations.get(name) or self.m.module.functions.get(name)
        return known is not None and "noreturn" in known.attributes

    def _intrinsic(self, i: Instruction, name: str) -> LoweredOp | None:
        """The op of an intrinsic that is no call; None if it must be treated as one."""
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
                OpCode.MOVE, bits=self._scalar_bits(i.type), dst=self.dst(i),
                a=self.operand(i.operands[0]), x=self.m.slots(i.type), uses=self.uses(i.operands),
            )  # fmt: skip
        return self._computing_intrinsic(i, name)

    def _computing_intrinsic(self, i: Instruction, name: str) -> LoweredOp | None:
        stem = intrinsic(name, (f"{stem}.with.overflow" for stem in OVERFLOW))
        if stem and _is_word(i.operands[0].type):
            kind = OVERFLOW.index(stem.partition(".")[0])
            return self._plain(i, OpCode.OVERFLOW, _bits(i.operands[0].type), c=kind)
        stem = intrinsic(name, INTEGER_INTRINSICS)
        if stem and _is_word(i.type):
            return self._plain(i, INTEGER_INTRINSICS[stem], _bits(i.type))
        stem = intrinsic(name, FLOAT_INTRINSICS)
        if stem and _float_bits(i.type):
            return self._plain(i, FLOAT_INTRINSICS[stem], _float_bits(i.type))
        if intrinsic(name, PURE) and i.result is not None:
            pairs = [o for o in i.operands if not isinstance(o.type, OtherType)]
            trimmed = Instruction(
                opcode="call", type=i.type, operands=tuple(pairs), line=i.line, result=i.result
            )
            return self._opaque(trimmed)
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


def _is_word(of: Type) -> bool:
    return isinstance(of, PointerType) or (isinstance(of, IntType) and of.bits <= 64)


def _bits(of: Type) -> int:
    return of.bits if isinstance(of, IntType) else 64


def _float_bits(of: Type) -> int:
    """32 or 64; 0 for every type whose arithmetic is left to the machine."""
    return {"float": 32, "double": 64}.get(of.kind, 0) if isinstance(of, FloatType) else 0
