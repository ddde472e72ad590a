"""What is known about each step of a Python run, once its log has been replayed?"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.trace.python.oracle.events import Events
from tests.trace.python.oracle.objects import ObjectHistory
from whence.frontend.python.logged import Token
from whence.program.ids import Activation, Instance, Op, Step, Stretch
from whence.trace.python.kernel import MISSING
from whence.trace.python.program import PythonProgram, Use

__all__ = ["MISSING", "NO_STEP", "ActivationRow", "ReplayedRun"]
NO_STEP = Step(0)  # the entry of a column that stands for no step


def _u32() -> Any:
    return array("I")


@dataclass(slots=True)
class ActivationRow:
    """One activation of the run, with the fields of `program.rows.ACTIVATION`."""

    function: int
    parent: Activation  # the calling activation; 0: none
    call: Step  # the step that called it; 0: none
    first_instance: Instance
    last_instance: Instance
    ret: Step = NO_STEP  # the step that returned; 0: none
    flags: int = 0
    depth: int = 0

    def as_tuple(self) -> tuple[int, ...]:
        return (
            self.function, self.parent, self.call, self.first_instance, self.last_instance,
            self.ret, self.flags, self.depth,
        )  # fmt: skip


@dataclass
class ReplayedRun:
    """The steps, instances and activations of one thread.

    The sequences are columns, in which 0 stands for no step.  The operands of step s are
    `operands[start[s]:start[s + 1]]`.
    """

    program: PythonProgram
    events: Events
    # For each instance:
    stretch: MutableSequence[Stretch] = field(default_factory=_u32)
    first: MutableSequence[Step] = field(default_factory=_u32)  # its first step
    activation: MutableSequence[Activation] = field(default_factory=_u32)
    control: MutableSequence[Step] = field(default_factory=_u32)  # its controlling branch
    previous: MutableSequence[int] = field(default_factory=_u32)  # instance + 1; 0: none
    # For each step:
    operands: MutableSequence[Step] = field(default_factory=_u32)
    start: array[int] = field(default_factory=lambda: array("Q", [0, 0]))
    values: list[Token] = field(default_factory=lambda: [MISSING])
    # For some steps:
    source: dict[int, Step] = field(default_factory=dict)  # the step whose value a step copied
    reads: dict[int, list[Step]] = field(default_factory=dict)  # further steps that a step read
    raised: dict[int, Step | None] = field(default_factory=dict)  # raising step -> its callee's
    prints: list[Step] = field(default_factory=list)  # calls that printed something
    # Steps whose exception left an activation, with the exception:
    left: list[tuple[Step, Token]] = field(default_factory=list)
    # For each activation, from 1 on:
    activations: list[ActivationRow] = field(
        default_factory=lambda: [ActivationRow(0, Activation(0), NO_STEP, Instance(0), Instance(0))]
    )
    # For activations whose call does not name their function: the step that defined the function.
    handed: dict[int, Step] = field(default_factory=dict)
    objects: ObjectHistory = field(init=False)

    def __post_init__(self) -> None:
        self.objects = ObjectHistory(self.events.types, self.values, self.operands_of)

    @property
    def steps(self) -> int:
        return len(self.values) - 1

    def operands_of(self, step: int) -> Sequence[Step]:
        """Return the operands of a step; 0 stands for one that is no step."""
        return self.operands[self.start[step] : self.start[step + 1]]

    def instance_of(self, step: int) -> Instance:
        return Instance(bisect_right(self.first, step) - 1)

    def op_of(self, step: int) -> Op:
        instance = self.instance_of(step)
        return Op(self.program.stretch_first[self.stretch[instance]] + step - self.first[instance])

    def used_value(self, registers: Mapping[int, Step], op: int, use: Use) -> Token:
        """Return the value that a use of `op` stands for.

        `registers` maps each operation of the activation to its last step.
        """
        if use is None:
            return MISSING
        if use < 0:
            return self.program.constant(op, use)
        return self.values[registers.get(use, 0)]

    def add_reads(self, step: int, further: Sequence[Step]) -> None:
        """Note that a step read `further` steps besides its operands and its source."""
        self.reads.setdefault(step, []).extend(further)
