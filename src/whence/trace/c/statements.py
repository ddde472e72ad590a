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
    names: CStepNames

    def __init__(self, thread: ReplayedLog) -> None:
        self._values = Values(thread)
        super().__init__(thread, CStepNames(thread, self._values))

    def named(self, step: Step, op: Op) -> NamedValue | None:
        if not self._has_value(step, op):
            return None
        source, local = self.thread.image.locate(op)
        values, value = self._values, self._values.whole_value(step, op)
        named = describe_op(source, local, value, values.registers(step, op), values.pointed(step))
        is_branch = self.thread.image.code.kind[op] == OpKind.BRANCH
        if is_branch and source.instruction(local).opcode == "br":
            return self.names.branch(op, value, named)
        return named and NamedValue(self.names.as_written(op, named.name), named.value)

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
