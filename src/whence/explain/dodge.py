"""Does reverting a set of changes mend the fault, or does it only avoid the faulty code?

The test passes with the set reverted.  Changed code may lie on the way to the failure and not run
at all in that fixed run.  Then that code may be at fault, and the set only led the run there: the
set is a dodge.  A new function that a changed line calls is the usual case.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from whence.causes.tree import CauseSearch
from whence.explain.meeting import Meeting
from whence.explain.recorder import covered_lines
from whence.explain.variant_lines import VariantLines
from whence.model import Cause, Change, ChangeId, Reverted
from whence.program.ids import Op, Step
from whence.trace.flow import Flow, Left, StoredBits
from whence.trace.recording import Recording

_MAX_INPUTS = 5000  # limit on steps behind the code of a change that are looked at; guessed
_MAX_CALLS = 4  # limit on executions of a call that are looked at; guessed
_MAX_HEAD = 100  # limit on steps until one of an entered function has a line; guessed
_MODULE_CODE = "<module>"  # the function that runs the statements of a Python module


def avoided_changes(
    tree: CauseSearch, causes: Iterable[Cause], meeting: Meeting, reverted: Reverted
) -> frozenset[ChangeId]:
    """Return the changes, outside `reverted`, whose code runs only in the failing run.

    `tree` compares the failing run with the fixed run, in which `reverted` is reverted.  `causes`
    are the causes on the way from the root to the failure.
    """
    comparison = tree.comparison
    if comparison is None:
        return frozenset()
    found: set[ChangeId] = set()
    for cause in causes:
        for statement in cause.statements:
            others = meeting.at(statement.file, statement.line) - reverted
            if not others:
                continue
            steps = tree.steps(cause.id, [(statement.file, statement.line)]).tolist()
            if steps and all(comparison.counterpart(step) is None for step in steps):
                found |= others
    return frozenset(found)


@dataclass(frozen=True)
class Unexecuted:
    """The changes, outside the root, with lines that only the failing run executed."""

    whole: Reverted = frozenset()  # the fixed run executed none of their lines
    partly: Reverted = frozenset()  # these, and those of which it executed other lines


NO_UNEXECUTED = Unexecuted()


def unexecuted_changes(
    changes: Sequence[Change],
    failing: Recording,
    fixed: Recording,
    reverted: Reverted,
    root: Reverted,
) -> Unexecuted:
    """Compare the lines that the two runs executed.

    This is cheap: if there are none, no change is avoided.  `reverted` are the changes that the
    fixed run has reverted.
    """
    variant = VariantLines(changes, reverted)
    in_failing, in_fixed = covered_lines(failing), covered_lines(fixed)
    whole: set[ChangeId] = set()
    partly: set[ChangeId] = set()
    for change in changes:
        if change.id in root:
            continue
        lines = variant.of_change(change.id)
        if lines is None:
            lines = change.new.lines
        ran, still = (
            {place for place, line in enumerate(own) if line in executed.get(change.file, ())}
            for own, executed in ((change.new.lines, in_failing), (lines, in_fixed))
        )
        if change.id in reverted and still:
            continue  # its old lines are not comparable with its new ones
        if ran - still:
            partly.add(change.id)
            whole.update(() if still else (change.id,))
    return Unexecuted(frozenset(whole), frozenset(partly))


def behind_changes(causes: Iterable[Cause], changes: Reverted) -> list[Cause]:
    """Return the causes that meet some changes, and all causes below these."""
    found: dict[int, Cause] = {}
    for cause in causes:  # a cause comes after its parents
        if changes.intersection(cause.changes) or found.keys() & {cause.parent, *cause.also}:
            found[cause.id] = cause
    return list(found.values())


def gets_damage(
    tree: CauseSearch,
    causes: Iterable[Cause],
    meeting: Meeting,
    changes: Reverted,
    reverted: Reverted,
) -> bool:
    """Does the code of some changes get a wrong value from code that is not reverted?

    Then the damage comes from elsewhere, and these changes only pass it on.  `tree` compares the
    failing run with the fixed run, in which `reverted` is reverted.
    """
    comparison = tree.comparison
    if comparison is None:
        return False
    flow = comparison.failing
    work: list[Step] = []
    for cause in causes:
        lines = [(s.file, s.line) for s in cause.statements if meeting.at(s.file, s.line) & changes]
        work += tree.steps(cause.id, lines).tolist() if lines else []
    seen = set(work)
    while work and len(seen) < _MAX_INPUTS:
        node = flow.node(work.pop())
        for operand in (*node.operands, *node.pointers):
            definer = operand.step if isinstance(operand, StoredBits | Left) else operand
            if not isinstance(definer, int) or definer in seen:
                continue
            seen.add(definer)
            place = flow.thread.image.place(flow.op_of(definer))
            if place is None or meeting.at(place.file, place.line) & reverted:
                work.append(definer)
            elif not comparison.is_same(definer):
                return True
    return False


def constant_behind(
    tree: CauseSearch, causes: Iterable[Cause], meeting: Meeting, reverted: Reverted
) -> Reverted:
    """Return the changes of the nearest new constant from which reverted code made its values.

    Such a constant is a regular expression that new code matches with.  A module or class body
    defines it in both runs, so it seems to be right; but only code that the fixed run does not
    have reads it.  Only the way of the values counts, and no function or class on it.
    """
    comparison = tree.comparison
    if comparison is None:
        return frozenset()
    flow = comparison.failing
    work: deque[Step] = deque()
    for cause in causes:
        lines = [
            (s.file, s.line) for s in cause.statements if meeting.at(s.file, s.line) & reverted
        ]
        steps = tree.steps(cause.id, lines).tolist() if lines else []
        work += [step for step in reversed(steps) if comparison.counterpart(step) is None]
    seen = set(work)
    while work and len(seen) < _MAX_INPUTS:
        node = flow.node(work.popleft())
        for definer in (*node.operands, *node.pointers):
            if not isinstance(definer, int) or definer in seen or flow.names_code(definer):
                continue
            seen.add(definer)
            if comparison.counterpart(definer) is None:
                work.append(definer)
            elif found := _defining_changes(flow, definer, meeting) - reverted:
                return found
    return frozenset()


def _defining_changes(flow: Flow, step: Step, meeting: Meeting) -> Reverted:
    """Return the changes that hold a step, if it is a definition outside of all functions."""
    image, op = flow.thread.image, flow.op_of(step)
    place = image.place(op)
    is_definition = image.function_names[image.function_of(op)] == _MODULE_CODE
    return meeting.at(place.file, place.line) if place and is_definition else frozenset()


def first_run(flow: Flow, changes: Iterable[Change]) -> Step | None:
    """Return the first step inside a function that executed new lines of some changes."""
    image = flow.thread.image
    found: list[int] = []
    for op in _ops_of(flow, changes):
        steps = flow.executions(op)[:1].tolist()
        if steps and image.function_names[image.function_of(op)] != _MODULE_CODE:
            found += steps
    return Step(min(found)) if found else None


def entered_changes(flow: Flow, changes: Iterable[Change], meeting: Meeting) -> Reverted:
    """Return the changes with the functions that new lines of some changes called."""
    image, last = flow.thread.image, flow.thread.stream.steps
    found: Reverted = frozenset()
    for op in _ops_of(flow, changes):
        for call in map(Step, flow.executions(op)[:_MAX_CALLS].tolist()):
            if not flow.is_call(call):
                break
            for step in map(Step, range(call + 1, min(call + _MAX_HEAD, last) + 1)):
                place = image.place(flow.op_of(step)) if flow.call_of(step) == call else None
                if place is not None:
                    found |= meeting.at(place.file, place.line)
                    break
    return found


def _ops_of(flow: Flow, changes: Iterable[Change]) -> Iterator[Op]:
    """Yield the operations of the new lines of some changes."""
    image = flow.thread.image
    numbers = {name: number for number, name in enumerate(image.file_names)}
    for change in changes:
        if change.file in numbers and change.new.count:
            rows = image.rows
            is_there = (rows >= change.new.start) & (rows < change.new.start + change.new.count)
            is_own = is_there & (image.files == numbers[change.file])
            yield from map(Op, np.flatnonzero(is_own).tolist())


@dataclass(frozen=True, order=True)
class DamageStart:
    """The first step with which some changes take part in the damage; the likeliest root is least.

    Code that was rewritten differs in many steps, and most of these are not at fault.
    """

    is_unseen: bool  # does no name in the code have another value than in the fixed run?
    only_names_code: bool  # does the step only get a function, a class or a module?
    step: Step


def damage_start(
    tree: CauseSearch, causes: Sequence[Cause], meeting: Meeting, changes: Reverted
) -> DamageStart | None:
    """Return the first step on the way to the failure that these changes hold and that differs.

    A step that only gets code, as an import does that new code needs, comes after all others.
    `tree` compares the failing run with the fixed run.  None: no such step is on the way.
    """
    comparison = tree.comparison
    if comparison is None:
        return None
    found: set[Step] = set()
    for cause in causes:
        for statement in cause.statements:
            if meeting.at(statement.file, statement.line) & changes:
                steps = tree.steps(cause.id, [(statement.file, statement.line)]).tolist()
                found.update(step for step in steps if not comparison.is_same(step))
    if not found:
        return None
    flow = comparison.failing
    is_code, first = min((flow.names_code(step), step) for step in found)
    return DamageStart(not _holds_differing_name(causes, meeting, changes), is_code, first)


def _holds_differing_name(causes: Iterable[Cause], meeting: Meeting, changes: Reverted) -> bool:
    """Do some changes hold a name that has another value than in the fixed run?"""
    differing: set[tuple[str, str]] = set()  # names, and their values in the failing run
    old: dict[str, set[str]] = {}
    new: dict[str, set[str]] = {}
    for cause in causes:
        for missing in cause.missing:
            if changes.intersection(missing.changes):
                for name, value in missing.statement.values.items():
                    old.setdefault(name, set()).add(value)
        for statement in cause.statements:
            values = statement.values
            differing |= {(name, values[name]) for name in statement.passing if name in values}
            if meeting.at(statement.file, statement.line) & changes:
                for name, value in values.items():
                    new.setdefault(name, set()).add(value)
    return any(
        not new[name].isdisjoint(value for other, value in differing if other == name)
        or (name in old and old[name].isdisjoint(new[name]))
        for name in new
    )


def is_compared(tree: CauseSearch, step: Step) -> bool:
    """Has the fixed run a step that can be compared with this one?"""
    comparison = tree.comparison
    other = None if comparison is None else comparison.counterpart(step)
    if comparison is None or other is None:
        return False
    return comparison.failing.compared_as(step) is comparison.passing.compared_as(other)
