"""Which set of changes is the answer, and how does it lead to the failure?

The dynamic analysis (AFTER's Algorithm 1, line 9) may find several sets whose reverting makes the
test pass.  The fixed run, with a set reverted, is recorded and compared with the failing run: every
difference comes from that set.  The set with the shortest verified chain to the failure is the
answer.  A dodge comes after the set that it avoids: a set whose reverting only keeps the faulty
code from running, or makes the test pass in another way than in the good version.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from whence.causes.observed_failure import ObservedFailure
from whence.changes.changeset import ChangeSet
from whence.changes.enumerators import renumbering
from whence.changes.syntax import tokens
from whence.explain.candidates import CandidateChanges
from whence.explain.context import ExplainContext
from whence.explain.dodge import (
    avoided_changes,
    behind_changes,
    constant_behind,
    damage_start,
    entered_changes,
    first_run,
    gets_damage,
    is_compared,
)
from whence.explain.explained_set import ExplainedSet, SetExplainer
from whence.explain.loop import suspect_weights
from whence.explain.nearness import NO_DEVIATION, Deviation, GoodWay
from whence.explain.new_data import NewData, new_data
from whence.model import Alternative, Reverted
from whence.search.grouping import grouped_hunks
from whence.search.isolate import Answer, IsolateProblem, find_others, units_of
from whence.search.laboratory import OutOfRuns
from whence.search.space import union
from whence.search.suspects import Replacement, find_another, find_replacement

_MAX_EXTRA = 24  # limit on changes reverted only so that avoided code can be reverted too; guessed
_MAX_TRIED = 3  # limit on auxiliary units that are tried as the root of a chain; guessed
_MAX_OTHERS = 3  # limit on other sets, as long as the best one writes other output; guessed


@dataclass(frozen=True)
class Choice:
    """One set of changes whose reverting makes the test pass, explained."""

    answer: Answer
    explained: ExplainedSet
    dodged: str | None = None  # a sentence, if the set may be a dodge
    dodges: tuple[Alternative, ...] = ()  # the dodges that this set replaces
    deviation: Deviation = NO_DEVIATION  # of the fixed run from the run of the good version

    @property
    def rank(self) -> tuple[bool, bool, tuple[int, int, float], int, int]:
        """The sort key: the run nearest to the good version's, then the shortest chain."""
        chain = self.explained.chain
        is_dodged, has_gap = self.dodged is not None, self.explained.gap is not None
        return has_gap, is_dodged, self.deviation.rank, len(chain), len(self.answer)

    def is_nearer_than(self, other: Choice) -> bool:
        """Is its fixed run nearer to the good version's run, and is it explained as well?"""
        is_explained = self.explained.gap is None or other.explained.gap is not None
        return is_explained and self.deviation.rank < other.deviation.rank


class Chooser:
    """Explains and ranks the sets whose reverting makes the test pass."""

    def __init__(
        self,
        context: ExplainContext,
        problem: IsolateProblem,
        failure: ObservedFailure,
        candidates: CandidateChanges,
    ) -> None:
        """`candidates` compares the failing run with the run of the good version."""
        self._context, self._problem = context, problem
        self._failure, self._candidates = failure, candidates
        self.sets = SetExplainer(context, failure, candidates)
        self.so_far: Choice | None = None  # what is shown if an interrupt stops the checks
        self._is_first = True  # is the answer of the search still being explained?

    def choose(self, answer: Answer) -> tuple[Choice, tuple[Alternative, ...]]:
        """Return the best choice, and the other sets in order of rank."""
        self._context.watcher.phase("explaining the answer")
        choices = sorted(map(self._choice, self._answers(answer)), key=lambda c: c.rank)
        self.so_far, self._is_first = choices[0], False
        if len(choices) == 1:
            choices = self._with_another(choices[0])
        best, *rest = choices
        best = replace(best, answer=_narrowed(best))
        others = [*best.dodges]
        for choice in rest:
            is_dodge = best.is_nearer_than(choice)
            why = _why_farther(choice, best) if is_dodge else ""
            others += [self._alternative(choice, is_dodge=is_dodge, why=why), *choice.dodges]
        first: dict[tuple[object, ...], Alternative] = {}  # a set may have been found twice
        for other in others:
            first.setdefault(tuple(change.ids for change in other.root), other)
        return best, tuple(first.values())

    def _with_another(self, choice: Choice) -> list[Choice]:
        """Return the choice and, if its run goes another way than good's, other sets; best first.

        A set that mends the fault brings back what the good version does.  As long as the best
        set's run writes something else than the good version, there may be a better one.
        """
        if choice.deviation.is_none or not choice.answer.holds:
            return [choice]
        self._context.watcher.phase("looking for changes that bring back what the good version did")
        whole = self._whole_blocks(choice.answer)
        if whole is not None:
            found = self._choice(whole)
            if found.answer.holds and found.is_nearer_than(choice):
                return [found]
        best, others = choice, list[Choice]()
        taken = choice.answer.reverted
        while len(others) < _MAX_OTHERS and (best.deviation.output or not others):
            answer = self._another(taken)
            if answer is None:
                break
            taken |= answer.reverted
            found = self._choice(answer)
            taken |= found.answer.reverted
            is_best = found.answer.holds and found.is_nearer_than(best)
            others.append(best if is_best else found)
            best = found if is_best else best
        return [best, *others]

    def _whole_blocks(self, answer: Answer) -> Answer | None:
        """Return the answer with the rest of its blocks of lines, if the test passes with it.

        A piece of a block may work beside the rest of the block only by accident.
        """
        changes = self._context.changes.changes
        touched = {changes[change].block for change in answer.reverted}
        whole = frozenset(change.id for change in changes if change.block in touched)
        if whole == answer.reverted:
            return None
        of_root = {changes[change].block for change in union(answer.root)}
        root = frozenset(change for change in whole if changes[change].block in of_root)
        widened = replace(
            answer,
            root=tuple(units_of(changes, root)),
            auxiliary=tuple(units_of(changes, whole - root)),
            needs_all=False,
        )
        return widened if self.sets.fixed_run(widened) is not None else None

    def _another(self, taken: Reverted) -> Answer | None:
        """Return a set without any `taken` change; None if there is none."""
        problem = replace(
            self._problem, weight=suspect_weights(self._candidates.met, self._problem)
        )
        lab, suspects = self._context.session.laboratory, self._candidates.suspects()
        with self._context.timed("search"):
            try:
                return lab.answer(lambda: find_another(problem, taken, suspects))
            except OutOfRuns:
                return None

    def _answers(self, answer: Answer) -> list[Answer]:
        """Return the answer and, if the user asked for all, the other minimal sets."""
        if not self._problem.find_all:
            return [answer]
        self._context.watcher.phase("looking for other sets")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return [answer, *lab.answer(lambda: find_others(self._problem, answer))]
            except (OutOfRuns, KeyboardInterrupt):
                return [answer]

    def _choice(self, answer: Answer) -> Choice:
        """Explain an answer, and compare its fixed run with the run of the good version."""
        return self._compared(self._without_dodge(answer))

    def _compared(self, choice: Choice) -> Choice:
        """Return the choice with the deviation of its fixed run."""
        fixed, reverted = choice.explained.fixed, choice.answer.reverted
        if fixed is None or self._good_way is None:
            return choice
        return replace(choice, deviation=self._good_way.deviation(fixed, reverted))

    def _nearer(self, choice: Choice, instead: Choice) -> Choice:
        """Return `instead`, unless its fixed run goes another way than the good version's run.

        If it writes other output, the code that the choice avoids is only where the damage went,
        such as an error that is told.  Which lines run counts only if `instead` takes away code
        that is new, as a case for a new instruction: without the case, nothing that the choice
        prepares has an effect.  Otherwise, an option may lead to code that good has, too, and that
        is at fault now.
        """
        choice, instead = self._compared(choice), self._compared(instead)
        changes = self._context.changes.changes
        only_adds = not any(changes[change].old.count for change in instead.answer.reverted)
        ranks = (choice.deviation.rank, instead.deviation.rank)
        if not (ranks[0] < ranks[1] if only_adds else ranks[0][0] < ranks[1][0]):
            return instead
        why = _why_farther(instead, choice)
        return replace(choice, dodges=(self._alternative(instead, is_dodge=True, why=why),))

    @cached_property
    def _good_way(self) -> GoodWay | None:
        """The run of the good version; None if it could not be recorded."""
        everything = self._context.changes.everything
        if not self._context.recorder.knows(everything):
            return None
        good = self._context.recorded(everything)
        return GoodWay(self._context.changes.changes, good)

    def _without_dodge(self, answer: Answer) -> Choice:
        """Explain an answer.  If it is a dodge, choose a set with the avoided code instead."""
        changes = self._context.changes
        answer, explained = self.sets.explain(answer)
        self._keep(answer, explained)
        if answer.is_guess:
            answer, explained = self._decided(answer, explained)
        if explained.gap is not None:
            answer, explained = self._led_to_failure(answer, explained)
        self._keep(answer, explained)
        data = self._data(answer, explained)
        if data.writers:
            return self._with_data(answer, explained, data)
        avoided = self._avoided(answer, explained)
        # Some are reverted already, but only so that the program builds.
        entered = self._at_fault(avoided & answer.reverted, answer, explained)
        avoided -= answer.reverted
        if entered:
            answer = self._joined(answer, entered, answer.reverted)
            answer, explained = self.sets.explain(answer, entered)
        moved = self._renumbering(answer)
        if moved and answer.holds:
            answer = self._joined(answer, moved, answer.reverted)
            answer, explained = self.sets.explain(answer)
        if not avoided or not answer.holds:
            return Choice(answer, explained)
        replacement = self._replacement(answer, avoided)
        if replacement.answer is not None:
            places = change_places(changes, avoided)
            why = f"it only keeps the faulty code from running: {places}"
            dodge = self._alternative(Choice(answer, explained), is_dodge=True, why=why)
            instead = Choice(*self.sets.explain(replacement.answer), dodges=(dodge,))
            return self._nearer(Choice(answer, explained), instead)
        if not replacement.with_found:
            return Choice(answer, explained)
        root_places = change_places(changes, union(answer.root))
        dodged = (
            f"Reverting {root_places} alone is enough for the test to pass, but only because "
            f"{change_places(changes, avoided)} has no part in the run then. "
            "The fault may be there."
        )
        if len(replacement.with_found - answer.reverted - avoided) > _MAX_EXTRA:
            return Choice(answer, explained, dodged)
        joined = self._joined(answer, avoided, replacement.with_found)
        return Choice(*self.sets.explain(joined, avoided), dodged)

    def _data(self, answer: Answer, explained: ExplainedSet) -> NewData:
        """Return the code outside the root's functions that wrote new data which the root reads."""
        changes, root = self._context.changes, union(answer.root)
        found = new_data(
            explained.tree, explained.causes_on_chain, changes.changes, self._context.meeting,
            root, answer.reverted, self._problem.dependencies,
        )  # fmt: skip
        own = _same_functions(changes, root) | self._problem.minor
        writers, at = found.writers - own, self._context.meeting.at
        lines = frozenset(line for line in found.lines if at(*line) & writers)
        return replace(found, writers=writers, lines=lines)

    def _with_data(self, answer: Answer, explained: ExplainedSet, data: NewData) -> Choice:
        """Return the choice with the writers of new data in the root, if the test passes then."""
        changes = self._context.changes
        dodged = (
            f"Reverting {change_places(changes, union(answer.root))} alone is enough for the test "
            f"to pass, but then nothing reads what {change_places(changes, data.writers)} wrote. "
            "The fault may be there."
        )
        with_found = self._replacement(answer, data.writers, alone=False).with_found
        if not with_found or len(with_found - answer.reverted - data.writers) > _MAX_EXTRA:
            return Choice(answer, explained, dodged)
        joined = self._joined(answer, data.writers, with_found)
        return Choice(*self.sets.explain(joined, data.writers, data), dodged)

    def _renumbering(self, answer: Answer) -> Reverted:
        """Return the auxiliary changes that move old constants of an enumeration.

        A root of new code that uses a new constant works with the old order of tables.  What moved
        the constants is at least as likely the fault.
        """
        return renumbering(self._context.changes, answer.reverted - union(answer.root))

    def _keep(self, answer: Answer, explained: ExplainedSet) -> None:
        """Keep the explained answer of the search for the case that its checks are interrupted."""
        if self._is_first and answer.holds:
            self.so_far = Choice(answer, explained)

    def _decided(self, answer: Answer, explained: ExplainedSet) -> tuple[Answer, ExplainedSet]:
        """Decide by the causes which of the entangled changes is the root: the damage starts there.

        If no cause holds one of them, the first one on a complete chain is it: it may be what no
        longer runs.  If none is there, the root stays a guess: the change whose code runs first.
        It is a guess, too, if several start, and the first with code that the fixed run lacks: code
        that was rewritten may compute what it did before.
        """
        units = (*answer.root, *answer.auxiliary)
        meeting = self._context.meeting
        starts = {
            unit: start
            for unit in units
            if (start := damage_start(explained.tree, explained.causes, meeting, unit)) is not None
        }
        is_guess = False
        if starts:
            root = min(starts, key=lambda unit: starts[unit])
            is_guess = len(starts) > 1 and not is_compared(explained.tree, starts[root].step)
        else:
            linked = [unit for link in explained.chain for unit in units if unit & {*link.changes}]
            if not linked or explained.gap is not None:
                return self._guessed(answer, explained)
            root = linked[0]
        answer, explained = self.sets.explain(replace(with_root(answer, root), is_guess=False))
        return replace(answer, is_guess=is_guess), explained

    def _led_to_failure(
        self, answer: Answer, explained: ExplainedSet
    ) -> tuple[Answer, ExplainedSet]:
        """Take as the root an auxiliary unit from which a complete chain leads to the failure.

        In code that was rewritten, a unit that breaks the program when it alone is left in may be
        the one that took away what the failure misses.
        """
        met = union(frozenset(cause.changes) for cause in explained.causes)
        minor = self._problem.minor
        tried = [unit for unit in answer.auxiliary if unit & met and not unit <= minor]
        for unit in tried[:_MAX_TRIED]:
            found = self.sets.explain(with_root(answer, unit))
            if found[1].gap is None and found[0].holds:
                return found
        return answer, explained

    def _guessed(self, answer: Answer, explained: ExplainedSet) -> tuple[Answer, ExplainedSet]:
        """Guess that the change whose code runs first is the root: the rest follows from it."""
        changes, flow = self._context.changes.changes, self._failure.flow
        units = [u for u in (*answer.root, *answer.auxiliary) if not u <= self._problem.minor]
        runs = {unit: first_run(flow, (changes[change] for change in unit)) for unit in units}
        if self._problem.withdrawn & answer.reverted or not any(runs.values()):
            return answer, explained
        root = min((unit for unit in units if runs[unit]), key=lambda unit: runs[unit] or 0)
        return (
            (answer, explained)
            if (root,) == answer.root
            else self.sets.explain(with_root(answer, root))
        )

    def _avoided(self, answer: Answer, explained: ExplainedSet) -> Reverted:
        """Return the changes outside the root whose code lies on the way and runs no more."""
        root, meeting = union(answer.root), self._context.meeting
        changes = self._context.changes
        found = avoided_changes(explained.tree, explained.causes_on_chain, meeting, root)
        unexecuted = explained.unexecuted
        # Code that also runs in the fixed run may only pass on the damage when it runs more often.
        run_too = found - unexecuted.whole
        found -= run_too - self._at_fault(run_too, answer, explained)
        found |= avoided_changes(explained.tree, explained.causes, meeting, root) & unexecuted.whole
        # The fixed run may execute the code that the root leads to in another way.
        behind = behind_changes(explained.causes, root)
        found |= avoided_changes(explained.tree, behind, meeting, root) & unexecuted.partly
        # A new function that the root calls may be at fault by what it does not do.
        found |= self._called(root) & unexecuted.whole
        found |= self._entered(root)
        found |= self._constant(answer, explained)
        return found - _same_functions(changes, root) - self._problem.minor

    def _at_fault(self, changes: Reverted, answer: Answer, explained: ExplainedSet) -> Reverted:
        """Return those of some changes in whose code the damage starts, as far as is known."""
        tree, causes, meeting = explained.tree, explained.causes, self._context.meeting
        return frozenset(
            change
            for change in changes
            if not gets_damage(tree, causes, meeting, frozenset({change}), answer.reverted)
        )

    def _constant(self, answer: Answer, explained: ExplainedSet) -> Reverted:
        """Return the changes of a constant that only the reverted code uses."""
        causes, meeting = explained.causes_on_chain, self._context.meeting
        return constant_behind(explained.tree, causes, meeting, answer.reverted)

    def _entered(self, root: Reverted) -> Reverted:
        """Return the new functions that a root of only new lines calls.

        Such a root may store under a key that a new function makes wrongly.  Other new code may
        call that function, too, so the fixed run executes it all the same.
        """
        changes = self._context.changes.changes
        if any(changes[change].old.count for change in root):
            return frozenset()
        own = (changes[change] for change in root)
        found = entered_changes(self._failure.flow, own, self._context.meeting)
        return frozenset(change for change in found if not changes[change].old.count)

    def _called(self, root: Reverted) -> Reverted:
        """Return the changes that introduce names which new lines of the root use."""
        changes, introduced = self._context.changes.changes, self._problem.dependencies.introduces
        words = {
            word.decode("utf-8", "replace")
            for change in root
            for word in tokens(changes[change].added)
        }
        return frozenset().union(*(introduced.get(word, frozenset()) for word in words))

    def _replacement(self, answer: Answer, avoided: Reverted, *, alone: bool = True) -> Replacement:
        self._context.watcher.phase("checking whether the answer only avoids the faulty code")
        lab = self._context.session.laboratory
        with self._context.timed("search"):
            try:
                return lab.answer(
                    lambda: find_replacement(self._problem, answer.reverted, avoided, alone=alone)
                )
            except OutOfRuns:
                return Replacement(None)

    def _joined(self, answer: Answer, avoided: Reverted, with_found: Reverted) -> Answer:
        """Return the answer with the `avoided` changes in its root.

        `with_found` is the passing set that has both.
        """
        changes, own = self._context.changes.changes, union(answer.root)
        root = own | (avoided & with_found)
        rest = tuple(units_of(changes, with_found - root))
        units = (*answer.root, *units_of(changes, root - own))  # changes of one root stay together
        return replace(answer, root=units, auxiliary=rest, needs_all=False)

    def _alternative(self, choice: Choice, *, is_dodge: bool = False, why: str = "") -> Alternative:
        changes, answer = self._context.changes.changes, choice.answer
        links = len(choice.explained.chain)
        if not why and choice.explained.gap is None:
            why = f"its chain to the failure has {links} links"
        elif not why:
            why = "no chain from it to the failure was found"
        root, auxiliary = (
            grouped_hunks(changes, answer.root),
            grouped_hunks(changes, answer.auxiliary),
        )
        return Alternative(root, auxiliary, is_dodge, why)


def _why_farther(choice: Choice, nearer: Choice) -> str:
    """Return a clause that says how a choice's run differs from good's, unlike a nearer one's."""
    return f"with it reverted, the run {choice.deviation.beyond(nearer.deviation).words()}"


def with_root(answer: Answer, root: Reverted) -> Answer:
    """Return an answer with one of its units as the root, and the others as auxiliary."""
    rest = tuple(unit for unit in (*answer.root, *answer.auxiliary) if unit != root)
    return replace(answer, root=(root,), auxiliary=rest)


def _narrowed(choice: Choice) -> Answer:
    """Return the answer of a choice without root units that no run showed to be needed.

    Such units are in the root because they belong to the same lines as others.  If the chain to
    the failure holds only the others, they are auxiliary.
    """
    answer, explained = choice.answer, choice.explained
    linked = {change for link in explained.chain for change in link.changes}
    kept = tuple(unit for unit in answer.root if unit & linked)
    is_known = explained.gap is None and choice.dodged is None and answer.holds
    if answer.needs_all or not is_known or not kept:
        return answer
    rest = tuple(unit for unit in answer.root if unit not in kept)
    return replace(answer, root=kept, auxiliary=(*answer.auxiliary, *rest))


def _same_functions(changes: ChangeSet, root: Reverted) -> Reverted:
    """Return the changes in the functions that hold a change of the root."""
    places = {(c.file, c.function) for c in changes.changes if c.id in root and c.function}
    return frozenset(c.id for c in changes.changes if (c.file, c.function) in places)


def change_places(changes: ChangeSet, ids: Reverted) -> str:
    """Return the places of some changes in words, such as "f (a.c:3) and b.c:7"."""
    found = (changes.changes[change] for change in sorted(ids))
    places = list(
        dict.fromkeys(
            f"{change.function} ({change.file}:{change.new.start})"
            if change.function
            else f"{change.file}:{change.new.start}"
            for change in found
        )
    )
    *others, last = places
    return f"{', '.join(others)} and {last}" if others else last
