"""Which changes are worth trying first?

Each change gets a weight from the lines that the two reference runs executed, where they diverged,
and what the failure names.  The weight only decides the order of runs.  Every change keeps some
weight, because a change can act without being executed (data, build files, declarations).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from whence.changes.changeset import ChangeSet, FileChanges
from whence.changes.halves import has_statements
from whence.changes.syntax import ParsedSource, grammar_of, is_word, tokens
from whence.model import Change, ChangeId, ChangeKind, Complaint, Span
from whence.search.dependencies import read_words
from whence.source_lines import lines_with_ends

Covered = Mapping[str, frozenset[int]]  # file to executed lines

# What Python says if a name is missing.
_MISSING = re.compile(
    r"has no attribute '(\w+)'|cannot import name '(\w+)'|name '(\w+)' is not defined"
    r"|unexpected keyword argument '(\w+)'|No module named '([\w.]+)'"
)
_MODULE = re.compile(r"module '([\w.]+)'|from '([\w.]+)'")
# Weight factors; guessed.
_NOT_EXECUTED = 0.01
_AT_IMPORT = 0.25  # executed, but outside any function: most such code always runs
_COMMENT = 0.001
_NO_SOURCE = 0.05  # the change is in a file without statements, such as a README
_MINOR = 0.1  # the change only declares or renames things
_BAD_ONLY = 4.0  # unchanged lines of the same function were executed only in the bad version
_GOOD_ONLY = 2.0  # unchanged lines of the same function were executed only in the good version
_NAMED = 8.0  # divided among the changes that touch a name in the failure's message
_FEW_LINES = 3  # other lines that a change which moves code may have; guessed
_WITHDRAWS = 16.0  # the change takes away a name that the failure says is missing
_ON_THE_STACK = 4.0  # the change is in a function of the failure's stack trace


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the reference runs show: the executed lines of each, and the failure's output."""

    good: Covered | None = None
    bad: Covered | None = None
    frames: tuple[Complaint, ...] = ()
    message: str = ""  # the failure's message; it includes the failed line of the test


def executed(changes: ChangeSet, evidence: Evidence) -> frozenset[ChangeId] | None:
    """Return the changes with a line that a reference run executed; None without coverage."""
    if not evidence.good and not evidence.bad:
        return None
    return frozenset(c.id for c in changes.changes if _is_executed(changes, c, evidence))


def weigh(
    changes: ChangeSet,
    evidence: Evidence,
    ran: frozenset[ChangeId] | None,
    minor: frozenset[ChangeId],
    withdrawn: frozenset[ChangeId] = frozenset(),
) -> dict[ChangeId, float]:
    """Return how suspicious each change is, relative to the others.

    `ran`, `minor` and `withdrawn` are the results of `executed`, `find_minor` and `withdrawing`.
    """
    divergent = _divergent_functions(changes, evidence)
    stack = _functions_of(changes, evidence.frames)
    named = _named(changes, evidence.message)
    return {
        c.id: _weigh(changes, c, ran, divergent, stack)
        * (_MINOR if c.id in minor else 1.0)
        * named.get(c.id, 1.0)
        * (_WITHDRAWS if c.id in withdrawn else 1.0)
        for c in changes.changes
    }


def weigh_by_kind(changes: ChangeSet) -> dict[ChangeId, float]:
    """Return how suspicious each change is if no run is known: source code before other files."""
    minor = find_minor(changes)
    return {
        change.id: _weigh(changes, change, None, {}, frozenset())
        * (_MINOR if change.id in minor else 1.0)
        * (1.0 if grammar_of(change.file) or has_statements(change.file) else _NO_SOURCE)
        for change in changes.changes
    }


def _named(changes: ChangeSet, message: str) -> dict[ChangeId, float]:
    """Return the factor of each change that touches a name in the message; more for rare names."""
    words = read_words(changes.changes)
    found: dict[ChangeId, float] = defaultdict(lambda: 1.0)
    for name in sorted(set(re.findall(r"[A-Za-z_]\w+", message))):
        touching = words.gained.get(name, set()) | words.lost.get(name, set())
        for change in touching:
            found[change] += _NAMED / len(touching)
    return found


def _missing_names(message: str) -> Iterator[str]:
    """Yield the names that a failure says are missing."""
    for match in _MISSING.finditer(message):
        yield next(filter(None, match.groups())).rpartition(".")[2]


def withdrawing(
    changes: ChangeSet, removes: Mapping[str, frozenset[ChangeId]], message: str
) -> frozenset[ChangeId]:
    """Return the changes that take away a name which the failure says is missing.

    Such a change is no mere renaming: the test uses the old name.  `removes` has the changes that
    remove a definition, by name.  If the failure says which module lacks the name, only changes of
    that module count.
    """
    names = (removes.get(name, frozenset()) for name in _missing_names(message))
    found = frozenset[ChangeId]().union(*names)
    modules = ["".join(groups).replace(".", "/") for groups in _MODULE.findall(message)]
    files = tuple(f"/{module}{end}" for module in modules for end in (".py", "/__init__.py"))
    own = frozenset(c for c in found if f"/{changes.changes[c].file}".endswith(files))
    return own or found


def find_minor(changes: ChangeSet) -> frozenset[ChangeId]:
    """Return the changes that only declare, rename or move things."""
    declaring = {
        c.id for c in changes.changes if _all_lines(changes, c, ParsedSource.is_declaration)
    }
    return find_renamings(changes) | find_moves(changes) | declaring


def find_moves(changes: ChangeSet) -> frozenset[ChangeId]:
    """Return the changes that mostly remove or add code that moved.

    What was edited in such code is a change of its own.
    """
    old: dict[str, set[int]] = defaultdict(set)
    new: dict[str, set[int]] = defaultdict(set)
    for code in changes.moved:
        for piece in (*code.equal, *code.edited):
            old[code.removed.path].update(range(piece.old_first + 1, piece.old_last + 1))
            new[code.added.path].update(range(piece.new_first + 1, piece.new_last + 1))
    return frozenset(
        change.id
        for change in changes.changes
        if change.inside is None
        and not (
            old[change.old_file].isdisjoint(change.old.lines)
            and new[change.file].isdisjoint(change.new.lines)
        )
        and _is_most(change.old.lines, old[change.old_file])
        and _is_most(change.new.lines, new[change.file])
    )


def _is_most(lines: range, moved: set[int]) -> bool:
    """Are most of the lines among those that moved?  A few others, such as imports, may not be."""
    return len(lines) - len(moved.intersection(lines)) <= max(_FEW_LINES, len(lines) // 4)


def find_renamings(changes: ChangeSet) -> frozenset[ChangeId]:
    """Return the changes that only replace removed names by new names."""
    old: dict[str, set[bytes]] = defaultdict(set)
    new: dict[str, set[bytes]] = defaultdict(set)
    words = {c.id: (tokens(c.removed), tokens(c.added)) for c in changes.changes}
    for change in changes.changes:
        old[change.file].update(words[change.id][0])
        new[change.file].update(words[change.id][1])

    def is_renaming(change: Change) -> bool:
        before, after = words[change.id]
        if change.kind is not ChangeKind.EDIT or len(before) != len(after):
            return False
        pairs = {(a, b) for a, b in zip(before, after, strict=True) if a != b}
        return bool(pairs) and all(
            is_word(a) and is_word(b) and a not in new[change.file] and b not in old[change.file]
            for a, b in pairs
        )

    return frozenset(change.id for change in changes.changes if is_renaming(change))


def _weigh(
    changes: ChangeSet,
    change: Change,
    ran: frozenset[ChangeId] | None,
    divergent: Mapping[tuple[str, str], float],
    stack: frozenset[tuple[str, str]],
) -> float:
    if _all_lines(changes, change, ParsedSource.is_comment):
        return _COMMENT
    weight = 1.0
    place = (change.file, change.function or "")
    if ran is not None:
        weight = 1.0 if change.id in ran else _NOT_EXECUTED
        if weight == 1.0 and not _in_function(changes, change):
            weight = _AT_IMPORT
        weight *= divergent.get(place, 1.0)
    return weight * (_ON_THE_STACK if place in stack else 1.0)


def _in_function(changes: ChangeSet, change: Change) -> bool:
    source = changes.source(change.file, of_good=False)
    function = source.function_at(max(change.new.start, 1)) if source else None
    return function is not None and not function.is_class


def _is_executed(changes: ChangeSet, change: Change, evidence: Evidence) -> bool:
    old = _lines(changes.source(change.old_file, of_good=True), change.old)
    new = _lines(changes.source(change.file, of_good=False), change.new)
    good = (evidence.good or {}).get(change.old_file, frozenset())
    bad = (evidence.bad or {}).get(change.file, frozenset())
    if change.kind in (ChangeKind.RENAME, ChangeKind.MODE, ChangeKind.REPLACE):
        return bool(good or bad)
    return not good.isdisjoint(old) or not bad.isdisjoint(new)


def _lines(source: ParsedSource | None, span: Span) -> Iterable[int]:
    """Return the lines that must run for a change to take effect.

    A Python function's head runs when it is defined, so its body counts instead, unless the
    whole function is one line.
    """
    if not span.count or source is None:
        return span.lines
    lines = source.statement_lines(span.start, span.lines.stop - 1)
    function = source.function_at(span.start)
    if function and not function.is_class and lines.start <= function.first:
        return range(min(function.first + 1, function.last), function.last + 1)
    return lines


def _all_lines(
    changes: ChangeSet, change: Change, holds: Callable[[ParsedSource, int, bytes], bool]
) -> bool:
    """Does `holds` return True for every line of a change, old and new?"""
    if change.kind is not ChangeKind.EDIT:
        return False
    for text, span, path, of_good in (
        (change.removed, change.old, change.old_file, True),
        (change.added, change.new, change.file, False),
    ):
        source = changes.source(path, of_good=of_good)
        if source is None:
            return False
        lines = zip(span.lines, lines_with_ends(text), strict=True)
        if not all(holds(source, number, line.rstrip(b"\r\n")) for number, line in lines):
            return False
    return True


def _divergent_functions(changes: ChangeSet, evidence: Evidence) -> dict[tuple[str, str], float]:
    """Return the functions in which the runs executed different unchanged lines, with a factor."""
    found: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    if evidence.good is None or evidence.bad is None:
        return {}
    for file in changes.file_changes:
        source = changes.source(file.new_path, of_good=False)
        if source is None or file.old is None or file.new is None:
            continue
        good = evidence.good.get(file.old_path, frozenset())
        bad = evidence.bad.get(file.new_path, frozenset())
        for old, new in _unchanged(changes, file):
            if (old in good) != (new in bad) and (function := source.function_at(new)):
                place = (file.new_path, function.name)
                factor = _BAD_ONLY if new in bad else _GOOD_ONLY
                found[place] = max(found[place], factor)
    return dict(found)


def _unchanged(changes: ChangeSet, file: FileChanges) -> Iterable[tuple[int, int]]:
    """Yield the unchanged lines of a file, each as (old number, new number)."""
    assert file.new is not None
    old = new = 1
    for edit in file.edits:
        change = changes.changes[edit.change]
        first = change.new.start if change.new.count else change.new.start + 1
        yield from zip(range(old, old + first - new), range(new, first), strict=True)
        old += first - new + change.old.count
        new = first + change.new.count
    count = len(lines_with_ends(file.new.content))
    yield from ((old + i, new + i) for i in range(max(0, count - new + 1)))


def _functions_of(changes: ChangeSet, frames: Iterable[Complaint]) -> frozenset[tuple[str, str]]:
    """Return the functions of changed files that the frames name, as (file, function)."""
    found = set()
    for frame in frames:
        if frame.file is None or frame.line is None or frame.file not in changes.touched:
            continue
        source = changes.source(frame.file, of_good=False)
        function = source.function_at(frame.line) if source else None
        if function:
            found.add((frame.file, function.name))
    return frozenset(found)
