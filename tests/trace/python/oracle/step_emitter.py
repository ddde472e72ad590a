"""Which steps does an executed stretch consist of, and which branch decided that it ran?"""

from __future__ import annotations

from tests.trace.python.oracle.logged_operations import LoggedOperations
from tests.trace.python.oracle.replayed_run import MISSING, NO_STEP, ReplayedRun
from tests.trace.python.oracle.running_activation import RunningActivation
from tests.trace.python.oracle.silent_operations import SilentOperations
from whence.program.ids import Block, Step, Stretch
from whence.trace.columns import BRANCH


class StepEmitter:
    """Appends the steps of executed stretches to a run."""

    def __init__(
        self, run: ReplayedRun, logged: LoggedOperations, silent: SilentOperations
    ) -> None:  # fmt: skip
        self._run, self._program = run, run.program
        self._logged, self._silent = logged, silent

    def emit(self, activation: RunningActivation, stretch: Stretch) -> Step:
        """Append one step for each operation of a stretch, and return the last one."""
        program, run = self._program, self._run
        block = program.stretch_block[stretch]
        run.stretch.append(stretch)
        run.first.append(Step(len(run.values)))
        run.activation.append(activation.number)
        run.control.append(self._controlling_branch(activation, block))
        run.previous.append(activation.last_instance + 1)
        activation.last_instance = len(run.stretch) - 1
        activation.stretch = stretch
        registers, operands, values = activation.registers, run.operands, run.values
        for op in program.ops_of(stretch):
            step = Step(len(values))
            values.append(MISSING)
            opcode = program.opcode[op]
            for use in program.uses[op]:
                operands.append(NO_STEP if use is None or use < 0 else registers.get(use, NO_STEP))
            run.start.append(len(operands))
            registers[op] = step
            if not program.logged[op] or opcode == "next":
                self._silent.complete(activation, op, opcode, step)
            elif opcode == "inplace" and program.extra[op]:
                self._logged.read_target(activation, op, step)
        if program.kind[op] == BRANCH:
            activation.branches[block] = step
            activation.last_branches.append(step)
        elif activation.elements and op in activation.elements:
            activation.elements[op].append(step)
        return step

    def _controlling_branch(self, activation: RunningActivation, block: Block) -> Step:
        """Return the last branch of the activation that decided about a block, or its call."""
        found = NO_STEP
        own = block - self._program.functions[activation.function].first_block
        for controlling in self._program.controlling_blocks(activation.function)[own]:
            step = activation.branches.get(controlling, NO_STEP)
            if step > found:
                found = step
        return found or activation.call or NO_STEP
