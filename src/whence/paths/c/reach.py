"""Which steps of a C run may depend on its inputs?

reach.c passes once over all steps; only the steps that it marks become Python objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.inputs import InputSource
from whence.program import native
from whence.trace.c.inputs import given_strings, sources
from whence.trace.c.replayed import ReplayedLog
from whence.trace.columns import U32, whole

SOURCE = Path(__file__).with_name("reach.c")
VALUE = 1  # bit of a mark: the value of the step may depend on an input; as in reach.c

_OF_CODE = (
    *("use_start", "use_def", "use_block", "kind", "flags", "link_rank", "stretch_first_op"),
    *("stretch_links", "stretch_block", "function_first_op", "function_ops", "function_params"),
)
_OF_STREAM = (
    *("stretch", "first", "activation", "links", "mixed", "runs", "activations", "effects"),
    "effect_order",
)
_COUNTS = ("instances", "steps", "links", "activations", "effects", "sources")


def _fields() -> Iterator[tuple[str, type[Any]]]:
    """Yield the members of reach_t, in its order."""
    yield from ((name, ctypes.c_void_p) for name in (*_OF_CODE, *_OF_STREAM, "free_sources"))
    yield from (("n_" + name, ctypes.c_uint64) for name in _COUNTS)
    yield from ((name, ctypes.c_uint64) for name in ("low", "high"))
    yield "marks", ctypes.c_void_p


class _Question(ctypes.Structure):
    _fields_ = list(_fields())


def reached_steps(thread: ReplayedLog, free: Collection[InputSource]) -> U32:
    """Return the steps of a thread whose values may depend on the free inputs, in order."""
    stream = thread.stream
    if stream.sections is not None:
        raise UserError(
            f"The recorded run is too long to follow its inputs: {stream.steps:,} instructions.\n"
            "Give a test that does less.",
            slug="run-too-long",
        )
    question = _Question()
    kept: list[npt.NDArray[Any]] = []

    def point(name: str, array: npt.NDArray[Any]) -> None:
        kept.append(np.ascontiguousarray(array))
        setattr(question, name, kept[-1].ctypes.data)

    for name in _OF_CODE:
        point(name, getattr(stream.code, name))
    for name in _OF_STREAM:
        point(name, whole(getattr(stream, name)))
    known = sources(thread)
    is_free = np.zeros(max(known, default=0) + 1, np.uint8)
    for number, source in known.items():
        is_free[number] = source in free
    point("free_sources", is_free)
    question.n_instances, question.n_steps = len(stream.first), stream.steps
    question.n_links, question.n_activations = len(stream.links), len(stream.activations) - 1
    question.n_effects, question.n_sources = len(stream.effects), len(is_free)
    strings = given_strings(thread)
    question.low, question.high = strings.low, strings.high
    marks = np.zeros(stream.steps + 2, np.uint8)
    question.marks = marks.ctypes.data
    if _kernel().wh_reach(ctypes.byref(question)):
        raise MemoryError("There is not enough memory to follow the inputs of the run.")
    return np.flatnonzero(marks & VALUE).astype(np.uint32)


@cache
def _kernel() -> ctypes.CDLL:
    kernel = ctypes.CDLL(str(native.library([SOURCE])))
    kernel.wh_reach.argtypes = [ctypes.POINTER(_Question)]
    return kernel
