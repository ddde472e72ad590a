"""Which changes must be reverted together so that the program builds and runs?

Reverting a change restores its old lines and removes its new ones.  So it requires reverting
1. the changes that removed names that the old lines use,
2. the changes that use names that the new lines introduced,
3. if it changes a function's parameters, the changes that call the function, and vice versa,
4. if it changes the fields of a structure, the changes of the values listed for them
   (`initializers`), and vice versa,
5. if it opens or closes a bracket, a comment or a conditional of the preprocessor, the changes that
   close or open it again (`open_signs`),
6. if it opens or closes a block or a string of Python, the changes that close or open it again
   (`structure`),
7. if it adds or deletes a file, the changes of build files that list it (`file_lists`), and
8. if it removes `from __future__ import annotations`, the changes that write annotations.
What is read from the sources is a guess.  Messages of compilers and interpreters add to it
(`Knowledge.learn`).  A wrong guess costs runs; it never makes the answer wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from whence.changes.changeset import ChangeSet
from whence.changes.syntax import ParsedSource, grammar_of, is_word, tokens
from whence.model import Change, ChangeId, ChangeKind, Complaint, Outcome, Reverted, Run
from whence.search.file_lists import tied_to_lists
from whence.search.initializers import tied_to_values
from whence.search.open_signs import tied_by_signs
from whence.search.structure import tied_by_structure
from whence.search.variant_places import VariantPlace, VariantPlaces

Requires = Mapping[ChangeId, frozenset[ChangeId]]
ChangesByName = Mapping[str, frozenset[ChangeId]]
# (file, function, name); function is "" for an imported name, file and function for a global one.
_Key = tuple[str, str, str]

_MAX_COMPLAINTS = 2  # after more complaints about a name, all its changes are tied; guessed
# Limits on the changes that touch one name; a name with more is no evidence; guessed.
_MAX_TIED_BY_BUILD = 12  # compilers list every place, and short local names among them
_MAX_TIED = 40
_MAX_DECLARING = 6  # limit on the changes that declare one name; with more it is unclear which


@dataclass
class _Names:
    """Where the names of one version are introduced and used."""

    # By the changes that introduce the name on their lines.
    inside: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))
    outside: set[_Key] = field(default_factory=set)  # introduced on unchanged lines
    # By the changes that introduce the field of a structure: (structure, field).
    fields: dict[tuple[str, str], set[ChangeId]] = field(default_factory=lambda: defaultdict(set))
    # By the changes that use the name on their lines.
    used: dict[_Key, set[ChangeId]] = field(default_factory=lambda: defaultdict(set))

    def is_ambiguous(self, key: _Key) -> bool:
        """Do several structures have a field of this name?"""
        return len({structure for structure, name in self.fields if name == key[2]}) > 1


@dataclass(frozen=True)
class Dependencies:
    """Which changes each change requires, and which changes introduce or remove a name."""

    requires: Requires = field(default_factory=dict)
    introduces: ChangesByName = field(default_factory=dict)
    # Changes of a function's parameters, and changes that call such a function.
    adapting: frozenset[ChangeId] = frozenset()
    removes: ChangesByName = field(default_factory=dict)
    # Changes that introduce or remove a name that is visible everywhere, or a structure's field.
    declares: ChangesByName = field(default_factory=dict)
    fields: Mapping[tuple[str, str], frozenset[ChangeId]] = field(default_factory=dict)


def read_dependencies(changes: ChangeSet) -> Dependencies:
    """Read the dependencies between changes from the sources."""
    requires: dict[ChangeId, set[ChangeId]] = defaultdict(set)
    old = _read_names(changes, of_good=True)
    new = _read_names(changes, of_good=False)
    for key, removers in old.inside.items():
        is_gone = key not in new.outside and key not in new.inside
        if is_gone and len(removers) <= _MAX_DECLARING and not old.is_ambiguous(key):
            for user in old.used[key]:
                requires[user] |= removers
    for key, introducers in new.inside.items():
        if key not in old.outside and key not in old.inside:
            for introducer in introducers:
                requires[introducer] |= new.used[key]
    for key in sorted(old.inside.keys() & new.inside.keys()):
        _tie_moved(requires, old.inside[key], new.inside[key])
    for change, others in _postponed_annotations(changes):
        requires[change] |= others
    for group in (*tied_by_signs(changes.changes), *tied_by_structure(changes)):
        for change in group:
            requires[change] |= group
    for change, other in tied_to_lists(changes):
        requires[change].add(other)
    for field_change, value_change in tied_to_values(changes, old.fields, new.fields):
        requires[field_change].add(value_change)
        requires[value_change].add(field_change)
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
        declares=_by_name(
            {
                key: old.inside.get(key, set()) | new.inside.get(key, set())
                for key in old.inside.keys() | new.inside.keys()
                if not key[1]
            }
        ),
        fields={
            key: frozenset(old.fields.get(key, set()) | new.fields.get(key, set()))
            for key in old.fields.keys() | new.fields.keys()
        },
    )


def _postponed_annotations(changes: ChangeSet) -> Iterator[tuple[ChangeId, set[ChangeId]]]:
    """Yield what Python requires of changes that write `from __future__ import annotations`.

    Without it, annotations are evaluated, and many use names that exist only for type checkers.
    """
    by_file: dict[str, list[Change]] = defaultdict(list)
    for change in changes.changes:
        if change.kind is ChangeKind.EDIT and grammar_of(change.file) == "python":
            by_file[change.file].append(change)
    for own_changes in by_file.values():
        for of_good in (True, False):
            source = changes.source(
                own_changes[0].old_file if of_good else own_changes[0].file, of_good=of_good
            )
            line = source.postpones_annotations() if source else None
            if source is None or line is None:
                continue
            spans = {c.id: c.old if of_good else c.new for c in own_changes}
            owner = next((c for c, span in spans.items() if line in span.lines), None)
            if owner is None:
                continue
            annotated = {
                change
                for change, span in spans.items()
                if span.count and source.has_annotation(span.start, span.lines.stop - 1)
            }
            if of_good:
                yield from ((change, {owner}) for change in annotated)
            else:
                yield owner, annotated


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
            source.prepare((c.old if of_good else c.new).lines for c in own_changes)
            _read_file(found, path, source, own_changes, of_good)
    return found


def _read_file(
    found: _Names, path: str, source: ParsedSource, own_changes: list[Change], of_good: bool
) -> None:
    owner = {line: c.id for c in own_changes for line in (c.old if of_good else c.new).lines}
    if not owner:
        return
    local: set[tuple[str, str]] = set()
    imported = source.imported_names()
    for name in source.definitions(1, source.last_line):
        key = (path, name.scope, name.text) if name.scope else ("", "", name.text)
        if name.scope:
            local.add((name.scope, name.text))
        elif name.text in imported:
            key = (path, "", name.text)  # another module may import another thing of this name
        if name.line in owner:
            found.inside[key].add(owner[name.line])
            if name.owner:
                found.fields[name.owner, name.text].add(owner[name.line])
        else:
            found.outside.add(key)
    for change in own_changes:
        span = change.old if of_good else change.new
        for name in source.names(span.start, span.start + span.count - 1):
            scope = next((s for s in _scopes(name.scope) if (s, name.text) in local), None)
            if of_good and scope and change.inside is not None:
                continue  # the variable moved with the code around the edit
            if not of_good and owner[name.line] != change.id:
                continue  # the line is an edit inside the code that this change moved
            if not scope and name.text in imported:
                found.used[path, "", name.text].add(change.id)
                if name.line not in imported[name.text]:
                    continue  # what is imported is used only where it is imported
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

    def __init__(
        self, words: Words, read: Dependencies, places: VariantPlaces | None = None
    ) -> None:
        self._requires: dict[ChangeId, set[ChangeId]] = defaultdict(set)
        self._required_by: dict[ChangeId, set[ChangeId]] = defaultdict(set)
        self._seen: dict[ChangeId, set[ChangeId]] = defaultdict(set)  # what compilers said
        for change, others in read.requires.items():
            self._require(change, others)
        self._read = read
        self._places = places or VariantPlaces(())
        self._complaints: Counter[str] = Counter()  # complaints about each name so far
        self._gained, self._lost = words.gained, words.lost

    def _require(self, change: ChangeId, others: Iterable[ChangeId]) -> None:
        """Note that a change requires others."""
        for other in others:
            if other != change:
                self._requires[change].add(other)
                self._required_by[other].add(change)

    def closure(self, reverted: Iterable[ChangeId]) -> Reverted:
        """Return the set with all changes that its members require."""
        return _reachable(reverted, self._requires)

    def dependents(self, kept: Iterable[ChangeId]) -> frozenset[ChangeId]:
        """Return the set with all changes that require one of its members."""
        return _reachable(kept, self._required_by)

    def is_known_to_break(self, reverted: Reverted) -> bool:
        """Has a compiler already said that these changes require another one?"""
        return any(not self._seen[c] <= reverted for c in reverted if c in self._seen)

    def blamed(self, reverted: Reverted, run: Run) -> frozenset[ChangeId]:
        """Return the reverted changes that the complaints of an inconsistent variant concern."""
        found: set[ChangeId] = set()
        for complaint in run.complaints:
            place = self._places.at(reverted, complaint.file, complaint.line)
            near = place.function & reverted if place else frozenset()
            named = {c for name in complaint.names for c in self._touching(name) & reverted}
            found |= named if 0 < len(named) <= _MAX_TIED_BY_BUILD else near
        return frozenset(found)

    def learn(self, reverted: Reverted, run: Run) -> None:
        """Learn from the complaints of an inconsistent variant, such as an undefined name."""
        if run.outcome is Outcome.BROKEN:
            self._learn_from_build(reverted, run.complaints)
        else:
            self._learn_from_test(reverted, run.complaints)

    def _learn_from_build(self, reverted: Reverted, complaints: Sequence[Complaint]) -> None:
        """Tie uses to declarations; without these, tie what the first complaint concerns.

        Later complaints about a function often follow from the first one.  So they count only if
        they name something that changes declare.
        """
        places = [self._places.at(reverted, c.file, c.line) for c in complaints]
        learned: set[frozenset[ChangeId]] = set()
        for complaint, place in zip(complaints, places, strict=True):
            if self._tie_use(reverted, complaint, place):
                learned.add(place.function if place else frozenset())
        for complaint, place in zip(complaints, places, strict=True):
            function = place.function if place else frozenset()
            if function in learned:
                continue
            before = self.closure(reverted)
            if (
                not (place and self._tie_declared(reverted, place, is_local=True))
                and not self._tie_named(reverted, complaint, function)
                and not (place and self._tie_declared(reverted, place))
            ):
                self._tie(function & reverted, function - reverted, _MAX_TIED)
            if self.closure(reverted) != before:
                learned.add(function)

    def _tie_use(
        self, reverted: Reverted, complaint: Complaint, place: VariantPlace | None
    ) -> bool:
        """Tie the change at the place of a complaint to the declarations of the names in it.

        An old use requires the old declarations.  An old declaration requires the old uses.
        """
        is_tied = False
        owner = place.owner if place else None
        for name in complaint.names[:1]:
            declaring = self._declaring(name, complaint, place)
            inside, outside = declaring & reverted, declaring - reverted
            if owner is not None and owner.id in reverted:
                inside |= {owner.id}
            elif owner is not None:
                outside |= {owner.id}
            if declaring and inside and outside:
                before = self.closure(inside)
                self._tie(inside, outside, _MAX_TIED_BY_BUILD)
                is_tied |= self.closure(inside) != before
                if owner is not None and owner.id in reverted:
                    self._seen[owner.id] |= outside
                elif owner is not None:
                    for change in inside:
                        self._seen[change].add(owner.id)
        return is_tied

    def _declaring(
        self, name: str, complaint: Complaint, place: VariantPlace | None
    ) -> frozenset[ChangeId]:
        """Return the changes that declare a name, in the nearest scope; none if it is unclear."""
        function = place.function if place else frozenset()
        everywhere = self._read.declares.get(name, frozenset())
        local = self._read.introduces.get(name, frozenset()) | self._read.removes.get(
            name, frozenset()
        )
        fields = (self._read.fields.get((owner, name)) for owner in complaint.names[1:])
        member: frozenset[ChangeId] = next(filter(None, fields), frozenset())
        found = ((local - everywhere) & function) or member or everywhere
        return found if len(found) <= _MAX_DECLARING else frozenset()

    def _tie_named(
        self, reverted: Reverted, complaint: Complaint, function: frozenset[ChangeId]
    ) -> bool:
        """Tie the changes of the first name that some of them restore and others still lack.

        A name in the function of the complaint may be a local one, so its changes come first.
        """
        for name in complaint.names:
            touching = self._touching(name)
            for nearest in (touching & function, touching):
                inside, outside = nearest & reverted, nearest - reverted
                if inside and outside and len(outside) <= _MAX_TIED_BY_BUILD:
                    self._tie(inside, outside, _MAX_TIED_BY_BUILD)
                    return True
        return False

    def _tie_declared(
        self, reverted: Reverted, place: VariantPlace, *, is_local: bool = False
    ) -> bool:
        """Tie the change at a place to the declarations that it uses, where one is reverted.

        A complaint about a variable whose type changed has no name, or only those of types.
        If `is_local`, the declarations are those of the function.
        """
        owner = place.owner
        if owner is None:
            return False
        is_reverted = owner.id in reverted
        text = owner.removed if is_reverted else owner.added
        is_tied = False
        for word in filter(is_word, tokens(text)):
            name = word.decode("utf-8", "replace")
            declaring = self._read.introduces.get(name, frozenset()) | self._read.removes.get(
                name, frozenset()
            )
            local = declaring & place.function
            for nearest in (local,) if is_local else (local, declaring):
                others = {change for change in nearest if (change in reverted) != is_reverted}
                if others and len(others) <= _MAX_TIED_BY_BUILD:
                    for change in others:
                        first, second = (owner.id, change) if is_reverted else (change, owner.id)
                        self._require(first, {second})
                    is_tied = True
                    break
        return is_tied

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
                self._require(change, others)


def _reachable(
    changes: Iterable[ChangeId], edges: Mapping[ChangeId, AbstractSet[ChangeId]]
) -> frozenset[ChangeId]:
    """Return the changes with all that can be reached from them."""
    found = set(changes)
    todo = list(found)
    while todo:
        new = edges.get(todo.pop(), frozenset()) - found
        found |= new
        todo += new
    return frozenset(found)
