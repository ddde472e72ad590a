"""Which steps, with the values that they had, force a predicate?

A proof walks backwards from the predicate.  At each operation it keeps only the operands that
force the result: one zero of a product, the arm of a select that was taken, the store that set the
tested bit of `flags | option`.  Conditions and addresses are left out: they are questions of the
next level.  For a Python tuple, a mask selects items instead of bits.

A table that a program fills from earlier parts of itself can make a proof as long as the run.  Such
a proof is cut.  It keeps the steps that ran last, and those on some of the ways to the origins of
the values.  A loop has the same lines there as in between.
"""

from __future__ import annotations

import heapq
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

MAX_STEPS = 20_000  # limit on the steps of one proof: seconds; guessed


@dataclass
class Proof:
    """The steps that force a predicate."""

    steps: set[Step] = field(default_factory=set)
    inputs: set[External] = field(default_factory=set)
    premises: set[Step] = field(default_factory=set)  # branches whose outcome it assumes
    is_cut: bool = False  # it is too long, and has only some of its steps


@dataclass(slots=True)
class _Needs:
    """What a step needs: operands to be proved, and definitions whose values are right."""

    operands: list[tuple[Operand, int]]
    right: set[Step] = field(default_factory=set)


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
        revision: Callable[[], int] | None = None,
    ) -> None:
        """Find proofs in the run `flow`.

        `is_hidden(step)`: is the step inside a function that is taken as a whole?  None: none is.
        `needs_none(value)`: is the value of a step, or a part of it, as in the passing run?
        `revision()`: a number that changes when `needs_none` may have new answers.
        `unwritten(step)`: what inside such functions prevented the definition that a load of the
        passing run read?
        """
        self.flow, self.logic = flow, logic
        self._hides = is_hidden is not None
        self.is_hidden = is_hidden or _never
        self.needs_none = needs_none
        self._unwritten = unwritten
        self._cancellation = cancellation or Cancellation()
        self._known: dict[tuple[int, int], _Needs] = {}
        self._revision = revision or _unchanged
        self._known_at = 0  # the revision of what is known

    def prove(self, seeds: Iterable[tuple[Operand, int]]) -> Proof:
        """Return a proof that the seeds have their values, in the bits that the masks select."""
        seeds = list(seeds)
        found = self._walk(seeds, _Stack())
        if found.is_cut:  # it has followed some ways to their ends
            last = self._walk(seeds, _LatestFirst())
            found.steps |= last.steps
            found.inputs |= last.inputs
        return found

    def _walk(self, seeds: Iterable[tuple[Operand, int]], work: _Stack | _LatestFirst) -> Proof:
        """Add steps to a proof until nothing is left to prove, or the proof is too long."""
        found = Proof()
        masks: dict[Operand, int] = {}  # the bits of each operand that are proved already
        work.add(seeds)
        while work:
            self._cancellation.check()
            operand, mask = work.pop()
            if isinstance(operand, Constant):
                continue
            known = masks.get(operand, 0)
            if mask | known == known:
                continue
            if len(found.steps) > MAX_STEPS:
                found.is_cut = True
                break
            masks[operand] = mask | known
            work.add(self._behind(found, operand, mask))
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
        if self._known_at != (now := self._revision()):
            self._known.clear()
            self._known_at = now
        needs = self._known.get((step, mask))
        if needs is None:
            needs = self._known[step, mask] = self._in_doubt(step, self._needed(step, node, mask))
        found.steps |= needs.right
        return needs.operands

    def _in_doubt(self, step: Step, operands: Iterable[tuple[Operand, int]]) -> _Needs:
        """Return the operands that need an explanation.

        The definition that a load read belongs to the proof even if its value is right: then a
        later definition is missing.
        """
        if self.needs_none is None:
            return _Needs(list(operands))
        found = _Needs([])
        is_load = self.flow.is_load(step)
        for operand, mask in operands:
            if not isinstance(operand, int | StoredBits) or not self.needs_none(operand):
                found.operands.append((operand, mask))
            elif is_load:
                found.right.add(operand.step if isinstance(operand, StoredBits) else operand)
        return found

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


class _Stack:
    """Operands that are still to be proved; the one that was added last comes first."""

    def __init__(self) -> None:
        self._items: list[tuple[Operand, int]] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, items: Iterable[tuple[Operand, int]]) -> None:
        self._items += items

    def pop(self) -> tuple[Operand, int]:
        return self._items.pop()


class _LatestFirst:
    """Operands that are still to be proved; the one that ran last comes first."""

    def __init__(self) -> None:
        self._items: list[tuple[int, int, Operand, int]] = []
        self._added = 0  # makes the order of equal steps definite

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, items: Iterable[tuple[Operand, int]]) -> None:
        for operand, mask in items:
            self._added += 1
            heapq.heappush(self._items, (-_step_of(operand), self._added, operand, mask))

    def pop(self) -> tuple[Operand, int]:
        _, _, operand, mask = heapq.heappop(self._items)
        return operand, mask


def _step_of(operand: Operand) -> int:
    """Return the step of an operand; 0 if no recorded step made it."""
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else 0


def _never(_step: Step) -> bool:
    return False


def _unchanged() -> int:
    return 0


def _met_at(operand: External) -> list[Step]:
    """Return the step at which the run met something that no recorded step made."""
    if isinstance(operand, Parameter):
        return [operand.call] if operand.call else []
    return [operand.step] if isinstance(operand, Initial | Unrecorded) else []
