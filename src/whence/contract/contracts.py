"""What does a contract say about one call?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from whence.trace.calls import Call, WatchedProcess


@dataclass(frozen=True, slots=True)
class CallView:
    """A call of the bad version, with its call of the good version."""

    good_process: WatchedProcess
    good: Call
    bad_process: WatchedProcess
    bad: Call


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call that started in the same state in both versions."""

    view: CallView
    differs: bool


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What the cases of a contract that fit a call say about it."""

    is_kept: bool
    why: str = ""  # which clause is broken, in words
    is_known: bool = True  # False: the clauses need something that was not recorded


class FunctionContract(Protocol):
    """The contract of one function."""

    @property
    def text(self) -> str: ...

    def check(self, view: CallView) -> CaseOutcome | None:
        """Return what the contract says about a call; None if no case fits it."""
