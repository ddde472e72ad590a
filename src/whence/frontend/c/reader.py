"""Which module does this text of LLVM IR describe?

The reader understands what clang prints at -O0 for C and C++.  All line numbers are indices into
`text.splitlines()`: `instrument` edits the module by these lines.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from whence.frontend.c.instructions import Instructions
from whence.frontend.c.ir import (
    Alias,
    Block,
    Declaration,
    Declare,
    Function,
    FunctionType,
    Instruction,
    IRParameter,
    Meta,
    Module,
    Type,
    Value,
    Variable,
)
from whence.frontend.c.tokens import IRError, IRTokens, plain_name, unescape

__all__ = ["IRError", "attribute_groups", "read_module"]

_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_DECLARE = re.compile(
    r"    #dbg_declare\((.*?), !(\d+), (!DIExpression\(.*\)|!\d+), !\d+\)$"
    r"|  (?:tail )?call void @llvm\.dbg\.declare\(metadata (.*?), metadata !(\d+), "
    r"metadata (!DIExpression\(.*?\)|!\d+)\)"
)
_IGNORED = re.compile(
    r"    #dbg_(?!declare\()\w+\(|  (?:tail )?call void @llvm\.dbg\.(?!declare\()"
)
_GROUP = re.compile(r"attributes (#\d+) = \{(.*)\}$")
_STRING_ATTRIBUTE = re.compile(r'"[^"]*"(?:="[^"]*")?')
_ENUM_ATTRIBUTE = re.compile(r"[\w.]+(?:\([^)]*\)|=\d+)?")
_SKIPPED = ("module asm ", "attributes #", "uselistorder")
_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)(?=\()')
_LINKAGES = frozenset((
    "private", "internal", "available_externally", "linkonce", "weak", "common", "appending",
    "extern_weak", "linkonce_odr", "weak_odr", "external",
))  # fmt: skip


def read_module(text: str, *, lazily: bool = False) -> Module:
    """Return the module that `text` describes; raise IRError for a line that we cannot read.

    If `lazily`, functions are read when first used, and errors in them are raised then.
    """
    with collecting_nothing():
        return _Reader(text.splitlines(), lazily=lazily).read()


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """Turn the garbage collector off, for code whose objects all stay alive."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Functions(Mapping[str, Function]):
    """The functions of a module, each read when first used."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._lines: dict[str, int] = {}
        self._known: dict[str, Function] = {}

    def add(self, name: str, line: int) -> None:
        self._lines[name] = line

    def __getitem__(self, name: str) -> Function:
        if name not in self._known:
            self._known[name] = self._reader.function(self._lines[name])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class _Reader:
    """Walks once over the lines of a module."""

    def __init__(self, lines: Sequence[str], *, lazily: bool) -> None:
        self._lines = lines
        self._lazy = _Functions(self) if lazily else None
        self._header = {"source_filename": "", "target triple": "", "target datalayout": ""}
        self._types: dict[str, Type] = {}
        self._variables: dict[str, Variable] = {}
        self._functions: dict[str, Function] = {}
        self._declarations: dict[str, Declaration] = {}
        self._aliases: dict[str, Alias] = {}
        self._metadata: dict[int, str] = {}
        self._instructions = Instructions(self._types, attribute_groups(lines))

    def read(self) -> Module:
        at = 0
        while at < len(self._lines):
            try:
                at = self._entity(at)
            except (IndexError, ValueError):  # cut short
                raise IRError(at, self._lines[at]) from None
        constructors = self._variables.get("llvm.global_ctors")
        return Module(
            source=self._header["source_filename"],
            triple=self._header["target triple"],
            layout=self._header["target datalayout"],
            types=self._types,
            variables=self._variables,
            functions=self._functions if self._lazy is None else self._lazy,
            declarations=self._declarations,
            aliases=self._aliases,
            metadata=self._metadata,
            constructors_line=constructors.line if constructors else None,
            text=tuple(self._lines),
        )

    def _entity(self, at: int) -> int:
        """Read the entity that starts on line `at`; return the line after it."""
        line = self._lines[at]
        first = line[:1]
        if first == "!":
            number, _, node = line.partition(" = ")
            if number[1:].isdigit():
                self._metadata[int(number[1:])] = node
        elif first == "@":
            self._global(IRTokens(line, at))
        elif first == "%":
            self._type(IRTokens(line, at))
        elif line.startswith("define "):
            return self._function(at)
        elif line.startswith("declare "):
            self._declaration(IRTokens(line, at))
        elif first in ("s", "t") and " = " in line:
            key, _, value = line.partition(" = ")
            self._header[key] = unescape(value[1:-1]).decode("utf-8", "surrogateescape")
        elif not (first in ("", ";", "$", "^") or line.startswith(_SKIPPED) or line.isspace()):
            raise IRError(at, line)
        return at + 1

    # --- types, variables, declarations ---

    def _type(self, t: IRTokens) -> None:
        name = t.local()
        t.expect("=")
        t.expect("type")
        self._types[name] = t.type()

    def _global(self, t: IRTokens) -> None:
        name = plain_name(t.next())
        t.expect("=")
        words = t.attributes()
        linkage = next((word for word in words if word in _LINKAGES), "")
        if "alias" in words or "ifunc" in words:
            self._alias(t, name, is_function_chosen_at_start="ifunc" in words)
            return
        if "global" not in words and "constant" not in words:
            raise t.error()
        kind = t.type()
        initial = None if linkage in ("external", "extern_weak") else t.value(kind)
        self._variables[name] = Variable(
            name, kind, initial, "constant" in words, linkage,
            "thread_local" in words, t.line, _rest_of_global(t),
        )  # fmt: skip

    def _alias(self, t: IRTokens, name: str, *, is_function_chosen_at_start: bool) -> None:
        kind = t.type()
        t.expect(",")
        target = t.typed()
        if is_function_chosen_at_start and isinstance(kind, FunctionType):
            # The target only selects the function that is called, so it must not be followed like
            # an alias.  To a caller it is a function without a body.
            self._declarations[name] = Declaration(name, kind)
        else:
            self._aliases[name] = Alias(name, target, t.line)

    def _declaration(self, t: IRTokens) -> None:
        t.expect("declare")
        while t.peek()[:1] == "!":
            t.next()
            t.next()
        t.attributes()
        result, name = t.type(), plain_name(t.next())
        parameters, variadic = _parameters(t)
        kind = FunctionType(result, tuple(p.type for p in parameters), variadic)
        attributes = self._instructions.function_attributes(t)
        self._declarations[name] = Declaration(name, kind, attributes)

    # --- functions ---

    def _function(self, at: int) -> int:
        if self._lazy is None:
            function = self.function(at)
            self._functions[function.name] = function
            return function.end + 1
        match = _NAME.search(self._lines[at])
        if match is None:
            raise IRError(at, self._lines[at])
        self._lazy.add(plain_name(match[0]), at)
        while self._lines[at] != "}":
            at += 1
        return at + 1

    def function(self, at: int) -> Function:
        """Read the function whose header is on line `at`."""
        t = IRTokens(self._lines[at], at)
        t.expect("define")
        words = t.attributes()
        result, name = t.type(), plain_name(t.next())
        parameters, variadic = _parameters(t)
        attributes, subprogram, personality = self._rest_of_header(t)
        body = _Body(self._lines, at + 1, parameters, self._instructions)
        return Function(
            name=name,
            type=FunctionType(result, tuple(p.type for p in parameters), variadic),
            parameters=parameters,
            blocks=tuple(body.blocks),
            declares=tuple(body.declares),
            linkage=next((word for word in words if word in _LINKAGES), ""),
            dso_local="dso_local" in words,
            line=at,
            end=body.end,
            attributes=attributes,
            subprogram=subprogram,
            personality=personality,
        )

    def _rest_of_header(self, t: IRTokens) -> tuple[frozenset[str], int | None, bool]:
        """Read attributes, !dbg and whether there is a personality, after the parameters."""
        attributes: set[str] = set()
        subprogram, personality = None, False
        while not t.accept("{"):
            word = t.peek()
            if word in ("personality", "prefix", "prologue"):
                t.next()
                t.typed()
                personality = personality or word == "personality"
            elif word in ("section", "partition", "gc"):
                t.next()
                t.next()
            elif word in ("unnamed_addr", "local_unnamed_addr", "comdat", "align", "addrspace"):
                t.attribute()
            elif word[:1] == "!":
                t.next()
                node = t.next()
                subprogram = int(node[1:]) if word == "!dbg" else subprogram
            elif found := self._instructions.function_attributes(t):
                attributes |= found
            else:
                raise t.error()
        return frozenset(attributes), subprogram, personality


class _Body:
    """The blocks of one function, read from the line after its header."""

    def __init__(
        self,
        lines: Sequence[str],
        at: int,
        parameters: Sequence[IRParameter],
        instructions: Instructions,
    ) -> None:
        self.blocks: list[Block] = []
        self.declares: list[Declare] = []
        self._label = _entry_label(parameters)
        self._line: int | None = None
        self._found: list[Instruction] = []
        self._instructions = instructions
        self.end = self._read(lines, at)

    def _read(self, lines: Sequence[str], at: int) -> int:
        """Read up to the closing brace; return its line."""
        read, found = self._instructions.read, self._found
        while True:
            line = lines[at]
            if line[:2] == "  ":
                if line[:3] == "   " or "@llvm.dbg." in line:
                    self._debug_record(line, at)
                    at += 1
                    continue
                instruction = read(lines, at)
                found.append(instruction)
                at += instruction.lines
            elif line == "}":
                self._end_block()
                return at
            elif match := _LABEL.match(line):
                self._end_block()
                self._label, self._line = plain_name(match[1]), at
                found = self._found = []
                at += 1
            elif line == "" or line[0] == ";":
                at += 1
            else:
                raise IRError(at, line)

    def _end_block(self) -> None:
        if self._found:
            line = self._found[0].line if self._line is None else self._line
            self.blocks.append(Block(self._label, tuple(self._found), line))

    def _debug_record(self, line: str, at: int) -> None:
        """Keep a #dbg_declare; other debug records are not used."""
        match = _DECLARE.match(line)
        if match is None:
            if not _IGNORED.match(line):
                raise IRError(at, line)
            return
        address, variable, expression = [group for group in match.groups() if group is not None]
        where: Value = Meta(address)
        if address[0] != "!":
            where = IRTokens(address, at).typed().value
        self.declares.append(Declare(where, int(variable), expression, at))


def _entry_label(parameters: Sequence[IRParameter]) -> str:
    """Return the label of a nameless entry block, numbered after the nameless parameters."""
    numbers = [int(p.name) for p in parameters if p.name.isdigit()]
    return str(max(numbers) + 1) if numbers else "0"


def _parameters(t: IRTokens) -> tuple[tuple[IRParameter, ...], bool]:
    """Read the parameters of a function, with names or numbers, and whether it is variadic."""
    t.expect("(")
    found: list[IRParameter] = []
    number, variadic = 0, False
    while not t.accept(")"):
        if found:
            t.expect(",")
        if t.accept("..."):
            variadic = True
            continue
        kind, attributes = t.type(), t.attributes()
        name = str(number)
        if t.peek()[:1] == "%":
            name = t.local()
        number += name == str(number)
        found.append(IRParameter(kind, name, attributes.get("byval"), attributes.get("sret")))
    return tuple(found), variadic


def _rest_of_global(t: IRTokens) -> int | None:
    """Read what follows the value of a variable; return the number of its !dbg."""
    debug = None
    while t.accept(","):
        word = t.next()
        if word == "!dbg":
            debug = int(t.next()[1:])
        elif word[0] == "!" or word in ("section", "partition", "code_model", "align"):
            t.next()
        elif t.peek() == "(":
            t.skip_brackets()
    return debug


def attribute_groups(lines: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the attributes of each #n, without string attributes: {"#0": {"noinline", ...}}."""
    groups: dict[str, frozenset[str]] = {}
    for line in lines:
        if line.startswith("attributes #") and (match := _GROUP.match(line)):
            words = _STRING_ATTRIBUTE.sub("", match[2])
            groups[match[1]] = frozenset(_ENUM_ATTRIBUTE.findall(words))
    return groups
