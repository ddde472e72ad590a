"""Where is an activation of the replayed program, and what does it know?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.frontend.python.logged import Token


@dataclass(slots=True, eq=False)
class RunningActivation:
    """An activation that is being replayed."""

    number: int
    function: int
    frame: int  # the address of its frame in the recorded process
    call: int  # the step that called it; 0: none
    enclosing: RunningActivation | None  # the activation that defined its function
    variables: dict[str, int] = field(default_factory=dict)  # name -> the step that set it last
    registers: dict[int, int] = field(default_factory=dict)  # operation -> its last step
    branches: dict[int, int] = field(default_factory=dict)  # block -> the last step of its branch
    elements: dict[int, list[int]] = field(default_factory=dict)  # of unfinished comprehensions
    parameters: Sequence[Token] = ()  # values of the parameters, while it is entered
    stretch: int = -1  # the last executed stretch; -1: none yet
    last_instance: int = -1
    pending: int = 0  # the step that is running other code; 0: none
    has_run_code: bool = False  # did the pending step run recorded code?
    result: tuple[int, Token] | None = None  # the last value that this code returned, with its step
    results: list[int] = field(default_factory=list)  # all steps that returned to the pending step
    raised: int = 0  # the step that raised in this code; 0: none
    constructed_by: int = 0  # the call of a class whose new object this activation initialises
    unwinding: int = 0  # the step that raised, while a finally clause runs; 0: none
