"""How does the stack of a program stay in its place, although its arguments or variables change?

The kernel puts the texts of arguments and variables above the stack, and a pointer to each below
these texts.  Both parts are aligned on their own.  So not only the size of the texts must stay the
same, but their number, too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

_BYTES = 4096  # by which texts may grow before the stack moves; guessed
_TEXTS = 8  # variables that may be added before the stack moves; guessed
_NAME = "WHENCE_FILL"


class SteadyStack:
    """Fills the environments of all runs of a program up to the same size."""

    def __init__(self) -> None:
        self._bytes: int | None = None  # of all texts
        self._texts: int | None = None  # how many there are

    def filled(
        self, environment: Mapping[str, str], arguments: Sequence[str] = ()
    ) -> dict[str, str]:
        """Return the environment with variables that fill it up.

        `arguments` are those that differ between runs.
        """
        texts = [*arguments, *(f"{name}={value}" for name, value in environment.items())]
        if self._texts is None:
            self._texts = len(texts) + _TEXTS
        missing = _target(len(texts) + 1, self._texts, _TEXTS) - len(texts)
        fill = {f"{_NAME}{number}": "" for number in range(missing)}
        texts += [f"{name}=" for name in fill]
        size = sum(len(os.fsencode(text)) for text in texts)
        if self._bytes is None:
            self._bytes = size + _BYTES
        fill[f"{_NAME}0"] = "." * (_target(size, self._bytes, _BYTES) - size)
        return {**environment, **fill}


def _target(needed: int, first: int, step: int) -> int:
    """Return `first`, or the next whole number of steps above it that is enough."""
    return first + max(0, -(-(needed - first) // step)) * step
