"""What is known about each step of a Python run, once its log has been replayed?"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from whence.frontend.python.logged import Token
from whence.trace.python.events import Events
from whence.trace.python.objects import ObjectHistory
from whence.trace.python.program import PythonProgram, Use


class _Missing:
    """The value of a step whose value the log does not contain."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(slots=True)
class ActivationRow:
    """One activation of the run, with the fields of `program.rows.ACTIVATION`."""

    function: int
    parent: int  # the calling activation; 0: none
    call: int  # the step that called it; 0: none
    first_instance: int
    last_instance: int = 0
    ret: int = 0  # the step that returned; 0: none
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

    Each step executed one operation.  The operands of step s are
    `operands[start[s]:start[s + 1]]`, where each is a step, or 0 if it is no step.
    """

    program: PythonProgram
    events: Events
    # For each instance:
    stretch: array[int] = field(default_factory=lambda: array("I"))
    first: array[int] = field(default_factory=lambda: array("I"))  # its first step
    activation: array[int] = field(default_factory=lambda: array("I"))
    control: array[int] = field(default_factory=lambda: array("I"))  # its controlling branch
    previous: array[int] = field(default_factory=lambda: array("I"))  # instance + 1; 0: none
    # For each step:
    operands: array[int] = field(default_factory=lambda: array("I"))
    start: array[int] = field(default_factory=lambda: array("Q", [0, 0]))
    values: list[Token] = field(default_factory=lambda: [MISSING])
    # For some steps:
    source: dict[int, int] = field(default_factory=dict)  # the step whose value a step copied
    reads: dict[int, list[int]] = field(default_factory=dict)  # further steps that a step read
    raised: dict[int, int] = field(default_factory=dict)  # raising step -> its callee's; 0: none
    prints: list[int] = field(default_factory=list)  # calls that printed something
    # Steps whose exception left an activation, with the exception:
    left: list[tuple[int, Token]] = field(default_factory=list)
    # For each activation:
    activations: list[ActivationRow] = field(default_factory=lambda: [ActivationRow(0, 0, 0, 0)])
    # For activations whose call does not name their function: the step that defined the function.
    handed: dict[int, int] = field(default_factory=dict)
    objects: ObjectHistory = field(init=False)

    def __post_init__(self) -> None:
        self.objects = ObjectHistory(self.events.types, self.values, self.operands_of)

    @property
    def steps(self) -> int:
        return len(self.values) - 1

    def operands_of(self, step: int) -> Sequence[int]:
        """Return the operands of a step, each a step or 0."""
        return self.operands[self.start[step] : self.start[step + 1]]

    def instance_of(self, step: int) -> int:
        return bisect_right(self.first, step) - 1

    def used_value(self, registers: Mapping[int, int], op: int, use: Use) -> Token:
        """Return the value that a use of `op` stands for.

        `registers` maps each operation of the activation to its last step.
        """
        if use is None:
            return MISSING
        if use < 0:
            return self.program.constant(op, use)
        return self.values[registers.get(use, 0)]

    def add_reads(self, step: int, further: Sequence[int]) -> None:
        """Note that a step read `further` steps besides its operands and its source."""
        self.reads.setdefault(step, []).extend(further)
