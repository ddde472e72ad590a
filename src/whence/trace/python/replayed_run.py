"""What is known about each step of a Python run, once its log has been replayed?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from whence.frontend.python.logged import Token
from whence.program.ids import Activation, Instance, Step, Stretch
from whence.trace.columns import U32
from whence.trace.python.events import Events
from whence.trace.python.kernel import MISSING, OBJECT_TAG, Arrays, Kernel, Tokens, ints
from whence.trace.python.objects import ObjectHistory
from whence.trace.python.program import PythonProgram

__all__ = ["MISSING", "NO_STEP", "ActivationRow", "ReplayedRun"]
NO_STEP = Step(0)  # the entry of a column that stands for no step


@dataclass(frozen=True, slots=True)
class ActivationRow:
    """One activation of the run, with the fields of `program.rows.ACTIVATION`."""

    function: int
    parent: Activation  # the calling activation; 0: none
    call: Step  # the step that called it; 0: none
    first_instance: Instance
    last_instance: Instance
    ret: Step  # the step that returned; 0: none
    flags: int
    depth: int


class ReplayedRun:
    """The steps, instances and activations of one thread.

    `columns` are the arrays of the kernel, in which 0 stands for no step.  The sequences here give
    their entries as Python's ints.
    """

    def __init__(self, program: PythonProgram, events: Events) -> None:
        self.program, self.events = program, events
        self.columns: Arrays = events.kernel.arrays()
        # For each instance:
        self.stretch: Sequence[Stretch] = self._ints("stretch")
        self.first: Sequence[Step] = self._ints("first")  # its first step
        self.activation: Sequence[Activation] = self._ints("activation")
        self.order = InstanceOrder(self.columns)
        # For each step:
        self.values = StepTokens(self.columns)
        # For some steps:
        self.source = _Copied(events.kernel)  # the step whose value a step copied
        self.reads = _Grouped(self.columns["read_step"], self.columns["read"])  # further steps
        # A step that raised -> the step of its callee that raised, or 0:
        self.raised = _Sparse(self.columns["raised_step"], self.columns["raised_by"])
        self.prints: list[Step] = self.columns["prints"].tolist()  # calls that printed something
        # Steps whose exception left an activation, with the exception:
        exceptions = map(self.values.tokens.__getitem__, self.columns["left_value"].tolist())
        self.left: list[tuple[Step, Token]] = list(
            zip(self.columns["left"].tolist(), exceptions, strict=True)
        )
        self.activations = _Activations(self.columns["activations"])  # from 1 on
        # An activation whose call does not name its function -> the step that defined the function:
        self.handed = _Sparse(self.columns["handed"], self.columns["handed_step"])
        self.objects = ObjectHistory(events.types, events.kernel, self.columns)

    def _ints(self, name: str) -> Any:
        return ints(self.columns[name])

    @property
    def steps(self) -> int:
        return len(self.columns["values"]) - 1

    def operands_of(self, step: int) -> list[Step]:
        """Return the operands of a step; 0 stands for one that is no step."""
        return self.events.kernel.operands_of(step)  # type: ignore[return-value] # Step() costs time here

    def users_of(self, steps: npt.ArrayLike) -> U32:
        """Return the steps that have one of `steps` as an operand, in order."""
        wanted = np.zeros(self.steps + 1, bool)
        wanted[np.asarray(steps, np.int64)] = True
        wanted[0] = False
        return self.events.kernel.users_of(wanted)

    def instance_of(self, step: int) -> Instance:
        return Instance(bisect_right(self.first, step) - 1)


class StepTokens(Sequence[Token]):
    """The value of each step, in the form of the log."""

    def __init__(self, columns: Arrays) -> None:
        self._columns = columns
        self._numbers: Any = ints(columns["values"])
        self.tokens = Tokens(columns)

    @overload
    def __getitem__(self, step: int) -> Token: ...
    @overload
    def __getitem__(self, step: slice) -> Sequence[Token]: ...
    def __getitem__(self, step: Any) -> Any:
        if isinstance(step, slice):
            return [self.tokens[number] for number in self._numbers[step]]
        return self.tokens[self._numbers[step]]

    def __len__(self) -> int:
        return len(self._numbers)

    def with_address(self, addresses: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the steps whose value is an object at one of `addresses`."""
        tokens, values = self._columns["tokens"], self._columns["values"]
        wanted = np.isin(tokens["x"], np.array(addresses, np.uint64))
        numbers = np.flatnonzero(wanted & (tokens["tag"] == OBJECT_TAG))
        return np.flatnonzero(np.isin(values, numbers.astype(np.uint32)))


class InstanceOrder:
    """Which instances of an activation follow each other?

    Nearly all follow the instance before them; `jumps` are the others.
    """

    def __init__(self, columns: Arrays) -> None:
        self._count = len(columns["stretch"])
        self._jumps = columns["jumps"]
        self._from = ints(columns["jumps_from"])  # instance + 1; 0: none

    def previous(self, instance: int) -> Instance | None:
        """Return the instance before an instance in its activation."""
        at = bisect_left(self._at, instance)
        if at < len(self._at) and self._at[at] == instance:
            before = self._from[at]
            return Instance(before - 1) if before else None
        return Instance(instance - 1) if instance else None

    def next(self, instance: int) -> Instance | None:
        """Return the instance after an instance in its activation."""
        found = int(self.following(np.array([instance], np.int64))[0])
        return Instance(found) if found else None

    def following(self, instances: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Return for each of some instances the next one of its activation; 0: there is none."""
        after = instances.astype(np.int64) + 1
        has_next = (after < self._count) & ~_is_in(after, self._jumps)
        jumped, to = self._returns
        at = np.searchsorted(jumped, after)
        is_left = _is_in(after, jumped)
        far = to[np.minimum(at, max(len(to) - 1, 0))] if len(to) else np.zeros(len(after), np.int64)
        return np.where(has_next, after, np.where(is_left, far, 0))

    @cached_property
    def _at(self) -> Any:
        return ints(self._jumps)

    @cached_property
    def _returns(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The instances (+ 1) that a jump goes back to, in order, and the instance after each."""
        before = np.asarray(self._from)
        order = np.argsort(before, kind="stable")
        order = order[before[order] != 0]
        return before[order], self._jumps[order]


def _is_in(wanted: npt.NDArray[np.int64], column: U32) -> npt.NDArray[np.bool_]:
    """Is each number in a column, which is in order?"""
    if not len(column):
        return np.zeros(len(wanted), bool)
    at = np.minimum(np.searchsorted(column, wanted), len(column) - 1)
    found: npt.NDArray[np.bool_] = column[at] == wanted
    return found


class _Copied:
    """For each step the step whose value it copied; a step that copied none has no entry."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __contains__(self, step: int) -> bool:
        return bool(self._kernel.source_of(step))

    def __getitem__(self, step: int) -> Step:
        found = self._kernel.source_of(step)
        if not found:
            raise KeyError(step)
        return Step(found)

    def get(self, step: int) -> Step | None:
        return Step(self._kernel.source_of(step)) or None


class _Sparse(Mapping[int, Step]):
    """A step for some numbers; 0 stands for no step."""

    def __init__(self, keys: U32, values: U32) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._values = ints(keys[order]), ints(values[order])

    def __getitem__(self, key: int) -> Step:
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            raise KeyError(key)
        return Step(self._values[at])

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def all_values(self) -> list[Step]:
        values: list[Step] = self._values.tolist()
        return values


class _Grouped(Mapping[int, list[Step]]):
    """Several steps for some steps."""

    def __init__(self, keys: U32, values: U32) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._values = ints(keys[order]), ints(values[order])

    def __getitem__(self, key: int) -> list[Step]:
        start = bisect_left(self._keys, key)
        end = bisect_right(self._keys, key, start)
        if start == end:
            raise KeyError(key)
        found: list[Step] = self._values[start:end].tolist()
        return found

    def __iter__(self) -> Iterator[int]:
        return iter(dict.fromkeys(self._keys))

    def __len__(self) -> int:
        return len({*self._keys})


class _Activations:
    """The rows of the activations."""

    def __init__(self, rows: npt.NDArray[np.void]) -> None:
        self._rows = rows

    def __getitem__(self, number: int) -> ActivationRow:
        return ActivationRow(*self._rows[number].tolist())

    def __len__(self) -> int:
        return len(self._rows)
