"""Python runs written by hand: each step is an operation on earlier steps and constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from tests.logic.python.recorded import recorded
from whence.causes.precondition import Core, Preconditions
from whence.causes.proof import Proof, Prover
from whence.frontend.python.values import UNKNOWN, Value
from whence.logic.logic import ALL
from whence.logic.python.evaluate import evaluate
from whence.logic.python.logic import PythonLogic
from whence.program.ids import Step
from whence.program.operations import COp, Operation, PyOp
from whence.trace.flow import Constant, Flow, FlowNode, Operand, Unrecorded


def constant(value: Any) -> Constant:
    return Constant(cast("int", recorded(value)), 0)


@dataclass
class Run:
    """A run of one activation, in which every step is an instance of its own; used as a Flow."""

    nodes: dict[Step, FlowNode] = field(default_factory=dict)
    values: dict[int, Value] = field(default_factory=dict)

    def input(self, value: Any) -> Step:
        """Add a step that reads an input."""
        outside = Unrecorded(Step(len(self.nodes) + 1), 0, 0)
        return self._added(FlowNode(Operation(COp.COPY), (outside,)), value)

    def variable(self, value: Any) -> Step:
        """Add an input that is copied several times."""
        step = self.input(value)
        for _ in range(5):
            step = self.load(step)
        return step

    def load(self, step: Step, value: Any = UNKNOWN) -> Step:
        return self.do(COp.COPY, step, value=value)

    def do(
        self, op: COp | PyOp, *operands: Operand, extra: tuple[Any, ...] = (), value: Any = UNKNOWN
    ) -> Step:
        """Add an operation; `value` overrides the result that we compute."""
        operation = Operation(op, extra=extra)
        if value is UNKNOWN:
            found = evaluate(operation, [self.value_of(one) for one in operands])
            assert found is not UNKNOWN
            return self._added(FlowNode(operation, operands), found)
        return self._added(FlowNode(operation, operands), recorded(value))

    def _added(self, node: FlowNode, value: Any) -> Step:
        step = Step(len(self.nodes) + 1)
        self.nodes[step], self.values[step] = node, value
        return step

    # --- as a flow -----------------------------------------------------------------------------

    @property
    def queries(self) -> Run:
        return self

    def node(self, step: Step) -> FlowNode:
        return self.nodes[step]

    def value(self, step: Step) -> Value:
        return self.values[step]

    def value_of(self, operand: Operand) -> Value:
        if isinstance(operand, Constant):
            return operand.value
        return self.values[operand] if isinstance(operand, int) else UNKNOWN

    def is_load(self, step: Step) -> bool:
        return self.nodes[step].operation.op is COp.COPY

    def is_call(self, step: Step) -> bool:
        return self.nodes[step].operation.op is COp.OPAQUE

    def is_branch(self, step: Step) -> bool:
        return self.nodes[step].operation.op in (PyOp.TRUTH, PyOp.EITHER, PyOp.NEXT)

    def instance_of(self, step: Step) -> int:
        return step

    def last_step(self, instance: int) -> int:
        return instance

    def previous_instance(self, instance: int) -> int | None:
        return instance - 1 or None

    # --- questions -----------------------------------------------------------------------------

    def proof(self, step: Step, mask: int = ALL) -> Proof:
        return Prover(cast("Flow", self), PythonLogic()).prove([(step, mask)])

    def core(self, step: Step) -> Core | None:
        """Return the core that forces the value of a step."""
        preconditions = Preconditions(cast("Flow", self), PythonLogic())
        return preconditions.core([(step, cast("int", self.value(step)))], self.proof(step).steps)
