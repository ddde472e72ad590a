"""Which write went beyond the local variables of a function, over where it returns to?"""

from __future__ import annotations

import numpy as np

from whence.causes.failures.c_overrun import Overrun
from whence.frontend.c.tables import OpCode
from whence.program.ids import Activation, Op, Step
from whence.trace.c.flow import CFlow
from whence.trace.c.memory_log import reserved
from whence.trace.c.recording import CThread
from whence.trace.columns import whole

_MAX_ALLOCATIONS = 100_000  # limit on the local variables of a run that are looked at; guessed
_MAX_BEYOND = 1 << 14  # limit on bytes between a variable and a write beyond it; guessed


def is_return(flow: CFlow, step: Step) -> bool:
    """Does a step return from a function?"""
    return flow.thread.image.sort(flow.op_of(step)).opcode == "ret"


def overrun_frame(flow: CFlow, last: Step) -> Overrun | None:
    """Return the first write over the frame from which the last step returned; None if none did.

    The stack grows down: the local variables of the function, and of those that it called, lie
    below the address that it returns to, and those of its callers above.
    """
    thread = flow.thread
    assert isinstance(thread, CThread)
    stream = thread.stream
    if stream.sections is not None:
        return None
    frame = flow.activation_of(last)
    start = int(stream.first[stream.activations["first_instance"][frame]])
    own: list[tuple[int, Step]] = []  # where the variables of this frame and below end
    callers: list[int] = []  # where those of the callers begin
    for step in _allocations(flow):
        if step >= start:
            own.append((flow.value(step) + reserved(thread, flow.op_of(step)), step))
        elif _is_live(flow, flow.activation_of(step), last):
            callers.append(flow.value(step))
    if not own:
        return None
    top, allocation = max(own)
    high = min([each for each in callers if each >= top], default=top + _MAX_BEYOND)
    writes = whole(stream.writes)
    ends = writes["addr"] + writes["len"]
    is_over = (writes["step"] >= start) & (ends > np.uint64(top)) & (writes["addr"] < high)
    found = writes["step"][is_over & (writes["addr"] < np.uint64(top + _MAX_BEYOND))]
    return Overrun(Step(int(found.min())), allocation) if len(found) else None


def _allocations(flow: CFlow) -> list[Step]:
    """Return the steps that made local variables of which the program takes the address."""
    assert isinstance(flow.thread, CThread)
    codes = flow.thread.image.program.ops["code"]
    found: list[int] = []
    for op in np.flatnonzero(codes == OpCode.ALLOCA).tolist():
        if len(found) < _MAX_ALLOCATIONS:
            found += flow.executions(Op(op))[:_MAX_ALLOCATIONS].tolist()
    return [Step(step) for step in found]


def _is_live(flow: CFlow, activation: Activation, step: Step) -> bool:
    """Had a function not returned yet at a step?"""
    last = flow.thread.stream.activations["last_instance"][activation]
    return bool(last >= flow.instance_of(step))
