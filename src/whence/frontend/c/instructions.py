"""Which instruction does this text spell?

The commonest shapes, nine instructions in ten, are matched by one regular expression each;
the rest is read token by token.  Both ways give the same Instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from whence.frontend.c.ir import (
    VOID,
    ArrayType,
    FunctionType,
    Instruction,
    Int,
    IntType,
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

_BOOL = IntType(1)
_ONE = Typed(IntType(32), Int(1))
_INTEGER_OPERATIONS = (
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or",
    "xor",
)  # fmt: skip
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
# What may follow the parameters of a function and is no attribute of it.
_NOT_OF_FUNCTIONS = frozenset((
    "unnamed_addr", "local_unnamed_addr", "addrspace", "section", "partition", "comdat", "align",
    "gc", "prefix", "prologue", "personality", "unwind",
))  # fmt: skip
_ORDERINGS = frozenset((
    "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst",
))  # fmt: skip

_HEAD = re.compile(r'  (?:%(?:[-\w.$]+|"[^"]*") = )?(\w+)')
_NAME = r"[-\w.$]+"
_TYPE = rf"(?:i\d+|ptr|float|double|%{_NAME}|\[\d+ x (?:i\d+|ptr|%{_NAME})\])"
_SCALAR = r"(?:i\d+|ptr)"
_VALUE = rf"(?:[%@]{_NAME}|-?\d+|true|false|null)"
_END = r"(?:, !dbg !(\d+))?$"
_LOOP_END = r"(?:, !dbg !(\d+))?(?:, !llvm\.loop !\d+)?$"


class Instructions:
    """Reads the instructions of one module.

    `types` are its named types, `groups` what its attribute groups (#n) say.
    """

    def __init__(self, types: Mapping[str, Type], groups: Mapping[str, frozenset[str]]) -> None:
        self._types = types
        self._groups = groups
        self._typed = _Operands()
        self._shape: dict[str, tuple[re.Pattern[str], _Build]] = {
            "load": (_LOAD, self._fast_load),
            "store": (_STORE, self._fast_store),
            "alloca": (_ALLOCA, self._fast_alloca),
            "br": (_BRANCH, self._fast_branch),
            "icmp": (_COMPARE, self._fast_compare),
            "getelementptr": (_ADDRESS, self._fast_address),
            **dict.fromkeys(_INTEGER_OPERATIONS, (_BINARY, self._fast_binary)),
            **dict.fromkeys(("sext", "zext", "trunc"), (_CAST, self._fast_cast)),
        }

    def read(self, lines: Sequence[str], at: int, *, fast: bool = True) -> Instruction:
        """The instruction that starts on line `at`."""
        text = lines[at]
        if fast and (common := self._common(text)):
            build, match = common
            return build(match, at)
        try:
            end = _end(lines, at)
            whole = text if end == at + 1 else " ".join(lines[at:end])
            return self._general(IRTokens(whole, at, end - at))
        except (IndexError, KeyError, ValueError):  # cut short, or a name that means nothing
            raise IRError(at, text) from None

    def has_common_shape(self, text: str) -> bool:
        """Is this line read without looking at its tokens?"""
        return self._common(text) is not None

    # --- the commonest shapes ---

    def _common(self, text: str) -> tuple[_Build, re.Match[str]] | None:
        head = _HEAD.match(text)
        shape = self._shape.get(head[1]) if head else None
        if shape is None:
            return None
        pattern, build = shape
        match = pattern.match(text)
        return (build, match) if match else None

    def _fast_load(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, pointer, location = match.groups()
        operands = (self._typed[pointer],)
        where = None if location is None else int(location)
        return Instruction("load", self._typed.type(kind), operands, at, 1, result, where)

    def _fast_store(self, match: re.Match[str], at: int) -> Instruction:
        value, pointer, location = match.groups()
        operands = (self._typed[value], self._typed[pointer])
        where = None if location is None else int(location)
        return Instruction("store", VOID, operands, at, 1, None, where)

    def _fast_alloca(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, location = match.groups()
        where = None if location is None else int(location)
        element = self._typed.type(kind)
        return Instruction("alloca", PTR, (_ONE,), at, 1, result, where, element)

    def _fast_branch(self, match: re.Match[str], at: int) -> Instruction:
        condition, first, second, location = match.groups()
        where = None if location is None else int(location)
        label = self._typed.label
        operands: tuple[Typed, ...] = (label(first),)
        if condition is not None:
            operands = (self._typed[condition], label(first), label(second))
        return Instruction("br", VOID, operands, at, 1, None, where)

    def _fast_compare(self, match: re.Match[str], at: int) -> Instruction:
        result, predicate, kind, a, b, location = match.groups()
        operands = (self._typed[f"{kind} {a}"], self._typed[f"{kind} {b}"])
        where = None if location is None else int(location)
        return Instruction("icmp", _BOOL, operands, at, 1, result, where, None, predicate)

    def _fast_address(self, match: re.Match[str], at: int) -> Instruction:
        result, kind, pointer, first, second, location = match.groups()
        where = None if location is None else int(location)
        typed = self._typed
        operands: tuple[Typed, ...] = (typed[pointer], typed[first])
        if second is not None:
            operands = (*operands, typed[second])
        element = typed.type(kind)
        return Instruction("getelementptr", PTR, operands, at, 1, result, where, element)

    def _fast_binary(self, match: re.Match[str], at: int) -> Instruction:
        result, opcode, kind, a, b, location = match.groups()
        first = self._typed[f"{kind} {a}"]
        operands = (first, self._typed[f"{kind} {b}"])
        where = None if location is None else int(location)
        return Instruction(opcode, first.type, operands, at, 1, result, where)

    def _fast_cast(self, match: re.Match[str], at: int) -> Instruction:
        result, opcode, value, kind, location = match.groups()
        operands = (self._typed[value],)
        where = None if location is None else int(location)
        return Instruction(opcode, self._typed.type(kind), operands, at, 1, result, where)

    # --- every shape ---

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
        kind = _like(a.type, _BOOL)
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
        element, count = t.type(), _ONE
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
        kind, where = StructType((operands[1].type, _BOOL)), _tail(t)
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
        operands, byval = _arguments(t)
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
            callee=callee, function=kind, byval=byval, attributes=attributes,
        )  # fmt: skip

    def function_attributes(self, t: IRTokens) -> frozenset[str]:
        """What the attributes that stand here say of a function: `#3 nounwind memory(none)`."""
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


_Build = Callable[[re.Match[str], int], Instruction]
_Read = Callable[[Instructions, IRTokens, str, "str | None"], Instruction]


class _Operands(dict[str, Typed]):
    """Operands by their text.  A module has few distinct ones, and each is read once."""

    def __init__(self) -> None:
        self._kinds: dict[str, Type] = {}
        self._labels: dict[str, Typed] = {}

    def __missing__(self, text: str) -> Typed:
        found = self[text] = IRTokens(text, 0).typed()
        return found

    def type(self, text: str) -> Type:
        found = self._kinds.get(text)
        if found is None:
            found = self._kinds[text] = IRTokens(text, 0).type()
        return found

    def label(self, name: str) -> Typed:
        found = self._labels.get(name)
        if found is None:
            found = self._labels[name] = Typed(LABEL, Label(name))
        return found


_LOAD = re.compile(rf"  %({_NAME}) = load ({_TYPE}), (ptr [%@]{_NAME}), align \d+{_END}")
_STORE = re.compile(rf"  store ({_SCALAR} {_VALUE}), (ptr [%@]{_NAME}), align \d+{_END}")
_ALLOCA = re.compile(rf"  %({_NAME}) = alloca ({_TYPE}), align \d+{_END}")
_BRANCH = re.compile(
    rf"  br (?:(i1 {_VALUE}), )?label %({_NAME})(?:, label %({_NAME}))?{_LOOP_END}"
)
_COMPARE = re.compile(rf"  %({_NAME}) = icmp (\w+) ({_SCALAR}) ({_VALUE}), ({_VALUE}){_END}")
_ADDRESS = re.compile(
    rf"  %({_NAME}) = getelementptr (?:inbounds |nusw |nuw )*({_TYPE}), (ptr [%@]{_NAME}), "
    rf"(i\d+ {_VALUE})(?:, (i\d+ {_VALUE}))?{_END}"
)
_BINARY = re.compile(
    rf"  %({_NAME}) = (\w+) (?:nuw |nsw |exact |disjoint )*(i\d+) ({_VALUE}), ({_VALUE}){_END}"
)
_CAST = re.compile(rf"  %({_NAME}) = (\w+) (?:nneg |nuw |nsw )*(i\d+ {_VALUE}) to (i\d+){_END}")

_READERS: dict[str, _Read] = {
    **dict.fromkeys((*_INTEGER_OPERATIONS, *_FLOAT_OPERATIONS), Instructions._binary),
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
    """The line after the last one of the instruction that starts on line `at`."""
    end = at + 1
    if lines[at].endswith("["):  # a switch: its cases, then "  ], !dbg !5"
        while not lines[end].startswith("  ]"):
            end += 1
        return end + 1
    while lines[end].startswith("          "):  # to label ..., catch ..., cleanup
        end += 1
    return end


def _tail(t: IRTokens) -> int | None:
    """Read `, align 4, !dbg !5, !srcloc !6` up to the end; the number of the !dbg."""
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
    """`i32 %a, %b`."""
    a = t.typed()
    t.expect(",")
    return a, Typed(a.type, t.value(a.type))


def _operands(t: IRTokens) -> tuple[Typed, ...]:
    """Typed values with commas between them, up to the tail of the instruction."""
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
    """`[label %a, label %b]`."""
    t.expect("[")
    found: list[Typed] = []
    while not t.accept("]"):
        if found:
            t.expect(",")
        found.append(t.label())
    return found


def _destinations(t: IRTokens) -> tuple[str, ...]:
    """`to label %a unwind label %b`, or `to label %a [label %b, label %c]`."""
    t.expect("to")
    found = [t.label()]
    if t.accept("unwind"):
        found.append(t.label())
    else:
        found += _labels(t)
    return tuple(label.value.name for label in found if isinstance(label.value, Label))


def _arguments(t: IRTokens) -> tuple[tuple[Typed, ...], tuple[Type | None, ...]]:
    """The arguments of a call, and what each of them copies."""
    t.expect("(")
    found: list[Typed] = []
    byval: list[Type | None] = []
    while not t.accept(")"):
        if found:
            t.expect(",")
        kind = t.type()
        if kind == METADATA:
            found.append(Typed(kind, t.metadata()))
            byval.append(None)
            continue
        byval.append(t.attributes().get("byval"))
        found.append(Typed(kind, t.value(kind)))
    return tuple(found), tuple(byval)


def _like(shape: Type, scalar: Type) -> Type:
    """`scalar`, or as many of them as `shape` is a vector of."""
    return VectorType(shape.count, scalar) if isinstance(shape, VectorType) else scalar
