"""Which steps, with the values that they had, force a predicate?

A proof walks backwards from the predicate.  At each operation it keeps only the operands that
force the result: one zero of a product, the arm of a select that was taken, the store that set the
tested bit of `flags | option`.  Conditions and addresses are left out: they are questions of the
next level.  For a Python tuple, a mask selects items instead of bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from whence.causes.cancellation import Cancellation
from whence.logic.logic import ALL, Logic
from whence.program.ids import Step
from whence.trace.flow import (
    Constant,
    External,
    Flow,
    FlowNode,
    Initial,
    Left,
    Operand,
    Parameter,
    StoredBits,
    Unrecorded,
)


@dataclass
class Proof:
    """The steps that force a predicate."""

    steps: set[Step] = field(default_factory=set)
    inputs: set[External] = field(default_factory=set)
    premises: set[Step] = field(default_factory=set)  # branches whose outcome it assumes


class Prover:
    """Finds proofs in one run."""

    def __init__(
        self,
        flow: Flow,
        logic: Logic,
        is_hidden: Callable[[Step], bool] | None = None,
        needs_none: Callable[[Step | StoredBits], bool] | None = None,
        cancellation: Cancellation | None = None,
        unwritten: Callable[[Step], Iterable[Operand]] | None = None,
    ) -> None:
        """Find proofs in the run `flow`.

        `is_hidden(step)`: is the step inside a function that is taken as a whole?  None: none is.
        `needs_none(value)`: is the value of a step, or a part of it, as in the passing run?
        `unwritten(step)`: what inside such functions prevented the definition that a load of the
        passing run read?
        """
        self.flow, self.logic = flow, logic
        self._hides = is_hidden is not None
        self.is_hidden = is_hidden or _never
        self.needs_none = needs_none
        self._unwritten = unwritten
        self._cancellation = cancellation or Cancellation()
        self._known: dict[tuple[int, int], list[tuple[Operand, int]]] = {}

    def prove(self, seeds: Iterable[tuple[Operand, int]]) -> Proof:
        """Return a proof that the seeds have their values, in the bits that the masks select."""
        found = Proof()
        masks: dict[Operand, int] = {}  # the bits of each operand that are proved already
        work = list(seeds)
        while work:
            self._cancellation.check()
            operand, mask = work.pop()
            if isinstance(operand, Constant):
                continue
            known = masks.get(operand, 0)
            if mask | known == known:
                continue
            masks[operand] = mask | known
            work += self._behind(found, operand, mask)
        return found

    def _behind(self, found: Proof, operand: Operand, mask: int) -> Iterable[tuple[Operand, int]]:
        """Add an operand to a proof and return the operands that it needs."""
        if isinstance(operand, StoredBits):
            bits = (1 << operand.width) - 1 if mask == ALL else mask
            return [(operand.step, bits << operand.low)]
        if isinstance(operand, External):
            found.inputs.add(operand)
            found.steps.update(_met_at(operand))
            return []
        if isinstance(operand, Left):
            found.steps.add(operand.step)
            return [(source, ALL) for source in self.flow.left(operand)]
        assert isinstance(operand, int)
        return self._step(found, operand, mask)

    def _step(self, found: Proof, step: Step, mask: int) -> Iterable[tuple[Operand, int]]:
        found.steps.add(step)
        node = self.flow.node(step)
        if node.through:
            found.steps.update(node.through)
        known = self._known.get((step, mask))
        if known is None:
            known = self._known[step, mask] = list(self._needed(step, node, mask))
        return known if self.needs_none is None else self._in_doubt(found, step, known)

    def _in_doubt(
        self, found: Proof, step: Step, operands: Iterable[tuple[Operand, int]]
    ) -> Iterator[tuple[Operand, int]]:
        """Yield the operands that need an explanation.

        The definition that a load read belongs to the proof even if its value is right: then a
        later definition is missing.
        """
        assert self.needs_none is not None
        for operand, mask in operands:
            if not isinstance(operand, int | StoredBits) or not self.needs_none(operand):
                yield operand, mask
            elif self.flow.is_load(step):
                found.steps.add(operand.step if isinstance(operand, StoredBits) else operand)

    def _needed(self, step: Step, node: FlowNode, mask: int) -> Iterator[tuple[Operand, int]]:
        for operand, bits in self.logic.needed(self.flow, node, step, mask):
            if not isinstance(operand, Constant):
                yield operand, bits
        if node.chosen_by is not None:
            yield node.chosen_by, ALL
        # In a function that is taken as a whole, conditions and addresses count as data.
        branch = self.flow.controlling_branch(step) if self._hides else None
        if branch is not None and self.is_hidden(branch):
            yield branch, ALL
        if node.pointer is not None and self.is_hidden(step):
            yield node.pointer, ALL
        if self._unwritten is not None and self.flow.reads(step):
            for operand in self._unwritten(step):
                yield operand, ALL


def _never(_step: Step) -> bool:
    return False


def _met_at(operand: External) -> list[Step]:
    """Return the step at which the run met something that no recorded step made."""
    if isinstance(operand, Parameter):
        return [operand.call] if operand.call else []
    return [operand.step] if isinstance(operand, Initial | Unrecorded) else []
