"""Which changes are the root, which are auxiliary, and does reverting them make the test pass?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from whence.changes.changeset import blocks, function_groups, pieces
from whence.model import Change, ChangeId, Outcome, Reverted, Run
from whence.search import delta
from whence.search.after import after, find_auxiliary
from whence.search.dependencies import Dependencies, Knowledge, Words, read_words
from whence.search.fast import Fast, FoundSet
from whence.search.space import Atom, Search, Space, union, without
from whence.search.variant_places import VariantPlaces

METHODS = ("fast", "after", "add", "dd", "ddmin")
_MANY = 8  # with more pieces than this, pieces of one function that are tied stay together; guessed
_MAX_ALTERNATIVES = 10  # limit on other minimal sets that --all finds; guessed


@dataclass(frozen=True)
class IsolateProblem:
    """What a search knows before its first run."""

    changes: tuple[Change, ...]
    dependencies: Dependencies = field(default_factory=Dependencies)
    weight: Mapping[ChangeId, float] = field(default_factory=dict)  # how suspicious each is
    executed: frozenset[ChangeId] | None = None  # by a reference run; None: unknown
    minor: frozenset[ChangeId] = frozenset()  # changes that only declare, rename or move things
    renaming: frozenset[ChangeId] = frozenset()  # minor changes that only rename
    withdrawn: frozenset[ChangeId] = frozenset()  # changes that take away a name that is missing
    method: str = "fast"
    find_all: bool = False

    def weigh(self, atom: Iterable[ChangeId]) -> float:
        """Return how suspicious an atom is: the weight of its most suspicious function.

        The changes of one function count separately.  Parts of an atom in other functions do not
        add to it: a change in many places is one change.
        """
        changes = [self.changes[change] for change in atom]
        return max(
            sum(self.weight.get(change, 1.0) for change in function)
            for function in function_groups(changes)
        )

    @cached_property
    def words(self) -> Words:
        """The names that changes add or remove; computed once for all replays of a search."""
        return read_words(self.changes)

    @cached_property
    def _places(self) -> VariantPlaces:
        return VariantPlaces(self.changes)

    def knowledge(self) -> Knowledge:
        """Return what is known before the first run, for one replay of a search to add to."""
        return Knowledge(self.words, self.dependencies, self._places)


@dataclass(frozen=True)
class Answer:
    """What a search found.

    If `holds`, the test passes with root and auxiliary reverted.  If `needs_all` and no `reason`
    says otherwise, it does not pass with any one unit of the root left in.  A unit is a sequence of
    adjacent pieces of one block, or the changes of one function that are tied together.
    If not `holds`, `reason` says what the result lacks.
    """

    root: tuple[Reverted, ...]
    auxiliary: tuple[Reverted, ...] = ()
    alternatives: tuple[Reverted, ...] = ()
    holds: bool = True
    reason: str | None = None
    needs_all: bool = True  # False: a part of the root is there because it holds faulty code
    is_guess: bool = False  # does no run say which of the changes are the root?
    is_sorted: bool = False  # are the units of the root in the order in which to show them?
    is_cut: bool = False  # did a limit on runs or time end the search, with a reserve left?
    is_paused: bool = False  # could the search go on?

    @property
    def reverted(self) -> Reverted:
        return union((*self.root, *self.auxiliary))

    def __len__(self) -> int:
        return len(self.root) + len(self.auxiliary)


def isolate_changes(problem: IsolateProblem) -> Search[Answer]:
    """Find the root with the chosen method.  The good version must pass, the bad one fail."""
    if problem.method in ("fast", "after"):
        return (yield from _isolate_by_reverting(problem))
    return (yield from _isolate_by_delta(problem))


def _isolate_by_reverting(problem: IsolateProblem) -> Search[Answer]:
    knowledge = problem.knowledge()
    first = yield from find_one(problem, knowledge, problem.changes)
    # A set of several changes may be a dodge, so look for one simpler set.
    count = _MAX_ALTERNATIVES if problem.find_all else int(len(first) > 1)
    answers = [first, *(yield from _others(problem, knowledge, first, count))]
    best = min(answers, key=lambda answer: (len(answer), len(answer.auxiliary)))
    others = tuple(answer.reverted for answer in answers if answer is not best)
    return replace(best, alternatives=others if problem.find_all else ())


def find_others(problem: IsolateProblem, answer: Answer) -> Search[list[Answer]]:
    """Find the other minimal sets.  All sets are disjoint."""
    knowledge = problem.knowledge()
    return (yield from _others(problem, knowledge, answer, _MAX_ALTERNATIVES))


def _others(
    problem: IsolateProblem, knowledge: Knowledge, first: Answer, count: int
) -> Search[list[Answer]]:
    """Find up to `count` other minimal sets."""
    answers = [first]
    while len(answers) <= count:
        other = yield from another(problem, knowledge, union(a.reverted for a in answers))
        if other is None:
            break
        answers.append(other)
    return answers[1:]


def find_one(
    problem: IsolateProblem, knowledge: Knowledge, changes: Iterable[Change]
) -> Search[Answer]:
    """Find one minimal set among these changes.  With all of them reverted, the test must pass.

    The atoms are first whole functions, which are most often consistent, then blocks of lines,
    then the pieces of blocks.
    """
    by_id = {change.id: change for change in changes}

    def parts(atom: Atom) -> Sequence[Atom]:
        changes = [by_id[change] for change in sorted(atom)]
        finer = (cut(changes) for cut in (function_groups, blocks, pieces))
        return next((found for found in finer if len(found) > 1), [atom])

    found = yield from _least(
        problem, knowledge, Space(tuple(function_groups(by_id.values()))), parts
    )
    todo = list(found)
    while todo:
        atom = todo.pop()
        smaller = tuple(parts(atom))
        others = union(found) - atom
        is_tied = len(smaller) > _MANY and all(
            atom <= knowledge.dependents(part) for part in smaller
        )
        if is_tied or len(smaller) == 1:
            continue
        if (yield from _worth_cutting(others, smaller, by_id)):
            left = yield from _least(problem, knowledge, Space(smaller, others), parts)
            found = [*without(found, [atom]), *left]
            todo += left
    units = units_of(problem.changes, union(found))
    chosen = [by_id[change] for change in sorted(union(units))]
    active = union(unit for unit in units if not unit <= problem.renaming)
    for part in dict.fromkeys((active, *blocks(chosen), *function_groups(chosen))):
        # Renamings depend on each other, so dropping one at a time keeps all of them.  Pieces of
        # one block or function may pass together where no single piece does.
        is_smaller = part and part != union(units) and part not in units
        if is_smaller and (yield from Space(()).passes(part)):
            return (yield from find_one(problem, knowledge, [by_id[c] for c in sorted(part)]))
    fast = Fast(Space(tuple(units)), knowledge, problem.weigh, lambda atom: [atom])
    units = yield from fast.smaller_group(units)  # drop pieces that depend on each other together
    return (yield from _split(problem, knowledge, union(units)))


def _worth_cutting(
    others: Reverted, parts: Sequence[Atom], by_id: Mapping[ChangeId, Change]
) -> Search[bool]:
    """Can one of the parts be enough?  Not if they are one block that breaks the program."""
    if len({by_id[change].block for part in parts for change in part}) > 1:
        return True
    run: Run = yield others
    return run.outcome is Outcome.FAIL


def _least(
    problem: IsolateProblem,
    knowledge: Knowledge,
    space: Space,
    parts: Callable[[Atom], Sequence[Atom]],
) -> Search[list[Atom]]:
    """Find a minimal set of atoms whose reverting makes the test pass."""
    fast = Fast(space, knowledge, problem.weigh, parts)
    if problem.method == "fast":
        return (yield from fast.run())
    split = yield from after(space)
    return (yield from fast.least(FoundSet(split.root, union((*split.root, *split.auxiliary)))))


def another(
    problem: IsolateProblem, knowledge: Knowledge, taken: Reverted
) -> Search[Answer | None]:
    """Find a minimal set without any change of `taken`; None if there is none."""
    kept = knowledge.dependents(taken)
    free = [change for change in problem.changes if change.id not in kept]
    run = yield frozenset(change.id for change in free)
    if not free or run.outcome is not Outcome.PASS:
        return None
    return (yield from find_one(problem, knowledge, free))


def _split(problem: IsolateProblem, knowledge: Knowledge, passing: Reverted) -> Search[Answer]:
    """Split a passing set into root and auxiliary units.

    A root unit brings THE failure back when it alone is left in.  An auxiliary unit breaks the
    program when it alone is left in.  Units of one function that break the program this way are
    tied together and count as one unit.
    """
    units = units_of(problem.changes, passing)
    if len(units) > _MANY:
        units = function_groups(problem.changes[change] for change in sorted(passing))
    if len(units) == 1:
        return Answer(tuple(units))
    outcome = {}
    left = passing
    for unit in units:
        run = yield left - unit
        outcome[unit] = run.outcome
        if run.outcome is Outcome.PASS:  # the unit is not needed
            left -= unit
    if left != passing:
        return (yield from _split(problem, knowledge, left))
    tied = _tied(problem, outcome)
    for unit in tied:
        if unit not in outcome:
            run = yield passing - unit
            outcome[unit] = run.outcome
            if run.outcome is Outcome.PASS:
                return (yield from _split(problem, knowledge, passing - unit))
    root = {unit for unit in tied if outcome[unit] is Outcome.FAIL}
    if not root:
        root = yield from _roots_of_tied(problem, tied)
    # Declarations and renamings are no candidates: one other unit is the root for sure.
    is_guess = not root and sum(not unit <= problem.minor for unit in tied) > 1
    root = root or {_likeliest(problem, tied)}
    return Answer(
        tuple(unit for unit in tied if unit in root),
        tuple(unit for unit in tied if unit not in root),
        is_guess=is_guess,
    )


def _tied(problem: IsolateProblem, outcome: Mapping[Reverted, Outcome]) -> list[Reverted]:
    """Join the units of each function in which a unit breaks the program when left in alone.

    Minor units (declarations and renamings) stay separate: they are typical auxiliary changes.
    """
    by_function: dict[tuple[str, str | None], list[Reverted]] = defaultdict(list)
    joined: list[Reverted] = []
    for unit in outcome:
        change = problem.changes[min(unit)]
        if unit <= problem.minor or change.function is None:
            joined.append(unit)
        else:
            by_function[change.file, change.function].append(unit)
    for units in by_function.values():
        are_separate = all(outcome[unit] is Outcome.FAIL for unit in units)
        joined += units if are_separate else [union(units)]
    return sorted(joined, key=min)


def _roots_of_tied(problem: IsolateProblem, tied: Sequence[Reverted]) -> Search[set[Reverted]]:
    """Return the units that bring THE failure to the good version.

    This says more than leaving a unit in, if the program breaks whichever unit is left in.
    """
    everything = frozenset(change.id for change in problem.changes)
    root = set()
    likely = sorted(tied, key=lambda unit: (unit <= problem.minor, -problem.weigh(unit), min(unit)))
    for unit in likely[:_MANY]:
        run: Run = yield everything - unit
        if run.outcome is Outcome.FAIL:
            root.add(unit)
    return root


def _likeliest(problem: IsolateProblem, tied: Sequence[Reverted]) -> Reverted:
    """Return the most suspicious unit.

    A unit that only adapts code to other parameters comes last, as renamings do.
    """
    follows = problem.renaming | problem.dependencies.adapting
    return max(tied, key=lambda u: (not u <= follows, problem.weigh(u), min(u)))


def _isolate_by_delta(problem: IsolateProblem) -> Search[Answer]:
    """Run a published delta debugging method, and check whether reverting its result passes."""
    space = Space(tuple(blocks(problem.changes)))
    if problem.method == "dd":
        atoms = yield from delta.dd(space)
    elif problem.method == "ddmin":
        atoms = yield from delta.ddmin(space)
    else:
        ran = problem.executed or frozenset()
        executed = [atom for atom in space.atoms if not atom.isdisjoint(ran)]
        atoms = yield from delta.augmented_dd(space, executed)
    run = yield from space.ask(union(atoms))
    extra: list[Atom] = []
    if run.outcome is Outcome.BROKEN:
        extra = yield from find_auxiliary(space, union(atoms), without(space.atoms, atoms))
        run = yield from space.ask(union((*atoms, *extra)))
    root = tuple(units_of(problem.changes, union(atoms)))
    auxiliary = tuple(units_of(problem.changes, union(extra)))
    if run.outcome is Outcome.PASS:
        needless = yield from _needless(root, union((*atoms, *extra)))
        return Answer(
            root,
            auxiliary,
            reason=f"{needless} of these changes can each be left in and the test still passes: "
            f"{problem.method} does not search for the smallest set to revert"
            if needless
            else None,
        )
    return Answer(
        root,
        auxiliary,
        holds=False,
        reason=f"{problem.method} found these changes, but with them reverted the test does not "
        "pass: other changes cause the failure as well",
    )


def _needless(root: Sequence[Reverted], passing: Reverted) -> Search[int]:
    """Count the root units that can be left in, one at a time."""
    count = 0
    for unit in root:
        run: Run = yield passing - unit
        count += run.outcome is Outcome.PASS
    return count


def units_of(changes: Iterable[Change], chosen: Reverted) -> list[Reverted]:
    """Group the chosen changes that are adjacent pieces of one block."""
    units: list[list[Change]] = []
    for change in sorted((c for c in changes if c.id in chosen), key=lambda c: c.id):
        last = units[-1][-1] if units else None
        if last is not None and last.block == change.block and last.id + 1 == change.id:
            units[-1].append(change)
        else:
            units.append([change])
    return [frozenset(c.id for c in unit) for unit in units]
