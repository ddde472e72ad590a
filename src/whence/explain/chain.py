"""How does the damage travel from the changes to the failure?  In the order in which it happened.

For each change of the root the shortest way up the tree, from a cause that meets it to the
failure; the ways are joined, and what is told twice is told once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from whence.explain.meeting import Meeting
from whence.model import (
    Cause,
    Change,
    ChangeId,
    Influence,
    Link,
    LinkKind,
    Missing,
    Predicate,
    Reverted,
    Statement,
)

_MOST_CHANGED = 2  # lines of one change, as far as they came to nothing else
_MOST_VALUES = 3  # links of one cause that only pass on what is wrong already
_TRUTH = frozenset({"true", "false"})


@dataclass(frozen=True)
class Failed:
    """Where the test failed, and how, in words."""

    words: str
    file: str
    line: int
    function: str
    text: str


class ChainBuilder:
    """Makes the chain from one root."""

    def __init__(
        self,
        changes: Sequence[Change],
        meeting: Meeting,
        root: Reverted,
        causes: Mapping[int, Cause],
        failed: Failed,
    ) -> None:
        """`causes`: those that were found, by number, with the changes that they meet."""
        self._changes, self._meeting, self._root = changes, meeting, root
        self._causes, self._failed = causes, failed
        self._run: Reverted = frozenset()  # the changes of which a line ran on the way

    def chain(self) -> tuple[Link, ...]:
        """The links from the root to the failure; none if no cause meets it."""
        ways = [way for change in sorted(self._root) if (way := self._way(change))]
        if not ways:
            return ()
        numbers = {number for way in ways for number in way}
        self._run = frozenset().union(
            *(self._at(s) for number in numbers for s in self._causes[number].statements)
        )
        links: list[Link] = []
        told: set[tuple[str, int, LinkKind]] = set()
        for number in sorted(numbers, key=lambda number: -self._causes[number].level):
            for link in self._links(self._causes[number]):
                key = (link.file, link.line, link.step)
                if link.step in (LinkKind.FAILURE, LinkKind.BRANCH) or key not in told:
                    told.add(key)
                    links.append(link)
        # What differs before the first of the changes ran is of another turn of a loop.
        start = next((k for k, link in enumerate(links) if link.changes), 0)
        return tuple(links[start:])

    def _way(self, change: ChangeId) -> list[int]:
        """The causes from the nearest that meets a change up to the failure's."""
        meeting = [number for number, cause in self._causes.items() if change in cause.changes]
        if not meeting:
            return []
        way = [min(meeting, key=lambda number: (self._causes[number].level, number))]
        while (parent := self._causes[way[-1]].parent) is not None:
            way.append(parent)
        return way

    # --- the links of one cause ------------------------------------------------------------------

    def _links(self, cause: Cause) -> Iterator[Link]:
        for missing in cause.missing:
            own = frozenset(missing.changes) & self._root
            if own:
                yield self._gone(missing, cause, own)
        shown, changed = self._shown(cause), self._changed(cause)
        for statement in cause.statements:
            yield from self._declared(statement, cause)
            if statement in changed:
                yield _changed(statement, cause, self._at(statement))
            elif statement in shown:
                yield _value(statement, cause)
        if cause.influence is Influence.FAILURE:
            yield self._failure(cause)
        else:
            yield self._decided(cause)

    def _at(self, statement: Statement | Predicate) -> Reverted:
        return self._meeting.at(statement.file, statement.line) & self._root

    def _changed(self, cause: Cause) -> list[Statement]:
        """Statements that the root holds: of one change those that differ, and the last that ran,
        which is where the damage leaves it."""
        found: list[Statement] = []
        last: dict[Reverted, int] = {}
        for statement in reversed(cause.statements):
            own = self._at(statement)
            if not own or self._is_told_at_the_end(statement, cause):
                continue
            last[own] = last.get(own, 0) + 1
            if statement.passing or last[own] <= _MOST_CHANGED:
                found.append(statement)
        return found

    def _shown(self, cause: Cause) -> list[Statement]:
        """Statements that pass on what is wrong: not all of many."""
        differing = [
            s
            for s in cause.statements
            if s.passing and not self._at(s) and not self._is_told_at_the_end(s, cause)
        ]
        if len(differing) <= _MOST_VALUES:
            return differing
        return [differing[0], *differing[1 - _MOST_VALUES :]]

    def _is_told_at_the_end(self, statement: Statement, cause: Cause) -> bool:
        place = (statement.file, statement.line)
        if cause.influence is Influence.FAILURE:
            return place == (self._failed.file, self._failed.line) and not self._at(statement)
        return place == (cause.predicate.file, cause.predicate.line)

    def _declared(self, statement: Statement, cause: Cause) -> Iterator[Link]:
        """Changes of the root that a statement meets only through what it uses."""
        used = self._meeting.through(statement.file, statement.line) & self._root
        for change in sorted(used - self._run):
            found = self._changes[change]
            text = _first(found.added) or _first(found.removed)
            what = "changed" if found.added.strip() else "gone"
            place = f"{statement.file}:{statement.line}"
            where = f"line {statement.line}" if statement.file == found.file else place
            says = f"what is {what} here is used in {where}"
            yield Link(
                LinkKind.CHANGE, found.file, found.new.start, found.function or "", text, says,
                changes=(change,), cause=cause.id,
            )  # fmt: skip

    def _gone(self, missing: Missing, cause: Cause, own: Reverted) -> Link:
        """A statement that was removed, or that another one took the place of."""
        statement = missing.statement
        values = _no_truths(statement.values)
        instead = [c for c in sorted(own) if self._changes[c].added.strip()]
        if instead:
            change = self._changes[instead[0]]
            says = f"before, this was `{statement.text}`"
            return Link(
                LinkKind.CHANGE, change.file, change.new.start, statement.function,
                _first(change.added), says, passing=values, changes=tuple(sorted(own)),
                cause=cause.id,
            )  # fmt: skip
        return Link(
            LinkKind.MISSING, missing.file, missing.line, statement.function, statement.text,
            "this no longer runs here",
            passing=values, changes=tuple(sorted(own)), cause=cause.id,
        )  # fmt: skip

    def _decided(self, cause: Cause) -> Link:
        predicate = cause.predicate
        own = self._at(predicate)
        statement = next((s for s in cause.statements if _is_at(s, predicate)), None)
        failing, passing = _both(statement) if statement else ({}, {})
        return Link(
            LinkKind.CHANGE if own else LinkKind.BRANCH, predicate.file, predicate.line,
            predicate.function, statement.text if statement else "",
            ("the changed line: " if own else "so ") + _outcome(cause, is_changed=bool(own)),
            _no_truths(failing), _no_truths(passing), tuple(sorted(own)), cause.id, cause.times,
        )  # fmt: skip

    def _failure(self, cause: Cause) -> Link:
        failed = self._failed
        here = [s for s in cause.statements if (s.file, s.line) == (failed.file, failed.line)]
        failing, passing = _both(here[-1]) if here else ({}, {})
        return Link(
            LinkKind.FAILURE, failed.file, failed.line, failed.function, failed.text, failed.words,
            _no_truths(failing), _no_truths(passing),
            tuple(sorted(self._meeting.at(failed.file, failed.line) & self._root)), cause.id,
        )  # fmt: skip


def _is_at(statement: Statement, predicate: Predicate) -> bool:
    return (statement.file, statement.line) == (predicate.file, predicate.line)


def _outcome(cause: Cause, *, is_changed: bool) -> str:
    predicate = cause.predicate
    if cause.influence is Influence.ADDRESS:
        is_call = predicate.outcome.endswith(")")
        says = f"{'the call is' if is_call else 'this goes to'} `{predicate.outcome}`"
        return says if predicate.passing is None else f"{says} instead of `{predicate.passing}`"
    says = f"`{predicate.text}` is {predicate.outcome}"
    if is_changed and predicate.passing_text is not None:
        came_out = predicate.passing or predicate.outcome
        return f"{says}; before, `{predicate.passing_text}` was {came_out}"
    return says if predicate.passing is None else f"{says} instead of {predicate.passing}"


def _changed(statement: Statement, cause: Cause, own: Reverted) -> Link:
    failing, passing = _both(statement)
    return Link(
        LinkKind.CHANGE, statement.file, statement.line, statement.function, statement.text,
        "this line was changed", failing or statement.values, passing, tuple(sorted(own)),
        cause.id, statement.instances,
    )  # fmt: skip


def _value(statement: Statement, cause: Cause) -> Link:
    failing, passing = _both(statement)
    return Link(
        LinkKind.VALUE, statement.file, statement.line, statement.function, statement.text,
        "what is wrong is passed on", failing, passing, (), cause.id, statement.instances,
    )  # fmt: skip


def _both(statement: Statement) -> tuple[dict[str, str], dict[str, str]]:
    """The values of a statement that differ, in the failing and in the passing run."""
    failing = {
        name: statement.values[name] for name in statement.passing if name in statement.values
    }
    return failing, {name: statement.passing[name] for name in failing}


def _no_truths(values: Mapping[str, str]) -> dict[str, str]:
    """The values without those of conditions: how they came out is said in words."""
    return {name: value for name, value in values.items() if value not in _TRUTH}


def _first(lines: bytes) -> str:
    """The first line of some that is not blank."""
    text = lines.decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in text if line.strip()), "")
