"""How is a module of IR rewritten so that its run logs what a replay cannot compute?

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

1. Inserted values have names, so unnamed values keep their numbers.
2. A block that was split ends under another label; the phis must name that label.
3. The cursor moves before every instruction that can fault or leave, so a crash loses nothing.
4. The code asks for room in the log where a function and each iteration of a loop begins, and
   after a call, before the next byte.  No path between two such places logs more than WH_SLACK
   bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whence.frontend.c.constants import Symbol
from whence.frontend.c.instrument_function import FunctionRewrite, ModuleRewrite
from whence.frontend.c.ir import Module
from whence.frontend.c.layout import Layout
from whence.frontend.c.log_code import MAX_UNCHECKED_PATH
from whence.frontend.c.lower import Lowered, lower
from whence.frontend.c.reader import collecting_nothing, read_module
from whence.frontend.c.tables import SymbolFlag

RUNTIME = (
    "@wh_log = external thread_local(initialexec) global ptr",
    "declare void @wh_more()",
    "declare void @wh_room()",
    "declare void @wh_landed(ptr)",
    "declare void @wh_register(ptr)",
    "declare void @wh_store(ptr, i64, i64)",
    "declare zeroext i1 @wh_branch(i1 zeroext, i64)",
    "declare i64 @wh_switch(i64, i64)",
)


@dataclass(frozen=True, slots=True)
class Instrumented:
    text: str
    module: str  # its id, which is also the name of its description
    description: bytes
    skipped: dict[str, str]  # functions that are not recorded, with the reason


def instrument(text: str, mode: str) -> Instrumented:
    """Instrument a module, given as IR text; `mode` is record, check or patch."""
    with collecting_nothing():
        module = read_module(text)
        lowered = lower(module, text, mode)
        rewritten = _ModuleText(module, lowered, mode).text()
    description = lowered.description
    return Instrumented(rewritten, description.module, description.to_bytes(), lowered.skipped)


class _ModuleText:
    """Writes the text of the instrumented module."""

    def __init__(self, module: Module, lowered: Lowered, mode: str) -> None:
        self.module = module
        self.lowered = lowered
        self.shared = ModuleRewrite(module, lowered, mode, Layout(module), {})
        self.lines = list(module.text)

    def text(self) -> str:
        for name, log in self.lowered.functions.items():
            function = self.module.functions[name]
            rewriting = FunctionRewrite(self.shared, function, log, everywhere=False)
            rewritten = rewriting.lines()
            if rewriting.cursor.written > MAX_UNCHECKED_PATH:
                rewritten = FunctionRewrite(self.shared, function, log, everywhere=True).lines()
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
        lines += [line for hook, line in sorted(self.shared.hooks.items()) if hook not in declared]
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
