"""What was a function of the program given by its caller?

Its arguments, and what was written before it was entered.  The search for a value that helps takes
these as right where they are only copied: otherwise it would end at an input of the program, which
always helps.
"""

from __future__ import annotations

from whence.program.ids import Step
from whence.trace.flow import Flow


def entered_by(flow: Flow, step: Step) -> int:
    """Return the call that entered the program's function that a step belongs to; 0: none did."""
    image, at = flow.thread.image, step
    while image.is_library[image.function_of(flow.op_of(at))]:
        call = flow.call_of(at)
        if call is None:
            return 0
        at = call
    return flow.call_of(at) or 0


def is_argument(flow: Flow, definition: Step) -> bool:
    """Did a definition give a parameter its value?"""
    call = flow.call_of(definition)
    operands = [each for each in flow.node(definition).operands if isinstance(each, int)]
    return call is not None and bool(operands) and max(operands) <= call
