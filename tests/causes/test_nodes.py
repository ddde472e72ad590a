"""Does every node of a C flow give the recorded value of its step?

A load is a copy of what was stored, so this also checks memory, byte by byte.  A call is a copy of
what the callee returned.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.causes.explaining import threads
from whence.frontend.c.tables import OpCode
from whence.logic.c.evaluate import evaluate
from whence.program.ids import Step
from whence.program.operations import COp, PyOp
from whence.trace.c.flow import CFlow
from whence.trace.flow import FlowNode
from whence.trace.recording import Recording

MAX_STEPS = 4000  # limit on steps of one thread that are compared; for speed
MAX_WIDTH = 64  # bits of a value that are recorded

# For each program, the least number of steps that agree.
EXPECTED = {
    "bitint.c": 2000,
    "callbacks.c": 550,
    "complex_numbers.c": 400,
    "exceptions.cc": 900,
    "floats.c": 3000,
    "forking.c": 400,
    "locals.c": 900,
    "memory.c": 500,
    "overflowing.c": 2500,
    "records.c": 400,
    "threads.c": 10_000,
    "varargs.c": 1900,
}


def compared(flow: CFlow) -> tuple[Counter[COp | PyOp], list[str]]:
    """Count the steps that agree, by operation, and describe those that do not."""
    agreed: Counter[COp | PyOp] = Counter()
    different = []
    steps = flow.thread.stream.every_step
    for step in sorted(random.Random(1).sample(steps, min(MAX_STEPS, len(steps)))):
        node = flow.node(step)
        found = computed(flow, node)
        if found is None or is_unrecorded(flow, step) or passes_copy(flow, node):
            continue
        if found == flow.value(step):
            agreed[node.operation.op] += 1
        else:
            place = flow.thread.image.place(flow.op_of(step))
            different.append(
                f"step {step} at {place}: {node} gives {found}, not {flow.value(step)}"
            )
    return agreed, different


def computed(flow: CFlow, node: FlowNode) -> int | None:
    """Return the result of a node for the recorded operands; None if one is unknown."""
    operation = node.operation
    values = [flow.value_of(operand) for operand in node.operands]
    known: list[int] = [value for value in values if value is not None]
    if len(known) < len(values) or max(operation.width, *operation.widths, 0) > MAX_WIDTH:
        return None
    if operation.op is COp.SWITCH:  # the recorded value is the operand, not the case
        return known[0]
    return evaluate(operation, known)


def is_unrecorded(flow: CFlow, step: Step) -> bool:
    """Is the step the address of a local variable, which is not recorded?"""
    return int(flow.thread.image.program.ops["code"][flow.op_of(step)]) == OpCode.NOP


def passes_copy(flow: CFlow, node: FlowNode) -> bool:
    """Did an operand come through a call that copies what it points to?

    The callee then has the address of the copy, and the node the address of the original, which
    explains more.
    """
    located = (flow.thread.image.locate(flow.op_of(call)) for call in node.through)
    return any(any(source.instruction(local).byval) for source, local in located)


def check(flow: CFlow) -> Counter[COp | PyOp]:
    agreed, different = compared(flow)
    assert not different, "\n".join(different[:10])
    return agreed


@pytest.mark.parametrize("name", EXPECTED)
def test_a_node_gives_what_was_recorded(name: str, flows_of: Callable[[str], list[CFlow]]) -> None:
    agreed = sum(map(check, flows_of(name)), Counter[COp | PyOp]())
    assert agreed.total() >= EXPECTED[name]


def test_a_node_gives_what_was_recorded_of_generated_programs(generated: list[Recording]) -> None:
    for recording in generated:
        (thread,) = threads(recording)
        check(CFlow(thread))


@pytest.mark.xfail(reason="the second result of setjmp is taken to be the first")
def test_setjmp_returns_the_value_of_the_jump(flows_of: Callable[[str], list[CFlow]]) -> None:
    for flow in flows_of("jumps.c"):
        check(flow)
