"""How long may a rerun take?  A branch that is forced may lead into a loop that does not end."""

from __future__ import annotations

_AT_LEAST = 5.0  # seconds; the machine may be busy
_TIMES = 20  # so many times the time of the longest run without changes; guessed


class RerunLimit:
    """The limit on reruns of one test, from the time that it takes without changes."""

    def __init__(self) -> None:
        self._longest: float | None = None

    def unchanged(self, seconds: float) -> None:
        """Note how long the test took without changes."""
        self._longest = max(seconds, self._longest or 0.0)

    @property
    def seconds(self) -> float | None:
        """The limit; None if no run without changes is known yet."""
        return None if self._longest is None else max(_AT_LEAST, _TIMES * self._longest)
