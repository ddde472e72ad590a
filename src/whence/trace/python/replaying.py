"""Which operations did a Python thread execute, one after the other?"""

from __future__ import annotations

import numpy as np

from whence.trace.python.events import Events
from whence.trace.python.program import PythonProgram
from whence.trace.python.program_tables import ProgramTables, type_tables
from whence.trace.python.replayed_run import ReplayedRun


def replay(program: PythonProgram, events: Events, tables: ProgramTables) -> ReplayedRun:
    """Return the steps of the thread that logged `events`; the events are gone then."""
    ops = np.unique(events.kernel.arrays()["event_ops"])
    functions = np.unique(np.array(program.op_function, np.int64)[ops[ops < len(program.opcode)]])
    described = tables.for_kernel(events.kernel, functions.tolist())
    events.kernel.replay({**described, **type_tables(events.types)})
    return ReplayedRun(program, events)
