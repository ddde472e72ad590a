"""What did memory hold at a step, and where did a variable lie?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from whence.errors import UserError
from whence.frontend.c import terms
from whence.frontend.c.ir import Bytes, Global
from whence.frontend.c.process import LoadedModule
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import OpCode
from whence.frontend.c.terms import CTerm
from whence.frontend.c.variables import VariablePlace, VisibleVariable
from whence.program.ids import Op, Step
from whence.program.rows import COPY
from whence.trace.c.inputs import GivenStrings, given_strings
from whence.trace.c.replayed import ReplayedLog

POINTER = 8  # bytes of a pointer
_MAX_WRITES = 1_000_000  # writes of a thread whose strings are looked up; guessed
_MAX_TEXT = 64  # bytes of a string that are read; guessed
_MAX_HOPS = 32  # copies of copies that are followed; guessed


class Addresses:
    """Names addresses as a programmer does: by the string there, or by the name of a global."""

    def __init__(self, thread: ReplayedLog) -> None:
        self.thread = thread
        self._memory = Memory(thread)

    def shown(self, address: int, before: Step, *, is_text: bool) -> str | None:
        """Return the string at an address just before a step, or the name of the global there.

        Return None if neither is known.
        """
        text = self._text(address, before) if is_text else None
        if text is not None:
            return terms.c_string(text)
        return self._global(address)

    def _text(self, address: int, before: Step) -> bytes | None:
        literal = self._memory.literal(address)
        if literal is not None:
            start, contents = literal
            return contents[address - start :].partition(b"\0")[0]
        if len(self.thread.stream.writes) > _MAX_WRITES:
            return None
        found = bytearray()
        while len(found) < _MAX_TEXT:
            byte = self._memory.read(address + len(found), 1, before)
            if byte is None:
                return None
            if byte == b"\0":
                break
            found += byte
        return bytes(found)

    def initial(self, address: int) -> str | None:
        """Return in words what an address held before the run: a literal, a static variable."""
        literal = self._memory.literal(address)
        if literal is not None:
            return f"it is in {terms.c_string(literal[1].removesuffix(bytes(1)))}"
        variable = self._variable(address)
        return None if variable is None else f"it is the initial value of `{variable[1].text}`"

    def variable(self, address: int) -> str | None:
        """Return the name of the static variable that holds an address."""
        variable = self._variable(address)
        return None if variable is None else variable[1].text

    def _variable(self, address: int) -> tuple[int, CTerm] | None:
        """Return the static variable that holds an address, and where it begins."""
        at = bisect_right(self._variables, address, key=lambda row: row[0]) - 1
        if at < 0:
            return None
        start, size, term = self._variables[at]
        return (start, term) if address < start + size else None

    @cached_property
    def _variables(self) -> list[tuple[int, int, CTerm]]:
        """The static variables: address, size, name."""
        found = []
        for module, loaded in modules_of(self.thread):
            for name, address in module_symbols(module, loaded):
                if name not in module.module.variables or not address:
                    continue
                term = module.names.global_term(name)
                kind = terms.bare(term.type)
                if kind is not None and term.text and term.text[0] not in '"…':
                    found.append((address, kind.size, replace(term, place=True)))
        return sorted(found, key=lambda row: row[0])

    def _global(self, address: int) -> str | None:
        if address not in self._symbols_at:
            variable = self._variable(address)
            part = None
            if variable is not None:
                part = terms.beginning_at(variable[1], address - variable[0])
            return None if part is None else terms.term_value(part).text
        module, name = self._symbols_at[address]
        term = module.names.global_term(name)
        return terms.term_value(term).text if term.text and term.text[0] not in '"…' else None

    @cached_property
    def _symbols_at(self) -> dict[int, tuple[ModuleSource, str]]:
        found: dict[int, tuple[ModuleSource, str]] = {}
        for module, loaded in modules_of(self.thread):
            for name, address in module_symbols(module, loaded):
                found.setdefault(address, (module, name))
        found.pop(0, None)
        return found


def modules_of(thread: ReplayedLog) -> Iterator[tuple[ModuleSource, LoadedModule]]:
    return zip(thread.image.modules, thread.image.process.modules, strict=True)


def module_symbols(module: ModuleSource, loaded: LoadedModule) -> Iterator[tuple[str, int]]:
    """Yield the symbols of a module with their addresses."""
    names = module.description.names
    rows = module.description.arrays["symbols"]["name"].tolist()
    return zip((names[row] for row in rows), loaded.addresses, strict=True)


class Memory:
    """The memory of a process, as far as one of its threads wrote it."""

    def __init__(self, thread: ReplayedLog) -> None:
        self.thread = thread

    @cached_property
    def strings(self) -> GivenStrings:
        return given_strings(self.thread)

    def read(self, address: int, size: int, before: Step, hops: int = _MAX_HOPS) -> bytes | None:
        """Return the bytes at an address just before a step; None if they are not known.

        `hops` limits the copies that are followed.
        """
        found = bytearray(size)
        for run in self.thread.queries.last_write(address, size, before):
            part = self._written(address + run.offset, run.length, run.step, hops)
            if part is None:
                return None
            found[run.offset : run.offset + run.length] = part
        return bytes(found)

    def _written(self, address: int, size: int, step: Step | None, hops: int) -> bytes | None:
        """Return the bytes that a step wrote; None stands for the initial contents."""
        if step is None:
            return self.initial(address, size)
        op = self.thread.image.program.ops[self.thread.queries.op_of(step)]
        if op["code"] == OpCode.FILL:
            value = int(self.thread.replay.window(step, step + 1).value[0])
            return bytes([value & 0xFF]) * size
        if op["code"] != OpCode.STORE or op["c"]:
            return self._copied(address, size, step, hops - 1) if hops else None
        start = address - int(self.thread.replay.window(step, step + 1).address[0])
        return self.thread.replay.wide(step)[start : start + size]

    def _copied(self, address: int, size: int, step: Step, hops: int) -> bytes | None:
        """Return bytes that a step copied; None if it did not copy all of them."""
        for row in self.thread.queries.effects_of(step):
            effect = self.thread.stream.effects[row]
            start = address - int(effect["addr"])
            if effect["kind"] == COPY and start >= 0 and start + size <= int(effect["len"]):
                return self.read(int(effect["addr2"]) + start, size, step, hops)
        return None

    def initial(self, address: int, size: int) -> bytes | None:
        for area in self.thread.image.program.initial:
            start = address - area.address
            if area.contents is not None and start >= 0 and start + size <= area.size:
                return area.contents[start : start + size]
        literal = self.literal(address)
        if literal is not None and address + size <= literal[0] + len(literal[1]):
            return literal[1][address - literal[0] :][:size]
        return self.strings.contents(address, size)

    def literal(self, address: int) -> tuple[int, bytes] | None:
        """Return the string literal, argument or environment variable that holds an address.

        It comes with its own address.
        """
        at = bisect_right(self._literals, address, key=lambda row: row[0]) - 1
        if at < 0:
            return None
        start, contents = self._literals[at]
        return (start, contents) if address < start + len(contents) else None

    def text_at(self, address: int) -> bytes | None:
        """Return the text of a string literal from an address on; None if there is no literal."""
        at = bisect_right(self._of_program, address, key=lambda row: row[0]) - 1
        if at < 0:
            return None
        start, contents = self._of_program[at]
        return contents[address - start :] if address < start + len(contents) else None

    def function_at(self, address: int) -> str | None:
        """Return the name of the function that begins at an address; None if there is none."""
        return self._functions.get(address)

    @cached_property
    def _functions(self) -> dict[int, str]:
        """The functions of the program, by address."""
        return {
            address: name
            for module, loaded in modules_of(self.thread)
            for name, address in module_symbols(module, loaded)
            if address and name in module.module.functions
        }

    @cached_property
    def _literals(self) -> list[tuple[int, bytes]]:
        """The string literals, arguments and environment variables, by address."""
        return sorted(self._of_program + self.strings.strings)

    @cached_property
    def _of_program(self) -> list[tuple[int, bytes]]:
        """The string literals of the program, by address."""
        return sorted(
            (address, variable.initial.data)
            for module, loaded in modules_of(self.thread)
            for name, address in module_symbols(module, loaded)
            if (variable := module.module.variables.get(name)) is not None
            and variable.constant
            and isinstance(variable.initial, Bytes)
        )

    def address_of(
        self, step: Step, before: Step, visible: VisibleVariable, place: VariablePlace, text: str
    ) -> tuple[int, int, list[Step]]:
        """Return (address, size, steps that wrote the pointers to it) of a part of a variable.

        `step` is in the scope of the variable; the address is that just before the step `before`.
        """
        op = self.thread.queries.op_of(step)
        hops = (0, *place.hops) if visible.is_indirect else place.hops
        alloca = self.private(op, visible)
        followed: list[Step] = []
        if alloca is None:
            address = self._variable(step, op, visible, text) + hops[0]
        else:  # a frame-local pointer has no address, but its value is known
            followed = self.private_writes(alloca, hops[0], POINTER, step)
            if len(followed) != 1 or self._code(followed[0]) != OpCode.LSTORE or len(hops) < 2:
                raise _unknown(text)
            pointer = int(self.thread.replay.window(followed[0], followed[0] + 1).value[0])
            address, hops = pointer + hops[1], hops[1:]
        for hop in hops[1:]:
            pointed = self.read(address, POINTER, before)
            if pointed is None:
                raise _unknown(text)
            writers = self.thread.queries.last_write(address, POINTER, before)
            followed += [run.step for run in writers if run.step]
            address = int.from_bytes(pointed, "little") + hop
        size = place.type.size if place.type is not None else 1
        return address & 0xFFFFFFFFFFFFFFFF, max(size, 1), followed

    def private(self, op: Op, visible: VisibleVariable) -> Op | None:
        """Return the alloca of a frame-local variable; None if the variable has an address."""
        source, local = self.thread.image.locate(op)
        number = source.register(local, getattr(visible.address, "name", ""))
        if isinstance(visible.address, Global) or number is None:
            return None
        alloca = Op(op - local + number)
        is_private = self.thread.image.program.ops[alloca]["code"] == OpCode.LALLOCA
        return alloca if is_private else None

    def private_writes(self, alloca: int, offset: int, size: int, step: Step) -> list[Step]:
        """Return the steps that last wrote these bytes of a frame-local variable, up to `step`."""
        image = self.thread.image
        ops, code = image.program.ops, image.code
        start = int(ops[alloca]["b"]) + offset
        function = code.block_function[code.stretch_block[code.op_stretch[alloca]]]
        first, count = int(code.function_first_op[function]), int(code.function_ops[function])
        own = ops[first : first + count]
        writes = np.isin(own["code"], [OpCode.LSTORE, OpCode.LFILL, OpCode.LCOPY])
        ends = own["b"].astype(np.int64) + own["x"]
        overlaps = np.flatnonzero(writes & (own["b"] < start + size) & (ends > start))
        executed = (
            (
                self.thread.last_execution(Op(first + each), step),
                int(own[each]["b"]),
                int(ends[each]),
            )
            for each in overlaps.tolist()
        )
        definer = np.zeros(size, np.int64)
        for each, low, high in sorted((w, low, high) for w, low, high in executed if w is not None):
            definer[max(low - start, 0) : high - start] = each
        return [Step(int(each)) for each in np.unique(definer) if each]

    def _code(self, step: Step) -> int:
        return int(self.thread.image.program.ops[self.thread.queries.op_of(step)]["code"])

    def _variable(self, step: Step, op: Op, visible: VisibleVariable, text: str) -> int:
        image = self.thread.image
        source, local = image.locate(op)
        if isinstance(visible.address, Global):
            place = next(n for n, module in enumerate(image.modules) if module is source)
            for name, address in module_symbols(source, image.process.modules[place]):
                if name == visible.address.name:
                    return address
            raise _unknown(text)
        number = source.register(local, visible.address.name)
        defined = None if number is None else self._defined(Op(op - local + number), step)
        if defined is None:
            raise _unknown(text)
        return int(self.thread.replay.window(defined, defined + 1).value[0])

    def _defined(self, op: Op, step: Step) -> Step | None:
        if self.thread.image.program.ops[op]["code"] == OpCode.LALLOCA:
            return None
        found = self.thread.last_execution(op, step)
        return None if found is None else Step(found)


def criteria(
    thread: ReplayedLog, steps: Sequence[Step], line: int, variable: str
) -> tuple[Step, ...]:
    """Return the steps that wrote the value that a variable has after a line."""
    op = thread.queries.op_of(steps[0])
    source, local = thread.image.locate(op)
    visible, place = source.names.resolve(source.function_of(local), line, variable)
    memory = Memory(thread)
    alloca = memory.private(op, visible)
    if alloca is not None and len(place.hops) == 1 and not visible.is_indirect:
        size = max(place.type.size if place.type else 1, 1)
        return tuple(memory.private_writes(alloca, place.hops[0], size, steps[-1]))
    before = _after(thread, steps[-1])
    address, size, pointers = memory.address_of(steps[-1], before, visible, place, variable)
    written = thread.queries.last_write(address, size, before)
    return tuple(sorted({row.step for row in written if row.step} | set(pointers)))


def _after(thread: ReplayedLog, step: Step) -> Step:
    """Return the next step of the same activation; after a call, the one after its return."""
    stream, queries = thread.stream, thread.queries
    if thread.image.program.ops[queries.op_of(step)]["code"] != OpCode.CALL:
        return Step(step + 1)
    instance = queries.instance_of(step)
    own, following = int(stream.activation[instance]), instance + 1
    while following < len(stream.first):
        inner = int(stream.activation[following])
        if inner == own:
            return Step(int(stream.first[following]))
        while inner and int(stream.activations["parent"][inner]) != own:
            inner = int(stream.activations["parent"][inner])
        if not inner:
            return Step(int(stream.first[following]))
        following = int(stream.activations["last_instance"][inner]) + 1
    return Step(stream.steps + 1)


def _unknown(text: str) -> UserError:
    return UserError(
        f"The trace does not show where {text} lay at that point.\n"
        "Name a variable that a nearby line reads or writes.",
        slug="unknown-place",
    )
