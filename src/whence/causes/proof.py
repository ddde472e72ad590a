"""Which steps, with the values that they had, force something to be as it was?

A proof walks backwards from what is to be shown and keeps of each operation only the operands
that its result rests on: one zero of a product, the arm of a select that was taken, of
`flags | option` only who set the bit that was asked for.  Conditions and addresses are left out:
what they rest on is the next level's question.  Of a Python tuple, the bits that are asked for are
its items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from whence.causes.cancellation import Cancellation
from whence.logic.c.operands import ALL as ALL
from whence.logic.languages import needed
from whence.trace.flow import Constant, Flow, FlowNode, Left, Operand, Outside, StoredBits


@dataclass
class Proof:
    """The steps that force something."""

    steps: set[int] = field(default_factory=set)
    inputs: set[Outside] = field(default_factory=set)
    premises: set[int] = field(default_factory=set)  # branches that it takes as they came out


class Prover:
    """Finds proofs in one run."""

    def __init__(
        self,
        flow: Flow,
        enters: Callable[[int], bool] = lambda _: False,
        needs_none: Callable[[int | StoredBits], bool] | None = None,
        cancellation: Cancellation | None = None,
    ) -> None:
        """`enters(step)`: is the step inside a function that is taken as a whole?
        `needs_none(made)`: is what a step came to, or a part of it, as it should be?"""
        self.flow = flow
        self.is_hidden = enters
        self.needs_none = needs_none
        self._cancellation = cancellation or Cancellation()
        self._known: dict[tuple[int, int], list[tuple[Operand, int]]] = {}

    def prove(self, seeds: Iterable[tuple[Operand, int]]) -> Proof:
        """Why the seeds have the values that they have, in the bits that are asked for."""
        found = Proof()
        asked: dict[Operand, int] = {}
        work = list(seeds)
        while work:
            self._cancellation.check()
            operand, mask = work.pop()
            if isinstance(operand, Constant):
                continue
            known = asked.get(operand, 0)
            if mask | known == known:
                continue
            asked[operand] = mask | known
            work += self._asked(found, operand, mask)
        return found

    def _asked(self, found: Proof, operand: Operand, mask: int) -> Iterable[tuple[Operand, int]]:
        if isinstance(operand, StoredBits):
            bits = (1 << operand.width) - 1 if mask == ALL else mask
            return [(operand.step, bits << operand.low)]
        if isinstance(operand, Outside):
            found.inputs.add(operand)
            found.steps.update([operand.step] if operand.step else [])
            return []
        if isinstance(operand, Left):
            found.steps.add(operand.step)
            return [(made, ALL) for made in self.flow.left(operand)]
        assert isinstance(operand, int)
        return self._step(found, operand, mask)

    def _step(self, found: Proof, step: int, mask: int) -> Iterable[tuple[Operand, int]]:
        found.steps.add(step)
        node = self.flow.node(step)
        if node.through:
            found.steps.update(node.through)
        known = self._known.get((step, mask))
        if known is None:
            known = self._known[step, mask] = list(self._rests_on(step, node, mask))
        return known if self.needs_none is None else self._in_doubt(found, step, known)

    def _in_doubt(
        self, found: Proof, step: int, operands: Iterable[tuple[Operand, int]]
    ) -> Iterator[tuple[Operand, int]]:
        """The operands that want a reason.  Who set what a load read belongs to the proof, even
        if that is as it should be: then it should have been set again."""
        assert self.needs_none is not None
        for operand, mask in operands:
            if not isinstance(operand, int | StoredBits) or not self.needs_none(operand):
                yield operand, mask
            elif self.flow.is_load(step):
                found.steps.add(operand.step if isinstance(operand, StoredBits) else operand)

    def _rests_on(self, step: int, node: FlowNode, mask: int) -> Iterator[tuple[Operand, int]]:
        for operand, bits in needed(self.flow, node, step, mask):
            if not isinstance(operand, Constant):
                yield operand, bits
        if node.chosen_by is not None:
            yield node.chosen_by, ALL
        if self.is_hidden(step):
            # Of a function that is taken as a whole, conditions count like data.
            decided = self.flow.controlling_branch(step)
            if decided is not None and self.is_hidden(decided):
                yield decided, ALL
            if node.pointer is not None:
                yield node.pointer, ALL
