"""Where is an activation of the replayed program, and what does it know?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.frontend.python.logged import Token
from whence.program.ids import Activation, Block, Step, Stretch


@dataclass(slots=True, eq=False)
class RunningActivation:
    """An activation that is being replayed."""

    number: Activation
    function: int
    frame: int  # the address of its frame in the recorded process
    call: Step | None  # the step that called it
    enclosing: RunningActivation | None  # the activation that defined its function
    variables: dict[str, Step] = field(default_factory=dict)  # name -> the step that set it last
    registers: dict[int, Step] = field(default_factory=dict)  # operation -> its last step
    branches: dict[Block, Step] = field(default_factory=dict)  # block -> its branch's last step
    last_branches: list[Step] = field(default_factory=list)  # all branches so far
    elements: dict[int, list[Step]] = field(default_factory=dict)  # of unfinished comprehensions
    parameters: Sequence[Token] = ()  # values of the parameters, while it is entered
    stretch: Stretch | None = None  # the last executed stretch
    last_instance: int = -1  # -1: none yet
    pending: Step | None = None  # the step that is running other code
    has_run_code: bool = False  # did the pending step run recorded code?
    result: tuple[Step, Token] | None = None  # the last step that returned, its value
    results: list[Step] = field(default_factory=list)  # all steps that returned to it
    raised: Step | None = None  # the step that raised in this code
    constructed_by: Step | None = None  # the call of a class whose new object it initialises
    unwinding: Step | None = None  # the step that raised, while a finally clause runs
