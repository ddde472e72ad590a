"""What a run computed, step by step: every node of the flow gives what was recorded.

Loads are copies of what was stored, so this checks memory too, byte by byte; calls are copies of
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
from whence.program.operations import COp, PyOp
from whence.trace.c.flow import CFlow
from whence.trace.flow import FlowNode
from whence.trace.recording import Recording

MOST = 4000  # steps of one thread that are looked at
WIDEST = 64  # bits: of wider values only these are at hand

# How many steps of each program agree at least.
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
    """How often each operation gave what was recorded; and where it did not."""
    agreed: Counter[COp | PyOp] = Counter()
    others = []
    steps = range(1, flow.thread.stream.steps + 1)
    for step in sorted(random.Random(1).sample(steps, min(MOST, len(steps)))):
        node = flow.node(step)
        found = given(flow, node)
        if found is None or is_unrecorded(flow, step) or passes_copy(flow, node):
            continue
        if found == flow.value(step):
            agreed[node.operation.op] += 1
        else:
            place = flow.thread.image.place(flow.op_of(step))
            others.append(f"step {step} at {place}: {node} gives {found}, not {flow.value(step)}")
    return agreed, others


def given(flow: CFlow, node: FlowNode) -> int | None:
    """What a node gives for the recorded values of its operands; None if one is not known."""
    operation = node.operation
    values = [flow.value_of(operand) for operand in node.operands]
    known: list[int] = [value for value in values if value is not None]
    if len(known) < len(values) or max(operation.width, *operation.widths, 0) > WIDEST:
        return None
    if operation.op is COp.SWITCH:  # what it decided on, not which case that is
        return known[0]
    return evaluate(operation, known)


def is_unrecorded(flow: CFlow, step: int) -> bool:
    """Is it an address in a frame, which nobody needs to know?"""
    return int(flow.thread.image.program.ops["code"][flow.op_of(step)]) == OpCode.NOP


def passes_copy(flow: CFlow, node: FlowNode) -> bool:
    """Did an operand come through a call that copies what it points to?

    The callee then has the address of the copy; the node has that of what was copied, which
    says more of why it is as it is.
    """
    located = (flow.thread.image.locate(flow.op_of(call)) for call in node.through)
    return any(any(source.instruction(local).byval) for source, local in located)


def check(flow: CFlow) -> Counter[COp | PyOp]:
    agreed, others = compared(flow)
    assert not others, "\n".join(others[:10])
    return agreed


@pytest.mark.parametrize("name", EXPECTED)
def test_a_node_gives_what_was_recorded(name: str, flows_of: Callable[[str], list[CFlow]]) -> None:
    agreed = sum(map(check, flows_of(name)), Counter[COp | PyOp]())
    assert agreed.total() >= EXPECTED[name]


def test_a_node_gives_what_was_recorded_of_made_up_programs(made_up: list[Recording]) -> None:
    for recording in made_up:
        (thread,) = threads(recording)
        check(CFlow(thread))


@pytest.mark.xfail(reason="what setjmp gives the second time is taken to be what it gave the first")
def test_what_a_jump_passed_is_what_setjmp_gives(flows_of: Callable[[str], list[CFlow]]) -> None:
    for flow in flows_of("jumps.c"):
        check(flow)
