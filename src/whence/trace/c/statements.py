"""What did a step of a C program do, and which value did it give?"""

from __future__ import annotations

from whence.frontend.c.describing import describe_op, describe_tested_pointer
from whence.frontend.c.ir import Local
from whence.frontend.c.tables import BlockFlag, OpKind
from whence.program.ids import Instance, Op, Step
from whence.program.source import NamedValue
from whence.trace.c.cxx_values import CxxValues, library_type
from whence.trace.c.memory import Memory
from whence.trace.c.replayed import ReplayedLog
from whence.trace.c.step_names import CStepNames
from whence.trace.c.values import Values
from whence.trace.statements import StepDescriber

_SOME_ADDRESS = "not NULL"  # an address says nothing to a reader


class CStepDescriber(StepDescriber):
    """Describes the steps of one thread as statements of C."""

    thread: ReplayedLog
    names: CStepNames

    def __init__(self, thread: ReplayedLog) -> None:
        self._values = Values(thread)
        self._objects = CxxValues(Memory(thread))
        super().__init__(thread, CStepNames(thread, self._values))

    def named(self, step: Step, op: Op) -> NamedValue | None:
        if not self._has_value(step, op):
            return None
        source, local = self.thread.image.locate(op)
        values, value = self._values, self._values.whole_value(step, op)
        named = describe_op(source, local, value, values.registers(step, op), values.pointed(step))
        is_call = self.thread.image.code.kind[op] == OpKind.CALL
        if is_call and (named is None or named.value.startswith(("0x", "&"))):
            named = self._library_object(step, op) or named
        is_branch = self.thread.image.code.kind[op] == OpKind.BRANCH
        if is_branch and source.instruction(local).opcode == "br":
            return self._tested(step, op, self.names.branch(op, value, named))
        return named and NamedValue(self.names.as_written(op, named.name), named.value)

    def _tested(self, step: Step, op: Op, condition: NamedValue | None) -> NamedValue | None:
        """Return a tested pointer with what it points to, and any other condition as it is."""
        source, local = self.thread.image.locate(op)
        pointer = describe_tested_pointer(
            source, local, self._values.registers(step, op), self._values.pointed(step)
        )
        if condition is None or pointer is None or pointer.name != condition.name:
            return condition
        is_address = pointer.value.startswith("0x")
        return NamedValue(pointer.name, _SOME_ADDRESS if is_address else pointer.value)

    def _library_object(self, call: Step, op: Op) -> NamedValue | None:
        """Return a string or a vector that a call returned or was given, as it was afterwards."""
        source, local = self.thread.image.locate(op)
        instruction, function = source.instruction(local), source.function_of(local)
        registers, names = self._values.registers(call, op), source.names
        entered = self.thread.queries.entered(call)
        end = int(self.thread.stream.activations["ret"][entered]) if entered else call
        for number, operand in enumerate(instruction.operands):
            address = registers(operand.value.name) if isinstance(operand.value, Local) else None
            if not address:
                continue
            if instruction.sret is not None and number == instruction.sret[0]:
                kind: str | None = getattr(instruction.sret[1], "name", "")
                name = self.names.as_written(op, names.call(function, instruction))
            else:
                kind = library_type(names.type_of(function, operand))
                name = names.expression(function, operand, registers).removeprefix("&")
            shown = self._objects.shown(kind, address, Step(end + 1)) if kind else None
            if shown is not None and name:
                return NamedValue(name, shown)
        return None

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
