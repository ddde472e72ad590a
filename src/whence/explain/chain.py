"""How do the root changes lead to the failure, in the order in which it happened?

AFTER returns Δ_root "together with the relevant causes in Θ" (Algorithm 1, line 11).  The relevant
causes here are, for each change of the root, the shortest path in the cause tree from a cause that
meets the change up to the failure.  The chain joins these paths and lists each statement once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from whence.causes.hang import STILL_RUNNING
from whence.changes.changeset import ChangeSet
from whence.explain.candidates import places
from whence.explain.meeting import Meeting
from whence.explain.old_lines import OldLines
from whence.explain.written_links import NOTHING_WRITTEN, WrittenData, written_links
from whence.model import (
    Cause,
    Change,
    ChangeId,
    ChangeKind,
    Influence,
    Link,
    LinkKind,
    Missing,
    Predicate,
    Reverted,
    Statement,
)
from whence.program.source import NO_CASE
from whence.source_lines import decoded_lines

_MAX_CHANGED = 2  # limit on links of one change whose values do not differ; guessed
_MAX_VALUES = 3  # limit on links of one cause that only pass on a wrong value; guessed
_MAX_INSIDE = 6  # limit on causes inside new code that a chain shows; guessed
_MAX_OBSERVED = 2  # limit on differences shown after a root that no cause meets; guessed
_MAX_ROOT_LINKS = 3  # limit on root changes shown before a gap; guessed
_MAX_NAMED = 3  # limit on values that a sentence names; guessed
_CHANGED = "this line was changed"
_OBSERVED = "this value differs, too; whether it led to the failure was not followed"
_CHANGED_PREDICATE = "the changed line: "
_NEW = "this line is new"
_CASE = re.compile(rb"\b(case|default)\b")
_TRUTH_VALUES = frozenset({"true", "false"})


@dataclass(frozen=True)
class FailurePlace:
    """Where the test failed."""

    words: str  # the failure as a clause
    file: str
    line: int
    function: str
    text: str


# Returns the statements that ran on some lines, and the first later ones with other values.
Observe = Callable[
    [Collection[tuple[str, int]], int], tuple[Sequence[Statement], Sequence[Statement]]
]


class ChainBuilder:
    """Builds the chain from one root to the failure."""

    def __init__(
        self,
        changes: ChangeSet,
        meeting: Meeting,
        root: Reverted,
        causes: Mapping[int, Cause],
        failed: FailurePlace,
        entered: Reverted = frozenset(),
        written: WrittenData = NOTHING_WRITTEN,
    ) -> None:
        """`causes` maps a number to a cause that knows the changes it meets.

        `entered` are changes of the root that hold new code: another change of the root makes it
        run.  The chain shows what that code did.  `written` is what wrote new data that the root
        reads; the chain begins with it.
        """
        self._changes, self._meeting, self._root = changes.changes, meeting, root
        self._causes, self._failed, self._entered = causes, failed, entered
        self._old_lines = OldLines(changes.changes, changes.moved)
        self._written = written
        self._run: Reverted = frozenset()  # root changes with a statement on one of the paths

    def chain(self) -> tuple[Link, ...]:
        """Return the links from the root to the failure; none if no cause meets the root."""
        paths = [path for change in sorted(self._root) for path in self._paths(change)]
        if not paths:
            return ()
        numbers = {number for path in paths for number in path}
        self._run = frozenset().union(
            *(
                self._root_changes_at(s)
                for number in numbers
                for s in self._causes[number].statements
            )
        )
        links: list[Link] = []
        listed: set[tuple[str, int, LinkKind]] = set()
        for number in sorted(numbers, key=lambda number: -self._causes[number].level):
            has_changed = any(link.changes for link in links)
            for link in self._links(self._causes[number], has_changed=has_changed):
                key = (link.file, link.line, link.step)
                if link.step in (LinkKind.FAILURE, LinkKind.BRANCH) or key not in listed:
                    listed.add(key)
                    links.append(link)
        # A difference before the first changed statement belongs to an earlier loop iteration.
        start = next((k for k, link in enumerate(links) if link.changes), 0)
        links = _failure_once(links[start:])
        shown = {(link.file, link.line) for link in links}
        first = [
            link
            for link in written_links(self._written, self._changes, self._root_changes_at)
            if (link.file, link.line) not in shown
        ]
        return tuple(map(self._with_old_line, (*first, *links)))

    def chain_with_gap(self, observe: Observe) -> tuple[Link, ...]:
        """Return the root, what was observed after it, a gap, and the way back from the failure.

        This is for a root that no cause meets.  The link after the gap is marked.
        """
        wanted = {
            (self._changes[change].file, line)
            for change in self._root
            for line in self._changes[change].new.lines
        }
        ran, differing = observe(wanted, _MAX_OBSERVED)
        lower = self._from_failure()
        listed = {(link.file, link.line) for link in lower}
        upper = [*self._root_links(ran)]
        upper += [
            Link(
                LinkKind.VALUE, s.file, s.line, s.function, s.text, _OBSERVED,
                *_differing_values(s), times=s.instances,
            )
            for s in differing
            if (s.file, s.line) not in listed
        ]  # fmt: skip
        return tuple(map(self._with_old_line, (*upper, replace(lower[0], gap=True), *lower[1:])))

    def _root_links(self, ran: Sequence[Statement]) -> Iterator[Link]:
        """Yield the changed lines that ran; without any, the text of each root change."""
        by_change = {
            change: [s for s in ran if change in self._root_changes_at(s)] for change in self._root
        }
        is_any = any(by_change.values())
        for change in sorted(self._root)[:_MAX_ROOT_LINKS]:
            statements = by_change[change]
            for statement in statements[-_MAX_CHANGED:]:
                failing, passing = _differing_values(statement)
                yield Link(
                    LinkKind.CHANGE, statement.file, statement.line, statement.function,
                    statement.text, _CHANGED, failing or statement.values, passing,
                    tuple(sorted(self._root_changes_at(statement))), times=statement.instances,
                )  # fmt: skip
            if not statements and not (is_any and change != min(self._root)):
                yield self._text_link(self._changes[change])

    def _text_link(self, change: Change) -> Link:
        """Return the link for a change without a line that ran in the failing run."""
        is_removed = not change.added.strip()
        text = _first_line(change.removed if is_removed else change.added)
        says = "this was removed" if is_removed else f"{_CHANGED}, and is no statement that ran"
        return Link(
            _kind(change), change.file, max(change.new.start, 1), change.function or "", text, says,
            changes=(change.id,),
        )  # fmt: skip

    def _from_failure(self) -> list[Link]:
        """Return the links from the farthest cause with a difference to the failure."""
        farthest = max(self._causes.values(), key=lambda c: (c.level if _differs(c) else -1, -c.id))
        path = [farthest.id if _differs(farthest) else 0]
        while (parent := self._causes[path[-1]].parent) is not None:
            path.append(parent)
        links: list[Link] = []
        listed: set[tuple[str, int, LinkKind]] = set()
        for number in path:
            for link in self._links(self._causes[number], has_changed=False):
                key = (link.file, link.line, link.step)
                if link.step in (LinkKind.FAILURE, LinkKind.BRANCH) or key not in listed:
                    listed.add(key)
                    links.append(link)
        return links

    def _with_old_line(self, link: Link) -> Link:
        """Return a link that says what its line was before, if it was another one."""
        before = self._old_lines.text(link.file, link.line)
        if link.step is LinkKind.MISSING or before is None or before == link.text.strip():
            return link
        if "before, " in link.says:
            return replace(link, before=before)
        if not before:
            says = _NEW if link.says == _CHANGED else f"{link.says}; {_NEW}"
        elif link.says.startswith((_CHANGED, _CHANGED_PREDICATE)):
            says = f"{link.says}; before, it was `{before}`"
        else:
            says = f"{link.says}; {_CHANGED}: before, it was `{before}`"
        return replace(link, before=before, says=says)

    def _paths(self, change: ChangeId) -> Iterator[list[int]]:
        """Yield the causes from one that meets a change up to that of the failure.

        This is the nearest one; of new code, all that hold further lines of it.
        """
        meeting = sorted(
            (number for number, cause in self._causes.items() if change in cause.changes),
            key=lambda number: (self._causes[number].level, number),
        )
        starts = meeting[:1]
        if starts and not self._shows_switch(starts[0]):
            # What lacks may be the way of a `switch`: its own cause says that.
            level = self._causes[starts[0]].level
            same = [n for n in meeting if self._causes[n].level == level]
            starts = [n for n in same if self._shows_switch(n)][:1] or starts
        if starts and self._makes_difference(starts[0], change) is False:
            # Another line of the change may be the one that does.
            starts = [n for n in meeting if self._makes_difference(n, change)][:1] or starts
        if change in self._entered:
            starts = self._inside(change, meeting) or starts
        for start in starts:
            path = [start]
            while (parent := self._causes[path[-1]].parent) is not None:
                path.append(parent)
            yield path

    def _shows_switch(self, number: int) -> bool:
        cause = self._causes[number]
        return any(self._is_lost_case(missing, cause) for missing in cause.missing)

    def _makes_difference(self, number: int, change: ChangeId) -> bool | None:
        return makes_difference(
            self._causes[number], lambda s: change in self._meeting.at(s.file, s.line)
        )

    def _inside(self, change: ChangeId, numbers: Iterable[int]) -> list[int]:
        """Return the first causes that hold lines of a change, each with another line of it."""
        found: list[int] = []
        shown: set[tuple[str, int]] = set()
        for number in numbers:
            lines = {
                place
                for place in places(self._causes[number])
                if change in self._meeting.at(*place)
            }
            if lines - shown and len(found) < _MAX_INSIDE:
                shown |= lines
                found.append(number)
        return found

    # --- the links of one cause ------------------------------------------------------------------

    def _links(self, cause: Cause, *, has_changed: bool) -> Iterator[Link]:
        """Yield what was removed, then the statements in order, then the predicate.

        `has_changed`: is a changed statement among the links before these?
        """
        for missing in cause.missing:
            own = frozenset(missing.changes) & self._root
            if own and not self._is_lost_case(missing, cause):
                yield self._removed_link(missing, cause, own)
        yield from self._static_links(cause)
        cause = self._until_failure(cause)
        values, changed = self._value_statements(cause), self._changed_statements(cause)
        # Before a change, the values are right: nobody asks where they come from.
        named = _only_value(cause)
        origins = self._origins(cause) if has_changed and named and not values else []
        for statement in cause.statements:
            yield from self._used_changes(statement, cause)
            if statement in changed:
                yield _changed_link(statement, cause, self._root_changes_at(statement))
            elif statement in values:
                yield _value_link(statement, cause)
            elif statement in origins:
                how = "comes from here" if statement is origins[0] else "is passed on"
                [(name, value)] = named.items()
                yield _value_link(statement, cause, f"`{name} = {value}` {how}")
        if cause.influence is Influence.FAILURE:
            yield self._failure_link(cause)
        else:
            yield self._predicate_link(cause)

    def _until_failure(self, cause: Cause) -> Cause:
        """Return the cause of the failure without what ran after the line that failed.

        If the output is wrong, what the passing run printed instead may come from there.
        """
        failed = (self._failed.file, self._failed.line)
        places = [(statement.file, statement.line) for statement in cause.statements]
        is_ended = not cause.predicate.outcome.startswith(STILL_RUNNING)
        if cause.influence is not Influence.FAILURE or not is_ended or failed not in places:
            return cause
        count = len(places) - places[::-1].index(failed)
        met, late = (
            any(map(self._root_changes_at, part))
            for part in (cause.statements[:count], cause.statements[count:])
        )
        return cause if late and not met else replace(cause, statements=cause.statements[:count])

    def _root_changes_at(self, statement: Statement | Predicate) -> Reverted:
        """Return the root changes that hold a statement."""
        return self._meeting.at(statement.file, statement.line) & self._root

    def _changed_statements(self, cause: Cause) -> list[Statement]:
        """Return the statements that root changes hold.

        Of each change these are the statements with differing values, and the last ones that ran:
        there the wrong value leaves the changed code.
        """
        found: list[Statement] = []
        last: dict[Reverted, int] = {}
        for statement in reversed(cause.statements):
            own = self._root_changes_at(statement)
            if not own or self._is_last_link(statement, cause):
                continue
            last[own] = last.get(own, 0) + 1
            if statement.passing or last[own] <= _MAX_CHANGED:
                found.append(statement)
        return found

    def _value_statements(self, cause: Cause) -> list[Statement]:
        """Return unchanged statements with differing values: the first and the last few."""
        differing = [
            s
            for s in cause.statements
            if s.passing and not self._root_changes_at(s) and not self._is_last_link(s, cause)
        ]
        if len(differing) <= _MAX_VALUES:
            return differing
        return [differing[0], *differing[1 - _MAX_VALUES :]]

    def _origins(self, cause: Cause) -> list[Statement]:
        """Return unchanged statements that made the value of a cause: the first and the last few.

        They matter if no value differs, because the passing run did not execute them.
        """
        made = [
            s
            for s in cause.statements
            if not self._root_changes_at(s) and not self._is_last_link(s, cause)
        ]
        return made if len(made) <= _MAX_VALUES else [made[0], *made[1 - _MAX_VALUES :]]

    def _is_last_link(self, statement: Statement, cause: Cause) -> bool:
        """Does the last link of the cause show this statement anyway?"""
        place = (statement.file, statement.line)
        if cause.influence is Influence.FAILURE:
            return place == (self._failed.file, self._failed.line) and not self._root_changes_at(
                statement
            )
        return place == (cause.predicate.file, cause.predicate.line)

    def _used_changes(self, statement: Statement, cause: Cause) -> Iterator[Link]:
        """Yield links for root changes that a statement meets only by a name that it uses."""
        used = self._meeting.through(statement.file, statement.line) & self._root
        for change in sorted(used - self._run):
            found = self._changes[change]
            line = self._meeting.line_of(change, statement.file, statement.line)
            text = _first_line(found.added, line - found.new.start) or _first_line(found.removed)
            what = "changed" if found.added.strip() else "removed"
            place = f"{statement.file}:{statement.line}"
            where = f"line {statement.line}" if statement.file == found.file else place
            says = f"{where} uses what was {what} here"
            yield Link(
                _kind(found), found.file, line, found.function or "", text, says,
                changes=(change,), cause=cause.id,
            )  # fmt: skip

    def _static_links(self, cause: Cause) -> Iterator[Link]:
        """Yield links for root changes of static variables that pointers led to."""
        shown: set[ChangeId] = set()
        for read in cause.static_reads:
            named = self._meeting.through(read.file, read.line)
            own = self._meeting.of_static(read.name) & self._root - self._run - named - shown
            for change in sorted(own & {*cause.changes}):
                shown.add(change)
                found = self._changes[change]
                text = _first_line(found.added) or _first_line(found.removed)
                is_near = read.file == found.file
                where = f"line {read.line}" if is_near else f"{read.file}:{read.line}"
                yield Link(
                    _kind(found), found.file, found.new.start, found.function or "", text,
                    f"{where} reads this part of `{read.name}`",
                    changes=(change,), cause=cause.id,
                )  # fmt: skip

    def _removed_link(self, missing: Missing, cause: Cause, own: Reverted) -> Link:
        """Return the link for a statement that a change removed, replaced or skipped."""
        statement, jump = missing.statement, missing.jump
        values = _without_truth_values(statement.values)
        if jump is not None and self._root_changes_at(jump):
            return Link(
                LinkKind.CHANGE, jump.file, jump.line, jump.function, jump.text,
                f"this skips `{statement.text}`",
                passing=values, changes=tuple(sorted(own)), cause=cause.id,
            )  # fmt: skip
        moved = [c for c in sorted(own) if self._changes[c].kind is ChangeKind.RENAME]
        if moved:
            change = self._changes[moved[0]]
            return Link(
                LinkKind.MISSING, statement.file, statement.line, statement.function,
                statement.text, f"this no longer runs: the file is {change.file} now",
                passing=values, changes=tuple(sorted(own)), cause=cause.id,
            )  # fmt: skip
        instead = [c for c in sorted(own) if self._changes[c].added.strip()]
        if instead:
            change = self._changes[instead[0]]
            says = f"before, this was `{statement.text}`"
            if not self._meeting.removed_at(statement.file, statement.line) & own:
                says = f"`{statement.text}`, which no longer runs, uses what was changed here"
            return Link(
                LinkKind.CHANGE, change.file, change.new.start, statement.function,
                _first_line(change.added), says, passing=values, changes=tuple(sorted(own)),
                cause=cause.id,
            )  # fmt: skip
        return Link(
            LinkKind.MISSING, missing.file, missing.line, statement.function, statement.text,
            "it runs at other times, but not here" if missing.elsewhere
            else "this no longer runs here",
            passing=values, changes=tuple(sorted(own)), cause=cause.id,
            elsewhere=missing.elsewhere,
        )  # fmt: skip

    def _predicate_link(self, cause: Cause) -> Link:
        """Return the last link of a cause upstream: the outcome of its predicate."""
        predicate = cause.predicate
        lost = [m.changes for m in cause.missing if self._is_lost_case(m, cause)]
        own = self._root_changes_at(predicate).union(*lost) & self._root
        statement = next((s for s in cause.statements if _is_at(s, predicate)), None)
        failing, passing = _differing_values(statement) if statement else ({}, {})
        failing = {name: predicate.values[name] for name in predicate.passing_values} | failing
        passing = predicate.passing_values | passing
        if predicate.passing is not None:  # the sentence has both values
            failing.pop(predicate.text, None)
            passing.pop(predicate.text, None)
        return Link(
            LinkKind.CHANGE if own else LinkKind.BRANCH, predicate.file, predicate.line,
            predicate.function, statement.text if statement else "",
            self._decision(cause, own) + _equal_values(predicate),
            _without_truth_values(failing), _without_truth_values(passing), tuple(sorted(own)),
            cause.id, cause.times,
        )  # fmt: skip

    def _decision(self, cause: Cause, own: Reverted) -> str:
        """Return a clause with the outcome of a cause's predicate, which root changes may hold."""
        outcome = cause.predicate.outcome
        if NO_CASE in outcome and any(_CASE.search(self._changes[c].removed) for c in own):
            text = f"`{cause.predicate.text}` is {outcome.removesuffix(NO_CASE)}"
            return f"so {text}, which has no case; before, it had one"
        return _prefix(cause, is_changed=bool(own)) + _outcome(cause, is_changed=bool(own))

    def _is_lost_case(self, missing: Missing, cause: Cause) -> bool:
        """Is what the failing run lacks only the way of a `switch` whose case a change removed?

        The `switch` itself ran, and is the predicate of the cause.
        """
        predicate, removed = cause.predicate, [self._changes[c].removed for c in missing.changes]
        return (
            NO_CASE in predicate.outcome
            and (missing.file, missing.line) == (predicate.file, predicate.line)
            and any(map(_CASE.search, removed))
        )

    def _failure_link(self, cause: Cause) -> Link:
        """Return the last link of the chain."""
        failed = self._failed
        last = [s for s in cause.statements if (s.file, s.line) == (failed.file, failed.line)]
        failing, passing = _differing_values(last[-1]) if last else ({}, {})
        if cause.predicate.outcome.startswith(STILL_RUNNING):
            failing = failing | _last_values(cause)
        elif not failing:  # the passing run did not get here
            failing = _only_value(cause)
        return Link(
            LinkKind.FAILURE, failed.file, failed.line, failed.function, failed.text, failed.words,
            _shown_values(failing), _shown_values(passing),
            tuple(sorted(self._meeting.at(failed.file, failed.line) & self._root)), cause.id,
        )  # fmt: skip


def makes_difference(cause: Cause, is_changed: Callable[[Statement], bool]) -> bool | None:
    """Do changed lines of a cause make the difference between the runs?  None: it is not known.

    They do not if the first line that uses what they made has the same value in the passing run,
    and a later one has another.  Then the value was right here, and was to be replaced in between.
    """
    statements = cause.statements
    changed = [k for k, statement in enumerate(statements) if is_changed(statement)]
    if not changed or statements[changed[-1]].passing:
        return None
    # Two addresses are never known to differ.
    after = [
        s for s in statements[changed[-1] + 1 :] if not all(map(_is_address, s.values.values()))
    ]
    if not after:
        return None
    if after[0].passing:
        return True
    return False if any(statement.passing for statement in after[1:]) else None


def _is_address(value: str) -> bool:
    return value.startswith("0x")


def _failure_once(links: list[Link]) -> list[Link]:
    """Join the last two links if the changed line is the one that failed."""
    if len(links) < 2:
        return links
    *before, changed, failed = links
    is_same = (changed.file, changed.line) == (failed.file, failed.line)
    if failed.step is not LinkKind.FAILURE or not is_same or changed.says != _CHANGED:
        return links
    if not failed.failing:
        failed = replace(failed, failing=changed.failing, passing=changed.passing)
    return [*before, failed]


def _differs(cause: Cause) -> bool:
    """Is something of a cause different in the passing run?"""
    return cause.predicate.passing is not None or any(s.passing for s in cause.statements)


def _is_at(statement: Statement, predicate: Predicate) -> bool:
    return (statement.file, statement.line) == (predicate.file, predicate.line)


def _prefix(cause: Cause, *, is_changed: bool) -> str:
    if is_changed:
        return _CHANGED_PREDICATE
    return "" if cause.predicate.text == "the try block" else "so "


def _outcome(cause: Cause, *, is_changed: bool) -> str:
    """Return a clause with the outcome of a cause's predicate in both runs."""
    predicate = cause.predicate
    if cause.influence is Influence.ADDRESS:
        is_call = predicate.outcome.endswith(")")
        says = f"{'the call is' if is_call else 'this accesses'} `{predicate.outcome}`"
        return says if predicate.passing is None else f"{says} instead of `{predicate.passing}`"
    if predicate.text == "the try block":
        return _try_block(predicate)
    if predicate.passing and NO_CASE in predicate.outcome + predicate.passing:
        return _switch_outcome(predicate)
    says = f"`{predicate.text}` is {predicate.outcome}"
    if is_changed and predicate.passing_text is not None:
        came_out = predicate.passing or predicate.outcome
        return f"{says}; before, `{predicate.passing_text}` was {came_out}"
    return says if predicate.passing is None else f"{says} instead of {predicate.passing}"


def _switch_outcome(predicate: Predicate) -> str:
    """Return a clause on a `switch` that has no case for its value in one of the runs."""
    passing = predicate.passing or ""
    value, before = predicate.outcome.removesuffix(NO_CASE), passing.removesuffix(NO_CASE)
    has_case, had_case = value == predicate.outcome, before == passing
    says = f"`{predicate.text}` is {value}, which has {'a' if has_case else 'no'} case"
    if value == before:
        return f"{says}; before, it had {'one' if had_case else 'none'}"
    return f"{says}, instead of {before}"


def _equal_values(predicate: Predicate) -> str:
    """Return a clause with the values of a condition that are the same in both runs."""
    values = [
        f"{name} = {value}"
        for name, value in predicate.values.items()
        if name not in predicate.passing_values and name != predicate.text
        and value not in _TRUTH_VALUES and not value.startswith(("0x", "<"))
    ]  # fmt: skip
    is_condition = {predicate.outcome, predicate.passing} & _TRUTH_VALUES
    return f" with {', '.join(values[:_MAX_NAMED])}" if values and is_condition else ""


def _try_block(predicate: Predicate) -> str:
    """Return a sentence on how a Python try block ended; see `condition` of its describer."""
    escapes = "escaped by "
    error = predicate.outcome.removeprefix(escapes)
    other = (predicate.passing or "").removeprefix(escapes)
    is_error, was_error = error != predicate.outcome, other != (predicate.passing or "")
    says = f"{error} escapes the try block" if is_error else "the try block completes"
    if not was_error:
        return says
    return f"{says} instead of {other}" if is_error else f"{says}, which {other} escaped before"


def _changed_link(statement: Statement, cause: Cause, own: Reverted) -> Link:
    failing, passing = _differing_values(statement)
    return Link(
        LinkKind.CHANGE, statement.file, statement.line, statement.function, statement.text,
        _CHANGED, failing or statement.values, passing, tuple(sorted(own)),
        cause.id, statement.instances,
    )  # fmt: skip


def _value_link(
    statement: Statement, cause: Cause, says: str = "the wrong value is passed on"
) -> Link:
    failing, passing = _differing_values(statement)
    return Link(
        LinkKind.VALUE, statement.file, statement.line, statement.function, statement.text,
        says, failing, passing, (), cause.id, statement.instances,
    )  # fmt: skip


def _only_value(cause: Cause) -> dict[str, str]:
    """Return the value that the predicate of a cause read, if there is exactly one.

    Of several values, one does not know which is the bad one.  An address says nothing to a reader.
    """
    values = _without_truth_values(cause.predicate.values)
    is_clear = len(values) == 1 and not any(v.startswith("0x") for v in values.values())
    return values if is_clear else {}


def _last_values(cause: Cause) -> dict[str, str]:
    """Return what decided that a loop went on, without addresses: a few values."""
    values = _without_truth_values(cause.predicate.values).items()
    shown = [(name, value) for name, value in values if not value.startswith(("0x", "<"))]
    return dict(shown[:_MAX_NAMED])


def _differing_values(statement: Statement) -> tuple[dict[str, str], dict[str, str]]:
    """Return the differing values of a statement: (in the failing run, in the passing run)."""
    failing = {
        name: statement.values[name] for name in statement.passing if name in statement.values
    }
    return failing, {name: statement.passing[name] for name in failing}


def _without_truth_values(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values except those of conditions: the link's sentence has their outcome."""
    return {name: value for name, value in values.items() if value not in _TRUTH_VALUES}


def _shown_values(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values without those of conditions, if there are others.

    The words of a failure do not contain the outcome of a condition, such as that of a loop.
    """
    return _without_truth_values(values) or dict(values)


def _kind(change: Change) -> LinkKind:
    """Return the kind of the link that shows a change itself, and no statement that ran."""
    return LinkKind.CHANGE if change.added.strip() else LinkKind.MISSING


def _first_line(lines: bytes, start: int = 0) -> str:
    """Return the first line from `start` on that is not blank, without indentation."""
    return next((line.strip() for line in decoded_lines(lines)[start:] if line.strip()), "")
