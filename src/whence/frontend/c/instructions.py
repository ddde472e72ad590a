"""Which instruction does a line of IR spell?

One regular expression each reads the commonest shapes, nine instructions in ten.  The rest is read
token by token.  Both ways give the same Instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from whence.frontend.c.instruction_shapes import BOOL, INTEGER_OPERATIONS, ONE, CommonShapes
from whence.frontend.c.ir import (
    VOID,
    ArrayType,
    FunctionType,
    Instruction,
    Label,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    Value,
    VectorType,
)
from whence.frontend.c.tokens import LABEL, METADATA, PTR, IRError, IRTokens

_FLOAT_OPERATIONS = (
    "fadd", "fsub", "fmul", "fdiv", "frem",
)  # fmt: skip
_CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
    "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast",
)  # fmt: skip
_FLAGS = frozenset((
    "nuw", "nsw", "exact", "disjoint", "nneg", "inbounds", "nusw", "samesign", "fast", "nnan",
    "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "inalloca", "swifterror",
))  # fmt: skip
# Words that may follow the parameters of a function and are not attributes of it.
_NOT_OF_FUNCTIONS = frozenset((
    "unnamed_addr", "local_unnamed_addr", "addrspace", "section", "partition", "comdat", "align",
    "gc", "prefix", "prologue", "personality", "unwind",
))  # fmt: skip
_ORDERINGS = frozenset((
    "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst",
))  # fmt: skip


class Instructions:
    """Reads the instructions of one module.

    `types` are its named types; `groups` maps each attribute group (#n) to its attributes.
    """

    def __init__(self, types: Mapping[str, Type], groups: Mapping[str, frozenset[str]]) -> None:
        self._types = types
        self._groups = groups
        self._common = CommonShapes()

    def read(self, lines: Sequence[str], at: int, *, fast: bool = True) -> Instruction:
        """Return the instruction that starts on line `at`."""
        text = lines[at]
        if fast and (common := self._common.match(text)):
            build, match = common
            return build(match, at)
        try:
            end = _end(lines, at)
            whole = text if end == at + 1 else " ".join(lines[at:end])
            return self._general(IRTokens(whole, at, end - at))
        except (IndexError, KeyError, ValueError):  # cut short, or an unknown name
            raise IRError(at, text) from None

    def has_common_shape(self, text: str) -> bool:
        """Is this line read by a regular expression?"""
        return self._common.match(text) is not None

    def _general(self, t: IRTokens) -> Instruction:
        result = None
        if t.peek(1) == "=":
            result = t.local()
            t.expect("=")
        opcode = t.next()
        tail = opcode if opcode in ("tail", "musttail", "notail") else ""
        if tail:
            opcode = t.next()
        read = _READERS.get(opcode)
        if read is None:
            raise t.error()
        found = read(self, t, opcode, result)
        if (result is None) != (found.type == VOID):  # clang writes the number of every result
            raise t.error()
        if tail == "musttail":
            return replace(found, attributes=found.attributes | {tail})
        return found

    def _return(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operands = () if t.accept("void") else (t.typed(),)
        return Instruction(opcode, VOID, operands, t.line, t.lines, result, _tail(t))

    def _branch(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operands = [t.label() if t.peek() == "label" else t.typed()]
        while t.peek() == "," and t.peek(1) == "label":
            t.next()
            operands.append(t.label())
        return Instruction(opcode, VOID, tuple(operands), t.line, t.lines, result, _tail(t))

    def _switch(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operands = [t.typed()]
        t.expect(",")
        operands.append(t.label())
        t.expect("[")
        while not t.accept("]"):
            operands.append(t.typed())
            t.expect(",")
            operands.append(t.label())
        return Instruction(opcode, VOID, tuple(operands), t.line, t.lines, result, _tail(t))

    def _indirect_branch(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operands = [t.typed()]
        t.expect(",")
        operands += _labels(t)
        return Instruction(opcode, VOID, tuple(operands), t.line, t.lines, result, _tail(t))

    def _nothing(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        return Instruction(opcode, VOID, (), t.line, t.lines, result, _tail(t))

    def _resume(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        return Instruction(opcode, VOID, (t.typed(),), t.line, t.lines, result, _tail(t))

    def _unary(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        a = t.typed()
        return Instruction(opcode, a.type, (a,), t.line, t.lines, result, _tail(t))

    def _binary(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        a, b = _pair(t)
        return Instruction(opcode, a.type, (a, b), t.line, t.lines, result, _tail(t))

    def _compare(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        predicate = t.next()
        a, b = _pair(t)
        kind = _like(a.type, BOOL)
        where = _tail(t)
        return Instruction(
            opcode, kind, (a, b), t.line, t.lines, result, where, predicate=predicate
        )

    def _cast(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        operand = t.typed()
        t.expect("to")
        kind = t.type()
        return Instruction(opcode, kind, (operand,), t.line, t.lines, result, _tail(t))

    def _select(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        operands = _operands(t)
        return Instruction(opcode, operands[1].type, operands, t.line, t.lines, result, _tail(t))

    def _load(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        atomic, volatile = t.accept("atomic"), t.accept("volatile")
        kind = t.type()
        t.expect(",")
        operands = (t.typed(),)
        _skip_ordering(t)
        where = _tail(t)
        return Instruction(
            opcode, kind, operands, t.line, t.lines, result, where, atomic=atomic, volatile=volatile
        )

    def _store(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        atomic, volatile = t.accept("atomic"), t.accept("volatile")
        operands = _operands(t)
        _skip_ordering(t)
        where = _tail(t)
        return Instruction(
            opcode, VOID, operands, t.line, t.lines, result, where, atomic=atomic, volatile=volatile
        )

    def _alloca(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        element, count = t.type(), ONE
        if t.peek() == "," and t.peek(1) not in ("align", "addrspace") and t.peek(1)[0] != "!":
            t.next()
            count = t.typed()
        ahead = 3 if t.peek(1) == "align" else 0
        space = int(t.peek(ahead + 3)) if t.peek(ahead + 1) == "addrspace" else 0
        kind, where = PointerType(space), _tail(t)
        return Instruction(opcode, kind, (count,), t.line, t.lines, result, where, element)

    def _address(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        element = t.type()
        t.expect(",")
        operands = _operands(t)
        kind: Type = operands[0].type
        for index in operands[1:]:
            if isinstance(index.type, VectorType) and not isinstance(kind, VectorType):
                kind = VectorType(index.type.count, kind)
        return Instruction(opcode, kind, operands, t.line, t.lines, result, _tail(t), element)

    def _phi(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_flags(t)
        kind = t.type()
        operands: list[Typed] = []
        while t.accept("[") or (t.peek(1) == "[" and t.accept(",") and t.accept("[")):
            operands.append(Typed(kind, t.value(kind)))
            t.expect(",")
            operands.append(Typed(LABEL, Label(t.local())))
            t.expect("]")
        return Instruction(opcode, kind, tuple(operands), t.line, t.lines, result, _tail(t))

    def _extract_value(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        aggregate = t.typed()
        indices = _indices(t)
        kind = aggregate.type
        for index in indices:
            kind = self._member(kind, index, t)
        where = _tail(t)
        return Instruction(
            opcode, kind, (aggregate,), t.line, t.lines, result, where, indices=indices
        )

    def _member(self, kind: Type, index: int, t: IRTokens) -> Type:
        if isinstance(kind, NamedType):
            kind = self._types[kind.name]
        if isinstance(kind, StructType):
            return kind.fields[index]
        if isinstance(kind, ArrayType):
            return kind.element
        raise t.error()

    def _insert_value(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        aggregate = t.typed()
        t.expect(",")
        operands = (aggregate, t.typed())
        indices, where = _indices(t), _tail(t)
        return Instruction(
            opcode, aggregate.type, operands, t.line, t.lines, result, where, indices=indices
        )

    def _vector(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operands = _operands(t)
        kind = operands[0].type
        if not isinstance(kind, VectorType):
            raise t.error()
        if opcode == "extractelement":
            kind = kind.element
        elif opcode == "shufflevector" and isinstance(operands[2].type, VectorType):
            kind = VectorType(operands[2].type.count, kind.element)
        return Instruction(opcode, kind, operands, t.line, t.lines, result, _tail(t))

    def _variadic_argument(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        operand = t.typed()
        t.expect(",")
        kind = t.type()
        return Instruction(opcode, kind, (operand,), t.line, t.lines, result, _tail(t))

    def _modify(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        volatile, operation = t.accept("volatile"), t.next()
        operands = _operands(t)
        _skip_ordering(t)
        kind, where = operands[1].type, _tail(t)
        return Instruction(
            opcode, kind, operands, t.line, t.lines, result, where,
            predicate=operation, volatile=volatile, atomic=True,
        )  # fmt: skip

    def _exchange(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        t.accept("weak")
        volatile = t.accept("volatile")
        operands = _operands(t)
        _skip_ordering(t)
        kind, where = StructType((operands[1].type, BOOL)), _tail(t)
        return Instruction(
            opcode, kind, operands, t.line, t.lines, result, where, volatile=volatile, atomic=True
        )

    def _fence(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        _skip_ordering(t)
        return Instruction(opcode, VOID, (), t.line, t.lines, result, _tail(t), atomic=True)

    def _landing_pad(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        kind = t.type()
        while t.peek() not in (",", ""):
            if not t.accept("cleanup"):
                if t.next() not in ("catch", "filter"):
                    raise t.error()
                t.typed()
        return Instruction(opcode, kind, (), t.line, t.lines, result, _tail(t))

    def _call(self, t: IRTokens, opcode: str, result: str | None) -> Instruction:
        t.attributes()  # fast-math flags, calling convention, attributes of the result
        kind = t.type()
        callee: Value = t.assembly() if t.peek() == "asm" else t.value(PTR)
        operands, byval, sret = _arguments(t)
        attributes = self.function_attributes(t)
        if t.accept("["):
            while not t.accept("]"):
                if t.peek() == "(":
                    t.skip_brackets()
                else:
                    t.next()
        labels = () if opcode == "call" else _destinations(t)
        if not isinstance(kind, FunctionType):
            kind = FunctionType(kind, tuple(operand.type for operand in operands))
        where = _tail(t)
        return Instruction(
            opcode, kind.result, operands, t.line, t.lines, result, where, labels=labels,
            callee=callee, function=kind, byval=byval, sret=sret, attributes=attributes,
        )  # fmt: skip

    def function_attributes(self, t: IRTokens) -> frozenset[str]:
        """Read the function attributes that come next: `#3 nounwind memory(none)`."""
        found: set[str] = set()
        while True:
            start = t.at
            if t.peek() in self._groups:
                found |= self._groups[t.next()]
            elif t.is_attribute() and t.peek() not in _NOT_OF_FUNCTIONS:
                word, _ = t.attribute()
                if word[0] != '"':
                    found.add(t.written(start))
            else:
                return frozenset(found)


_Read = Callable[[Instructions, IRTokens, str, "str | None"], Instruction]


_READERS: dict[str, _Read] = {
    **dict.fromkeys((*INTEGER_OPERATIONS, *_FLOAT_OPERATIONS), Instructions._binary),
    **dict.fromkeys(_CASTS, Instructions._cast),
    **dict.fromkeys(("fneg", "freeze"), Instructions._unary),
    **dict.fromkeys(("icmp", "fcmp"), Instructions._compare),
    **dict.fromkeys(("extractelement", "insertelement", "shufflevector"), Instructions._vector),
    **dict.fromkeys(("call", "invoke", "callbr"), Instructions._call),
    "alloca": Instructions._alloca,
    "atomicrmw": Instructions._modify,
    "br": Instructions._branch,
    "cmpxchg": Instructions._exchange,
    "extractvalue": Instructions._extract_value,
    "fence": Instructions._fence,
    "getelementptr": Instructions._address,
    "indirectbr": Instructions._indirect_branch,
    "insertvalue": Instructions._insert_value,
    "landingpad": Instructions._landing_pad,
    "load": Instructions._load,
    "phi": Instructions._phi,
    "resume": Instructions._resume,
    "ret": Instructions._return,
    "select": Instructions._select,
    "store": Instructions._store,
    "switch": Instructions._switch,
    "unreachable": Instructions._nothing,
    "va_arg": Instructions._variadic_argument,
}


def _end(lines: Sequence[str], at: int) -> int:
    """Return the line after the instruction that starts on line `at`."""
    end = at + 1
    if lines[at].endswith("["):  # a switch: its cases, then "  ], !dbg !5"
        while not lines[end].startswith("  ]"):
            end += 1
        return end + 1
    while lines[end].startswith("          "):  # to label ..., catch ..., cleanup
        end += 1
    return end


def _tail(t: IRTokens) -> int | None:
    """Read `, align 4, !dbg !5, !srcloc !6` up to the end; return the number of the !dbg."""
    where = None
    while t.accept(","):
        if t.accept("align"):
            t.integer()
            continue
        if t.accept("addrspace"):
            t.skip_brackets()
            continue
        kind, node = t.next(), t.next()
        if kind[0] != "!" or node[0] != "!":
            raise t.error()
        if kind == "!dbg":
            where = int(node[1:])
        elif t.peek() in ("{", "("):
            t.skip_brackets()
    if t.peek():
        raise t.error()
    return where


def _skip_flags(t: IRTokens) -> None:
    while t.peek() in _FLAGS:
        t.next()


def _skip_ordering(t: IRTokens) -> None:
    """Move past `syncscope("x") acq_rel acquire`."""
    if t.accept("syncscope"):
        t.skip_brackets()
    while t.peek() in _ORDERINGS:
        t.next()


def _pair(t: IRTokens) -> tuple[Typed, Typed]:
    """Read `i32 %a, %b`."""
    a = t.typed()
    t.expect(",")
    return a, Typed(a.type, t.value(a.type))


def _operands(t: IRTokens) -> tuple[Typed, ...]:
    """Read typed values separated by commas, up to the tail of the instruction."""
    found = [t.typed()]
    while t.peek() == "," and t.peek(1) != "align" and t.peek(1)[0] != "!":
        t.next()
        found.append(t.typed())
    return tuple(found)


def _indices(t: IRTokens) -> tuple[int, ...]:
    found = []
    while t.peek() == "," and t.peek(1)[0] != "!":
        t.next()
        found.append(t.integer())
    return tuple(found)


def _labels(t: IRTokens) -> list[Typed]:
    """Read `[label %a, label %b]`."""
    t.expect("[")
    found: list[Typed] = []
    while not t.accept("]"):
        if found:
            t.expect(",")
        found.append(t.label())
    return found


def _destinations(t: IRTokens) -> tuple[str, ...]:
    """Read `to label %a unwind label %b`, or `to label %a [label %b, label %c]`."""
    t.expect("to")
    found = [t.label()]
    if t.accept("unwind"):
        found.append(t.label())
    else:
        found += _labels(t)
    return tuple(label.value.name for label in found if isinstance(label.value, Label))


def _arguments(
    t: IRTokens,
) -> tuple[tuple[Typed, ...], tuple[Type | None, ...], tuple[int, Type] | None]:
    """Read the arguments of a call, the type that each byval argument copies, and `sret`."""
    t.expect("(")
    found: list[Typed] = []
    byval: list[Type | None] = []
    sret: tuple[int, Type] | None = None
    while not t.accept(")"):
        if found:
            t.expect(",")
        kind = t.type()
        if kind == METADATA:
            found.append(Typed(kind, t.metadata()))
            byval.append(None)
            continue
        attributes = t.attributes()
        byval.append(attributes.get("byval"))
        if (result := attributes.get("sret")) is not None:
            sret = len(found), result
        found.append(Typed(kind, t.value(kind)))
    return tuple(found), tuple(byval), sret


def _like(shape: Type, scalar: Type) -> Type:
    """Return `scalar`, or a vector of it as long as `shape` if `shape` is a vector."""
    return VectorType(shape.count, scalar) if isinstance(shape, VectorType) else scalar
