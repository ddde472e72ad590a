"""What did a step of a C program do, and which value did it give?"""

from __future__ import annotations

from whence.frontend.c.describing import describe_op
from whence.frontend.c.tables import BlockFlag, OpKind
from whence.program.ids import Instance, Op, Step
from whence.program.source import NamedValue
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.step_names import CStepNames
from whence.trace.c.values import Values
from whence.trace.statements import StepDescriber


class CStepDescriber(StepDescriber):
    """Describes the steps of one thread as statements of C."""

    thread: ReplayedLog

    def __init__(self, thread: ReplayedLog) -> None:
        self._values = Values(thread)
        super().__init__(thread, CStepNames(thread, self._values))

    def named(self, step: Step, op: Op) -> NamedValue | None:
        if not self._has_value(step, op):
            return None
        source, local = self.thread.image.locate(op)
        values = self._values
        return describe_op(
            source, local, values.value(step), values.registers(step, op), values.pointed(step)
        )

    def _has_value(self, step: Step, op: Op) -> bool:
        """Did the step give a value?  A call that did not return gave none."""
        if self.thread.image.code.kind[op] != OpKind.CALL:
            return True
        queries, stream = self.thread.queries, self.thread.stream
        entered = queries.entered(step)
        if entered:
            return bool(stream.activations["ret"][entered])
        instance = queries.instance_of(step)
        activation = int(stream.activation[instance])
        if int(stream.activations["last_instance"][activation]) <= instance:
            return False
        landed = self.thread.image.program.blocks["flags"][queries.block_of(Instance(instance + 1))]
        return stream.activation[instance + 1] != activation or not landed & BlockFlag.LANDING
