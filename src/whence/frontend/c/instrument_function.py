"""How is one function of a module rewritten so that its run writes the log?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whence.frontend.c.constants import quote
from whence.frontend.c.ir import (
    ArrayType,
    Block,
    Function,
    Global,
    Instruction,
    Int,
    Local,
    Module,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.log_code import MAX_UNCHECKED, LogCursor, room_blocks
from whence.frontend.c.lower import FunctionLog, Logging, Lowered
from whence.frontend.c.modelled_calls import ModelledCall, modelled_call, type_text
from whence.frontend.c.models import REPLACED
from whence.frontend.c.tables import BlockFlag, CallFlag, FunctionFlag


@dataclass(frozen=True, slots=True)
class ModuleRewrite:
    """What the functions of one module share while they are rewritten."""

    module: Module
    lowered: Lowered
    mode: str
    layout: Layout
    hooks: dict[str, str]  # declarations of the runtime hooks that are called


class FunctionRewrite:
    """Rewrites one function: the lines between its opening line and its closing brace."""

    def __init__(
        self, owner: ModuleRewrite, function: Function, log: FunctionLog, *, everywhere: bool
    ) -> None:
        self.owner = owner
        self.function = function
        self.log = log
        self.counter = 0
        self.out: list[str] = []
        self.cursor = LogCursor(self.new)
        # block -> the label under which it ends after rewriting
        self.last_label: dict[str, str] = {}
        # (block, successor) -> label inserted between them
        self.edge_label: dict[tuple[str, str], str] = {}
        self.width = 2 if FunctionFlag.WIDE in log.flags else 1
        self.since_room = 0
        self.asking, self.owing = room_blocks(function, log, everywhere)
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
        """Replace the labels of predecessors in a phi by those under which they now end."""

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
            # One store writes the item kind (0) and the function; the next item overwrites byte 8.
            self.out += self.cursor.put(f"i64 {self.log.fid << 8}", 7)
        if FunctionFlag.LANDS in self.log.flags:
            self.out += self._frame()
        for k in self.log.logged_params:
            parameter = self.function.parameters[k]
            self._value(parameter.type, f"%{quote(parameter.name)}")
        self._values(allocas, logging)
        self.out += self.cursor.commit()

    def _values(self, first: Sequence[Instruction], logging: Sequence[Logging]) -> None:
        """Log the results of the first instructions of a block together."""
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
        self.out += self.cursor.commit()

    def _come_back(self, site: int) -> None:
        """Log that control arrived from deeper frames or from a signal handler."""
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
        """Log a value; log an aggregate leaf by leaf."""
        layout = self.owner.layout
        if isinstance(of, OtherType):
            return
        if not isinstance(of, (StructType, NamedType, ArrayType)):
            size = layout.store_size(of)
            self.out += self.cursor.put(f"{type_text(of)} {register}", size)
            self.since_room += size
            return
        for leaf, path in self._leaf_paths(of):
            part = self.new()
            steps = ", ".join(map(str, path))
            self.out.append(f"  {part} = extractvalue {type_text(of)} {register}, {steps}")
            size = layout.store_size(leaf)
            self.out += self.cursor.put(f"{type_text(leaf)} {part}", size)
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
        if self.since_room > MAX_UNCHECKED:
            self.out += self.cursor.room()
            self.since_room = 0
        if terminator or log.faults:
            self.out += self.cursor.commit()
        if log.call is not None:
            self._call(block, instruction, log)
            return
        lines = self._text(instruction)
        if self.owner.mode == "patch" and instruction.opcode == "br":
            lines = self._patchable_branch(instruction, log, lines)
        elif self.owner.mode == "patch" and instruction.opcode == "switch":
            lines = self._patchable_switch(log, lines)
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

    def _patchable_switch(self, log: Logging, lines: list[str]) -> list[str]:
        match = re.match(r"(\s*switch )i(\d+) ([^,]+)(,.*)$", lines[0])
        if match is None or int(match[2]) > 64:
            return lines
        before, bits, value, rest = match.groups()
        chosen = self.new()
        if int(bits) == 64:
            widened, narrowed = value, chosen
            ahead, after = [], []
        else:
            widened, narrowed = self.new(), self.new()
            ahead = [f"  {widened} = zext i{bits} {value} to i64"]
            after = [f"  {narrowed} = trunc i64 {chosen} to i{bits}"]
        return [
            *ahead,
            f"  {chosen} = call i64 @wh_switch(i64 {widened}, i64 {self._point(log)})",
            *after,
            f"{before}i{bits} {narrowed}{rest}",
            *lines[1:],
        ]

    def _patchable_store(self, instruction: Instruction, log: Logging) -> None:
        value, pointer = instruction.operands
        if not isinstance(pointer.value, (Local, Global)) or not isinstance(
            pointer.type, PointerType
        ):
            return
        sigil = "%" if isinstance(pointer.value, Local) else "@"
        size = self.owner.layout.store_size(value.type)
        self.out += self.cursor.commit()  # the runtime reads the cursor
        self.out.append(
            f"  call void @wh_store(ptr {sigil}{quote(pointer.value.name)}, i64 {size},"
            f" i64 {self._point(log)})"
        )
        self.cursor.forget()

    # --- calls -------------------------------------------------------------------------------

    def _call(self, block: Block, instruction: Instruction, log: Logging) -> None:
        flags = log.call or CallFlag(0)
        library = modelled_call(instruction, self.owner.lowered.functions)
        lines = self._replaced(instruction, self._text(instruction))
        if library is not None and library.model.before:
            self._hook(instruction, "wh_b_", library, None)
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
            self._after_call(instruction, log, flags, library)
        if instruction.opcode == "invoke":
            self.out += self.cursor.commit()
            self.out.append(f"  br label %{quote(instruction.labels[0])}")

    def _after_call(
        self,
        instruction: Instruction,
        log: Logging,
        flags: CallFlag,
        library: ModelledCall | None,
    ) -> None:
        if library is not None and library.model.after:
            result = instruction.result if library.model.result != "void" else None
            self._hook(instruction, "wh_a_", library, result)
        if CallFlag.TWICE in flags:
            self._come_back(log.site)
        elif CallFlag.SURE in flags:
            return
        else:
            self.out += self.cursor.put("i8 1", 1)
        if instruction.result is not None:
            self._value(instruction.type, f"%{quote(instruction.result)}")

    def _hook(
        self, instruction: Instruction, prefix: str, call: ModelledCall, result: str | None
    ) -> None:
        model = call.model
        text = _arguments(" ".join(line.strip() for line in self._text(instruction)))
        if text is None:
            return
        types = list(model.params)
        if result is not None:
            types.insert(0, model.result)
        elif prefix == "wh_a_" and model.result != "void":
            return  # the result is unnamed because it is unused, but the hook needs it
        arguments = self._converted(text, call) if any(call.casts) else [text] if text else []
        if result is not None:
            register = f"%{quote(result)}"
            if call.result_cast:
                given = f"{type_text(instruction.type)} {register}"
                register = self._cast(call.result_cast, given, model.result)
            arguments.insert(0, f"{model.result} {register}")
        name = f"{prefix}{model.name}"
        signature = ", ".join([*types, *(["..."] if model.variadic else [])])
        made_with = f" ({signature})" if model.variadic else ""
        self.owner.hooks[name] = f"declare void @{name}({signature})"
        self.out.append(f"  call void{made_with} @{name}({', '.join(arguments)})")
        self.cursor.forget()

    def _converted(self, text: str, call: ModelledCall) -> list[str]:
        """Return the arguments of a call with the types of the model."""
        arguments = _separated(text)
        for i, cast in enumerate(call.casts):
            if cast:
                wanted = call.model.params[i]
                given = _ATTRIBUTES.sub(r"\1 ", arguments[i])
                arguments[i] = f"{wanted} {self._cast(cast, given, wanted)}"
        return arguments

    def _cast(self, cast: str, given: str, wanted: str) -> str:
        register = self.new()
        self.out.append(f"  {register} = {cast} {given} to {wanted}")
        return register

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
                [*map(type_text, made_with.params), *(["..."] if made_with.variadic else [])]
            )
            self.owner.hooks[new] = f"declare {type_text(made_with.result)} @{new}({params})"
        written = f"@{quote(callee.name)}("
        return [line.replace(written, f"@{new}(") for line in lines]


# The type of a number or pointer that is an argument, and what is said about it.
_ATTRIBUTES = re.compile(
    r"^(i\d+|ptr) (?:(?:noundef|signext|zeroext|inreg|immarg|range\([^()]*\)) )*"
)


def _separated(arguments: str) -> list[str]:
    """Return the arguments of a call, each with its type."""
    parts, depth, quoted, start = [], 0, False, 0
    for position, character in enumerate(arguments):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and not depth:
            parts.append(arguments[start:position].strip())
            start = position + 1
    return [*parts, arguments[start:].strip()]


def _arguments(call: str) -> str | None:
    """Return the text between the parentheses of a call's arguments."""
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
