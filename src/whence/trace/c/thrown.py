"""Which exception left a call of a C++ function: its type, its text, and its numbers?

What is thrown is known from the calls of the C++ run-time library that throw it.  An exception that
unrecorded code throws is known if that code is one of the standard library's `__throw_…` functions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.debug import DebugType
from whence.frontend.c.mangled_names import read_mangled_name, type_of_symbol
from whence.frontend.c.source import ModuleSource
from whence.program.ids import Step
from whence.trace.c.blocks import Blocks
from whence.trace.c.cxx_values import string_content
from whence.trace.c.memory import module_symbols, modules_of
from whence.trace.c.memory_log import MemoryLog
from whence.trace.c.object_paths import decoded_value, is_pointer
from whence.trace.calls import NOT_RECORDED, State

_THROW, _RETHROW, _CATCH = "__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch"
_HEADER = 32  # bytes of the record before an exception that catching is told of
LONGJMP = "longjmp"  # leaves a call, too
_JUMPS = ("longjmp", "siglongjmp", "_longjmp", "__longjmp_chk")
# Functions of the standard library that throw: std::__throw_out_of_range throws out_of_range.
_LIBRARY_THROW = re.compile(r"std::__throw_(\w+?)(?:_fmt)?")
_MAX_TEXT = 400  # characters of a text that are compared; guessed
# Direct bases of the exceptions of the standard library.
_BASES = {
    "std::logic_error": "std::exception", "std::runtime_error": "std::exception",
    "std::bad_alloc": "std::exception", "std::bad_cast": "std::exception",
    "std::bad_typeid": "std::exception", "std::bad_exception": "std::exception",
    "std::bad_function_call": "std::exception", "std::bad_weak_ptr": "std::exception",
    "std::bad_variant_access": "std::exception",
    "std::invalid_argument": "std::logic_error", "std::domain_error": "std::logic_error",
    "std::length_error": "std::logic_error", "std::out_of_range": "std::logic_error",
    "std::range_error": "std::runtime_error", "std::overflow_error": "std::runtime_error",
    "std::underflow_error": "std::runtime_error", "std::system_error": "std::runtime_error",
    "std::regex_error": "std::runtime_error", "std::ios_failure": "std::system_error",
    "std::bad_array_new_length": "std::bad_alloc", "std::bad_any_cast": "std::bad_cast",
    "std::bad_optional_access": "std::exception",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ThrownException:
    """An exception of C++: its type, and what is known of its content."""

    type: str
    parts: tuple[tuple[str, State], ...] = ()


class ThrownExceptions:
    """The exceptions that were thrown in one thread."""

    def __init__(self, log: MemoryLog, blocks: Blocks) -> None:
        self._log, self._blocks = log, blocks

    def leaving(self, last: Step) -> ThrownException | None:
        """Return the exception that left a call which ended at a step; None if it is unknown."""
        at = bisect_right(self._steps, last)
        if not at:
            return None
        step, name = self._events[at - 1]
        if name == _CATCH:  # what was thrown before is caught: unrecorded code threw another one
            return None
        if name == _RETHROW:
            return self._caught(at - 1)
        return self._thrown(step, name)

    @cached_property
    def bases(self) -> dict[str, tuple[str, ...]]:
        """Each class that has a `type_info`, and its bases, the nearest first."""
        direct: dict[str, list[str]] = {name: [base] for name, base in _BASES.items()}
        for source, _ in modules_of(self._log.thread):
            for symbol, variable in source.module.variables.items():
                name = type_of_symbol(symbol) if symbol.startswith("_ZTI") else None
                if name is not None and variable.initial is not None:
                    names = (type_of_symbol(each) for each in _globals(variable.initial))
                    direct[name] = [each for each in names if each and not each.startswith("__")]
        found: dict[str, tuple[str, ...]] = {}
        for name in direct:
            waiting, all_ = [name], []
            while waiting:
                each = waiting.pop(0)
                if each not in all_:
                    all_.append(each)
                    waiting += direct.get(each, ())
            found[name] = tuple(all_)
        return found

    # --- what was thrown ----------------------------------------------------------------------

    @cached_property
    def _events(self) -> list[tuple[int, str]]:
        """The steps that throw, catch or jump, in order, with the functions that they call."""
        names = (_THROW, _RETHROW, _CATCH, *_JUMPS, *self._library_throws)
        found = [(step, name) for name in names for step in self._blocks.calls_of((name,))]
        return sorted(found)

    @cached_property
    def _steps(self) -> list[int]:
        return [step for step, _ in self._events]

    @cached_property
    def _library_throws(self) -> Mapping[str, str]:
        """The functions of the standard library that throw, and what they throw."""
        found = {}
        for symbol in self._symbols:
            name = read_mangled_name(symbol) if "__throw_" in symbol else None
            match = _LIBRARY_THROW.fullmatch(name.text) if name is not None else None
            if match is not None:
                found[symbol] = f"std::{match[1]}"
        return found

    @cached_property
    def _symbols(self) -> list[str]:
        loaded = modules_of(self._log.thread)
        return sorted({name for source, each in loaded for name, _ in module_symbols(source, each)})

    def _thrown(self, step: int, name: str) -> ThrownException | None:
        if name in _JUMPS:
            return ThrownException(LONGJMP)
        if name != _THROW:
            return ThrownException(self._library_throws[name], (("what()", NOT_RECORDED),))
        thread = self._log.thread
        source, local = thread.image.locate(thread.queries.op_of(Step(step)))
        given = source.instruction(local).operands[1].value
        type_ = type_of_symbol(given.name) if isinstance(given, ir.Global) else None
        if type_ is None:
            return None
        address = int(thread.replay.arguments(Step(step))[0])
        parts = (*self._text(address, step), *self._parts(source, type_, address, step))
        return ThrownException(type_, parts)

    def _caught(self, at: int) -> ThrownException | None:
        """Return the exception that the handler which runs at an event has caught."""
        caught = next((step for step, name in self._events[at::-1] if name == _CATCH), None)
        if caught is None:
            return None
        address = int(self._log.thread.replay.arguments(Step(caught))[0]) + _HEADER
        for step, name in self._events[at::-1]:
            if name == _THROW and self._log.thread.replay.arguments(Step(step))[0] == address:
                return self._thrown(step, name)
        return None

    # --- its content --------------------------------------------------------------------------

    @cached_property
    def _constructions(self) -> dict[str, list[int]]:
        """The steps that call unrecorded constructors with a text, by the type of the text."""
        found = {}
        for kind, ending in (("char", "PKc"), ("string", "RKNSt")):
            mark = re.compile(rf"_ZNSt\d+\w+C[12]E{ending}\w*")
            found[kind] = sorted(
                self._blocks.calls_of([name for name in self._symbols if mark.fullmatch(name)])
            )
        return found

    def _text(self, address: int, step: int) -> Iterator[tuple[str, State]]:
        """Yield the text that an exception of the standard library was made with."""
        arguments, made = self._log.thread.replay.arguments, self._allocated(address, step)
        for kind, steps in self._constructions.items():
            for each in steps[bisect_right(steps, made) : bisect_right(steps, step)]:
                given = arguments(Step(each))
                if int(given[0]) == address:
                    text = self._given_text(kind, int(given[1]), each)
                    yield "what()", NOT_RECORDED if text is None else text

    def _allocated(self, address: int, step: int) -> int:
        """Return the step that made the room for an exception which a step throws."""
        steps = self._allocations
        for each in reversed(steps[: bisect_right(steps, step)]):
            if int(self._log.values[each]) == address:
                return each
        return step

    @cached_property
    def _allocations(self) -> list[int]:
        return sorted(self._blocks.calls_of(("__cxa_allocate_exception",)))

    def _given_text(self, kind: str, address: int, before: int) -> str | None:
        """Return the text that a constructor got as `char *`, or as `std::string`."""
        if kind == "char":
            return self._string(address, before)
        return string_content(lambda at, size: self._log.read(at, size, before), address, _MAX_TEXT)

    def _string(self, address: int, before: int) -> str | None:
        block = self._blocks.find(address, before)
        if block is not None and block.text is not None:
            return (
                block.text[address - block.start :].partition(b"\0")[0].decode("utf-8", "replace")
            )
        found = bytearray()
        while len(found) < _MAX_TEXT:
            byte = self._log.byte(address + len(found), before)
            if byte is None:
                return None
            if not byte:
                break
            found.append(byte)
        return found.decode("utf-8", "replace")

    def _parts(
        self, source: ModuleSource, name: str, address: int, step: int
    ) -> Iterator[tuple[str, State]]:  # fmt: skip
        """Yield the numbers that an exception of the program holds."""
        if name in ("const char *", "char *"):
            pointer = self._log.read(address, 8, step)
            text = self._string(int.from_bytes(pointer, "little"), step) if pointer else None
            if text is not None:
                yield "text", text
            return
        kind = source.names.debug.type_named(name)
        if kind is not None:
            yield from self._numbers(kind, "", address, step)

    def _numbers(
        self, kind: DebugType, path: str, address: int, step: int
    ) -> Iterator[tuple[str, State]]:  # fmt: skip
        """Yield the parts of an object that are numbers."""
        found = kind.strip()
        if found is None or is_pointer(found):
            return
        if found.kind in ("class", "struct"):
            for member in found.members:
                if member.type is None or member.is_bitfield or member.name.startswith("_vptr"):
                    continue
                inner = path if member.is_base else f"{path}.{member.name}" if path else member.name
                yield from self._numbers(member.type, inner, address + member.offset, step)
        elif found.kind in ("basic", "enum") and found.size:
            content = self._log.read(address, found.size, step)
            if content is not None:
                yield path or "value", decoded_value(found, content)


def _globals(value: ir.Value) -> Iterator[str]:
    """Yield the names of the static variables that an initial value refers to."""
    if isinstance(value, ir.Global):
        yield value.name
    elif isinstance(value, ir.Elements):
        for each in value.elements:
            yield from _globals(each.value)
