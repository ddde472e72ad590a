"""Which changes have to be reverted together for the program to hold together?

Reverting a change brings back its old lines and takes away its new ones.  So it requires
1. the changes that took away what the old lines use, and
2. the changes that use what the new lines introduced, and
3. where it changes a function's parameters, the changes that call it, and the other way round.
What is read off the sources is a guess; compilers and interpreters teach the rest (`learn`).
A wrong guess costs runs, never the truth of the answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import Source, is_word, tokens
from whence.model import Change, ChangeId, Complaint, Kind, Reverted

Requires = Mapping[ChangeId, frozenset[ChangeId]]
_Key = tuple[str, str, str]  # file and function ("" for a name that all see), name

_TOO_COMMON = 12  # a name that more changes than this touch says nothing about them


@dataclass
class _Names:
    """Where the names of one side are introduced and used."""

    inside: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))
    outside: set[_Key] = field(default_factory=set)  # introduced on lines that did not change
    used: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))


def read_dependencies(changes: ChangeSet) -> Requires:
    """Return what each change requires, as far as the sources tell."""
    requires: dict[ChangeId, set[ChangeId]] = defaultdict(set)
    old = _read_names(changes, of_good=True)
    new = _read_names(changes, of_good=False)
    for key, takers in old.inside.items():
        if key not in new.outside and key not in new.inside and len(takers) == 1:
            for user in old.used[key]:
                requires[user] |= takers
    for key, givers in new.inside.items():
        if key not in old.outside and key not in old.inside:
            for giver in givers:
                requires[giver] |= new.used[key]
    for definition, callers in _parameter_changes(changes, old, new):
        requires[definition] |= callers
        for caller in callers:
            requires[caller].add(definition)
    return {change: frozenset(others - {change}) for change, others in requires.items()}


def _read_names(changes: ChangeSet, *, of_good: bool) -> _Names:
    found = _Names()
    by_file: dict[str, list[Change]] = defaultdict(list)
    for change in changes.changes:
        if change.kind in (Kind.EDIT, Kind.ADD, Kind.DELETE):
            by_file[change.old_file if of_good else change.file].append(change)
    for path, here in by_file.items():
        source = changes.source(path, of_good=of_good)
        if source is not None:
            _read_file(found, path, source, here, of_good)
    return found


def _read_file(found: _Names, path: str, source: Source, here: list[Change], of_good: bool) -> None:
    owner = {line: c.id for c in here for line in (c.old if of_good else c.new).lines}
    if not owner:
        return
    local: set[tuple[str, str]] = set()
    for name in source.definitions(1, source.last_line):
        key = (path, name.scope, name.text) if name.scope else ("", "", name.text)
        if name.scope:
            local.add((name.scope, name.text))
        if name.line in owner:
            found.inside[key].add(owner[name.line])
        else:
            found.outside.add(key)
    for change in here:
        span = change.old if of_good else change.new
        for name in source.names(span.start, span.start + span.count - 1):
            scope = next((s for s in _scopes(name.scope) if (s, name.text) in local), None)
            found.used[(path, scope, name.text) if scope else ("", "", name.text)].add(change.id)


def _scopes(function: str | None) -> Iterable[str]:
    """Yield a function and those around it: `A.f.g` is inside `A.f`."""
    while function:
        yield function
        function = function.rpartition(".")[0]


def _parameter_changes(
    changes: ChangeSet, old: _Names, new: _Names
) -> Iterable[tuple[ChangeId, set[ChangeId]]]:
    for change in changes.changes:
        if change.kind is not Kind.EDIT or not (change.old.count and change.new.count):
            continue
        before = changes.source(change.old_file, of_good=True)
        after = changes.source(change.file, of_good=False)
        if before is None or after is None:
            continue
        touched = set(before.parameters_at(change.old.start, change.old.lines.stop - 1))
        touched &= set(after.parameters_at(change.new.start, change.new.lines.stop - 1))
        for function in touched:
            key = ("", "", function)
            callers = old.used[key] & new.used[key]
            if len(callers) <= _TOO_COMMON:
                yield change.id, callers - {change.id}


class Knowledge:
    """What a search has learnt so far of which changes go together."""

    def __init__(self, changes: Iterable[Change], requires: Requires) -> None:
        self._requires = {change: set(others) for change, others in requires.items()}
        self._touches: dict[str, set[ChangeId]] = defaultdict(set)
        for change in changes:
            for name in _names_touched(change):
                self._touches[name].add(change.id)

    def closure(self, reverted: Iterable[ChangeId]) -> Reverted:
        """Return the set with all that its members require."""
        closed = set(reverted)
        todo = list(closed)
        while todo:
            for other in self._requires.get(todo.pop(), ()):
                if other not in closed:
                    closed.add(other)
                    todo.append(other)
        return frozenset(closed)

    def dependents(self, kept: Iterable[ChangeId]) -> frozenset[ChangeId]:
        """Return the set with all that require one of its members."""
        closed = set(kept)
        while True:
            more = {
                c for c, others in self._requires.items() if c not in closed and others & closed
            }
            if not more:
                return frozenset(closed)
            closed |= more

    def learn(self, reverted: Reverted, complaints: Iterable[Complaint]) -> bool:
        """Take in why a variant fell apart.  Was there something new in it?"""
        learnt = False
        for complaint in complaints:
            for name in complaint.names:
                touching = self._touches.get(name, set())
                here, there = touching & reverted, touching - reverted
                if not here or not there or len(there) > _TOO_COMMON:
                    continue
                for change in here:
                    new = there - self._requires.setdefault(change, set())
                    self._requires[change] |= new
                    learnt = learnt or bool(new)
        return learnt


def _names_touched(change: Change) -> set[str]:
    """Return the words that occur more often on one side of a change than on the other."""
    before, after = Counter(tokens(change.removed)), Counter(tokens(change.added))
    different = (before - after) + (after - before)
    return {word.decode("utf-8", "replace") for word in different if is_word(word)}
