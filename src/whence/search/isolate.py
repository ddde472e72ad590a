"""From the changes to the answer: what to revert, what goes along with it, and is it true?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from whence.changes.changeset import blocks, functions, pieces
from whence.model import Change, ChangeId, Outcome, Reverted, Run
from whence.search import delta
from whence.search.after import after, find_auxiliary
from whence.search.asking import Atom, Search, Space
from whence.search.dependencies import Knowledge, Requires
from whence.search.fast import Fast, Found

METHODS = ("fast", "after", "add", "dd", "ddmin")
_MOST_ALTERNATIVES = 10


@dataclass(frozen=True)
class Question:
    """All that a search may know before its first run."""

    changes: tuple[Change, ...]
    requires: Requires = field(default_factory=dict)
    weight: Mapping[ChangeId, float] = field(default_factory=dict)
    executed: frozenset[ChangeId] | None = None
    method: str = "fast"
    find_all: bool = False


@dataclass(frozen=True)
class Answer:
    """What a search found.

    If `holds`, the test passes with root and auxiliary reverted, and does not if any one unit
    of root is left in.  A unit is one or more neighbouring pieces of a block of changed lines.
    If not, `reason` says in what way the method's result falls short.
    """

    root: tuple[Reverted, ...]
    auxiliary: tuple[Reverted, ...] = ()
    alternatives: tuple[Reverted, ...] = ()
    holds: bool = True
    reason: str | None = None

    @property
    def reverted(self) -> Reverted:
        return frozenset().union(*self.root, *self.auxiliary)


def isolate(question: Question) -> Search[Answer]:
    """Answer with the chosen method.  Reverting all changes passes, reverting none fails."""
    if question.method in ("fast", "after"):
        return (yield from _isolate_by_reverting(question))
    return (yield from _isolate_by_delta(question))


def _isolate_by_reverting(question: Question) -> Search[Answer]:
    knowledge = Knowledge(question.changes, question.requires)
    answers = [(yield from _one(question, knowledge, question.changes))]
    while len(answers) <= _MOST_ALTERNATIVES:
        # A set of several changes may be a way round the cause: is there a simpler one?
        simple = len(answers[0].root) + len(answers[0].auxiliary) == 1 or len(answers) > 1
        if simple and not question.find_all:
            break
        taken = frozenset().union(*(answer.reverted for answer in answers))
        other = yield from _another(question, knowledge, taken)
        if other is None:
            break
        answers.append(other)
    best = min(answers, key=lambda a: (len(a.root) + len(a.auxiliary), len(a.auxiliary)))
    others = tuple(answer.reverted for answer in answers if answer is not best)
    return replace(best, alternatives=others if question.find_all else ())


def _one(question: Question, knowledge: Knowledge, changes: Iterable[Change]) -> Search[Answer]:
    """Find one minimal set among these changes; reverting all of them passes.

    First whole functions, which hold together best, then blocks of lines, then their pieces.
    """
    by_id = {change.id: change for change in changes}
    passing = frozenset(by_id)
    for level in (functions, blocks, pieces):
        if level is functions:
            space = Space(tuple(functions(by_id.values())))
            passing = yield from _least(question, knowledge, space)
            continue
        for group in (functions, blocks)[level is pieces](by_id[c] for c in sorted(passing)):
            inside = tuple(level(by_id[c] for c in sorted(group)))
            if len(inside) > 1:
                space = Space(inside, always=passing - group)
                passing = yield from _least(question, knowledge, space)
    return (yield from _split(question, knowledge, passing))


def _least(question: Question, knowledge: Knowledge, space: Space) -> Search[Reverted]:
    """Find a set of atoms that passes and needs each of them."""
    fast = Fast(space, knowledge, question.weight)
    if question.method == "after":
        split = yield from after(space)
        found = Found(split.root, split.root | split.auxiliary)
    else:
        candidates = yield from fast.narrow()
        found = yield from fast.find(candidates)
    least = yield from fast.least(found)
    return space.reverted(least)


def _another(question: Question, knowledge: Knowledge, taken: Reverted) -> Search[Reverted | None]:
    """Find a minimal set that has nothing of `taken` in it."""
    kept = knowledge.dependents(taken)
    free = [change for change in question.changes if change.id not in kept]
    run = yield frozenset(change.id for change in free)
    if not free or run.outcome is not Outcome.PASS:
        return None
    return (yield from _one(question, knowledge, free))


def _split(question: Question, knowledge: Knowledge, passing: Reverted) -> Search[Answer]:
    """Tell the root from what must be reverted only so that the program holds together.

    Left in alone, a root change brings THE failure back.  Where every single one breaks the
    program in another way, they are tied together; then the change that brings the failure to
    the good version is the root, and failing that the one nothing else needs.
    """
    units = units_of(question.changes, passing)
    if len(units) > 1:
        root = set()
        for unit in units:
            run = yield passing - unit
            if run.outcome is Outcome.PASS:  # a piece the search could do without
                return (yield from _split(question, knowledge, passing - unit))
            if run.outcome is Outcome.FAIL:
                root.add(unit)
        if not root:
            root = yield from _root_of_tied(question, knowledge, units)
        return Answer(
            tuple(unit for unit in units if unit in root),
            tuple(unit for unit in units if unit not in root),
        )
    return Answer(tuple(units))


def _root_of_tied(
    question: Question, knowledge: Knowledge, units: Iterable[Reverted]
) -> Search[set[Reverted]]:
    everything = frozenset(change.id for change in question.changes)
    tied = list(units)
    root = set()
    for unit in tied:
        run: Run = yield everything - unit
        if run.outcome is Outcome.FAIL:
            root.add(unit)
    if root:
        return root
    needed_by_others = {
        unit
        for unit in tied
        for other in tied
        if other != unit and not unit.isdisjoint(knowledge.closure(other))
    }
    free = [unit for unit in tied if unit not in needed_by_others] or tied
    return {max(free, key=lambda u: (max(question.weight.get(c, 1.0) for c in u), -min(u)))}


def _isolate_by_delta(question: Question) -> Search[Answer]:
    """Run a published method, and check what its result is worth for reverting."""
    space = Space(tuple(blocks(question.changes)))
    if question.method == "dd":
        atoms = yield from delta.dd(space)
    elif question.method == "ddmin":
        atoms = yield from delta.ddmin(space)
    else:
        ran = question.executed or frozenset()
        hit = frozenset(a for a in space.all if not space.atoms[a].isdisjoint(ran))
        atoms = yield from delta.add(space, hit)
    run = yield from space.ask(atoms)
    extra: frozenset[Atom] = frozenset()
    if run.outcome is Outcome.BROKEN:
        rest = sorted(frozenset(space.all) - atoms)
        extra = yield from find_auxiliary(space, atoms, rest)
        run = yield from space.ask(atoms | extra)
    root = tuple(units_of(question.changes, space.reverted(atoms)))
    auxiliary = tuple(units_of(question.changes, space.reverted(extra)))
    if run.outcome is Outcome.PASS:
        return Answer(root, auxiliary)
    return Answer(
        root,
        auxiliary,
        holds=False,
        reason=f"{question.method} ends here, but with these changes reverted the test does not "
        "pass: other changes bring about the failure as well",
    )


def units_of(changes: Iterable[Change], chosen: Reverted) -> list[Reverted]:
    """Group the chosen changes that are neighbouring pieces of one block."""
    units: list[list[Change]] = []
    for change in sorted((c for c in changes if c.id in chosen), key=lambda c: c.id):
        last = units[-1][-1] if units else None
        if last is not None and last.block == change.block and last.id + 1 == change.id:
            units[-1].append(change)
        else:
            units.append([change])
    return [frozenset(c.id for c in unit) for unit in units]
