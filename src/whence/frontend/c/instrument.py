"""How is a module of IR rewritten so that its run writes down what cannot be recomputed?

Before:                              After:
    5:                                   5:
      %6 = load i32, ptr %p                %wh.1 = load ptr, ptr @wh_log        ; room?
      ...                                  ...  br i1 %wh.4, label %wh.full.5, label %wh.go.5
                                         wh.full.5:
                                           call void @wh_more()
                                           br label %wh.go.5
                                         wh.go.5:
                                           store i8 3, ptr %wh.6                ; block 3
                                           %6 = load i32, ptr %p
                                           store i32 %6, ptr %wh.7              ; its value
                                           ...

Inserted values are named, so the numbers of unnamed ones stay as they are.  A block that was
split ends under another label, which phis must name.  The cursor is moved on before anything
that can fault or leave, so that a crash loses nothing.

Room is asked for where a function and each turn of a loop begins, and after a call, before the
next byte: WH_SLACK bytes are more than what any way between two such places logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whence.frontend.c import flow
from whence.frontend.c.constants import Symbol, quote
from whence.frontend.c.ir import (
    ArrayType,
    Block,
    FloatType,
    Function,
    FunctionType,
    Global,
    Instruction,
    Int,
    IntType,
    Local,
    Module,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.lower import FunctionLog, Logging, Lowered, lower
from whence.frontend.c.models import MODELS, REPLACED, Model
from whence.frontend.c.reader import collecting_nothing, read_module
from whence.frontend.c.tables import BlockFlag, CallFlag, FunctionFlag, SymbolFlag
from whence.program import graph

ROOM = 4096  # bytes a block may log before it asks for room again
# Bytes that all blocks of a function together may log if only its loops ask for room: no way
# without a turn logs more.  In a longer function every marked block asks.
WAY = 32 << 10
RUNTIME = (
    "@wh_log = external thread_local(initialexec) global ptr",
    "declare void @wh_more()",
    "declare void @wh_room()",
    "declare void @wh_landed(ptr)",
    "declare void @wh_register(ptr)",
    "declare void @wh_store(ptr, i64, i64)",
    "declare zeroext i1 @wh_branch(i1 zeroext, i64)",
)


@dataclass(frozen=True, slots=True)
class Instrumented:
    text: str
    module: str  # the id under which the description is kept
    description: bytes
    skipped: dict[str, str]  # functions that are not recorded, and why


def instrument(text: str, mode: str) -> Instrumented:
    """Return the instrumented form of a module, given as IR text; mode: record, check or patch."""
    with collecting_nothing():
        module = read_module(text)
        lowered = lower(module, text, mode)
        rewritten = _Rewriting(module, lowered, mode).text()
    description = lowered.description
    return Instrumented(rewritten, description.module, description.to_bytes(), lowered.skipped)


def render_module(of: Type) -> str:
    """A type as IR writes it."""
    if isinstance(of, IntType):
        return f"i{of.bits}"
    if isinstance(of, FloatType):
        return of.kind
    if isinstance(of, PointerType):
        return "ptr" if of.space == 0 else f"ptr addrspace({of.space})"
    if isinstance(of, ArrayType):
        return f"[{of.count} x {render_module(of.element)}]"
    if isinstance(of, VectorType):
        return f"<{of.count} x {render_module(of.element)}>"
    if isinstance(of, StructType):
        inner = "{ " + ", ".join(map(render_module, of.fields)) + " }" if of.fields else "{}"
        return f"<{inner}>" if of.packed else inner
    if isinstance(of, NamedType):
        return f"%{quote(of.name)}"
    if isinstance(of, FunctionType):
        params = [*map(render_module, of.params), *(["..."] if of.variadic else [])]
        return f"{render_module(of.result)} ({', '.join(params)})"
    return of.name


class _Rewriting:
    """The lines of the new module."""

    def __init__(self, module: Module, lowered: Lowered, mode: str) -> None:
        self.module = module
        self.lowered = lowered
        self.mode = mode
        self.layout = Layout(module)
        self.hooks: dict[str, str] = {}  # declarations of the runtime's hooks that are called
        self.lines = list(module.text)

    def text(self) -> str:
        for name, log in self.lowered.functions.items():
            function = self.module.functions[name]
            rewriting = _FunctionRewriting(self, function, log, everywhere=False)
            rewritten = rewriting.lines()
            if rewriting.cursor.written > WAY:
                rewritten = _FunctionRewriting(self, function, log, everywhere=True).lines()
            for number in range(function.line + 1, function.end):
                self.lines[number] = ""
            self.lines[function.line] = "\n".join([self.lines[function.line], *rewritten])
        self._constructor()
        return "\n".join([*self.lines, *self._tail(), ""])

    def _constructor(self) -> None:
        own = "{ i32, ptr, ptr } { i32 0, ptr @wh.register, ptr null }"
        line = self.module.constructors_line
        if line is None:
            self.lines.append(
                f"@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{own}]"
            )
            return
        match = re.match(r"(.*\bglobal )\[(\d+) x (.*?)\] \[(.*)\](.*)$", self.lines[line])
        if match is None:
            raise ValueError(f"not understood: {self.lines[line]}")
        before, count, element, entries, after = match.groups()
        self.lines[line] = f"{before}[{int(count) + 1} x {element}] [{own}, {entries}]{after}"

    def _tail(self) -> list[str]:
        symbols = self.lowered.symbols
        snaps = [
            (number, symbol.size)
            for number, symbol in enumerate(symbols)
            if symbol.size
            and SymbolFlag.DEFINED in symbol.flags
            and not symbol.flags & (SymbolFlag.CONSTANT | SymbolFlag.TLS | SymbolFlag.FUNCTION)
        ]
        name = self.lowered.description.module
        declared = {**self.module.declarations, **self.module.functions}
        lines = [line for line in RUNTIME if _declared_name(line) not in declared]
        lines += [line for hook, line in sorted(self.hooks.items()) if hook not in declared]
        if "llvm.frameaddress.p0" not in declared:
            lines.append("declare ptr @llvm.frameaddress.p0(i32 immarg)")
        return [
            *lines,
            f'@wh.id = private unnamed_addr constant [{len(name) + 1} x i8] c"{name}\\00"',
            _array("wh.symbols", "ptr", [_address(symbol) for symbol in symbols]),
            _array("wh.snap.index", "i32", [str(number) for number, _ in snaps]),
            _array("wh.snap.size", "i64", [str(size) for _, size in snaps]),
            "@wh.module = private constant { ptr, i32, i32, ptr, ptr, ptr } { ptr @wh.id,"
            f" i32 {len(symbols)}, i32 {len(snaps)},"
            " ptr @wh.symbols, ptr @wh.snap.index, ptr @wh.snap.size }",
            "define internal void @wh.register() nounwind {",
            "  call void @wh_register(ptr @wh.module)",
            "  ret void",
            "}",
        ]


def _declared_name(line: str) -> str:
    match = re.search(r"@([\w.]+)", line)
    return match.group(1) if match else ""


def _array(name: str, of: str, values: Sequence[str]) -> str:
    if not values:
        return f"@{name} = private constant [0 x {of}] zeroinitializer"
    inner = ", ".join(f"{of} {value}" for value in values)
    return f"@{name} = private constant [{len(values)} x {of}] [{inner}]"


def _address(symbol: Symbol) -> str:
    return "null" if SymbolFlag.TLS in symbol.flags else symbol.text


class _Log:
    """Code that appends to the log: where the cursor is known to be, and what is not yet told."""

    def __init__(self, owner: _FunctionRewriting) -> None:
        self.owner = owner
        self.header = ""  # the register that holds wh_log; empty when it must be loaded again
        self.base = ""
        self.offset = 0  # bytes written beyond `base`
        self.told = 0  # ... of which the header knows
        self.owes = False  # must room be asked for before the next byte?
        self.written = 0

    def forget(self) -> None:
        """A call was made: the cursor may be anywhere."""
        self.header = ""

    def room(self) -> list[str]:
        lines = [*self.tell(), "  call void @wh_room()"]
        self.forget()
        self.owes = False
        return lines

    def load(self) -> list[str]:
        if self.header:
            return []
        new = self.owner.new
        self.header, self.base, self.offset, self.told = new(), new(), 0, 0
        return [
            f"  {self.header} = load ptr, ptr @wh_log",
            f"  {self.base} = load ptr, ptr {self.header}",
        ]

    def put(self, typed: str, size: int) -> list[str]:
        """Append `typed`, such as "i32 %5", which takes `size` bytes."""
        lines = self.room() if self.owes else []
        lines += self.load()
        spot = self.base
        if self.offset:
            spot = self.owner.new()
            lines.append(f"  {spot} = getelementptr i8, ptr {self.base}, i64 {self.offset}")
        lines.append(f"  store {typed}, ptr {spot}, align 1")
        self.offset += size
        self.written += size
        return lines

    def tell(self) -> list[str]:
        """Move the cursor beyond all that was written."""
        if not self.header or self.told == self.offset:
            return []
        self.told = self.offset
        spot = self.owner.new()
        return [
            f"  {spot} = getelementptr i8, ptr {self.base}, i64 {self.offset}",
            f"  store ptr {spot}, ptr {self.header}",
        ]


class _FunctionRewriting:
    """The lines of one function, from after its opening line to before its closing brace."""

    def __init__(
        self, owner: _Rewriting, function: Function, log: FunctionLog, *, everywhere: bool
    ) -> None:
        self.owner = owner
        self.function = function
        self.log = log
        self.counter = 0
        self.out: list[str] = []
        self.cursor = _Log(self)
        self.last_label: dict[str, str] = {}  # block -> the label under which it ends now
        self.edge_label: dict[tuple[str, str], str] = {}  # (block, successor) -> label between
        self.width = 2 if FunctionFlag.WIDE in log.flags else 1
        self.since_room = 0
        self.asking, self.owing = _rooms(function, log, everywhere)
        for block, block_log in zip(function.blocks, log.blocks, strict=True):
            if block_log.number in self.asking:
                self.last_label[block.label] = f"wh.go.{block_log.number}"
            last = block.instructions[-1]
            if last.opcode == "invoke":
                self.edge_label[block.label, last.labels[0]] = f"wh.on.{block_log.number}"

    def new(self) -> str:
        self.counter += 1
        return f"%wh.{self.counter}"

    def lines(self) -> list[str]:
        for number, block in enumerate(self.function.blocks):
            self._block(number, block)
        return self.out

    # --- blocks ------------------------------------------------------------------------------

    def _block(self, number: int, block: Block) -> None:
        text, flags = self.owner.module.text, self.log.blocks[number].flags
        self.cursor.forget()
        self.cursor.owes = number in self.owing
        self.since_room = 0
        if block.line != block.instructions[0].line:
            self.out.append(text[block.line])
        position = 0
        instructions = block.instructions
        logging = self.log.instructions[number]
        entry = number == 0
        first = ("alloca",) if entry else ("phi", "landingpad")
        while position < len(instructions) and self._comes_first(instructions[position], first):
            self._copy_phi_or_plain(block, instructions[position])
            position += 1
        if number in self.asking:
            self._room_by_branch(number)
        if entry:
            self._entry(instructions[:position], logging)
        elif BlockFlag.LANDING in flags:
            self._landing(self.log.blocks[number].site, instructions[:position], logging)
        elif BlockFlag.MARKED in flags:
            self.out += self.cursor.put(f"i{8 * self.width} {number}", self.width)
        if not entry and BlockFlag.LANDING not in flags:
            self._values(instructions[:position], logging)
        for instruction, log in zip(instructions[position:], logging[position:], strict=True):
            self._instruction(block, instruction, log)

    @staticmethod
    def _comes_first(instruction: Instruction, first: tuple[str, ...]) -> bool:
        if instruction.opcode not in first:
            return False
        return instruction.opcode != "alloca" or isinstance(instruction.operands[0].value, Int)

    def _copy_phi_or_plain(self, block: Block, instruction: Instruction) -> None:
        lines = self._text(instruction)
        if instruction.opcode == "phi":
            lines = [self._rename_incoming(block, line) for line in lines]
        self.out += lines

    def _text(self, instruction: Instruction) -> list[str]:
        first = instruction.line
        return list(self.owner.module.text[first : first + instruction.lines])

    def _rename_incoming(self, block: Block, line: str) -> str:
        """Phis name the blocks that control comes from by the labels under which these end."""

        def renamed(match: re.Match[str]) -> str:
            written = match.group(1)
            label = written.strip('"') if "\\" not in written else _unescape(written)
            between = self.edge_label.get((label, block.label))
            return f", %{between or self.last_label.get(label) or written} ]"

        return re.sub(r', %("[^"]*"|[-\w.$]+) \]', renamed, line)

    def _room_by_branch(self, number: int) -> None:
        header, cursor, spot, limit, full = (self.new() for _ in range(5))
        self.out += [
            f"  {header} = load ptr, ptr @wh_log",
            f"  {cursor} = load ptr, ptr {header}",
            f"  {spot} = getelementptr i8, ptr {header}, i64 8",
            f"  {limit} = load ptr, ptr {spot}",
            f"  {full} = icmp ugt ptr {cursor}, {limit}",
            f"  br i1 {full}, label %wh.full.{number}, label %wh.go.{number}",
            f"wh.full.{number}:",
            "  call void @wh_more()",
            f"  br label %wh.go.{number}",
            f"wh.go.{number}:",
        ]
        self.cursor.forget()
        self.cursor.owes = False

    def _entry(self, allocas: Sequence[Instruction], logging: Sequence[Logging]) -> None:
        if FunctionFlag.QUIET not in self.log.flags:
            # The kind of item (0) and the function in one store; what follows overwrites byte 8.
            self.out += self.cursor.put(f"i64 {self.log.fid << 8}", 7)
        if FunctionFlag.LANDS in self.log.flags:
            self.out += self._frame()
        for k in self.log.logged_params:
            parameter = self.function.parameters[k]
            self._value(parameter.type, f"%{quote(parameter.name)}")
        self._values(allocas, logging)
        self.out += self.cursor.tell()

    def _values(self, first: Sequence[Instruction], logging: Sequence[Logging]) -> None:
        """Append the results of the first instructions of a block, all together."""
        for instruction, log in zip(first, logging, strict=False):
            if log.value:
                self._value(instruction.type, f"%{quote(instruction.result or '')}")

    def _frame(self) -> list[str]:
        frame = self.new()
        return [
            f"  {frame} = call ptr @llvm.frameaddress.p0(i32 0)",
            *self.cursor.put(f"ptr {frame}", 8),
        ]

    def _landing(self, site: int, first: Sequence[Instruction], logging: Sequence[Logging]) -> None:
        self._come_back(site)
        self._values(first, logging)
        self.out += self.cursor.tell()

    def _come_back(self, site: int) -> None:
        """Control arrives here from deeper frames, or from a signal handler."""
        frame = self.new()
        self.out += [
            f"  {frame} = call ptr @llvm.frameaddress.p0(i32 0)",
            f"  call void @wh_landed(ptr {frame})",
        ]
        self.cursor.forget()
        self.cursor.owes = True
        self.out += self.cursor.put("i8 2", 1)
        self.out += self.cursor.put(f"ptr {frame}", 8)
        self.out += self.cursor.put(f"i16 {site}", 2)

    # --- values ------------------------------------------------------------------------------

    def _value(self, of: Type, register: str) -> None:
        """Append a value; an aggregate leaf by leaf."""
        layout = self.owner.layout
        if isinstance(of, OtherType):
            return
        if not isinstance(of, (StructType, NamedType, ArrayType)):
            size = layout.store_size(of)
            self.out += self.cursor.put(f"{render_module(of)} {register}", size)
            self.since_room += size
            return
        for leaf, path in self._leaf_paths(of):
            part = self.new()
            steps = ", ".join(map(str, path))
            self.out.append(f"  {part} = extractvalue {render_module(of)} {register}, {steps}")
            size = layout.store_size(leaf)
            self.out += self.cursor.put(f"{render_module(leaf)} {part}", size)
            self.since_room += size

    def _leaf_paths(self, of: Type) -> Iterable[tuple[Type, tuple[int, ...]]]:
        inner = self.owner.module.types[of.name] if isinstance(of, NamedType) else of
        if isinstance(inner, StructType):
            members: Iterable[Type] = inner.fields
        elif isinstance(inner, ArrayType):
            members = [inner.element] * inner.count
        else:
            yield of, ()
            return
        for index, member in enumerate(members):
            for leaf, path in self._leaf_paths(member):
                yield leaf, (index, *path)

    # --- instructions ------------------------------------------------------------------------

    def _instruction(self, block: Block, instruction: Instruction, log: Logging) -> None:
        terminator = instruction is block.instructions[-1]
        if self.since_room > ROOM:
            self.out += self.cursor.room()
            self.since_room = 0
        if terminator or log.faults:
            self.out += self.cursor.tell()
        if log.call is not None:
            self._call(block, instruction, log)
            return
        lines = self._text(instruction)
        if self.owner.mode == "patch" and instruction.opcode == "br":
            lines = self._patchable_branch(instruction, log, lines)
        self.out += lines
        if log.value and instruction.result is not None:
            self._value(instruction.type, f"%{quote(instruction.result)}")
        if self.owner.mode == "patch" and instruction.opcode == "store":
            self._patchable_store(instruction, log)

    def _point(self, log: Logging) -> int:
        return (self.log.fid & 0xFFFFFFFFFF) << 24 | log.point

    def _patchable_branch(
        self, instruction: Instruction, log: Logging, lines: list[str]
    ) -> list[str]:
        if len(instruction.operands) != 3:
            return lines
        match = re.match(r"(\s*br i1 )([^,]+)(,.*)$", lines[0])
        if match is None:
            return lines
        before, condition, rest = match.groups()
        chosen, point = self.new(), self._point(log)
        return [
            f"  {chosen} = call zeroext i1 @wh_branch(i1 zeroext {condition}, i64 {point})",
            f"{before}{chosen}{rest}",
        ]

    def _patchable_store(self, instruction: Instruction, log: Logging) -> None:
        value, pointer = instruction.operands
        if not isinstance(pointer.value, (Local, Global)) or not isinstance(
            pointer.type, PointerType
        ):
            return
        sigil = "%" if isinstance(pointer.value, Local) else "@"
        size = self.owner.layout.store_size(value.type)
        self.out += self.cursor.tell()  # the runtime asks where we are
        self.out.append(
            f"  call void @wh_store(ptr {sigil}{quote(pointer.value.name)}, i64 {size},"
            f" i64 {self._point(log)})"
        )
        self.cursor.forget()

    # --- calls -------------------------------------------------------------------------------

    def _call(self, block: Block, instruction: Instruction, log: Logging) -> None:
        flags = log.call or CallFlag(0)
        model = self._model(instruction)
        lines = self._replaced(instruction, self._text(instruction))
        if model is not None and model.before:
            self._hook(instruction, "wh_b_", model, None)
        if instruction.opcode == "invoke":
            between = self.edge_label[block.label, instruction.labels[0]]
            lines = [_replace_normal(line, instruction.labels[0], between) for line in lines]
            self.out += [*lines, f"{between}:"]
        else:
            self.out += lines
        self.cursor.forget()
        self.cursor.owes = True
        self.since_room = 0
        if CallFlag.NORETURN not in flags:
            self._after_call(instruction, log, flags, model)
        if instruction.opcode == "invoke":
            self.out += self.cursor.tell()
            self.out.append(f"  br label %{quote(instruction.labels[0])}")

    def _after_call(
        self, instruction: Instruction, log: Logging, flags: CallFlag, model: Model | None
    ) -> None:
        if model is not None and model.after:
            self._hook(instruction, "wh_a_", model, instruction.result)
        if CallFlag.TWICE in flags:
            self._come_back(log.site)
        elif CallFlag.SURE in flags:
            return
        else:
            self.out += self.cursor.put("i8 1", 1)
        if instruction.result is not None:
            self._value(instruction.type, f"%{quote(instruction.result)}")

    def _model(self, instruction: Instruction) -> Model | None:
        callee = instruction.callee
        if not isinstance(callee, Global) or instruction.function is None:
            return None
        model = MODELS.get(callee.name)
        if model is None or callee.name in self.owner.lowered.functions:
            return None
        made_with = instruction.function
        params = tuple(render_module(param) for param in made_with.params)
        fits = (
            render_module(made_with.result) == model.result
            and params == model.params
            and made_with.variadic == model.variadic
        )
        return model if fits else None

    def _hook(
        self, instruction: Instruction, prefix: str, model: Model, result: str | None
    ) -> None:
        arguments = _arguments(" ".join(line.strip() for line in self._text(instruction)))
        if arguments is None:
            return
        types = list(model.params)
        if result is not None:
            arguments = ", ".join(filter(None, [f"{model.result} %{quote(result)}", arguments]))
            types.insert(0, model.result)
        elif prefix == "wh_a_" and model.result != "void":
            return  # the result is not named: nobody uses it, but the hook needs it
        name = f"{prefix}{model.name}"
        signature = ", ".join([*types, *(["..."] if model.variadic else [])])
        made_with = f" ({signature})" if model.variadic else ""
        self.owner.hooks[name] = f"declare void @{name}({signature})"
        self.out.append(f"  call void{made_with} @{name}({arguments})")
        self.cursor.forget()

    def _replaced(self, instruction: Instruction, lines: list[str]) -> list[str]:
        callee = instruction.callee
        if not isinstance(callee, Global) or callee.name not in REPLACED:
            return lines
        if callee.name in self.owner.module.functions:
            return lines
        new = REPLACED[callee.name]
        made_with = instruction.function
        if made_with is not None and new not in self.owner.module.declarations:
            params = ", ".join(
                [*map(render_module, made_with.params), *(["..."] if made_with.variadic else [])]
            )
            self.owner.hooks[new] = f"declare {render_module(made_with.result)} @{new}({params})"
        written = f"@{quote(callee.name)}("
        return [line.replace(written, f"@{new}(") for line in lines]


def _rooms(function: Function, log: FunctionLog, everywhere: bool) -> tuple[set[int], set[int]]:
    """The blocks that ask for room at once, and those that must before they log anything.

    A block begins in debt if one before it ends so: with a call after which it logs nothing.
    """
    following = flow.block_successors(function)
    asking = {0} | graph.loop_heads(following)
    landing, marked = (
        {block.number for block in log.blocks if flag in block.flags}
        for flag in (BlockFlag.LANDING, BlockFlag.MARKED)
    )
    if everywhere:
        asking |= marked
    asking -= landing  # these ask in any case
    ends = [
        _ends_owing(block, logging)
        for block, logging in zip(function.blocks, log.instructions, strict=True)
    ]
    owing: set[int] = set()
    work = [number for number, end in enumerate(ends) if end]
    while work:
        for after in following[work.pop()]:
            if after in asking or after in landing or after in owing:
                continue
            if after in marked:  # it logs its number
                asking.add(after)
            else:
                owing.add(after)
                if ends[after] is None:
                    work.append(after)
    return asking, owing - asking


def _ends_owing(block: Block, logging: Sequence[Logging]) -> bool | None:
    """Must room be asked for after a block?  None: if it must before it."""
    for instruction, log in zip(reversed(block.instructions), reversed(logging), strict=True):
        if log.call is not None:
            return CallFlag.SURE in log.call or CallFlag.NORETURN in log.call
        if log.value and isinstance(instruction.type, (IntType, FloatType, PointerType)):
            return False
    return None


def _arguments(call: str) -> str | None:
    """The text between the parentheses of a call's arguments, without what follows them."""
    match = re.search(r'@(?:"[^"]*"|[-\w.$]+)\(', call)
    if match is None:
        return None
    depth, start = 1, match.end()
    quoted = False
    for position in range(start, len(call)):
        character = call[position]
        if character == '"':
            quoted = not quoted
        elif not quoted and character == "(":
            depth += 1
        elif not quoted and character == ")":
            depth -= 1
            if not depth:
                return call[start:position]
    return None


def _replace_normal(line: str, label: str, between: str) -> str:
    return re.sub(
        rf"\bto label %{re.escape(quote(label))}(?=\s)", f"to label %{between}", line, count=1
    )


def _unescape(written: str) -> str:
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), written.strip('"'))
