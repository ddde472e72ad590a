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
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ParsedSource, is_word, tokens
from whence.model import Change, ChangeId, ChangeKind, Complaint, Outcome, Reverted, Run

Requires = Mapping[ChangeId, frozenset[ChangeId]]
Touching = Mapping[str, frozenset[ChangeId]]  # a name to the changes that have to do with it
_Key = tuple[str, str, str]  # file and function ("" for a name that all see), name

_PATIENCE = 2  # complaints of a name before all that touch it are reverted together or not at all
_TOO_COMMON_TO_COMPILE = 12  # compilers list every place, short local names among them
_TOO_COMMON = 40  # a name that more changes than this touch says nothing about them


@dataclass
class _Names:
    """Where the names of one side are introduced and used."""

    inside: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))
    outside: set[_Key] = field(default_factory=set)  # introduced on lines that did not change
    used: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True)
class Dependencies:
    """What each change requires, and which changes introduce a name or take it away."""

    requires: Requires = field(default_factory=dict)
    gives: Touching = field(default_factory=dict)
    takes: Touching = field(default_factory=dict)


def read_dependencies(changes: ChangeSet) -> Dependencies:
    """Return what the sources tell."""
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
    for key in sorted(old.inside.keys() & new.inside.keys()):
        _tie_moved(requires, old.inside[key], new.inside[key])
    for definition, callers in _parameter_changes(changes, old, new):
        requires[definition] |= callers
        for caller in callers:
            requires[caller].add(definition)
    return Dependencies(
        {change: frozenset(others - {change}) for change, others in requires.items()},
        gives=_by_name(new.inside),
        takes=_by_name(old.inside),
    )


def _tie_moved(
    requires: dict[ChangeId, set[ChangeId]], takers: set[ChangeId], givers: set[ChangeId]
) -> None:
    """What one change takes away and another gives again was moved: there it is once, or twice."""
    if len(takers) == len(givers) == 1 and takers != givers:
        for taker in takers:
            requires[taker] |= givers
        for giver in givers:
            requires[giver] |= takers


def _by_name(inside: Mapping[_Key, set[ChangeId]]) -> Touching:
    found: dict[str, set[ChangeId]] = defaultdict(set)
    for (_, _, name), changes in inside.items():
        found[name] |= changes
    return {name: frozenset(changes) for name, changes in found.items()}


def _read_names(changes: ChangeSet, *, of_good: bool) -> _Names:
    found = _Names()
    by_file: dict[str, list[Change]] = defaultdict(list)
    for change in changes.changes:
        if change.kind in (ChangeKind.EDIT, ChangeKind.ADD, ChangeKind.DELETE):
            by_file[change.old_file if of_good else change.file].append(change)
    for path, here in by_file.items():
        source = changes.source(path, of_good=of_good)
        if source is not None:
            _read_file(found, path, source, here, of_good)
    return found


def _read_file(
    found: _Names, path: str, source: ParsedSource, here: list[Change], of_good: bool
) -> None:
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
        if change.kind is not ChangeKind.EDIT or not (change.old.count and change.new.count):
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


@dataclass(frozen=True)
class Words:
    """For each name the changes that have more of it on the one side than on the other."""

    gained: Mapping[str, set[ChangeId]]
    lost: Mapping[str, set[ChangeId]]


def read_words(changes: Iterable[Change]) -> Words:
    gained: dict[str, set[ChangeId]] = defaultdict(set)
    lost: dict[str, set[ChangeId]] = defaultdict(set)
    for change in changes:
        before, after = Counter(tokens(change.removed)), Counter(tokens(change.added))
        for touched, words in ((lost, before - after), (gained, after - before)):
            for word in filter(is_word, words):
                touched[word.decode("utf-8", "replace")].add(change.id)
    return Words(gained, lost)


class Knowledge:
    """What a search has learnt so far of which changes go together."""

    def __init__(self, words: Words, read: Dependencies) -> None:
        self._requires = {change: set(others) for change, others in read.requires.items()}
        self._read = read
        self._heard: Counter[str] = Counter()
        self._gained, self._lost = words.gained, words.lost

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

    def learn(self, reverted: Reverted, run: Run) -> None:
        """Take in why a variant fell apart: some name is used but not there, or not so."""
        if run.outcome is Outcome.BROKEN:
            self._learn_from_build(reverted, run.complaints)
        else:
            self._learn_from_test(reverted, run.complaints)

    def _learn_from_build(self, reverted: Reverted, complaints: Iterable[Complaint]) -> None:
        """Tie what touches the first name that teaches us something: others follow from it."""
        for name in (name for complaint in complaints for name in complaint.names):
            touching = self._touching(name)
            before = self.closure(reverted)
            self._tie(touching & reverted, touching - reverted, _TOO_COMMON_TO_COMPILE)
            if self.closure(reverted) != before:
                break

    def _learn_from_test(self, reverted: Reverted, complaints: Sequence[Complaint]) -> None:
        for name in dict.fromkeys(name for complaint in complaints for name in complaint.names):
            gained, lost = self._gained.get(name, set()), self._lost.get(name, set())
            takers = self._read.takes.get(name, frozenset()) or lost
            givers = self._read.gives.get(name, frozenset()) or gained
            # What brings back a use needs what took the name away reverted too, and where the
            # change that gave the name is reverted, its uses have to go with it.
            self._tie(lost & reverted, takers - reverted, _TOO_COMMON)
            self._tie(givers & reverted, gained - reverted, _TOO_COMMON)
        for name in {complaint.names[0] for complaint in complaints if complaint.names}:
            self._heard[name] += 1
            if self._heard[name] > _PATIENCE:
                self._tie(self._touching(name), self._touching(name), _TOO_COMMON)

    def _touching(self, name: str) -> set[ChangeId]:
        return self._gained.get(name, set()) | self._lost.get(name, set())

    def _tie(self, changes: Iterable[ChangeId], others: AbstractSet[ChangeId], most: int) -> None:
        if len(others) <= most:
            for change in changes:
                self._requires.setdefault(change, set()).update(others)
