"""What does a module of LLVM IR consist of?

The classes cover only what clang emits at -O0 and what whence uses; `reader` makes them from text.
Values have LLVM's names without the sigil: `%x.addr` is Local("x.addr").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# --- types -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntType:
    bits: int


@dataclass(frozen=True, slots=True)
class FloatType:
    kind: str  # half, bfloat, float, double, x86_fp80, fp128


@dataclass(frozen=True, slots=True)
class PointerType:
    space: int = 0


@dataclass(frozen=True, slots=True)
class ArrayType:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class VectorType:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct by its fields (`packed` as in <{ }>)."""

    fields: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class NamedType:
    """A struct by its name: %struct.S is NamedType("struct.S"); Module.types has its fields."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionType:
    result: Type
    params: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type without a size: void, label, metadata, token, opaque, target(...)."""

    name: str


Type = (
    IntType | FloatType | PointerType | ArrayType | VectorType | StructType | NamedType
    | FunctionType | OtherType
)  # fmt: skip
VOID = OtherType("void")

# --- values ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Local:
    """A register or a parameter of the function."""

    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """The address of a global variable, function or alias."""

    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """A block of the function."""

    name: str


@dataclass(frozen=True, slots=True)
class Int:
    """An integer constant, as written (true is 1); may be negative."""

    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant by its bits in its own type (80 bits for an x86_fp80)."""

    bits: int


@dataclass(frozen=True, slots=True)
class Zero:
    """The constants null, zeroinitializer and none."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """The constants undef and poison."""


@dataclass(frozen=True, slots=True)
class Elements:
    """A constant array, vector or struct, element by element (splats are expanded)."""

    elements: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Bytes:
    """A constant byte string, c"..." in IR."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Expression:
    """A constant expression.

    Its opcode is getelementptr, ptrtoint, inttoptr, trunc, add, sub, xor, bitcast, addrspacecast,
    blockaddress, dso_local_equivalent or no_cfi.  `element` is the source element type of a
    getelementptr.  The target type of a cast is the type of the Typed around it.
    """

    opcode: str
    operands: tuple[Typed, ...]
    element: Type | None = None


@dataclass(frozen=True, slots=True)
class Asm:
    """Inline assembly that is called."""

    text: str


@dataclass(frozen=True, slots=True)
class Meta:
    """A metadata operand, as written."""

    text: str


Value = (
    Local | Global | Label | Int | Float | Zero | Undefined | Elements | Bytes | Expression
    | Asm | Meta
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Typed:
    type: Type
    value: Value


# --- code --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    `operands` by opcode, in this order (Label operands have type OtherType("label")):
      ret: [value]            br: [condition, true, false] or [target]
      switch: [value, default, case, label, case, label, ...]     indirectbr: [address, labels...]
      invoke, call, callbr: the arguments only; `callee` is apart; invoke's labels in `labels`
      binary operations, icmp, fcmp: [a, b]    fneg, casts, freeze: [a]    select: [c, a, b]
      load: [pointer]    store: [value, pointer]    alloca: [count] (Int 1 when not written)
      getelementptr: [pointer, indices...]      phi: [value, label, value, label, ...]
      extractvalue: [aggregate]    insertvalue: [aggregate, element]   (path in `indices`)
      extractelement, insertelement, shufflevector, va_arg: as written
      atomicrmw: [pointer, value]   cmpxchg: [pointer, expected, new]   fence: []
      landingpad: []   resume: [value]   unreachable: []
    `type` is the type of the result (VOID if none).
    """

    opcode: str
    type: Type
    operands: tuple[Typed, ...]
    line: int  # where it starts in the text of the module, counted from 0
    lines: int = 1  # the number of lines of text (a switch has several)
    result: str | None = None  # name of the register that it defines
    location: int | None = None  # number of its !dbg
    element: Type | None = None  # getelementptr: source element; alloca: allocated type
    predicate: str = ""  # icmp, fcmp: "slt"; atomicrmw: "add"
    indices: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()  # invoke: normal, unwind; callbr: fallthrough, others
    callee: Value | None = None  # Local, Global, Asm or Expression
    function: FunctionType | None = None  # the function type that the call uses
    byval: tuple[Type | None, ...] = ()  # call: for each argument, the type that it copies
    # call: the number of the argument that says where the result goes, and the result's type
    sret: tuple[int, Type] | None = None
    attributes: frozenset[str] = frozenset()  # of a call, with #n resolved: noreturn, ...
    volatile: bool = False
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Declare:
    """A #dbg_declare: `variable` (the number of a DILocalVariable) lives at `address`."""

    address: Value
    variable: int
    expression: str
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    label: str  # the entry block has a label too, written or counted
    instructions: tuple[Instruction, ...]
    line: int  # line of the label in the text; of the first instruction if no label is written


@dataclass(frozen=True, slots=True)
class IRParameter:
    type: Type
    name: str
    byval: Type | None = None
    sret: Type | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body."""

    name: str
    type: FunctionType
    parameters: tuple[IRParameter, ...]
    blocks: tuple[Block, ...]
    declares: tuple[Declare, ...]
    linkage: str  # "" is external; internal, private, weak, linkonce_odr, ...
    dso_local: bool
    line: int  # line of "define" in the text
    end: int  # line of the closing brace
    attributes: frozenset[str] = frozenset()  # enum attributes: naked, noreturn, returns_twice, ...
    subprogram: int | None = None  # number of its !dbg
    personality: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function without a body."""

    name: str
    type: FunctionType
    attributes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Variable:
    """A global variable."""

    name: str
    type: Type
    initial: Value | None  # None: defined elsewhere
    constant: bool
    linkage: str
    thread_local: bool
    line: int
    debug: int | None = None  # number of its DIGlobalVariableExpression


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    target: Typed
    line: int


@dataclass(frozen=True, slots=True)
class Module:
    source: str  # source_filename
    triple: str
    layout: str  # the data layout, as written
    types: Mapping[str, Type]  # named structs; an opaque one is OtherType("opaque")
    variables: Mapping[str, Variable]
    functions: Mapping[str, Function]
    declarations: Mapping[str, Declaration]
    aliases: Mapping[str, Alias]
    metadata: Mapping[int, str]  # numbered metadata nodes, the text right of "="
    constructors_line: int | None = None  # line of @llvm.global_ctors, if the module has it
    text: tuple[str, ...] = field(default=(), repr=False)  # the lines, as read
