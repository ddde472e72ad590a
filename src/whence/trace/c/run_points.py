"""At which point of a run can a step of a C thread be changed when the test is run again?"""

from __future__ import annotations

from whence.frontend.rerun.interventions import RunPoint
from whence.program.ids import Step
from whence.trace.c.recording import CThread

_FUNCTION_BITS = 0xFFFFFFFFFF  # of a function's identity, as frontend/c/instrument.py packs it
_OPERATION_BITS = 24


def run_point(thread: CThread, step: Step) -> RunPoint:
    """Return the point of a step that stored a value or decided a branch.

    The run must be of a program that was built in mode `patch`: the logs of another build have
    other offsets.
    """
    program, code = thread.image.program, thread.image.code
    op = thread.queries.op_of(step)
    function = int(code.block_function[code.stretch_block[code.op_stretch[op]]])
    row = program.functions[function]
    operation = (int(row["fid"]) & _FUNCTION_BITS) << _OPERATION_BITS | op - int(row["first_op"])
    offset = int(thread.replay.window(step, step + 1).offset[0])
    return RunPoint(thread.log.number, offset, operation)
