"""What may the rule of an operation ask and say at the step where the operation ran?

A rule returns the value of the step, or NO_RULE.  It says what must hold for that value to be
right: a *shape* (the input is cut at the same places), that the operation is *defined* (it does not
raise), or that an operand is *fixed* (as recorded).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from whence.paths.python.formulas import Formula
from whence.paths.python.values import AnyValue, Number, Text
from whence.program.ids import Step


class _NoRule(Enum):
    NO_RULE = "no rule"


NO_RULE: Final = _NoRule.NO_RULE  # what a rule returns that does not know the answer
Rule = Callable[..., AnyValue]  # its first argument is a Site, the others are operands


class Site(ABC):
    """One step, seen by the rule of its operation."""

    step: Step
    result: Any  # the recorded value; the exception, if the step raised one
    raised: str  # the type of that exception, or ""

    @abstractmethod
    def shape(self, formula: Any, unknowns: int, way: object, *, raises: bool = False) -> None:
        """Add the condition that the input is read in the same way.

        `way` tells the ways apart.  `raises`: in some other way the operation raises.
        """

    @abstractmethod
    def written(self, formula: Any, unknowns: int, way: object) -> None:
        """Add the condition that a number is written with as many digits."""

    @abstractmethod
    def defined(self, formula: Any, unknowns: int, error: str, *, bounds: bool = False) -> bool:
        """Add the condition that the operation raises or not, as it did.

        `formula` says that it does not raise `error`.  Return whether it did not.
        """

    @abstractmethod
    def fixed(self, *operands: AnyValue) -> None:
        """Add the condition that operands are as recorded."""

    @abstractmethod
    def number(self, text: Text, is_alike: Formula, value: Any) -> Number | None:
        """Return the number that a text spells; None if the text is no piece of an input.

        Any number may stand there, with more digits or fewer.  If `is_alike` holds, the digits and
        the sign are in the same places, and `value` is its value.
        """

    @abstractmethod
    def matches(
        self, text: Text, is_kind: Formula, way: object, *, other: bytes, is_matched: bool = True
    ) -> bool:
        """Add the condition that a text is of a kind, or not, as it was; `is_kind` tells.

        `other` is a text for which it is the other way.  Return whether the text is a piece of an
        input: if not, no condition is added.
        """

    @abstractmethod
    def compares(self, text: Text, other: str | bytes) -> None:
        """Say that a text was compared with a constant one."""

    @abstractmethod
    def note(self, text: str) -> None:
        """Say what is taken as recorded, although inputs decide it."""

    @abstractmethod
    def pinned(self, by: str, operands: Sequence[AnyValue], value: Any) -> AnyValue:
        """Return `value` as recorded: it holds only if the operands are as recorded."""

    @abstractmethod
    def for_result(self, result: Any) -> Site:
        """Return the same step for an operation in it that did not raise and gave `result`."""
