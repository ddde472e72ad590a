"""How is a chain of steps told as statements: what each set, and what it was proved by?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whence.causes.comparison import Comparison
from whence.causes.observed_failure import ObservedFailure
from whence.causes.passing_values import PassingValues
from whence.chain.faulty import FaultyValue, had_value_at
from whence.chain.inducing import FaultyStep
from whence.model import ChainLink, SetMember, Statement
from whence.program.ids import Step
from whence.program.source import NamedValue
from whence.trace.rerunning import Assign, Overwrite

_OPPOSITE = {"true": "false", "false": "true", "True": "False", "False": "True"}
_INVENTED = "@"  # of the variables that pytest puts into an assertion, as in @py_assert1
_MAX_NAMED = 3  # values that a sentence names; guessed


class ChainWriter:
    """Turns the steps of a chain into links."""

    def __init__(self, failure: ObservedFailure, comparison: Comparison) -> None:
        self._failure, self._comparison = failure, comparison
        self._describer = failure.flow.describer()
        self._passing = comparison.passing.describer()
        self._values = PassingValues(comparison, self._describer)

    def links(self, found: Sequence[FaultyStep]) -> tuple[ChainLink, ...]:
        """Return the links in the order of the run, the failure last."""

        def place(each: FaultyStep) -> tuple[bool, Step]:
            step = each.step
            return step is None, Step(0) if step is None else had_value_at(self._failure.flow, step)

        ordered = sorted(found, key=place)
        links: list[ChainLink] = []
        for element in ordered:
            link = self._link(element)
            if link is None or self._says_nothing(link):
                continue
            if links and _is_same_place(links[-1], link):
                links[-1] = _joined(links[-1], link)
            else:
                links.append(link)
        return tuple(_folded(links))

    def _says_nothing(self, link: ChainLink) -> bool:
        """Is it a part of the failing statement whose value has no name?"""
        place = self._failure.place
        is_part = place is not None and (link.file, link.line) == (place.file, place.line)
        return is_part and not link.members and not link.is_root and not link.is_failure

    def _link(self, element: FaultyStep) -> ChainLink | None:
        if element.value is None:
            return self._failed(element)
        statement = self._statement(element.value.step)
        if statement is None:
            return None
        member = self.member(element.value)
        return ChainLink(
            statement.file, statement.line, statement.function, statement.text,
            () if member is None else (member,), element.is_proved, self._says(element),
            is_root=not element.causes,
        )  # fmt: skip

    def _failed(self, element: FaultyStep) -> ChainLink | None:
        place, failure = self._failure.place, self._failure
        statement = self._statement(failure.question.about)
        shown = place or statement
        if shown is None:
            return None
        file, line = shown.file, shown.line
        text = failure.flow.thread.recording.lines.line(file, line)
        function = statement.function if statement else ""
        says = f"the failure: {failure.words}; {self._says(element)}"
        return ChainLink(
            file, line, function, text.strip(), (), element.is_proved, says, is_failure=True
        )

    def _statement(self, step: Step) -> Statement | None:
        """Return the statement of a step; for a parameter, the call that passed it."""
        flow = self._failure.flow
        for at in (step, flow.call_of(step)):
            steps = np.array([] if at is None else [flow.in_tree(at)], np.uint32)
            lines = self._describer.lines(steps)
            if lines:
                return self._describer.describe_line(lines[0], steps)
        return None

    # --- values ----------------------------------------------------------------------------------

    def member(self, value: FaultyValue) -> SetMember | None:
        """Return what a faulty value is called, and its value in both runs."""
        if value.is_branch:
            return self._condition(value.step)
        own = self._named(value)
        if own is None or own.name.startswith(_INVENTED):
            return None
        return SetMember(own.name, own.value, self._passing_value(value))

    def _condition(self, branch: Step) -> SetMember:
        own = self._describer.names.condition(branch)
        other = self._values.condition(branch)
        passing = None if other is None else other.value
        if passing in (None, own.value):
            passing = _OPPOSITE.get(own.value)
        return SetMember(own.name, own.value, passing)

    def _named(self, value: FaultyValue) -> NamedValue | None:
        op = self._failure.flow.op_of(value.step)
        found = None if value.is_kept else self._describer.named(value.step, op)
        reader = value.alteration.reader if isinstance(value.alteration, Overwrite) else None
        if found is None and reader is not None:
            found = self._describer.names.loaded(reader)
        return found

    def _passing_value(self, value: FaultyValue) -> str | None:
        if isinstance(value.alteration, Assign):
            return repr(value.alteration.value)
        other = None if value.is_kept else self._comparison.counterpart(value.step)
        flow = self._comparison.passing
        named = None if other is None else self._passing.named(other, flow.op_of(other))
        if other is not None and self._comparison.is_same(value.step):
            named = None  # another value was put there: the read has it
        if named is None and isinstance(value.alteration, Overwrite):
            passing = value.alteration.passing
            named = self._passing.named(passing, flow.op_of(passing))
            named = self._passing.names.loaded(passing) or named
        return None if named is None else named.value

    # --- sentences -------------------------------------------------------------------------------

    def _says(self, element: FaultyStep) -> str:
        if not element.causes:
            if element.value is not None and element.value.is_kept:
                return "the root: the passing run set another value after this"
            tested = "with every value that it reads put right, it comes out the same"
            return f"the root: {tested if element.runs else 'every value that it reads is right'}"
        named = self._causes(element.causes)
        if not element.is_tested:
            return f"comes from {named}, as in the iterations of the loop that were tested"
        runs = f"{element.runs} run{'s' * (element.runs != 1)}"
        if element.is_proved:
            return f"comes from {named}: with the passing value, it does not come about ({runs})"
        if element.unmapped:
            return f"may come from {named}, which could not be put right"
        return f"may come from {named}: with the passing value, the run went wrong otherwise"

    def _causes(self, causes: Sequence[FaultyValue]) -> str:
        members = [self.member(cause) for cause in causes]
        names = [f"`{m.name}`" for m in dict.fromkeys(members) if m is not None]
        names = [*dict.fromkeys(names)] or ["a value without a name"]
        more = len(names) - _MAX_NAMED
        return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def _is_same_place(one: ChainLink, other: ChainLink) -> bool:
    return (one.file, one.line, one.is_failure) == (other.file, other.line, other.is_failure)


def _joined(one: ChainLink, other: ChainLink) -> ChainLink:
    """Join two neighbouring steps of one statement."""
    names = {member.name for member in other.members}
    members = (*(m for m in one.members if m.name not in names), *other.members)
    is_again = bool(names & {m.name for m in one.members})
    return replace(
        other, members=members, is_proved=one.is_proved and other.is_proved,
        is_root=one.is_root or other.is_root, times=one.times + is_again,
        says=one.says if one.is_root else other.says,
    )  # fmt: skip


def _folded(links: Sequence[ChainLink]) -> list[ChainLink]:
    """Fold the iterations of a loop: each statement of it is shown for its last iteration."""
    last = {_key(link): n for n, link in enumerate(links)}
    times: dict[tuple[str, int, bool], int] = {}
    proved: dict[tuple[str, int, bool], bool] = {}
    roots: dict[tuple[str, int, bool], ChainLink] = {}
    for link in links:
        key = _key(link)
        times[key] = times.get(key, 0) + link.times
        proved[key] = proved.get(key, True) and link.is_proved
        if link.is_root:
            roots.setdefault(key, link)
    first = {_key(link): n for n, link in reversed([*enumerate(links)])}
    found = []
    for key in sorted(last, key=lambda key: first[key]):
        link = roots.get(key, links[last[key]])
        found.append(replace(link, times=times[key], is_proved=proved[key]))
    return found


def _key(link: ChainLink) -> tuple[str, int, bool]:
    return link.file, link.line, link.is_failure
