"""What did a recorded thread do?

`Replay.open` interprets the whole log once (replay.c) and writes the columns (activations, links,
...) as raw little-endian arrays.  A long run leaves holes in them; `Replay.lay_out` fills them for
one section.  `Replay.window` interprets a part again to get the values of its steps.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from whence.errors import UserError
from whence.frontend.c.replay import sections
from whence.frontend.c.replay.program import Array, CProgram
from whence.program.mapped_files import map_file, release_pages
from whence.program.native import library
from whence.program.rows import ACTIVATION, EFFECT, MIXED, RUN, WRITTEN

HEADER: Final = 4096  # bytes before the log in the file of a stream

CHECKPOINT = np.dtype(
    [("at", "<u8"), ("log", "<u8"), ("step", "<u4"), ("instance", "<u4"), ("n_frames", "<u4"),
     ("stretch", "<u4")]
)  # fmt: skip
COLUMNS: Final[dict[str, np.dtype[Any]]] = {
    "stretch.u32": np.dtype("<u4"), "first.u32": np.dtype("<u4"),
    "activation.u32": np.dtype("<u4"), "control.u32": np.dtype("<u4"),
    "links.u32": np.dtype("<u4"), "linkbase.u64": np.dtype("<u8"),
    "instmap.u32": np.dtype("<u4"), "mixed.u32": np.dtype(("<u4", 2)), "runs": RUN,
    "activations": ACTIVATION, "effects": EFFECT, "writes": WRITTEN, "copied": WRITTEN,
}  # fmt: skip

# gets the steps and the bytes of log so far; returns whether to go on
Progress = Callable[[int, int], bool]


class Status(IntEnum):
    """How reading a log ended."""

    OK = 0
    CUT = 1  # the log ends before the run did: the last instance may be partial
    DAMAGED = 2  # the log makes no sense from some offset on
    STOPPED = 3  # cancelled, or too large


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A value that the program logged and the replay computed differently."""

    step: int
    logged: int
    computed: int


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """Facts about a replayed stream."""

    steps: int
    instances: int
    links: int
    activations: int
    effects: int
    writes: int
    log_bytes: int  # file offset up to which the log was read
    status: Status
    message: str
    stop_op: int | None  # the op that did not complete (the log ends, or the program crashed)
    stop_address: int  # the address that this op was about to use, if it uses one
    mismatch_count: int
    mismatches: tuple[Mismatch, ...]  # the first hundred
    mixed: int
    runs: int
    copied: int
    sections: int  # into which the run is cut; 0: it is laid out as a whole
    is_ordered: bool  # are the rows of `effects` and `writes` in the order of their steps?

    @property
    def ends_within_item(self) -> bool:
        """Does the log end after the first bytes of an item?"""
        return self.message.startswith("the log ends within")


@dataclass(frozen=True, slots=True)
class Window:
    """The steps from `first` on: their values, addresses and offsets in the log."""

    first: int
    value: Array  # for a CALL, only if it returned within the window
    address: Array
    offset: Array


# --- structs of tables.h and kernel.h ----------------------------------------------------------


class _Initial(ctypes.Structure):
    _fields_ = (("address", ctypes.c_uint64), ("size", ctypes.c_uint64), ("bytes", ctypes.c_char_p))


_TABLES = ("ops", "extras", "constants", "functions", "params", "blocks", "stretches", "sites")


class _Tables(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*_TABLES, "entries", "initial")),
        *(("n_" + name, ctypes.c_uint64) for name in (*_TABLES, "initial")),
    )


class _Mismatch(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("step", "logged", "computed"))


class _Meta(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in (
            "steps", "instances", "links", "activations", "effects", "writes", "mixed", "runs",
            "checkpoints", "log_bytes", "stop_address", "mismatches", "disordered", "copied",
            "sections")),
        ("status", ctypes.c_uint32), ("stop_op", ctypes.c_uint32),
        ("mismatch", _Mismatch * 100), ("message", ctypes.c_char * 256),
    )  # fmt: skip

    def summary(self) -> ReplaySummary:
        rows = self.mismatch[: min(self.mismatches, 100)]
        return ReplaySummary(
            self.steps, self.instances, self.links, self.activations, self.effects, self.writes,
            self.log_bytes, Status(self.status), self.message.decode("utf-8", "replace"),
            None if self.stop_op == 0xFFFFFFFF else self.stop_op, self.stop_address,
            self.mismatches, tuple(Mismatch(row.step, row.logged, row.computed) for row in rows),
            self.mixed, self.runs, self.copied, self.sections, not self.disordered,
        )  # fmt: skip


class _Window(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("first", "end", "detail")),
        *((name, ctypes.c_void_p) for name in
          ("value", "address", "offset", "result", "arguments")),
        *((name, ctypes.c_uint64) for name in ("n_result", "n_arguments", "capacity")),
    )  # fmt: skip


_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64)
_SOURCES = (
    *("replay.c", "check.c", "columns.c", "effects.c", "frames.c", "memory.c", "prepare.c"),
    "sections.c",
)


@cache
def _kernel() -> ctypes.CDLL:
    folder = Path(__file__).parent
    kernel = ctypes.CDLL(str(library([folder / name for name in _SOURCES])))
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    kernel.replay_prepare.restype = pointer
    kernel.replay_prepare.argtypes = [pointer, ctypes.c_char_p, ctypes.c_size_t]
    kernel.replay_free.argtypes = [pointer]
    kernel.replay_open.argtypes = [
        pointer, pointer, number, number, pointer, number, pointer, number, number, number, number,
        number, ctypes.c_char_p, pointer, pointer,
    ]  # fmt: skip
    kernel.replay_lay_out.argtypes = [
        pointer, pointer, number, number, pointer, number, ctypes.c_uint32, pointer, pointer,
        number, pointer, number, pointer, number, pointer, number, pointer, number,
        ctypes.c_char_p, pointer,
    ]  # fmt: skip
    kernel.replay_window.restype = ctypes.c_int64
    kernel.replay_window.argtypes = [
        pointer, pointer, number, number, pointer, number, pointer, pointer, number, pointer,
        pointer,
    ]  # fmt: skip
    return kernel


class UnsoundTables(ValueError):
    """The tables of a program cannot have been written by the compiler."""


class _Prepared:
    """A program in the form that the kernel needs; keeps alive what the kernel points to."""

    def __init__(self, program: CProgram) -> None:
        self._arrays = {name: getattr(program, name) for name in (*_TABLES, "entries")}
        rows = (_Initial(area.address, area.size, area.contents) for area in program.initial)
        self._initial = (_Initial * len(program.initial))(*rows)
        tables = _Tables()
        for name, array in self._arrays.items():
            setattr(tables, name, array.ctypes.data)
            if name != "entries":
                setattr(tables, "n_" + name, len(array))
        tables.initial = ctypes.addressof(self._initial)
        tables.n_initial = len(program.initial)
        message = ctypes.create_string_buffer(256)
        self.pointer = _kernel().replay_prepare(ctypes.byref(tables), message, len(message))
        if not self.pointer:
            raise UnsoundTables(message.value.decode())

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and _kernel:  # _kernel is None while Python shuts down
            _kernel().replay_free(self.pointer)


JUMP = np.dtype([("offset", "<u8"), ("fault", "<u8")])  # struct jump of kernel.h
NO_FAULT = 2**64 - 1  # as in kernel.h


class Jump(NamedTuple):
    """A place in a log where a signal handler jumped out."""

    offset: int  # in the file
    fault: int | None = None  # the address of the fault that started the handler, if one did


@dataclass(frozen=True)
class ReplayStream:
    """The log of one thread: its file, and the facts in its header."""

    data: Array  # bytes of the file
    end: int  # the offset in it where the log ends
    crash: int | None  # the address whose use killed the program
    jumps: Array  # rows of JUMP, in order

    @classmethod
    def of(cls, file: Any, jumps: Sequence[Jump] = ()) -> ReplayStream:
        """Read the header of a stream's file (bytes, or a mapped file)."""
        data = file if isinstance(file, np.ndarray) else np.frombuffer(file, dtype=np.uint8)
        head = data[:HEADER].tobytes()
        if len(head) < HEADER or head[16:24] != b"WHENCE01":
            raise UserError(
                f"This is not the log of a recorded thread: it has {len(data)} bytes and does not"
                " begin with whence's header.\nRecord the program again with whence trace.",
                slug="not-a-recording",
            )
        cursor, _, _, window, offset = struct.unpack_from("<5Q", head)
        state, signal, address = struct.unpack_from("<IIQ", head, 72)
        (settled,) = struct.unpack_from("<Q", head, 112)
        end = offset + cursor - window if window else settled  # 0 while the window moves
        end = min(end if end >= HEADER else len(data), len(data))
        rows = [(j.offset, NO_FAULT if j.fault is None else j.fault) for j in jumps]
        inside = np.array([row for row in rows if HEADER <= row[0] < end], JUMP)
        return cls(data, end, address if state == 2 and signal else None, inside)

    def release(self) -> None:
        """Let the system take back the memory that holds the log, if the log is a mapped file."""
        release_pages(self.data)


class Replay:
    """An opened stream: its columns are in a directory, its values come from windows."""

    def __init__(
        self, program: CProgram, stream: ReplayStream, out: Path, meta: ReplaySummary
    ) -> None:
        self.program, self.stream, self.out, self.meta = program, stream, out, meta
        self._prepared = _Prepared(program)
        self._index = _mapped(out / "checkpoints.index", CHECKPOINT)
        self._saved = _mapped(out / "checkpoints", np.dtype("u1"))

    @classmethod
    def open(
        cls, program: CProgram, log: Any, out: Path, progress: Progress | None = None,
        memory: int | None = None, checkpoint_every: int = 1 << 18, jumps: Sequence[Jump] = (),
        first_section: int | None = None, section: int | None = None,
        saved_per_step: int | None = None,
    ) -> Replay:  # fmt: skip
        """Interpret a whole stream and write its columns to the directory `out`.

        `log` is the stream's file, header included (bytes, or a mapped file).  `progress` is called
        about every million steps.  `memory` limits the bytes for the shadow of the program's
        memory, by default to half of the machine's memory.  Windows start at checkpoints, which
        are at least `checkpoint_every` steps apart.  `jumps` says where signal handlers jumped
        out.  A run of more than `first_section` steps is cut into sections: only the first is laid
        out, and each other has at least `section` steps.  It has more if otherwise more than
        `saved_per_step` bytes were written for each step (0: no limit).
        """
        out.mkdir(parents=True, exist_ok=True)
        stream, prepared, meta = ReplayStream.of(log, jumps), _Prepared(program), _Meta()
        callback, raised = _callback(progress)
        failed = _kernel().replay_open(
            prepared.pointer, stream.data.ctypes.data, HEADER, stream.end,
            stream.jumps.ctypes.data, len(stream.jumps), _address(stream.crash),
            memory or _half_of_memory(), checkpoint_every, first_section or sections.FIRST_SECTION,
            section or sections.SECTION,
            sections.SAVED_PER_STEP if saved_per_step is None else saved_per_step,
            os.fsencode(out), callback, ctypes.byref(meta),
        )  # fmt: skip
        if raised:
            raise raised[0]
        if failed:
            raise OSError(failed, os.strerror(failed), str(out))
        if meta.disordered:
            for name in ("effects",) if meta.sections else ("effects", "writes"):
                _sort_rows(out / name, COLUMNS[name])
        stream.release()
        made = cls(program, stream, out, meta.summary())
        if meta.sections:
            made.sections.note_laid_out(0)
        return made

    def column(self, name: str) -> Array:
        """Return a column (or table), mapped from its file."""
        return _mapped(self.out / name, COLUMNS[name])

    # --- sections -------------------------------------------------------------------------------

    @cached_property
    def sections(self) -> sections.SavedSections:
        """The sections of a run that is not laid out as a whole."""
        meta = self.meta
        totals = {
            "step": meta.steps, "instance": meta.instances, "links": meta.links,
            "mixed": meta.mixed, "runs": meta.runs, "activations": meta.activations,
            "writes": meta.writes, "copied": meta.copied,
        }  # fmt: skip
        return sections.SavedSections(self.out, totals, COLUMNS)

    def lay_out(self, number: int) -> None:
        """Write the rows of a section to the columns, unless they are there."""
        saved = self.sections
        if saved.is_laid_out(number):
            return
        meta = _Meta()
        row, after = (saved.rows[number + k : number + k + 1].copy() for k in (0, 1))
        until = int(after["step"][0]) if number + 1 < len(saved) else (1 << 64) - 1
        failed = _kernel().replay_lay_out(
            self._prepared.pointer, self.stream.data.ctypes.data, HEADER, self.stream.end,
            _address(self.stream.crash), _half_of_memory(), number, row.ctypes.data,
            after.ctypes.data, until, saved.states.ctypes.data, len(saved.states),
            saved.pages.ctypes.data, len(saved.pages), saved.page_bytes.ctypes.data,
            len(saved.page_bytes), saved.copies.ctypes.data, 8 * len(saved.copies),
            os.fsencode(self.out), ctypes.byref(meta),
        )  # fmt: skip
        if failed > 0:
            raise OSError(failed, os.strerror(failed), str(self.out))
        if failed:
            raise RuntimeError(f"section {number} does not end where the next begins")
        saved.note_laid_out(number)
        self.stream.release()

    # --- values ---------------------------------------------------------------------------------

    def window(self, first: int, end: int) -> Window:
        """Return the values of the steps first .. end-1, as far as they exist."""
        return self._window(first, end, 0)[0]

    def wide(self, step: int) -> bytes:
        """Return all slots of what a step computed (or stored, or returned), as bytes."""
        return self._window(step, step + 1, step)[1].tobytes()

    def arguments(self, step: int) -> list[int]:
        """Return the values that a CALL passed, slot by slot."""
        return [int(value) for value in self._window(step, step + 1, step)[2]]

    def _window(self, first: int, end: int, detail: int) -> tuple[Window, Array, Array]:
        if not 1 <= first <= end < MIXED:
            raise ValueError(f"no steps {first} .. {end - 1}")
        end = min(end, self.meta.steps + 1)
        size = max(end - first, 0)
        value, address, offset = (np.zeros(size, np.uint64) for _ in range(3))
        result, arguments = (np.zeros(1 << 16 if detail else 0, np.uint64) for _ in range(2))
        request = _Window(
            first, end, detail, *(a.ctypes.data for a in (value, address, offset)),
            result.ctypes.data, arguments.ctypes.data, 0, 0, len(result),
        )  # fmt: skip
        if size:
            self._run(request, first, size)
        return (
            Window(first, value, address, offset),
            result[: request.n_result],
            arguments[: request.n_arguments],
        )

    def _run(self, request: _Window, first: int, size: int) -> None:
        before = int(np.searchsorted(self._index["step"], first, side="left")) - 1
        row = self._index[before : before + 1].copy() if before >= 0 else None
        meta = _Meta()
        filled = _kernel().replay_window(
            self._prepared.pointer, self.stream.data.ctypes.data, HEADER, self.stream.end,
            self.stream.jumps.ctypes.data, len(self.stream.jumps),
            None if row is None else row.ctypes.data, self._saved.ctypes.data, len(self._saved),
            ctypes.byref(request), ctypes.byref(meta),
        )  # fmt: skip
        if filled != size:
            raise RuntimeError(f"replayed {filled} of {size} steps from {first}: {meta.message!r}")


def _address(crash: int | None) -> Any:
    return None if crash is None else ctypes.byref(ctypes.c_uint64(crash))


def _half_of_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _callback(progress: Progress | None) -> tuple[Any, list[BaseException]]:
    """Return `progress` as a C function, and a list that receives its exception."""
    raised: list[BaseException] = []

    def call(steps: int, used: int) -> int:
        try:
            return 0 if progress is None or progress(steps, used) else 1
        except BaseException as error:
            raised.append(error)
            return 1

    return (_PROGRESS(call) if progress else None), raised


def _mapped(path: Path, dtype: np.dtype[Any]) -> Array:
    return map_file(path, dtype.base).reshape(-1, *dtype.shape)


def _sort_rows(path: Path, dtype: np.dtype[Any]) -> None:
    if path.stat().st_size:
        rows = np.fromfile(path, dtype)
        rows[np.argsort(rows["step"], kind="stable")].tofile(path)
