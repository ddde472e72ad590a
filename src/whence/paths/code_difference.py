"""Which operations of two builds of a program are not the same?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from whence.program.ids import Op
from whence.trace.recording import Image


@dataclass(frozen=True)
class CodeDifference:
    """The operations of each version that the other one does not have in the same place."""

    bad: frozenset[Op]
    good: frozenset[Op]
    same: Mapping[Op, Op]  # of the bad and the good version, in functions that also differ
    beyond: str | None = None  # what differs and is no operation, in words


FindCodeDifference = Callable[[Image, Image], CodeDifference]  # of the bad and the good version
# Do both programs, or what is made from a source file, do the same, once they are simplified?
SameForm = Callable[[Image, Image, str], bool]
