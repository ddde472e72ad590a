"""Which changes wrote the new data that the root reads?

A version may get new data: a column of a table, a count that is kept, a field that holds a state.
If the data are wrong, reverting their reader is enough for the test to pass, and the run goes the
way of the good version: nothing reads the data any more.  So the code that wrote them is a
candidate for the root, as a new function is that the root calls.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from whence.causes.tree import CauseSearch
from whence.changes.syntax import grammar_of, is_word, tokens
from whence.explain.meeting import Meeting
from whence.model import Cause, Change, ChangeId, Reverted
from whence.program.ids import Step
from whence.search.dependencies import Dependencies
from whence.source_lines import decoded_lines
from whence.trace.flow import Flow, Initial, Left, Operand, StoredBits

_MAX_STEPS = 20_000  # limit on steps behind the root that are looked at; guessed
_LAST_NAME = re.compile(r"(\w+)(?:\[[^\]]*\])*$")  # `most` of `word->most`, `kept` of `kept[i]`

_ATTRIBUTE = re.compile(rb"\.\s*([A-Za-z_]\w*)")
# `kept = 1`, `kept[i] += 1`, `kept++`, `--a->kept`; NAME stands for the name
_WRITTEN = (
    r"\bNAME\b(\[[^\]]*\])*\s*(([-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
    r"|(\+\+|--)[\w.>\[\]-]*\bNAME\b"
)

# `self.kept = 1`, `self.kept[i] += 1`; in Python a local variable may have the same name
_ATTRIBUTE_WRITTEN = r"\.NAME(\[[^\]]*\])*\s*([-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)"

Line = tuple[str, int]


@dataclass(frozen=True)
class NewData:
    """The changes that write new data which the root reads, and the lines of these changes.

    A line that would have written them and did not run may be the fault as well.
    """

    writers: Reverted = frozenset()
    lines: frozenset[Line] = frozenset()
    name: str = ""  # what the data are called


NO_NEW_DATA = NewData()


def new_data(
    tree: CauseSearch,
    causes: Iterable[Cause],
    changes: Sequence[Change],
    meeting: Meeting,
    root: Reverted,
    reverted: Reverted,
    dependencies: Dependencies,
) -> NewData:
    """Return what wrote the new data that the root reads in the failing run.

    `causes` are those on the way from the root to the failure.
    """
    names, comparison = _new_names(changes, root, dependencies), tree.comparison
    if not names or comparison is None:
        return NO_NEW_DATA
    steps: list[Step] = []
    for cause in causes:
        own = [(s.file, s.line) for s in cause.statements if meeting.at(s.file, s.line) & root]
        steps += tree.steps(cause.id, own).tolist() if own else []
    search = _Writers(comparison.failing, meeting, reverted, names)
    search.follow(steps)
    is_python = any(grammar_of(changes[change].file) == "python" for change in root)
    static = frozenset[ChangeId]()
    if not is_python:
        static = static.union(*(meeting.of_static(name) for name in names)) - reverted
    if not search.names and not static:
        return NO_NEW_DATA
    pattern = _ATTRIBUTE_WRITTEN if is_python else _WRITTEN
    writing = dict(_writing_lines(changes, search.names, root, pattern))
    if is_python:
        # Attributes of other classes may have the same name, and methods that nobody called
        # cannot be missing.
        entered = _entered(comparison.failing)
        owners = {_owner(changes[change]) for change in root | search.changes}
        writing = {
            place: change
            for place, change in writing.items()
            if _owner(changes[change]) in owners and changes[change].function in entered
        }
    found = (search.changes | static | {*writing.values()}) - reverted
    read = min(search.names, default=min(names))
    return NewData(frozenset(found), frozenset(search.lines | writing.keys()), read)


def _owner(change: Change) -> tuple[str, str]:
    """Return the class that a change is in; outside of classes, its function."""
    name = change.function or ""
    return change.file, name.rpartition(".")[0] or name


def _entered(flow: Flow) -> set[str]:
    """Return the qualified names of the functions that a run entered."""
    names = flow.thread.image.function_names
    numbers = np.unique(flow.thread.stream.activations["function"][1:]).tolist()
    return {names[number].replace(".<locals>", "") for number in numbers}


def _writing_lines(
    changes: Sequence[Change], names: Collection[str], root: Reverted, pattern: str
) -> Iterator[tuple[Line, ChangeId]]:
    """Yield the new lines outside the root that give something with one of these names a value."""
    for change in changes:
        if change.id in root:
            continue
        for number, line in enumerate(decoded_lines(change.added), change.new.start):
            if any(re.search(pattern.replace("NAME", name), line) for name in names):
                yield (change.file, number), change.id


def _new_names(
    changes: Sequence[Change], root: Reverted, dependencies: Dependencies
) -> frozenset[str]:
    """Return the variables, fields and attributes in new lines of the root that are new.

    Only what other functions see counts, and what other changes bring in.
    """
    used = _words(changes[change].added for change in root)
    declared = {name for name, by in dependencies.declares.items() if by - root}
    # Nobody declares an attribute of Python: it is new if no changed line had its name before.
    attributes = {
        name.decode("utf-8", "replace")
        for change in root
        if grammar_of(changes[change].file) == "python"
        for name in _ATTRIBUTE.findall(changes[change].added)
    }
    old = _words(change.removed for change in changes)
    new = _words(change.added for change in changes if change.id not in root)
    found = (used & declared) | ((attributes & new) - old)
    return frozenset(found - dependencies.removes.keys())


def _words(texts: Iterable[bytes]) -> set[str]:
    found = {token for text in texts for token in tokens(text) if is_word(token)}
    return {token.decode("utf-8", "replace") for token in found}


class _Writers:
    """Follows values of new data back to the code that wrote them."""

    def __init__(
        self, flow: Flow, meeting: Meeting, reverted: Reverted, names: frozenset[str]
    ) -> None:
        self._flow, self._meeting, self._reverted = flow, meeting, reverted
        self._new, self._names = names, flow.describer().names
        self.changes: set[ChangeId] = set()
        self.lines: set[Line] = set()
        self.names: set[str] = set()  # the new names that were read

    def follow(self, steps: Iterable[Step]) -> None:
        """Find the changed code that wrote what these steps read of the new data."""
        flow = self._flow
        work = deque(steps)
        seen = set(work)
        while work and len(seen) < _MAX_STEPS:
            step = work.popleft()
            name, operands = self._new_name(step), flow.node(step).operands
            if name is not None and any(map(self._is_definition, operands)):
                continue
            self.names |= {name} if name is not None else set()
            for operand in operands:
                if isinstance(operand, Initial):
                    if name is not None:
                        self._note_static(operand.address)
                    continue
                before = operand.step if isinstance(operand, StoredBits | Left) else operand
                if not isinstance(before, int) or before in seen:
                    continue
                if self._note(before) if name is not None else self._is_near(step, before):
                    seen.add(before)
                    work.append(before)

    def _is_definition(self, operand: Operand) -> bool:
        """Did a module or a class define what was read?

        An import, a function or a constant is code that the root uses.
        """
        return isinstance(operand, int) and self._flow.is_definition(Step(operand))

    def _new_name(self, step: Step) -> str | None:
        """Return the new name of the variable or field that a step read; None for any other."""
        if not self._flow.is_load(step):
            return None
        read = self._names.loaded(step)
        last = _LAST_NAME.search(read.name) if read is not None else None
        return last[1] if last is not None and last[1] in self._new else None

    def _is_near(self, step: Step, before: Step) -> bool:
        """Did a step only use what its own line computed before?"""
        place, other = self._names.place(step), self._names.place(before)
        return (
            place is None or other is None or (place.file, place.line) == (other.file, other.line)
        )

    def _note(self, step: Step) -> bool:
        """Note what wrote new data; False if no other change holds it."""
        place = self._names.place(step)
        found = self._meeting.at(place.file, place.line) - self._reverted if place else None
        if not place or not found:
            return False
        self.changes |= found
        self.lines.add((place.file, place.line))
        return True

    def _note_static(self, address: int) -> None:
        name = self._names.static_variable(address)
        if name is not None:
            self.changes |= self._meeting.of_static(name) - self._reverted
