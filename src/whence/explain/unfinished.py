"""What is known about the root when a limit on runs or time stopped the search?

The smallest set that is known to pass may hold many changes that are not needed.  Every difference
between its fixed run and the failing run comes from the set all the same.  So the change with which
the damage starts, on the way to the failure, is likely the root.  A run checks it: with this change
left in and the rest of the set reverted, THE failure must be there.  The rest is auxiliary, perhaps
more than is needed.
"""

from __future__ import annotations

from dataclasses import replace

from whence.changes.changeset import function_groups
from whence.explain.choice import Choice, Chooser, with_root
from whence.explain.context import ExplainContext
from whence.explain.dodge import damage_start
from whence.explain.explained_set import ExplainedSet
from whence.model import Outcome, Reverted, Run
from whence.search.dependencies import Knowledge
from whence.search.isolate import Answer, IsolateProblem
from whence.search.laboratory import OutOfRuns
from whence.search.space import Atom, Search

_MAX_STARTS = 6  # limit on changes that are checked; guessed
_MAX_KEPT = (
    6  # limit on changes that are left in with one; with more, it is not what fails; guessed
)


def choose_unfinished(
    context: ExplainContext, problem: IsolateProblem, chooser: Chooser, answer: Answer
) -> Choice | None:
    """Explain the smallest passing set of a search that was stopped; None if that fails.

    `answer` has this set as its root.
    """
    context.watcher.phase("looking for the root in the smallest set known so far")
    changes = context.changes.changes
    units = function_groups(changes[change] for change in sorted(answer.reverted))
    whole, explained = chooser.sets.explain(
        Answer(tuple(units), is_guess=True, needs_all=False, is_sorted=False)
    )
    if explained.fixed is None or not whole.holds:
        return None
    starts = _starts(context, units, explained)
    if not starts:
        return None
    root = _checked(context, problem.knowledge(), starts, whole.reverted)
    found = replace(
        with_root(whole, root or starts[0]), is_guess=root is None, needs_all=root is not None
    )
    found, explained = chooser.sets.explain(found)
    if explained.fixed is None or not found.holds:
        return None
    return Choice(found, explained)


def _starts(context: ExplainContext, units: list[Atom], explained: ExplainedSet) -> list[Atom]:
    """Return the units with which the damage may start, the likeliest first.

    First those with a step that differs, in the order of time; then those on a complete chain.
    """
    meeting = context.meeting
    found = {
        unit: start
        for unit in units
        if (start := damage_start(explained.tree, explained.causes, meeting, unit)) is not None
    }
    links = explained.chain if explained.gap is None else ()
    linked = [unit for link in links for unit in units if unit & {*link.changes}]
    return list(dict.fromkeys((*sorted(found, key=lambda unit: found[unit]), *linked)))


def _checked(
    context: ExplainContext, knowledge: Knowledge, starts: list[Atom], passing: Reverted
) -> Atom | None:
    """Return the first unit that brings THE failure back when it alone is left in.

    What cannot be reverted without the unit is left in with it, if that alone does not fail so.
    """
    try:
        for unit in starts[:_MAX_STARTS]:
            kept = knowledge.dependents(unit) & passing
            if len(kept - unit) > _MAX_KEPT:
                kept = unit
            if not _fails(context, passing - kept):
                continue
            if kept == unit or not _fails(context, passing - (kept - unit)):
                return unit
    except OutOfRuns:
        pass
    return None


def _fails(context: ExplainContext, reverted: Reverted) -> bool:
    """Is THE failure there with these changes reverted?"""

    def ask() -> Search[Run]:
        return (yield reverted)

    with context.timed("search"):
        return context.session.laboratory.answer(ask).outcome is Outcome.FAIL
