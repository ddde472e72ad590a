"""How does Python call replay.c, which reads logs and replays runs?"""

from __future__ import annotations

import ctypes
import marshal
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.frontend.trace_files import DamagedTrace
from whence.program import native
from whence.program.rows import ACTIVATION
from whence.trace.columns import U32
from whence.trace.python.descriptions import Display, OtherConstant

SOURCE = Path(__file__).with_name("replay.c")
Arrays = Mapping[str, npt.NDArray[Any]]

_TOKEN = np.dtype(
    [("x", "<u8"), ("a", "<u4"), ("b", "<u4"), ("hash", "<u4"), ("tag", "u1"), ("pad", "V3")]
)
STATE = np.dtype(
    [("address", "<u8")]
    + [(name, "<u4") for name in (
        "begun", "rewritten", "touched", "last_seen", "items", "writers", "n_writers", "setters",
        "shifts", "touches")]
)  # fmt: skip
_COLUMNS = (
    "records", "record_values", "event_ops", "stretch", "first", "activation", "control",
    "values", "operands", "sources", "jumps", "jumps_from", "read_step", "read", "prints", "left",
    "left_value", "handed", "handed_step", "raised_step", "raised_by", "instmap", "changers",
    "items",
)  # fmt: skip
# The arrays that wh_arrays describes, in its order.
ARRAYS: dict[str, Any] = {
    **dict.fromkeys(_COLUMNS, np.dtype("<u4")),
    "activations": ACTIVATION,
    "tokens": _TOKEN,
    "text": np.dtype("u1"),
    "states": STATE,
    "functions": np.dtype("<u8"),
    "classes": np.dtype("<u8"),
}
# The members of program_t, in its order: how many there are of each, then the arrays.
COUNTS = ("ops", "stretches", "blocks", "functions", "modules", "types")
TABLES: dict[str, Any] = {
    "op_code": np.uint8, "op_flags": np.uint16, "op_name_flags": np.uint16, "op_name": np.uint32,
    "op_extra": np.int32, "op_extra_name": np.uint32, "op_slot": np.int32,
    **dict.fromkeys(("op_stretch", "op_function", "use_start"), np.uint32),
    "use": np.int32, "use_constant": np.uint32,
    **dict.fromkeys((
        "stretch_first", "stretch_ops", "stretch_block", "block_first_stretch", "block_stretches",
        "following_start", "following", "controlling_start", "controlling", "function_first_op",
        "function_ops", "function_first_block", "function_blocks"), np.uint32),
    "function_parent": np.int32,
    **dict.fromkeys((
        "function_module", "function_flags", "function_last_name", "slot_start", "slot_name",
        "element_start", "element", "module_name", "module_scope"), np.uint32),
    "type_kind": np.uint8, "type_address": np.uint64, "ancestor_start": np.uint32,
    "ancestor": np.uint64,
}  # fmt: skip

_INLINE, _MOST_INLINE = 1 << 31, 1 << 30  # a number from _INLINE on stands for a small int
(
    MISSING_TAG, NONE_TAG, TRUE_TAG, FALSE_TAG, INT_TAG, FLOAT_TAG, STR_TAG, BYTES_TAG, TUPLE_TAG,
    OBJECT_TAG, DISPLAY_TAG, OTHER_TAG,
) = range(12)  # fmt: skip
DISPLAYS = {9: "list", 10: "tuple", 11: "set", 12: "dict"}  # by number of the operation


class DamagedLog(DamagedTrace):
    """A log that the recorder cannot have written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "is no log of a Python thread")


class _Missing:
    """The value of a step whose value the log does not contain."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class _Array(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("n", ctypes.c_uint64)]


class _Program(ctypes.Structure):
    _fields_ = [
        *((f"n_{name}", ctypes.c_uint64) for name in COUNTS),
        *((name, ctypes.c_void_p) for name in TABLES),
    ]


class Kernel:
    """The events and tokens of one log; after `replay`, the columns of its run."""

    def __init__(self) -> None:
        self._library = _library()
        self._at = self._library.wh_new()
        if not self._at:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self._library.wh_free(self._at)

    def read(self, path: Path, *, with_events: bool) -> bool:
        """Read the complete chunks of a log.  Are there more bytes, of a chunk that was cut?"""
        rest = b""
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                data = rest + block
                used = self._library.wh_read(self._at, data, len(data), with_events)
                if used == _BAD_LOG:
                    raise DamagedLog(path)
                _check(used)
                rest = data[used:]
        return bool(rest)

    def tokens_of(self, values: Sequence[object]) -> U32:
        """Return the tokens of plain values."""
        found = np.zeros(len(values), np.uint32)
        data = marshal.dumps(list(values), 2)  # version 2 has no references
        _check(self._library.wh_tokens(self._at, data, len(data), found.ctypes.data))
        return found

    def constant(self, value: object) -> int:
        """Return the token of a constant of the source."""
        if isinstance(value, Display):
            items = np.array([*map(self.constant, value.items)], np.uint32)
            kind = next(number for number, name in DISPLAYS.items() if name == value.kind)
            made = self._library.wh_display(self._at, kind, items.ctypes.data, len(items))
        elif isinstance(value, OtherConstant):
            text = value.text.encode("utf-8", "surrogatepass")
            made = self._library.wh_other(self._at, text, len(text))
        else:
            made = int(self.tokens_of([value])[0])
        _check(made)
        return int(made)

    def replay(self, tables: Arrays) -> None:
        """Replay the events along the program that `tables` describe."""
        program = _Program()
        kept = {name: np.ascontiguousarray(tables[name], kind) for name, kind in TABLES.items()}
        for name, table in kept.items():
            setattr(program, name, table.ctypes.data)
        for name, count in zip(COUNTS, _counted(kept), strict=True):
            setattr(program, f"n_{name}", count)
        self._tables = kept  # the kernel finds the entries of columns by them
        _check(self._library.wh_replay(self._at, ctypes.byref(program)))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns as they are now; reading or replaying more makes them invalid."""
        described = (_Array * len(ARRAYS))()
        self._library.wh_arrays(self._at, described)
        return {
            name: self._view(array.at, array.n, kind)
            for (name, kind), array in zip(ARRAYS.items(), described, strict=True)
        }

    def _view(self, at: int | None, count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
        if not count or at is None:
            return np.zeros(0, kind)
        memory: Any = (ctypes.c_uint8 * (count * kind.itemsize)).from_address(at)
        memory.kernel = self  # the view keeps the memory alive
        found: npt.NDArray[Any] = np.frombuffer(memory, kind)
        found.flags.writeable = False
        return found

    def source_of(self, step: int) -> int:
        """Return the step whose value a step copied; 0: it copied none."""
        found: int = self._library.wh_source(self._at, step)
        return found

    def operands_of(self, step: int) -> list[int]:
        """Return the operands of a step; 0 stands for one that is no step."""
        count = ctypes.c_uint32()
        at = self._library.wh_operands(self._at, step, ctypes.byref(count))
        operands: list[int] = (ctypes.c_uint32 * count.value).from_address(at)[:] if at else []
        return operands

    def users_of(self, wanted: npt.NDArray[np.bool_]) -> U32:
        """Return the steps with an operand in `wanted`, which has an entry for each step and 0."""
        found = np.zeros(len(wanted), np.uint32)
        count = self._library.wh_users(self._at, wanted.ctypes.data, found.ctypes.data)
        return found[:count]

    def by_stretch(self, starts: U32) -> U32:
        """Return the instances by stretch; `starts` says where those of each stretch start."""
        following = starts.copy()
        found = np.empty(int(starts[-1]), np.uint32)
        self._library.wh_by_stretch(self._at, following.ctypes.data, found.ctypes.data)
        return found

    def links(self, last: int) -> list[int]:
        """Return the steps of a list of writers, by its last entry."""
        found = np.zeros(self._library.wh_links(self._at, last, None), np.uint32)
        self._library.wh_links(self._at, last, found.ctypes.data)
        steps: list[int] = found.tolist()
        return steps


_BLOCK = 2**23  # bytes of a log that are read at once; a chunk of it may be longer
_NO_MEMORY, _BAD_LOG = -1, -2  # what functions of replay.c return when they fail


def _check(returned: int) -> None:
    if returned == _NO_MEMORY:
        raise MemoryError("There is not enough memory to replay the run.")
    if returned < 0:
        raise ValueError(f"replay.c failed: {returned}")


def _counted(tables: Arrays) -> tuple[int, ...]:
    """Return the numbers of operations, stretches, blocks, functions, modules and types."""
    counted = ("op_code", "stretch_first", "block_first_stretch", "function_module", "module_name")
    return (*(len(tables[name]) for name in counted), len(tables["type_kind"]))


def ints(column: npt.NDArray[Any]) -> Any:
    """Return a column as a sequence of Python's ints."""
    buffer: Any = column
    return memoryview(buffer)


class Tokens:
    """The values that tokens stand for, as plain data in the form of the log."""

    def __init__(self, arrays: Arrays) -> None:
        table = arrays["tokens"]
        self._x, self._a, self._b, self._tag = (
            ints(table[field]) for field in ("x", "a", "b", "tag")
        )
        self._items, self._text = ints(arrays["items"]), ints(arrays["text"])
        self._known: dict[int, Any] = {}

    def __getitem__(self, number: int) -> Any:
        if number >= _INLINE:
            return number - _INLINE - _MOST_INLINE
        if number not in self._known:
            self._known[number] = self._decoded(number)
        return self._known[number]

    def _decoded(self, number: int) -> Any:
        tag = self._tag[number]
        if tag == OBJECT_TAG:
            return (self._x[number], self._a[number], self[self._b[number]])
        if tag < INT_TAG:
            return (MISSING, None, True, False)[tag]
        start = self._x[number]
        end = start + self._a[number]
        if tag in (TUPLE_TAG, DISPLAY_TAG):
            parts = tuple(map(self.__getitem__, self._items[start:end]))
            return parts if tag == TUPLE_TAG else Display(DISPLAYS[self._b[number]], parts)
        data = bytes(self._text[start:end])
        if tag == INT_TAG:
            return marshal.loads(b"l" + data)
        if tag == FLOAT_TAG:
            return struct.unpack("<d", data)[0]
        if tag == BYTES_TAG:
            return data
        text = data.decode("utf-8", "surrogatepass")
        return text if tag == STR_TAG else OtherConstant(text)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(native.library([SOURCE])))
    pointer, number, short = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32
    library.wh_new.restype = pointer
    library.wh_free.argtypes = [pointer]
    library.wh_free.restype = None
    library.wh_read.argtypes = [pointer, ctypes.c_char_p, number, ctypes.c_int]
    library.wh_read.restype = ctypes.c_int64
    library.wh_tokens.argtypes = [pointer, ctypes.c_char_p, number, pointer]
    library.wh_display.argtypes = [pointer, short, pointer, short]
    library.wh_display.restype = ctypes.c_int64
    library.wh_other.argtypes = [pointer, ctypes.c_char_p, number]
    library.wh_other.restype = ctypes.c_int64
    library.wh_replay.argtypes = [pointer, pointer]
    library.wh_links.argtypes = [pointer, short, pointer]
    library.wh_links.restype = number
    library.wh_source.argtypes = [pointer, short]
    library.wh_source.restype = short
    library.wh_operands.argtypes = [pointer, short, pointer]
    library.wh_operands.restype = pointer
    library.wh_users.argtypes = [pointer, pointer, pointer]
    library.wh_users.restype = number
    library.wh_by_stretch.argtypes = [pointer, pointer, pointer]
    library.wh_by_stretch.restype = None
    library.wh_arrays.argtypes = [pointer, pointer]
    library.wh_arrays.restype = None
    return library
