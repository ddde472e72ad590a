"""Which changes must be reverted together so that the program builds and runs?

Reverting a change restores its old lines and removes its new ones.  So it requires reverting
1. the changes that removed names that the old lines use,
2. the changes that use names that the new lines introduced, and
3. if it changes a function's parameters, the changes that call the function, and vice versa.
What is read from the sources is a guess.  Messages of compilers and interpreters add to it
(`Knowledge.learn`).  A wrong guess costs runs; it never makes the answer wrong.
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
ChangesByName = Mapping[str, frozenset[ChangeId]]
_Key = tuple[str, str, str]  # (file, function, name); file and function are "" for a global name

_MAX_COMPLAINTS = 2  # after more complaints about a name, all its changes are tied; guessed
# Limits on the changes that touch one name; a name with more is no evidence; guessed.
_MAX_TIED_BY_BUILD = 12  # compilers list every place, and short local names among them
_MAX_TIED = 40


@dataclass
class _Names:
    """Where the names of one version are introduced and used."""

    # By the changes that introduce the name on their lines.
    inside: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))
    outside: set[_Key] = field(default_factory=set)  # introduced on unchanged lines
    # By the changes that use the name on their lines.
    used: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True)
class Dependencies:
    """Which changes each change requires, and which changes introduce or remove a name."""

    requires: Requires = field(default_factory=dict)
    introduces: ChangesByName = field(default_factory=dict)
    # Changes of a function's parameters, and changes that call such a function.
    adapting: frozenset[ChangeId] = frozenset()
    removes: ChangesByName = field(default_factory=dict)


def read_dependencies(changes: ChangeSet) -> Dependencies:
    """Read the dependencies between changes from the sources."""
    requires: dict[ChangeId, set[ChangeId]] = defaultdict(set)
    old = _read_names(changes, of_good=True)
    new = _read_names(changes, of_good=False)
    for key, removers in old.inside.items():
        if key not in new.outside and key not in new.inside and len(removers) == 1:
            for user in old.used[key]:
                requires[user] |= removers
    for key, introducers in new.inside.items():
        if key not in old.outside and key not in old.inside:
            for introducer in introducers:
                requires[introducer] |= new.used[key]
    for key in sorted(old.inside.keys() & new.inside.keys()):
        _tie_moved(requires, old.inside[key], new.inside[key])
    adapting: set[ChangeId] = set()
    for definition, callers in _parameter_changes(changes, old, new):
        requires[definition] |= callers
        for caller in callers:
            requires[caller].add(definition)
        adapting |= {definition} | callers if callers else set()
    return Dependencies(
        {change: frozenset(others - {change}) for change, others in requires.items()},
        introduces=_by_name(new.inside),
        adapting=frozenset(adapting),
        removes=_by_name(old.inside),
    )


def _tie_moved(
    requires: dict[ChangeId, set[ChangeId]], removers: set[ChangeId], introducers: set[ChangeId]
) -> None:
    """Tie a change that removes a name to the one change that introduces it elsewhere.

    The definition was moved.  Reverting only one of the two would define it twice or not at all.
    """
    if len(removers) == len(introducers) == 1 and removers != introducers:
        for remover in removers:
            requires[remover] |= introducers
        for introducer in introducers:
            requires[introducer] |= removers


def _by_name(inside: Mapping[_Key, set[ChangeId]]) -> ChangesByName:
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
    for path, own_changes in by_file.items():
        source = changes.source(path, of_good=of_good)
        if source is not None:
            _read_file(found, path, source, own_changes, of_good)
    return found


def _read_file(
    found: _Names, path: str, source: ParsedSource, own_changes: list[Change], of_good: bool
) -> None:
    owner = {line: c.id for c in own_changes for line in (c.old if of_good else c.new).lines}
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
    for change in own_changes:
        span = change.old if of_good else change.new
        for name in source.names(span.start, span.start + span.count - 1):
            scope = next((s for s in _scopes(name.scope) if (s, name.text) in local), None)
            found.used[(path, scope, name.text) if scope else ("", "", name.text)].add(change.id)


def _scopes(function: str | None) -> Iterable[str]:
    """Yield a function and the functions and classes around it: `A.f.g`, `A.f`, `A`."""
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
            if len(callers) <= _MAX_TIED:
                yield change.id, callers - {change.id}


@dataclass(frozen=True)
class Words:
    """For each name, the changes that add more uses of it than they remove, and vice versa."""

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
    """What a search has learnt so far about changes that must be reverted together."""

    def __init__(self, words: Words, read: Dependencies) -> None:
        self._requires = {change: set(others) for change, others in read.requires.items()}
        self._read = read
        self._complaints: Counter[str] = Counter()  # complaints about each name so far
        self._gained, self._lost = words.gained, words.lost

    def closure(self, reverted: Iterable[ChangeId]) -> Reverted:
        """Return the set with all changes that its members require."""
        closed = set(reverted)
        todo = list(closed)
        while todo:
            for other in self._requires.get(todo.pop(), ()):
                if other not in closed:
                    closed.add(other)
                    todo.append(other)
        return frozenset(closed)

    def dependents(self, kept: Iterable[ChangeId]) -> frozenset[ChangeId]:
        """Return the set with all changes that require one of its members."""
        closed = set(kept)
        while True:
            more = {
                c for c, others in self._requires.items() if c not in closed and others & closed
            }
            if not more:
                return frozenset(closed)
            closed |= more

    def learn(self, reverted: Reverted, run: Run) -> None:
        """Learn from the complaints of an inconsistent variant, such as an undefined name."""
        if run.outcome is Outcome.BROKEN:
            self._learn_from_build(reverted, run.complaints)
        else:
            self._learn_from_test(reverted, run.complaints)

    def _learn_from_build(self, reverted: Reverted, complaints: Iterable[Complaint]) -> None:
        """Tie the changes of the first name that adds a dependency.

        Later complaints often follow from the first one.
        """
        for name in (name for complaint in complaints for name in complaint.names):
            touching = self._touching(name)
            before = self.closure(reverted)
            self._tie(touching & reverted, touching - reverted, _MAX_TIED_BY_BUILD)
            if self.closure(reverted) != before:
                break

    def _learn_from_test(self, reverted: Reverted, complaints: Sequence[Complaint]) -> None:
        for name in dict.fromkeys(name for complaint in complaints for name in complaint.names):
            gained, lost = self._gained.get(name, set()), self._lost.get(name, set())
            removers = self._read.removes.get(name, frozenset()) or lost
            introducers = self._read.introduces.get(name, frozenset()) or gained
            # Restoring a use requires restoring the name.  Removing the name by reverting the
            # change that introduced it requires removing its uses.
            self._tie(lost & reverted, removers - reverted, _MAX_TIED)
            self._tie(introducers & reverted, gained - reverted, _MAX_TIED)
        for name in {complaint.names[0] for complaint in complaints if complaint.names}:
            self._complaints[name] += 1
            if self._complaints[name] > _MAX_COMPLAINTS:
                self._tie(self._touching(name), self._touching(name), _MAX_TIED)

    def _touching(self, name: str) -> set[ChangeId]:
        return self._gained.get(name, set()) | self._lost.get(name, set())

    def _tie(self, changes: Iterable[ChangeId], others: AbstractSet[ChangeId], limit: int) -> None:
        """Let `changes` require `others`, unless those are too many to be evidence."""
        if len(others) <= limit:
            for change in changes:
                self._requires.setdefault(change, set()).update(others)
