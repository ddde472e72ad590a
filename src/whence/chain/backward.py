"""What do the searches for a chain have in common?

Each goes back from the failure, holds the steps that it found, and ends early without reruns left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from whence.causes.observed_failure import ObservedFailure
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.chain.faulty import FaultyState
from whence.chain.inducing import FaultyStep, InducingSets


@dataclass
class BackwardSearch(ABC):
    """Holds the chain found so far; `run` completes it."""

    failure: ObservedFailure
    state: FaultyState
    tests: CausalityTests
    say: Callable[[str], None] = lambda _: None
    found: list[FaultyStep] = field(default_factory=list)  # the failure first
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._sets = InducingSets(self.tests, self.state)

    def run(self) -> None:
        """Go back from the failure until no faulty value is left to explain."""
        try:
            self._run()
        except OutOfReruns:
            self.notes.append("the limit on reruns was reached: the chain begins in the middle")

    @abstractmethod
    def _run(self) -> None:
        """Go back; raise OutOfReruns if the limit on reruns is reached."""
