"""What did a call of a Python function get, as far as that is comparable across runs?

These are its arguments.  Of an object only its class is recorded, so the attributes that the call
reads of an argument count, too, and what it reads of the first item of a loop.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from whence.frontend.python.values import CONTAINERS, Obj, Value, likeness
from whence.program.ids import Activation, Step
from whence.trace.flow import Flow, Got, Items, OfClass
from whence.trace.python.program import PythonProgram
from whence.trace.python.replayed_run import ReplayedRun

_MAX_STEPS = 400  # steps from the start of a call, with those of inner calls; guessed


class CallReader:
    """Reads the first steps of calls."""

    def __init__(self, flow: Flow, program: PythonProgram, run: ReplayedRun) -> None:
        self._flow, self._program, self._run = flow, program, run

    def got(self, first: Step, activation: Activation) -> Got:
        """Return what the call got whose first step is `first`."""
        arguments: list[Hashable] = []
        read: dict[str, Hashable] = {}
        ways: dict[int, str] = {}  # by the identity of an object: how the call came to it
        for step in self._own_steps(first, activation):
            way = self._way(step, ways)
            if way is None or way in read:
                continue
            value = self._flow.value(step)
            if self._opcode(step) == "param":
                arguments.append(_comparable(value))
            else:
                read[way] = _comparable(value)
            if isinstance(value, Obj):
                ways.setdefault(value.identity, way)
        return Got(tuple(arguments), frozenset(read.items()))

    def _own_steps(self, first: Step, activation: Activation) -> Iterator[Step]:
        last = min(first + _MAX_STEPS, self._flow.thread.stream.steps + 1)
        steps = map(Step, range(first, last))
        return (step for step in steps if self._flow.activation_of(step) == activation)

    def _way(self, step: Step, ways: dict[int, str]) -> str | None:
        """Return how the call came to the value that a step reads: `invoice.items[0].price`."""
        opcode, name = self._opcode(step), self._program.name[self._flow.op_of(step)]
        if opcode == "param":
            return name
        holder = self._holder(step) if opcode in ("attr", "next") else None
        way = ways.get(holder.identity) if isinstance(holder, Obj) else None
        if way is None:
            return None
        return f"{way}.{name}" if opcode == "attr" else f"{way}[0]"

    def _holder(self, step: Step) -> Value:
        """Return the object that a step reads a part of; None if it is not known."""
        uses = self._program.uses[self._flow.op_of(step)]
        if not uses or uses[0] is None or uses[0] < 0:
            return None
        operand = self._run.operands_of(step)[0]
        held: Value = self._flow.value(Step(operand)) if operand else None
        return held

    def _opcode(self, step: Step) -> str:
        return self._program.opcode[self._flow.op_of(step)]


def _comparable(value: Value) -> Hashable:
    """Return a key of a value; of an object the name of its class, whatever module it is in."""
    if isinstance(value, Obj) and value.kind == "object":
        return OfClass(value.type.rpartition(".")[2])
    if isinstance(value, Obj) and value.kind in CONTAINERS:
        length, items = value.shape
        parts = None if items is None else tuple(map(_comparable, items))
        return Items(value.kind, length, parts)
    found: Hashable = likeness(value)
    return found
