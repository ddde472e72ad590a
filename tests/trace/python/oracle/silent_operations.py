"""What value did an operation have that the log does not mention, and where did it come from?

Loads, stores, parameters and unpacking are silent: their values follow from the steps before.
"""

from __future__ import annotations

from tests.trace.python.oracle.logged_operations import LoggedOperations
from tests.trace.python.oracle.objects import is_same_object
from tests.trace.python.oracle.replayed_run import MISSING, ReplayedRun
from tests.trace.python.oracle.running_activation import RunningActivation
from tests.trace.python.oracle.variable_scopes import VariableScopes
from whence.frontend.python.values import STOP
from whence.program.ids import Op, Step
from whence.trace.python.descriptions import Display


class SilentOperations:
    """Completes the steps that have no event."""

    def __init__(self, run: ReplayedRun, scopes: VariableScopes, logged: LoggedOperations) -> None:
        self._run, self._program = run, run.program
        self._scopes, self._logged = scopes, logged

    def complete(self, activation: RunningActivation, op: Op, opcode: str, step: Step) -> None:
        """Give a step its value, if that is known, and note where the value came from."""
        program, run = self._program, self._run
        if opcode == "load":
            definer = self._scopes.variables(activation, op).get(program.name[op] or "")
            if definer:
                run.source[step] = definer
                run.values[step] = run.objects.now(run.values[definer])
        elif opcode in ("store", "delete"):
            self._scopes.variables(activation, op)[program.name[op] or ""] = step
            uses = program.uses[op]
            if uses:
                run.values[step] = run.used_value(activation.registers, op, uses[0])
        elif opcode == "param":
            activation.variables[program.name[op] or ""] = step
            self._parameter(activation, op, step)
        elif opcode == "unpack":
            self._unpack(activation, op, step)
        elif opcode == "phi":
            self._condition(step)
        elif opcode == "set_attr":
            self._logged.set_attr(activation, op, step, MISSING)
        elif opcode == "set_item":
            self._logged.set_item(activation, op, step, MISSING)
        elif opcode in ("list", "tuple", "set", "dict"):
            self._constant_display(activation, op, opcode, step)
        elif opcode == "next":
            run.values[step] = STOP

    def _condition(self, step: Step) -> None:
        """Copy the value of the last alternative of an `and` or `or` that ran.

        In a condition only the truth of the alternatives is recorded.
        """
        last = max(self._run.operands_of(step), default=None)
        if last:
            self._run.source[step] = last
            self._run.values[step] = self._run.values[last]

    def _constant_display(
        self, activation: RunningActivation, op: Op, opcode: str, step: Step
    ) -> None:  # fmt: skip
        uses = self._program.uses[op]
        if all(use is not None and use < 0 for use in uses):
            items = tuple(self._run.used_value(activation.registers, op, use) for use in uses)
            self._run.values[step] = Display(opcode, items)

    def _parameter(self, activation: RunningActivation, op: Op, step: Step) -> None:
        """Set the value of a parameter, and the argument that it comes from as its source."""
        run = self._run
        number = op - self._program.functions[activation.function].first_op
        if number >= len(activation.parameters):
            return
        value = activation.parameters[number]
        run.values[step] = value
        call = activation.call
        if not call:
            return
        if activation.constructed_by and not number:
            run.source[step] = activation.constructed_by
            return
        given = [operand for operand in run.operands_of(call) if operand]
        same = [operand for operand in given if is_same_object(run.values[operand], value)]
        if not same and given:  # the object of a method is its first argument
            looked_up = (operand for operand in run.operands_of(given[0]) if operand)
            same = [holder for holder in looked_up if is_same_object(run.values[holder], value)]
        if same:
            # Of several arguments with this value, the one nearest to the parameter's position.
            run.source[step] = min(
                same,
                key=lambda argument: (
                    abs(given.index(argument) - 1 - number) if argument in given else 0
                ),
            )

    def _unpack(self, activation: RunningActivation, op: Op, step: Step) -> None:
        run = self._run
        use = self._program.uses[op][0]
        whole = run.used_value(activation.registers, op, use)
        index = self._program.name[op] or ""
        if not index.isdigit():  # a starred target
            return
        elements = run.objects.elements(whole)
        if elements is not None and int(index) < len(elements):
            run.values[step] = elements[int(index)]
        holder = activation.registers.get(use or 0)
        if holder is not None:
            operand = self._logged.element_operand(whole, int(index), holder)
            if operand is not None:
                run.source[step] = operand
