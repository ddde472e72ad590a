"""What must hold of the inputs for a run to go the way that it went?

The conditions of a run stand in the order of its steps.  Each holds for the recorded inputs.  An
input for which the first n conditions hold, and not the next one, makes a run that goes the same
way up to there and another way from there on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from whence.paths.compared import ComparedText
from whence.paths.terms import Fact, Pinned, Term, Unknowns
from whence.program.ids import Step
from whence.trace.recording import Thread


class ConditionKind(Enum):
    """What a condition says about the run; a clause that fits after "inputs decide"."""

    BRANCH = "which way a branch goes"
    CASE = "which case of a switch is taken"
    ADDRESS = "which memory is accessed"
    BOUNDS = "that an access stays inside its table"
    DEFINED = "that an operation has a defined result"
    CALLEE = "which function is called"
    SHAPE = "how a piece of input is read"
    ORDER = "how qsort or bsearch find two elements to compare"


# There are more than two ways: inputs that break the condition may still differ from each other.
_MANY = (
    ConditionKind.CASE, ConditionKind.ADDRESS, ConditionKind.CALLEE, ConditionKind.SHAPE,
    ConditionKind.ORDER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """A formula over inputs that holds in the run, and the step that needs it.

    `value` is what the formula fixes, where it fixes a number or a place: the same in every run
    that goes the same way.
    """

    step: Step
    kind: ConditionKind
    fact: Fact
    value: object = None

    @property
    def has_many_ways(self) -> bool:
        return self.kind in _MANY


@dataclass(frozen=True)
class PathCondition:
    """All conditions of one thread's run."""

    thread: Thread
    unknowns: Unknowns
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]  # what is taken as recorded, although inputs decide it
    terms: Mapping[Step, Term] = field(default_factory=dict)  # of steps whose value inputs decide
    compared: tuple[ComparedText, ...] = ()  # with pieces of the input

    def pinned_by(self, conditions: Sequence[Condition]) -> dict[str, int]:
        """Return what code without a formula decides how many of these conditions."""
        found: dict[str, int] = {}
        for condition in conditions:
            closed, _ = self.unknowns.closed(condition.fact.unknowns)
            made = {
                one.what.by
                for one in self.unknowns.members(closed)
                if isinstance(one.what, Pinned) and one.what.by
            }
            for name in made:
                found[name] = found.get(name, 0) + 1
        return found
