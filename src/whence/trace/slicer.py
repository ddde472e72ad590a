"""Which steps does a point of the run depend on, directly and indirectly?

This is the closure of the dependences in `queries`; slicer.c computes it for tens of millions of
steps.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from whence.program import native
from whence.program.ids import Activation, Step
from whence.trace.columns import NONE, U8, U32, U64, Code, Stream, whole
from whence.trace.queries import OUTSIDE, Dependence, Part, Queries
from whence.trace.sections import SectionedColumn, Sections

SOURCE = Path(__file__).with_name("slicer.c")
Flags = npt.NDArray[np.bool_]

_GUARD, _EDGES = 1, 2  # notes on a stretch; the same numbers as in slicer.c
FEW = 1 << 22  # most steps counted without the C code, which needs a compiler: under a second


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes start..stop that row `effect` of `effects` read or printed: a point to slice from."""

    effect: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)  # two tables are the same if they are one: they are large
class Potential:
    """Which untaken sides of branches may define what a load reads.

    A load has a class (NONE: no side can define what it reads).  The edges of class c are
    class_edge[class_start[c]:class_start[c + 1]].  Edge e leaves the block whose last stretch is
    edge_stretch[e] for the block edge_block[e].  A private load reads memory that only its own
    activation can write: branches of other activations do not count.
    """

    class_of_op: U32
    is_private: Flags  # for each operation
    class_start: U32
    class_edge: U32
    edge_stretch: U32
    edge_block: U32


# The tables of each program, and the code that they are about.
_LOOKED_UP: WeakKeyDictionary[Potential, tuple[Code, dict[str, npt.NDArray[Any]]]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True, slots=True)
class _Point:
    step: Step
    part: Part
    address: int = 0  # of the bytes that count, if the step is a copy
    size: int = 0  # their number; 0: all bytes count


def slice_(
    stream: Stream,
    criteria: Sequence[Step | ByteRange],
    *,
    data: bool = True,
    control: bool = True,
    potential: Potential | None = None,
    guards: Flags | None = None,
    trusted: Flags | None = None,
) -> U32:
    """Return the steps that `criteria` depend on, and `criteria` themselves, in order.

    `data` and `control` select the kinds of dependence that are followed.
    `potential` adds the branches that could have redefined what a load of the slice read.
    `guards` (for each stretch) adds each branch that ends such a stretch before the last step of
    the slice: had it gone the other way, nothing later would have run.
    `trusted` (for each function) leaves out the steps in and below such functions.  The call of
    the outermost one stands for them, with all its arguments; dependences through it are kept.
    """
    return Slicer(
        stream, data=data, control=control, potential=potential, guards=guards, trusted=trusted
    ).slice(criteria)


class Slicer:
    """Computes slices of one run; what only depends on the run is laid out once.

    The parameters are those of `slice_`.
    """

    def __init__(
        self, stream: Stream, *, data: bool = True, control: bool = True,
        potential: Potential | None = None, guards: Flags | None = None,
        trusted: Flags | None = None,
    ) -> None:  # fmt: skip
        self._stream, self._data, self._control, self._trusted = stream, data, control, trusted
        self._question = _question(stream, data, control, potential, guards, trusted)

    def slice(self, criteria: Sequence[Step | ByteRange]) -> U32:
        """Return the steps that `criteria` depend on, and `criteria` themselves, in order."""
        found = _Criteria(self._stream, criteria, self._data, self._control, self._trusted)
        if not found.points and not found.only:
            return np.zeros(0, np.uint32)
        _ask_about(self._question, found)
        return _with(_run(self._question), found.only)


def _with(members: U32, more: Sequence[int]) -> U32:
    """Add a few steps to sorted steps; sorting millions again would take longer than the slice."""
    places = np.searchsorted(members, more)
    known = [p < len(members) and members[p] == m for p, m in zip(places, more, strict=True)]
    new = np.unique([m for m, is_known in zip(more, known, strict=True) if not is_known])
    return np.insert(members, np.searchsorted(members, new), new) if len(new) else members


class _Criteria:
    """The criteria as points to follow, and steps that are in the slice but not followed."""

    def __init__(
        self,
        stream: Stream,
        criteria: Sequence[Step | ByteRange],
        data: bool,
        control: bool,
        trusted: Flags | None,
    ) -> None:
        self.points: list[_Point] = []
        self.only: list[Step] = []
        self.top = 0  # the last step of `only`, or 0
        queries = Queries(stream)
        for criterion in criteria:
            if isinstance(criterion, ByteRange):
                self._add_bytes(queries, criterion, data, control, trusted)
            else:
                queries.instance_of(criterion)  # raises an error for a step that does not exist
                self.points.append(_Point(criterion, Part.VALUE))

    def _add_bytes(
        self,
        queries: Queries,
        criterion: ByteRange,
        data: bool,
        control: bool,
        trusted: Flags | None,
    ) -> None:
        step = Step(int(queries.stream.effects["step"][criterion.effect]))
        self.top = max(self.top, step)
        outer = _outermost_trusted(queries, step, trusted)
        if outer is None:
            self.only.append(step)
        elif call := Step(int(queries.stream.activations["call"][outer])):
            self.points.append(_Point(call, Part.ARGUMENTS))
        if control and (controlling := queries.controlling_step(step)):
            self.points.append(_Point(controlling, Part.ENTRY))
        if data:
            found = queries.bytes_of(criterion.effect, criterion.start, criterion.stop)
            self.points.extend(_point(d) for d in found if d.kind not in OUTSIDE)


def _point(made: Dependence) -> _Point:
    assert made.step is not None, "what was there before the run is nothing to follow"
    if made.address is None:
        return _Point(made.step, made.part)
    return _Point(made.step, made.part, made.address, made.length)


def _outermost_trusted(queries: Queries, step: Step, trusted: Flags | None) -> Activation | None:
    """Return the outermost activation of a trusted function around `step`."""
    if trusted is None:
        return None
    functions = queries.stream.activations["function"]
    inside = [a for a in queries.callers(step) if trusted[functions[a]]]
    return inside[-1] if inside else None


# --- the kernel ------------------------------------------------------------------------------

_POINTERS_OF_CODE = (
    *("use_start", "use_def", "use_block", "kind", "flags", "link_rank", "stretch_first_op"),
    *("stretch_ops", "stretch_links", "stretch_block", "function_first_op", "function_ops"),
    *("function_params", "op_stretch"),
)
_POINTERS_OF_STREAM = (
    *("stretch", "first", "activation", "control", "links", "linkbase", "instmap", "mixed"),
    *("runs", "activations", "effects", "effect_order", "copied"),
)
_EDGE_TABLES = (
    *("class_of_op", "stretch_edge_start", "stretch_edge", "edge_block"),
    *("edge_class_start", "edge_class", "private_first", "edge_private_start", "edge_private"),
    *("floors", "witness"),
)
# What slicer.c writes, and what is there before it starts.
_EMPTY = {"in_": 0, "whole": 0, "todo": 0, "hidden": 0, "floors": NONE, "witness": 0, "broken": 0}
_BY_SECTION = ("step", "instance", "link", "copied")
_LAY_OUT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)


def _fields() -> Iterator[tuple[str, type[Any]]]:
    """Yield the members of slice_t, in its order."""
    yield from ((name, ctypes.c_void_p) for name in _POINTERS_OF_CODE + _POINTERS_OF_STREAM)
    for name in (
        *("instances", "steps", "links", "mixed", "runs", "activations", "effects", "copied"),
    ):
        yield "n_" + name, ctypes.c_uint64
    yield from ((name, ctypes.c_void_p) for name in ("criteria", "parts", "places", "sizes"))
    yield "n_criteria", ctypes.c_uint64
    yield from ((name, ctypes.c_uint32) for name in ("data", "with_control", "top"))
    yield from ((name, ctypes.c_void_p) for name in ("trusted", "notes", *_EDGE_TABLES))
    yield "n_classes", ctypes.c_uint64
    yield from ((name, ctypes.c_void_p) for name in ("in_", "whole", "todo", "hidden"))
    yield from (("section_" + name, ctypes.c_void_p) for name in _BY_SECTION)
    yield from ((name, ctypes.c_uint64) for name in ("n_sections", "n_stretches"))
    yield from ((name, ctypes.c_void_p) for name in ("visited", "laid", "broken"))
    yield "lay_out", _LAY_OUT
    yield from ((name, ctypes.c_uint64) for name in ("low", "high", "end"))


class _Question(ctypes.Structure):
    """slice_t of slicer.c; `kept` keeps the arrays alive that it points to."""

    _fields_ = list(_fields())

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}
        self.raised: list[BaseException] = []  # what laying out a section raised
        self.laid_at_first = 0  # is the only section laid out from the beginning?

    def set(self, name: str, array: npt.NDArray[Any], dtype: Any = None) -> None:
        # A mapped file of the right type is not copied.
        self.kept[name] = np.ascontiguousarray(array, dtype)
        setattr(self, name, self.kept[name].ctypes.data)


def _question(
    stream: Stream,
    data: bool,
    control: bool,
    potential: Potential | None,
    guards: Flags | None,
    trusted: Flags | None,
) -> _Question:
    question = _Question()
    for name in _POINTERS_OF_CODE:
        question.set(name, getattr(stream.code, name))
    for name in _POINTERS_OF_STREAM:
        column = getattr(stream, name)
        question.set(name, column.mapped if isinstance(column, SectionedColumn) else column)
    question.n_instances, question.n_steps = len(stream.first), stream.steps
    question.n_links, question.n_mixed = len(stream.links), len(stream.mixed) // 2
    question.n_runs, question.n_effects = len(stream.runs), len(stream.effects)
    question.n_copied, question.n_activations = len(stream.copied), len(stream.activations)
    question.data, question.with_control = data, control
    if trusted is not None:
        question.set("trusted", trusted, np.uint8)
    if guards is not None or potential is not None:
        question.set("notes", _notes(stream, potential, guards))
    if potential is not None:
        _set_edges(question, potential, stream.code)
    for name in ("in_", "whole", "todo", "hidden"):
        question.set(name, np.zeros(stream.steps // 64 + 1, np.uint64))
    _set_sections(question, stream)
    return question


def _ask_about(question: _Question, seen: _Criteria) -> None:
    """Put criteria into a question, and forget the answer to the one before."""
    question.set("criteria", np.array([point.step for point in seen.points], np.uint32))
    question.set("parts", np.array([point.part for point in seen.points], np.uint8))
    question.set("places", np.array([point.address for point in seen.points], np.uint64))
    question.set("sizes", np.array([point.size for point in seen.points], np.uint64))
    question.n_criteria, question.top = len(seen.points), seen.top
    for name, empty in _EMPTY.items():
        if name in question.kept:
            question.kept[name].fill(empty)
    question.kept["laid"].fill(question.laid_at_first)


def _set_sections(question: _Question, stream: Stream) -> None:
    """Describe the sections of the run; a run that is laid out as a whole is one section."""
    sections = stream.sections
    question.n_stretches = len(stream.code.stretch_ops)
    question.set("broken", np.zeros(1, np.uint32))
    if sections is None:
        sizes = (stream.steps, len(stream.first), len(stream.links), len(stream.copied))
        starts = [np.array([0, size], np.int64) for size in sizes]
        question.set("laid", np.ones(1, np.uint8))
        question.laid_at_first = 1
    else:
        columns = sections.columns
        starts = [sections.steps, sections.instances, columns["links"], columns["copied"]]
        question.set("laid", np.zeros(len(sections.steps) - 1, np.uint8))
        bits = np.packbits(sections.visited(), axis=1, bitorder="little")
        question.set("visited", np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))))
        question.kept["lay_out"] = question.lay_out = _LAY_OUT(_layer(sections, question.raised))
    for name, start in zip(_BY_SECTION, starts, strict=True):
        question.set("section_" + name, start, np.uint64)
    question.n_sections = len(starts[0]) - 1


def _layer(sections: Sections, raised: list[BaseException]) -> Callable[[int], int]:
    """Return what lays out a section for slicer.c; an exception stops the walk."""

    def lay_out(number: int) -> int:
        try:
            sections.lay_out(number)
        except BaseException as error:
            raised.append(error)
            return -1
        return 0

    return lay_out


def _notes(stream: Stream, potential: Potential | None, guards: Flags | None) -> U8:
    notes = np.zeros(len(stream.code.stretch_ops), np.uint8)
    if guards is not None:
        notes[guards] |= _GUARD
    if potential is not None:
        notes[potential.edge_stretch] |= _EDGES
    return notes


def _set_edges(question: _Question, potential: Potential, code: Code) -> None:
    known = _LOOKED_UP.get(potential)
    if known is None or known[0] is not code:
        known = _LOOKED_UP[potential] = code, dict(_edge_tables(potential, code))
    for name, table in known[1].items():
        question.set(name, table)
    question.set("floors", np.empty(len(potential.class_start) - 1, np.uint32))
    question.set("witness", np.empty(len(potential.edge_stretch), np.uint32))
    question.n_classes = len(potential.class_start) - 1


def _edge_tables(potential: Potential, code: Code) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Turn the edges of each class into the classes of each edge: slicer.c looks up branches."""
    edges, classes = len(potential.edge_stretch), len(potential.class_start) - 1
    known = potential.class_of_op != NONE
    private = np.flatnonzero(known & potential.is_private)
    used = np.unique(potential.class_of_op[known & ~potential.is_private])
    owner, edge = _edges_of(potential, used)
    order, start = _grouped(edge, edges)
    yield "edge_class", np.asarray(used[owner[order]], np.uint32)
    yield "edge_class_start", start
    numbers, tables = _private_tables(potential, code, private)
    class_of_op = potential.class_of_op.copy()
    class_of_op[private] = classes + numbers
    yield "class_of_op", np.asarray(class_of_op, np.uint32)
    yield from tables.items()
    order, start = _grouped(potential.edge_stretch, len(code.stretch_ops))
    yield "stretch_edge", np.asarray(order, np.uint32)
    yield "stretch_edge_start", start
    yield "edge_block", np.asarray(potential.edge_block, np.uint32)


def _private_tables(
    potential: Potential, code: Code, ops: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], dict[str, U32]]:
    """Number the classes of private loads in each function; return the number for each of `ops`.

    Only branches of the same function can run in the activation of a load.
    """
    classes, functions = len(potential.class_start) - 1, len(code.function_ops)
    owner_of = code.block_function[code.stretch_block]
    own = owner_of[code.op_stretch[ops]].astype(np.int64)
    keys, numbers = np.unique(own * classes + potential.class_of_op[ops], return_inverse=True)
    first = np.searchsorted(keys, np.arange(functions + 1) * classes)
    owner, edge = _edges_of(potential, keys % max(classes, 1))
    function = keys[owner] // max(classes, 1)
    kept = owner_of[potential.edge_stretch[edge]] == function
    order, start = _grouped(edge[kept], len(potential.edge_stretch))
    places = owner[kept] - first[function[kept]]
    tables = {
        "edge_private": np.asarray(places[order], np.uint32),
        "edge_private_start": start,
        "private_first": np.asarray(first, np.uint32),
    }
    return np.asarray(numbers, np.int64).reshape(-1), tables


def _edges_of(potential: Potential, classes: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], U32]:
    """Return the edges of `classes`, and for each edge the place of its class in `classes`."""
    starts = potential.class_start[:-1][classes].astype(np.int64)
    sizes = potential.class_start[1:][classes].astype(np.int64) - starts
    owner = np.repeat(np.arange(len(classes)), sizes)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return owner, potential.class_edge[np.repeat(starts, sizes) + within]


def _grouped(keys: U32, count: int) -> tuple[npt.NDArray[np.int64], U32]:
    """Return the places of `keys` ordered by key, and where each of 0..count starts in that."""
    start = np.zeros(count + 1, np.uint32)
    np.cumsum(np.bincount(keys, minlength=count), out=start[1:])
    return np.argsort(keys, kind="stable"), start


@cache
def _kernel() -> ctypes.CDLL:
    library = ctypes.CDLL(str(native.library([SOURCE])))
    library.wh_slice.argtypes = [ctypes.POINTER(_Question)]
    pointer = ctypes.c_void_p
    library.wh_members.argtypes = [pointer, pointer, ctypes.c_uint64, pointer]
    library.wh_members.restype = ctypes.c_uint64
    number = ctypes.c_uint64
    library.wh_ops.argtypes = [
        pointer, number, pointer, pointer, number, pointer, pointer, pointer
    ]  # fmt: skip
    return library


def executed_ops(stream: Stream, steps: U32) -> tuple[npt.NDArray[np.int64], U32]:
    """Return for each operation how many of `steps` (sorted) executed it, and the last of them."""
    code = stream.code
    counts = np.zeros(len(code.kind), np.int64)
    last = np.zeros(len(code.kind), np.uint32)
    steps = np.ascontiguousarray(steps, np.uint32)
    for part, first, stretch in _by_section(stream, steps):
        _count_ops(code, part, first, stretch, counts, last)
    return counts, last


def _by_section(stream: Stream, steps: U32) -> Iterator[tuple[U32, U32, U32]]:
    """Yield the steps of each section, with the columns `first` and `stretch` of that section."""
    sections = stream.sections
    if sections is None:
        yield steps, whole(stream.first), whole(stream.stretch)
        return
    ends = np.searchsorted(steps, sections.steps[1:].astype(np.uint32), "right")
    for number, (low, high) in enumerate(itertools.pairwise([0, *ends.tolist()])):
        if low < high:
            own = slice(*(int(sections.instances[number + k]) for k in (0, 1)))
            yield steps[low:high], stream.first[own], stream.stretch[own]


def _count_ops(
    code: Code, steps: U32, first: U32, stretch: U32, counts: npt.NDArray[np.int64], last: U32
) -> None:
    first, stretch = (np.ascontiguousarray(column, np.uint32) for column in (first, stretch))
    if len(steps) <= FEW:
        at = np.searchsorted(first, steps, "right") - 1
        ops = code.stretch_first_op[stretch[at]] + steps - first[at]
        last[ops] = steps  # if an operation occurs twice, the last step stays
        counts += np.bincount(ops, minlength=len(counts))
        return
    _kernel().wh_ops(
        steps.ctypes.data, len(steps), first.ctypes.data, stretch.ctypes.data, len(first),
        np.ascontiguousarray(code.stretch_first_op, np.uint32).ctypes.data,
        counts.ctypes.data, last.ctypes.data,
    )  # fmt: skip


def _run(question: _Question) -> U32:
    kernel = _kernel()
    failed = kernel.wh_slice(ctypes.byref(question))
    if question.raised:
        raise question.raised[0]
    if failed:
        raise MemoryError("There is not enough memory to compute the slice.")
    words: U64 = question.kept["in_"]
    answer = (question.in_, question.hidden, len(words))
    members = np.empty(kernel.wh_members(*answer, None), np.uint32)
    kernel.wh_members(*answer, members.ctypes.data)
    return members
