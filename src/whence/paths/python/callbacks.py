"""Which recorded code did a call of unrecorded code run: `sorted(key=...)`, `any(... for ...)`?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from whence.program.ids import Activation, Instance, Op, Step
from whence.trace.python.flow import PythonFlow

EACH_ITEM = frozenset({"sorted", "min", "max", "sort", "map", "filter"})
_MAX_COPIES = 20  # loads and stores that lead to a generator expression; guessed


class Callbacks:
    """The activations that calls of unrecorded code entered."""

    def __init__(self, flow: PythonFlow) -> None:
        self._flow, self._run, self._program = flow, flow.run, flow.program

    @cached_property
    def _entered(self) -> dict[int, list[Activation]]:
        """By call: the activations that it entered, in order."""
        found: dict[int, list[Activation]] = {}
        calls = self._run.columns["activations"]["call"].tolist()
        for number, call in enumerate(calls):
            if call:
                found.setdefault(call, []).append(Activation(number))
        return found

    def is_caller(self, step: Step) -> bool:
        """Is the step a call of unrecorded code that ran recorded code?"""
        if step not in self._entered or self._flow.opcode(step) != "call":
            return False
        op = self._flow.op_of(step)
        callee, loaded = self._program.uses[op][0], self._run.operands_of(step)[0]
        if callee is None or callee < 0 or not loaded:
            return False
        if self._program.opcode[callee] == "method":
            return self._program.name[callee] in ("sort", "join", "extend", "update")
        is_name = self._program.opcode[callee] == "load"
        return is_name and loaded not in self._run.source

    def end(self, step: Step) -> int:
        """Return the last step of the code that a call ran."""
        rows = self._run.columns["activations"]
        last = max(int(rows["last_instance"][one]) for one in self._entered[step])
        return int(self._flow.queries.last_step(Instance(last)))

    def number(self, call: Step, activation: Activation) -> int:
        """Return which of the activations of a call one is, from 0."""
        return self._entered[call].index(activation)

    def results(self, step: Step) -> Sequence[Step]:
        """Return the steps by which the activations of a call returned, in order."""
        rows = self._run.columns["activations"]["ret"]
        return [Step(int(rows[one])) for one in self._entered[step] if rows[one]]

    def yielded(self, call: Step, operand: Step) -> list[Step] | None:
        """Return what a generator expression yielded to a call; None: the operand is none."""
        for _ in range(_MAX_COPIES):
            if not operand or self._flow.opcode(operand) == "genexpr":
                break
            operand = self._run.source.get(operand) or Step(0)
        if not operand:
            return None
        function = self._program.extra[self._flow.op_of(operand)]
        found: list[Step] = []
        for op in self._program.function_ops(function):
            if self._program.opcode[op] == "yield":
                found += map(Step, self._flow.executions(Op(op))[:].tolist())
        end = self.end(call)
        return sorted(one for one in found if call < one <= end)
