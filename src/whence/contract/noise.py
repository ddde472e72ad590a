"""Which differences between two runs say nothing about the versions?

The good version is run twice.  What differs between these two runs (clocks, random numbers,
addresses, the order of sets) is left out of every comparison, and reported as left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from whence.contract.differences import Difference

NoiseKey = tuple[str, str]


@dataclass
class Noise:
    """The places whose values differ between two runs of the good version."""

    keys: set[NoiseKey] = field(default_factory=set)

    def add(self, function: str, differences: Iterable[Difference]) -> None:
        """Note what differed between two runs of a function of the good version."""
        self.keys.update(_key(function, difference) for difference in differences)

    def without(self, function: str, differences: Iterable[Difference]) -> list[Difference]:
        """Return the differences that are not known as noise."""
        return [each for each in differences if _key(function, each) not in self.keys]

    def places(self) -> list[str]:
        """Return the places in words, sorted."""
        return sorted(
            f"{place} of {owner}" if place.startswith(".") else f"{place} in {owner}"
            for owner, place in self.keys
        )


def _key(function: str, difference: Difference) -> NoiseKey:
    """Return the attribute of a class that differs, or the place in the function's states."""
    last = difference.path[-1] if difference.path else ""
    if difference.owner is not None and last.startswith("."):
        return (difference.owner, last)
    return (function, difference.pattern)
