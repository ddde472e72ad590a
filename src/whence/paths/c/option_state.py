"""How far did getopt look at the arguments of a run?"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class OptionState:
    """How far the arguments were looked at."""

    rest: list[int]  # the arguments that were not looked at yet, by number
    letters: list[int] = field(default_factory=list)  # of the current argument, by offset
    current: int = 0
    is_lost: bool = False  # the program does something that is not followed
