"""What did a call of a C function read, and what did it change?

Memory is named by the way to it: `c->head->qty`.  A pointer is compared by what it points to, and
an object is known by the first way that leads to it from parameters and static variables.  So
states of two runs are comparable although their addresses differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from whence.frontend.c.debug import DebugType
from whence.frontend.c.terms import bare, c_string, is_character
from whence.program.ids import Step
from whence.trace.c.blocks import VIRTUALS, Blocks, MemoryBlock
from whence.trace.c.called_functions import CFunction
from whence.trace.c.memory import modules_of
from whence.trace.c.memory_log import I64, MemoryLog, TouchedBytes
from whence.trace.c.object_paths import STRUCTURES, Part, Parts, decoded_value, is_pointer
from whence.trace.c.thrown import LONGJMP, ThrownExceptions
from whence.trace.calls import NOT_RECORDED, Node, State

_MAX_PARTS = 3000  # limit on the parts of memory that are compared for one call; guessed
_UNKNOWN_SIZE = 1 << 16  # bytes that an object of unknown size may have; guessed
_MAX_TEXT = 60  # characters of a string that are shown; guessed
_SMALL = 4096  # numbers below are no addresses
_TOP = 1 << 64
_FIRST_VIRTUAL = 16  # where an object points to in the table of its class's virtual functions
_ENUMERATOR = re.compile(r'!DIEnumerator\(name: "(\w+)", value: (-?\d+)')
_Key = tuple[int, int]


# The state that stands for a pointer; its object gets the given name if it has none.
PointerState = Callable[[int, str, DebugType | None], State]


@dataclass(frozen=True, slots=True)
class Anchor:
    """How an object is named: an expression, and where in the object it points to."""

    text: str
    address: int
    type: DebugType | None  # of what is there
    is_variable: bool = False  # the expression is the object itself, not a pointer to it


@dataclass
class CallMemory:
    """What a call read before it wrote it, and what it left, by the way to it."""

    reads: dict[str, State] = field(default_factory=dict)
    writes: dict[str, State] = field(default_factory=dict)
    given: dict[str, State] = field(default_factory=dict)
    result: State = None
    shown: dict[str, str] = field(default_factory=dict)  # the arguments, for a person
    is_cut: bool = False
    pointed: PointerState | None = None


class StateReader:
    """Reads the states of the calls of one thread."""

    def __init__(self, log: MemoryLog, nodes: dict[int, Node]) -> None:
        self.log, self.blocks, self.parts = log, Blocks(log), Parts()
        self._nodes = nodes

    def named(self, name: str) -> State:
        """Return the state that is known by a name."""
        key = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
        self._nodes[key] = ("f", name, ())
        return (key,)

    def thrown(self, last: Step) -> tuple[State, str]:
        """Return the state of the exception that left a call which ended at a step, and its type.

        The type is empty if nothing is known of it.
        """
        found = self.exceptions.leaving(last)
        if found is None:
            return NOT_RECORDED, ""
        if found.type == LONGJMP:
            return self.named(LONGJMP), LONGJMP
        return self.object(found.type, found.parts), found.type

    def object(self, name: str, parts: tuple[tuple[str, State], ...]) -> State:
        """Return the state of an object of a class, with its parts."""
        node = ("o", name, parts)
        key = int.from_bytes(blake2b(repr(node).encode(), digest_size=8).digest(), "little")
        self._nodes[key] = node
        return (key,)

    @cached_property
    def exceptions(self) -> ThrownExceptions:
        return ThrownExceptions(self.log, self.blocks)

    def memory(
        self, function: CFunction, first: Step, last: Step, arguments: dict[str, int],
        pointers: dict[str, tuple[int, DebugType | None]], result: int | None,
    ) -> CallMemory:  # fmt: skip
        """Return the states of a call that ran the steps first .. last."""
        touched = self.log.touched(first, last)
        if touched is None:
            return CallMemory(is_cut=True)
        return _CallReader(self, function, first, last, touched).read(arguments, pointers, result)

    @cached_property
    def enumerators(self) -> dict[str, int]:
        """The constants of the enums of the program."""
        found: dict[str, int] = {}
        for source, _ in modules_of(self.log.thread):
            for text in source.module.metadata.values():
                match = _ENUMERATOR.match(text)
                if match is not None:
                    found.setdefault(match[1], int(match[2]))
        return found

    def text_at(self, address: int, before: int, limit: int = _MAX_TEXT) -> bytes | None:
        """Return the string at an address; None if it is not known."""
        found = bytearray()
        while len(found) <= limit:
            byte = self.log.byte(address + len(found), before)
            if byte is None:
                return None
            if not byte:
                break
            found.append(byte)
        return bytes(found)


class _CallReader:
    """Reads the states of one call."""

    def __init__(
        self,
        reader: StateReader,
        function: CFunction,
        first: Step,
        last: Step,
        touched: TouchedBytes,
    ) -> None:
        self._reader, self._log, self._blocks = reader, reader.log, reader.blocks
        self._function, self._first, self._last = function, first, last
        self._touched: TouchedBytes | None = touched
        self._anchors: dict[_Key, Anchor] = {}
        self._unknown: list[MemoryBlock] = []  # memory of which only a pointer is known
        self._found = CallMemory()
        self._left = _MAX_PARTS

    def read(
        self, arguments: dict[str, int], pointers: dict[str, tuple[int, DebugType | None]],
        result: int | None,
    ) -> CallMemory:  # fmt: skip
        params = {each.name: each.type for each in self._function.params}
        for name, value in arguments.items():
            if is_pointer(params.get(name)):
                kind = bare(params[name])
                self._anchor(name, value, kind.base if kind else None)
        for name, (value, kind) in pointers.items():
            self._anchor(name, value, kind, is_variable=True)
        self._read_start()
        self._found.given = {
            name: self._state(params.get(name), value) for name, value in arguments.items()
        }
        self._found.shown = {
            name: self._shown(name, params.get(name), value) for name, value in arguments.items()
        }
        if result is not None:
            self._read_result(result)
        self._read_end()
        self._found.pointed = self._pointer
        self._touched = None
        return self._found

    # --- start --------------------------------------------------------------------------------

    def _read_start(self) -> None:
        touched = self._touched
        assert touched is not None
        known = dict(zip(touched.read.tolist(), touched.read_values.tolist(), strict=True))
        found = dict(self._walk(touched.read, known, self._first))
        self._found.reads = self._states(found)

    def _read_result(self, raw: int) -> None:
        kind = bare(self._function.result)
        if is_pointer(kind) and kind is not None:
            self._anchor("\\result", raw, kind.base, at=self._last + 1)
        self._found.result = self._state(kind, raw)

    def _read_end(self) -> None:
        touched = self._touched
        assert touched is not None
        known = dict(zip(touched.written.tolist(), touched.written_values.tolist(), strict=True))
        found = dict(self._walk(touched.written, known, Step(self._last + 1)))
        self._found.writes = self._states(found)

    def _states(self, found: dict[str, tuple[DebugType | None, bytes | None]]) -> dict[str, State]:
        return {
            path: NOT_RECORDED if data is None else self._decoded(kind, data)
            for path, (kind, data) in found.items()
        }

    # --- memory -------------------------------------------------------------------------------

    def _walk(
        self, addresses: I64, known: dict[int, int], at: Step
    ) -> Iterator[tuple[str, tuple[DebugType | None, bytes | None]]]:
        """Yield the touched parts of the objects that can be named, with their bytes."""
        is_start = at == self._first
        grouped = self._grouped(addresses, is_start=is_start)
        done: set[_Key] = set()
        while self._left > 0:
            ready = [key for key in grouped if key not in done and self._is_named(grouped[key][0])]
            if not ready:
                ready = self._nameless(grouped, done) if is_start else []
            if not ready:
                regrouped = self._regroup(grouped, done)
                if not regrouped:
                    break
                continue
            for key in ready:
                done.add(key)
                block, places = grouped[key]
                yield from self._parts_of(block, places, known, at)
        self._found.is_cut |= self._left <= 0

    def _grouped(
        self, addresses: I64, *, is_start: bool
    ) -> dict[_Key, tuple[MemoryBlock, list[int]]]:
        """Return the touched addresses of each object; at the start, of those that existed."""
        found: dict[_Key, tuple[MemoryBlock, list[int]]] = {}
        freed = frozenset() if is_start else self._blocks.freed(self._first, self._last)
        block: MemoryBlock | None = None
        for address in addresses.tolist():
            if not _holds(block, address) or block in self._unknown:
                block = self._find(address)
            if block is None:
                found.setdefault((-1, 0), (MemoryBlock(-1, 0, 0), []))[1].append(address)
            elif not is_start and block.start in freed:
                continue  # what was written there is gone
            elif block.birth < self._first or (not is_start and not block.is_stack):
                found.setdefault(block.key, (block, []))[1].append(address)
        return found

    def _find(self, address: int) -> MemoryBlock | None:
        found = self._blocks.find(address, self._last + 1)
        if found is None:
            found = next((b for b in self._unknown if b.start <= address < b.start + b.size), None)
        return found

    def _pointed(self, address: int) -> MemoryBlock | None:
        return self._blocks.pointed(address, self._last + 1) or self._find(address)

    def _regroup(self, grouped: dict[_Key, tuple[MemoryBlock, list[int]]], done: set[_Key]) -> bool:
        """Give addresses of unknown memory to the objects that pointers lead to."""
        if not self._unknown or (-1, 0) not in grouped or (-1, 0) in done:
            return False
        moved = False
        for address in grouped.pop((-1, 0))[1]:
            block = self._find(address)
            if block is not None and block.key not in done:
                moved = True
                grouped.setdefault(block.key, (block, []))[1].append(address)
        return moved

    def _is_named(self, block: MemoryBlock) -> bool:
        return block.key in self._anchors or (bool(block.name) and not block.is_function)

    def _nameless(
        self, grouped: dict[_Key, tuple[MemoryBlock, list[int]]], done: set[_Key]
    ) -> list[_Key]:
        """Name an object that no known pointer leads to by the order of its first use."""
        order = self._touched.order if self._touched else {}
        waiting = [
            (min(order.get(address, 1 << 60) for address in places), key)
            for key, (block, places) in grouped.items()
            if key not in done and block.text is None and key != (-1, 0)
        ]
        if not waiting:
            return []
        key = min(waiting)[1]
        number = sum(1 for anchor in self._anchors.values() if anchor.text.startswith("<")) + 1
        self._anchors[key] = Anchor(f"<object {number}>", grouped[key][0].start, None)
        return [key]

    def _parts_of(
        self, block: MemoryBlock, places: list[int], known: dict[int, int], at: Step
    ) -> Iterator[tuple[str, tuple[DebugType | None, bytes | None]]]:
        anchor = self._anchors.get(block.key)
        if anchor is None:
            anchor = Anchor(block.name, block.start, block.type, is_variable=True)
        seen = -1
        pointers: list[tuple[str, DebugType | None, int]] = []
        for address in places:
            if address < seen:
                continue
            path, part, start = self._path(anchor, address, block)
            is_static = bool(block.name) and at == self._first
            if is_static and not self._log.was_written(start, part.size, at):
                seen = start + part.size
                self._follow(part, start, known, at, path)
                continue  # an initial value is a part of the version, not of the state
            self._left -= 1
            if self._left < 0:
                return
            may_be_pointer = part.type is None or (part.is_union and not is_pointer(part.type))
            pointer = self._raw_pointer(start, known, at) if may_be_pointer else None
            if pointer is not None:
                seen = start + len(pointer)
                yield path, (None, pointer)
                pointers.append((path, None, int.from_bytes(pointer, "little")))
                continue
            seen = start + part.size
            data = self._data(start, part.size, known, at)
            yield path, (part.type, data)
            if data is not None and part.type is not None and is_pointer(part.type):
                pointers.append((path, part.type.base, int.from_bytes(data, "little")))
        for path, kind, value in pointers:
            text = path if at == self._first else f"(new {path})"
            self._anchor(text, value, kind, at=at)

    def _follow(self, part: Part, start: int, known: dict[int, int], at: Step, path: str) -> None:
        """Name the object that an initial pointer points to."""
        if part.type is not None and is_pointer(part.type):
            data = self._data(start, part.size, known, at)
            if data is not None:
                self._anchor(path, int.from_bytes(data, "little"), part.type.base, at=at)

    def _raw_pointer(self, start: int, known: dict[int, int], at: Step) -> bytes | None:
        """Return the pointer at a place whose type is not known; None if there is none."""
        if start % 8 or any(start + offset not in known for offset in range(8)):
            return None
        data = self._data(start, 8, known, at)
        value = int.from_bytes(data, "little") if data else 0
        is_one = _SMALL <= value < _TOP - _SMALL and self._pointed(value) is not None
        return data if is_one else None

    def _data(self, start: int, size: int, known: dict[int, int], at: Step) -> bytes | None:
        found = bytearray(size)
        for offset in range(size):
            byte = known.get(start + offset, -1)
            if byte < 0:
                other = self._log.byte(start + offset, at)
                if other is None:
                    return None
                byte = other
            found[offset] = byte
        return bytes(found)

    def _path(self, anchor: Anchor, address: int, block: MemoryBlock) -> tuple[str, Part, int]:
        """Return the way to the part at an address, the part, and where it begins."""
        offset = address - anchor.address
        size = anchor.type.size if anchor.type else 0
        if anchor.is_variable or not size:
            part = self._reader.parts.at(anchor.type, offset)
            return anchor.text + part.suffix, part, anchor.address + part.offset
        number, rest = divmod(offset, size)
        part = self._reader.parts.at(anchor.type if _has(block, anchor, number) else None, rest)
        if number:  # another object of a pool may lie there
            part = replace(part, is_union=True)
        text = f"({anchor.text})" if anchor.text.startswith("*") else anchor.text
        if number == 0 and part.suffix.startswith("."):
            path = f"{text}->{part.suffix[1:]}"
        elif number == 0 and not part.suffix and not is_character(anchor.type):
            path = f"*{text}"
        else:
            path = f"{text}[{number}]{part.suffix}"
        return path, part, anchor.address + number * size + part.offset

    # --- pointers -----------------------------------------------------------------------------

    def _anchor(
        self, text: str, address: int, kind: DebugType | None, *, is_variable: bool = False,
        at: Step | int | None = None,
    ) -> None:  # fmt: skip
        """Name the object that an address points into, unless it has a name."""
        if address < _SMALL or address >= _TOP - _SMALL:
            return
        block = self._blocks.pointed(address, at or self._first) or self._pointed(address)
        if block is None:
            block = MemoryBlock(address, _UNKNOWN_SIZE, 0)
            self._unknown.append(block)
        if block.name or block.text is not None or block.key in self._anchors:
            return
        self._anchors[block.key] = Anchor(text, address, kind, is_variable)

    def _decoded(self, kind: DebugType | None, data: bytes) -> State:
        if is_pointer(kind) or (kind is None and len(data) == 8):
            return self._pointer(int.from_bytes(data, "little"))
        found = decoded_value(kind, data)
        bared = bare(kind)
        if isinstance(found, str) and bared is not None and bared.kind == "enum":
            return self._reader.named(found)
        return found

    def _state(self, kind: DebugType | None, raw: int) -> State:
        found = bare(kind)
        if found is None:  # an argument without a name in the source
            return raw
        size = found.size
        if found.kind in STRUCTURES:
            return self._structure(found, raw)
        return self._decoded(kind, (raw & ((1 << 8 * size) - 1)).to_bytes(size, "little"))

    def _structure(self, kind: DebugType, raw: int) -> State:
        """Return the state of a small structure that one or two registers hold."""
        data, parts, offset = raw.to_bytes(16, "little"), [], 0
        while offset < min(kind.size, len(data)):
            part = self._reader.parts.at(kind, offset)
            offset = part.offset + part.size
            if not part.is_padding and offset <= len(data):
                state = self._decoded(part.type, data[part.offset : offset])
                parts.append((part.suffix.removeprefix("."), state))
        return self._reader.object(kind.name or kind.kind, tuple(parts))

    def _pointer(self, address: int, place: str = "", kind: DebugType | None = None) -> State:
        """Return the state that stands for a pointer.

        An object that has no name gets the name `place`.
        """
        if place:
            self._anchor(place, address, kind, at=self._last + 1)
        return self._reader.named(self._pointer_text(address))

    def _pointer_text(self, address: int) -> str:
        if not address:
            return "NULL"
        if address < _SMALL or address >= _TOP - _SMALL:
            return f"(void *){address}"
        block = self._pointed(address)
        if block is None:
            return "an address outside"
        if block.text is not None:
            return c_string(block.text[address - block.start :].partition(b"\0")[0])
        if block.is_function:
            return block.name
        if block.name.endswith(VIRTUALS) and address - block.start == _FIRST_VIRTUAL:
            return block.name
        if block.name:
            inside = self._reader.parts.at(block.type, address - block.start).suffix
            return f"&{block.name}{inside if address > block.start else ''}"
        anchor = self._anchors.get(block.key)
        if anchor is None:
            return "a new object" if block.birth >= self._first else "an object"
        offset = address - anchor.address
        size = int(anchor.type.size if anchor.type else 0) or 1
        mark = "&" if anchor.is_variable else ""
        number: int = offset // size
        return f"{mark}{anchor.text}" if not offset else f"{mark}{anchor.text} {number:+}"

    def _shown(self, name: str, kind: DebugType | None, raw: int) -> str:
        """Return an argument for a person: strings and structures with their contents."""
        found = bare(kind)
        if not is_pointer(kind) or found is None or not raw:
            return shown_state(self._state(kind, raw), self._reader)
        if is_character(found.base) or (found.base and is_character(bare(found.base))):
            text = self._reader.text_at(raw, self._first)
            return c_string(text) if text is not None else "…"
        inside = {
            path.removeprefix(f"{name}->"): state
            for path, state in self._found.reads.items()
            if path.startswith((f"{name}->", f"*{name}", f"{name}["))
        }
        texts = [f"{path}={shown_state(state, self._reader)}" for path, state in inside.items()]
        more = ["…"] if len(texts) > 4 else []
        plain = self._pointer_text(raw)
        return f"{{{', '.join(texts[:4] + more)}}}" if texts else plain if plain != name else "…"


def _holds(block: MemoryBlock | None, address: int) -> bool:
    return block is not None and block.start <= address < block.start + max(block.size, 1)


def _has(block: MemoryBlock, anchor: Anchor, number: int) -> bool:
    """Is an element that is so far from the one at an anchor an element of the same array?

    What an array that goes on behind its structure holds is none, nor is what lies beside an object
    in a pool: then the block does not consist of such structures.
    """
    found = bare(anchor.type)
    if not number or found is None or found.kind not in STRUCTURES:
        return True
    before = anchor.address - block.start
    return before % found.size == 0 and block.size % found.size == 0


def shown_state(state: State, reader: StateReader) -> str:
    """Return a part of memory for a person."""
    if type(state) is not tuple:
        return repr(state)
    node = reader._nodes.get(state[0]) if state else None
    return node[1] if node else "…"


def steps_in(steps: I64, first: Step, last: Step) -> Iterable[int]:
    """Return the indexes of the steps first .. last in sorted steps."""
    low, high = np.searchsorted(steps, [first, last + 1])
    return range(int(low), int(high))
