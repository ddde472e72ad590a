"""How does the failure follow from the root, by dependences?  FIC's Algorithm 2.

The search goes back from the failure.  It holds a target: the steps whose faulty values are still
to be explained.  A faulty value stays what it is from its definition on (FIC, Property 2), so the
set changes only where its last definition was made.  The search jumps there, and finds the smallest
set of faulty values at the point before it that brings the definition about.  A definition that
comes about although every faulty value that it reads is put right is the root: its own code is at
fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.chain.backward import BackwardSearch
from whence.chain.faulty import FaultyValue, had_value_at
from whence.chain.inducing import FaultyStep, Test, failure_values
from whence.program.ids import Op, Step

_MAX_ELEMENTS = 400  # limit on definitions of a chain; guessed
_MAX_ALIKE = 2  # so often the same transition is tested; further iterations follow it; guessed


@dataclass
class ChainSearch(BackwardSearch):
    """Jumps from a faulty value to the definitions that it comes from."""

    _alike: dict[Op, list[tuple[Op, ...]]] = field(default_factory=dict)

    def _run(self) -> None:
        values = failure_values(self.failure, self.state)
        first = self._inducing(None, values, self.tests.of_failure(), frozenset())
        self.found.append(first)
        target = {value.step: value for value in first.causes}
        while target:
            if len(self.found) > _MAX_ELEMENTS:
                self.notes.append(f"the chain has over {_MAX_ELEMENTS} steps: its start is missing")
                return
            value = target.pop(max(target, key=lambda step: had_value_at(self.failure.flow, step)))
            self.say(f"{len(self.found)} steps back, {self.tests.runs} reruns")
            element = self._explained(value, frozenset(target))
            self.found.append(element)
            for cause in element.causes:
                target.setdefault(cause.step, cause)

    def _explained(self, value: FaultyValue, others: frozenset[Step]) -> FaultyStep:
        """Return a step of the target with the set that brings it about."""
        step = value.step
        if value.is_kept:
            return FaultyStep(value, (), is_proved=True)
        values = self.state.before(step)
        alike = self._followed(value, values)
        if alike is not None:
            return alike
        return self._inducing(value, values, self.tests.of_steps([step]), others)

    def _inducing(
        self,
        target: FaultyValue | None,
        values: Sequence[FaultyValue],
        test: Test,
        others: frozenset[Step],
    ) -> FaultyStep:
        """Find the smallest set that brings a step about; members of `others` are preferred."""
        found = self._sets.smallest(values, test, others)
        if not found.is_root:
            self._remember(target, found.members)
        return FaultyStep.of(target, found)

    # --- loops -----------------------------------------------------------------------------------

    def _remember(self, target: FaultyValue | None, chosen: Sequence[FaultyValue]) -> None:
        if target is not None:
            op_of = self.failure.flow.op_of
            ops = tuple(sorted(op_of(value.step) for value in chosen))
            self._alike.setdefault(op_of(target.step), []).append(ops)

    def _followed(self, target: FaultyValue, values: Sequence[FaultyValue]) -> FaultyStep | None:
        """Return what iterations before showed, if they all showed the same."""
        op_of = self.failure.flow.op_of
        known = self._alike.get(op_of(target.step), [])
        if len(known) < _MAX_ALIKE or len(set(known)) != 1:
            return None
        by_op = {op_of(value.step): value for value in reversed(values)}
        chosen = [by_op[op] for op in known[0] if op in by_op]
        if len(chosen) != len(known[0]):
            return None
        return FaultyStep(target, tuple(chosen), is_proved=True, is_tested=False)
