"""What are the independent changes between two trees, and what is the tree of a variant?

Invariants:
1. With all changes reverted, every path is as in the good tree; with none, as in the bad tree.
2. `nodes(reverted)` depends only on the set and is defined for every set.
3. A path that is a directory in both trees is a directory in every variant.
4. No variant needs a file and a directory at the same path: changes that conflict in this way are
   joined into one change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from whence.changes.anchors import (
    Hunks,
    TornFile,
    diff_by_function,
    is_torn,
    same_functions,
    without_moved,
)
from whence.changes.generated import is_generated
from whence.changes.gitdiff import FilePair, diff_files, half_open, span_of
from whence.changes.halves import has_statements
from whence.changes.moves import LineBlock, MovedCode, find_moved
from whence.changes.split import BlockPiece, StatementStarts, split_block
from whence.changes.syntax import ParsedSource, grammar_of
from whence.changes.tree import Entry, EntryKind, Tree, TreeNode, digest, folders_of, matches
from whence.model import Change, ChangeId, ChangeKind, Reverted, Span
from whence.source_lines import lines_with_ends

_MAX_LINE = 2**18  # bytes of a line in a file that is parsed; guessed: 10 MB took minutes
_NO_LINES = Span(0, 0)
CutHunk = list[tuple[BlockPiece, str | None]]  # the pieces of a hunk, with their functions
_EMPTY_DIRECTORY = TreeNode(EntryKind.DIRECTORY, b"")


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes [old_first, old_last) of the good file became [new_first, new_last) of the bad one."""

    change: ChangeId
    old_first: int
    old_last: int
    new_first: int
    new_last: int


@dataclass(frozen=True, slots=True)
class InnerEdit:
    """Bytes [new_first, new_last) of the bad file, in code that moved there, replaced `old`."""

    change: ChangeId
    old: bytes
    new_first: int
    new_last: int
    inside: ChangeId  # the change that added the bytes


@dataclass(frozen=True, slots=True)
class FileChanges:
    """All changes to one file.  `old` or `new` is None if that version lacks the file."""

    old_path: str
    new_path: str
    old: TreeNode | None
    new: TreeNode | None
    presence: ChangeId | None = None  # reverting it adds, removes or moves the file
    mode: ChangeId | None = None
    content: ChangeId | None = None  # the content as a whole
    edits: tuple[Edit, ...] = ()
    inner: tuple[InnerEdit, ...] = ()

    def render(self, reverted: Reverted) -> tuple[str, TreeNode] | None:
        """Return the path and the node of the file in a variant; None if the variant lacks it."""
        if self.old is None or self.new is None:
            node = self.old if self.presence in reverted else self.new
            if node and self.inner and node is self.new:
                node = replace(node, content=self._edited(b"", node.content, reverted))
            return (self.old_path, node) if node else None
        path = self.old_path if self.presence in reverted else self.new_path
        kind = self.old.kind if self.mode in reverted else self.new.kind
        if self.content is not None:
            node = self.old if self.content in reverted else self.new
            return path, node if self.mode is None else replace(node, kind=kind)
        return path, TreeNode(kind, self._edited(self.old.content, self.new.content, reverted))

    def _edited(self, old: bytes, new: bytes, reverted: Reverted) -> bytes:
        undo = [
            (edit.new_first, edit.new_last, old[edit.old_first : edit.old_last])
            for edit in self.edits
            if edit.change in reverted
        ]
        undo += [
            (edit.new_first, edit.new_last, edit.old)
            for edit in self.inner
            if edit.change in reverted and edit.inside not in reverted
        ]
        parts, done = [], 0
        for first, last, text in sorted(undo, key=lambda found: found[:2]):
            parts += [new[done:first], text]
            done = last
        return b"".join([*parts, new[done:]])


@dataclass(frozen=True)
class ChangeSet:
    """The changes between the good and the bad tree."""

    good: Tree
    bad: Tree
    changes: tuple[Change, ...]
    file_changes: tuple[FileChanges, ...]
    hollow: frozenset[str] = frozenset()  # directories in both trees that share no file
    moved: tuple[MovedCode, ...] = ()  # code that moved to another place
    _sources: dict[tuple[bool, str], ParsedSource | None] = field(
        default_factory=dict, compare=False
    )

    @property
    def everything(self) -> Reverted:
        return frozenset(change.id for change in self.changes)

    @cached_property
    def touched(self) -> frozenset[str]:
        """The paths that are not the same in all variants."""
        moved = (path for file in self.file_changes for path in (file.old_path, file.new_path))
        return self.hollow.union(moved)

    @property
    def base(self) -> Path:
        return self.bad.root

    @property
    def base_kinds(self) -> dict[str, EntryKind]:
        return {path: entry.kind for path, entry in self.bad.entries.items()}

    @cached_property
    def _untouched_sum(self) -> int:
        return sum(
            _entry_number(path, entry.kind, entry.digest)
            for path, entry in self.bad.entries.items()
            if path not in self.touched
        )

    def fingerprint(self, reverted: Reverted) -> bytes:
        """Return a hash of the variant's tree: equal trees have equal fingerprints."""
        # A sum does not depend on the order, so that of the untouched files is computed once.
        total = self._untouched_sum + sum(
            _entry_number(path, node.kind, digest(node.content))
            for path, node in self.nodes(reverted).items()
        )
        return (total % 2**256).to_bytes(32, "big")

    def written(self, *, of_good: bool) -> Mapping[str, int]:
        """Return when the files of a version were last written, in nanoseconds."""
        return self._written[of_good]

    @cached_property
    def _written(self) -> dict[bool, dict[str, int]]:
        return {True: self.good.written(), False: self.bad.written()}

    def nodes(self, reverted: Reverted) -> dict[str, TreeNode]:
        """Return the nodes of the variant at touched paths; paths that it lacks are left out."""
        return render_variant(self.file_changes, self.hollow, reverted)

    @property
    def unparsed(self) -> list[str]:
        """The changed files in a known language with a line that is too long to be parsed."""
        return sorted(
            path
            for path in {file.new_path for file in self.file_changes}
            if grammar_of(path) is not None
            and path in self.bad.entries
            and self.bad.entries[path].kind.is_file
            and self.source(path, of_good=False) is None
        )

    def source(self, path: str, *, of_good: bool) -> ParsedSource | None:
        """Parse a file of the good or the bad version; None if its language is unknown.

        A file with a line of great length is not parsed: everything that is asked about a line
        would be asked about most of the file.
        """
        key = (of_good, path)
        if key not in self._sources:
            language = grammar_of(path)
            tree = self.good if of_good else self.bad
            known = language is not None and path in tree.entries
            content = tree.node(path).content if known else b""
            known = known and max(map(len, lines_with_ends(content)), default=0) <= _MAX_LINE
            self._sources[key] = ParsedSource(language, content) if language and known else None
        return self._sources[key]


def _entry_number(path: str, kind: EntryKind, content: bytes) -> int:
    name = path.encode("utf-8", "surrogateescape")
    return int.from_bytes(
        digest(b"%d:%s%s" % (len(name), name, kind.value.encode()) + content), "big"
    )


def render_variant(
    file_changes: Iterable[FileChanges], hollow: frozenset[str], reverted: Reverted
) -> dict[str, TreeNode]:
    """Return the nodes of a variant at the paths that changes touch.

    A hollow directory is a node of its own only if the variant has nothing in it.
    """
    nodes = dict(found for file in file_changes if (found := file.render(reverted)))
    filled = folders_of(nodes) if hollow else set()
    for path in sorted(hollow - filled, reverse=True):  # a subdirectory before its parent
        if path not in filled:
            nodes[path] = _EMPTY_DIRECTORY
            filled |= folders_of([path])
    return nodes


def compare_trees(good: Tree, bad: Tree, keep: Sequence[str] = ()) -> ChangeSet:
    """Find the changes from good to bad.

    Paths that match `keep` are as in the bad tree in every variant, even the good version.
    """
    if keep:
        good = _with_kept(good, bad, keep)
    return _Comparison(good, bad).result()


def _with_kept(good: Tree, bad: Tree, keep: Sequence[str]) -> Tree:
    kept = {path: entry for path, entry in bad.entries.items() if matches(path, keep)}
    above = folders_of(kept)
    others = {
        path: entry
        for path, entry in good.entries.items()
        if not matches(path, keep)
        # Make room for the kept paths: drop files at their directories, and paths below them.
        and path not in above
        and kept.keys().isdisjoint(folders_of([path]))
    }
    return Tree(good.root, {**others, **kept})


def _hollow(good: Mapping[str, Entry], bad: Mapping[str, Entry]) -> frozenset[str]:
    """Return the directories of both trees that hold no common unchanged file."""
    same = [path for path, entry in good.items() if bad.get(path) == entry]
    return frozenset((_directories(good) & _directories(bad)) - folders_of(same) - set(same))


def _directories(entries: Mapping[str, Entry]) -> set[str]:
    empty = {path for path, entry in entries.items() if entry.kind is EntryKind.DIRECTORY}
    return folders_of(entries) | empty


class _Comparison:
    """Builds a change set: finds the file_changes and numbers their changes in reading order."""

    def __init__(self, good: Tree, bad: Tree) -> None:
        self._good, self._bad = good, bad
        self._changes: list[Change] = []
        self._file_changes: list[FileChanges] = []
        self._hollow: frozenset[str] = frozenset()
        self._moved: list[MovedCode] = []
        self._blocks = 0
        self._cut: dict[str, list[CutHunk]] = {}  # by the path of the new file
        self._set = ChangeSet(good, bad, (), ())  # holds the parsed sources

    def result(self) -> ChangeSet:
        good, bad = self._good.entries, self._bad.entries
        differ = {path for path in good.keys() | bad.keys() if good.get(path) != bad.get(path)}
        self._hollow = _hollow(good, bad)
        changed = sorted(differ - self._hollow)
        old = {p: self._good.node(p) for p in changed if p in good}
        new = {p: self._bad.node(p) for p in changed if p in bad}
        pairs = diff_files(
            {p: n.content for p, n in old.items() if self._may_pair(p, n, new)},
            {p: n.content for p, n in new.items() if self._may_pair(p, n, old)},
        )
        renamed = {pair.old: pair.new for pair in pairs}
        hunks = {pair.new: pair.hunks for pair in pairs} | self._compare_lines(pairs)
        came_from = {b: a for a, b in renamed.items()}
        for path in changed:
            if path in renamed and renamed[path] != path:
                continue  # handled at its new path
            origin = came_from.get(path, path)
            self._add(origin, path, old.get(origin), new.get(path), hunks.get(path))
        self._add_moved()
        return self._numbered()

    def _compare_lines(self, pairs: Sequence[FilePair]) -> dict[str, Hunks]:
        """Return the hunks of the files in which a diff of the lines tears functions apart.

        The hunks of the other files are cut here, because their syntax trees are at hand.
        """
        torn = {}
        for pair in pairs:
            old = self._set.source(pair.old, of_good=True)
            new = self._set.source(pair.new, of_good=False)
            if pair.hunks is None or old is None or new is None:
                continue
            if self._is_generated(pair.old, pair.new):
                continue
            lines = self._lines(pair.old, pair.new)
            functions = without_moved(same_functions(old, new), pair.hunks, lines[0])
            if is_torn(functions, pair.hunks):
                torn[pair.new] = TornFile(*lines, functions)
            else:
                self._cut[pair.new] = self._cut_hunks(pair.old, pair.new, pair.hunks)
        return diff_by_function(torn)

    def _is_generated(self, old_path: str, new_path: str) -> bool:
        """Is a file generated in both versions?"""
        sides = ((self._good, old_path), (self._bad, new_path))
        return all(
            is_generated(path, tree.node(path).content, tree.entries) for tree, path in sides
        )

    def _lines(self, old_path: str, new_path: str) -> tuple[list[bytes], list[bytes]]:
        old, new = self._good.node(old_path), self._bad.node(new_path)
        return lines_with_ends(old.content), lines_with_ends(new.content)

    # --- edits of moved code ---------------------------------------------------------------------

    def _add_moved(self) -> None:
        """Add the edits inside code that moved."""
        removed, added = [], []
        for change in self._changes:
            if change.removed and grammar_of(change.old_file):
                block = _line_block(change, change.old_file, change.old, change.removed)
                removed.append(block)
            if change.added and grammar_of(change.file):
                added.append(_line_block(change, change.file, change.new, change.added))
        for moved in find_moved(removed, added):
            self._moved.append(moved)
            if moved.edited:
                self._add_inner(moved)

    def _add_inner(self, moved: MovedCode) -> None:
        """Add the changes of the edited parts of moved code."""
        old_path, new_path = moved.removed.path, moved.added.path
        at, file = next(
            (at, file) for at, file in enumerate(self._file_changes) if file.new_path == new_path
        )
        assert file.new
        old_lines = lines_with_ends(self._good.node(old_path).content)
        new_lines = lines_with_ends(file.new.content)
        new_at = [0, *accumulate(map(len, new_lines))]
        sources = (
            self._set.source(old_path, of_good=True),
            self._set.source(new_path, of_good=False),
        )
        inside = moved.added.change
        found = []
        for whole in moved.edited:
            block = self._new_block()
            for p in split_block(old_lines, new_lines, whole, *map(_starts, sources)):
                change = self._change(
                    ChangeKind.EDIT,
                    replace(file, old_path=old_path),
                    old=span_of(p.old_first, p.old_last),
                    new=span_of(p.new_first, p.new_last),
                    removed=b"".join(old_lines[p.old_first : p.old_last]),
                    added=b"".join(new_lines[p.new_first : p.new_last]),
                    block=block,
                    function=_function(sources[1], p.new_first, p.new_last),
                    inside=inside,
                )
                text = self._changes[change].removed
                found.append(
                    InnerEdit(change, text, new_at[p.new_first], new_at[p.new_last], inside)
                )
        self._file_changes[at] = replace(file, inner=(*file.inner, *found))

    @staticmethod
    def _may_pair(path: str, node: TreeNode, others: Mapping[str, TreeNode]) -> bool:
        return node.kind.is_file and (path not in others or others[path].kind.is_file)

    def _add(
        self,
        old_path: str,
        new_path: str,
        old: TreeNode | None,
        new: TreeNode | None,
        hunks: tuple[tuple[Span, Span], ...] | None,
    ) -> None:
        file = FileChanges(old_path, new_path, old, new)
        if old is None or new is None:
            file = replace(file, presence=self._whole_file(file))
        else:
            if old_path != new_path:
                file = replace(file, presence=self._change(ChangeKind.RENAME, file))
            both_files = old.kind.is_file and new.kind.is_file
            if both_files and old.kind != new.kind:
                file = replace(file, mode=self._change(ChangeKind.MODE, file))
            is_read = both_files and hunks and not self._is_generated(old_path, new_path)
            if old.content != new.content and hunks and is_read:
                file = replace(file, edits=tuple(self._edits(file, hunks)))
            elif old.content != new.content or not (both_files or old.kind == new.kind):
                file = replace(file, content=self._change(ChangeKind.REPLACE, file))
        self._file_changes.append(file)

    def _whole_file(self, file: FileChanges) -> ChangeId:
        node = file.new or file.old
        assert node is not None
        readable = node.kind.is_file and b"\0" not in node.content
        text = node.content if readable else b""
        span = Span(1, len(lines_with_ends(text))) if text else _NO_LINES
        if file.new:
            return self._change(ChangeKind.ADD, file, new=span, added=text)
        return self._change(ChangeKind.DELETE, file, old=span, removed=text)

    def _change(
        self,
        kind: ChangeKind,
        file: FileChanges,
        *,
        old: Span = _NO_LINES,
        new: Span = _NO_LINES,
        removed: bytes = b"",
        added: bytes = b"",
        block: int | None = None,
        function: str | None = None,
        inside: ChangeId | None = None,
    ) -> ChangeId:
        number = ChangeId(len(self._changes))
        if block is None:
            block = self._new_block()
        self._changes.append(
            Change(
                number,
                kind,
                file.new_path,
                file.old_path,
                old,
                new,
                removed,
                added,
                block,
                function,
                inside,
            )
        )
        return number

    def _new_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1

    def _edits(self, file: FileChanges, hunks: Hunks) -> Iterator[Edit]:
        old_lines, new_lines = self._lines(file.old_path, file.new_path)
        old_at = [0, *accumulate(map(len, old_lines))]
        new_at = [0, *accumulate(map(len, new_lines))]
        cut = self._cut.pop(file.new_path, None)
        for pieces in cut or self._cut_hunks(file.old_path, file.new_path, hunks):
            block = self._new_block()
            for p, function in pieces:
                a, b, c, d = p.old_first, p.old_last, p.new_first, p.new_last
                change = self._change(
                    ChangeKind.EDIT,
                    file,
                    old=span_of(a, b),
                    new=span_of(c, d),
                    removed=b"".join(old_lines[a:b]),
                    added=b"".join(new_lines[c:d]),
                    block=block,
                    function=function,
                )
                yield Edit(change, old_at[a], old_at[b], new_at[c], new_at[d])

    def _cut_hunks(self, old_path: str, new_path: str, hunks: Hunks) -> list[CutHunk]:
        """Return the pieces of each hunk of a file."""
        old_lines, new_lines = self._lines(old_path, new_path)
        old_source = self._set.source(old_path, of_good=True)
        new_source = self._set.source(new_path, of_good=False)
        starts = _starts(old_source), _starts(new_source)
        in_halves = new_source is None and has_statements(new_path)
        found: list[CutHunk] = []
        for old, new in hunks:
            whole = BlockPiece(*half_open(old), *half_open(new))
            pieces = split_block(old_lines, new_lines, whole, *starts, in_halves=in_halves)
            found.append([(p, _function_of(p, old_source, new_source)) for p in pieces])
        if old_source and new_source:
            edited = [piece for pieces in found for piece, _ in pieces]
            old_source.prepare(span_of(p.old_first, p.old_last).lines for p in edited)
            new_source.prepare(span_of(p.new_first, p.new_last).lines for p in edited)
        return found

    def _numbered(self) -> ChangeSet:
        """Join the changes that exclude each other, and number all changes in reading order."""
        joined = self._joined()
        order = sorted(
            (change for change in self._changes if joined[change.id] == change.id),
            key=lambda change: (change.file, change.new.start, change.old.start, change.id),
        )
        number = {change.id: ChangeId(i) for i, change in enumerate(order)}
        blocks: dict[int, int] = {}
        changes = tuple(
            replace(
                change,
                id=number[change.id],
                block=blocks.setdefault(change.block, len(blocks)),
                inside=None if change.inside is None else number[joined[change.inside]],
            )
            for change in order
        )

        def final(change: ChangeId | None) -> ChangeId | None:
            return None if change is None else number[joined[change]]

        file_changes = tuple(
            replace(
                file,
                presence=final(file.presence),
                mode=final(file.mode),
                content=final(file.content),
                edits=tuple(replace(e, change=number[joined[e.change]]) for e in file.edits),
                inner=tuple(
                    replace(
                        e,
                        change=number[joined[e.change]],
                        inside=number[joined[e.inside]],
                    )
                    for e in file.inner
                ),
            )
            for file in self._file_changes
        )
        return ChangeSet(
            self._good,
            self._bad,
            changes,
            file_changes,
            self._hollow,
            tuple(self._moved),
            self._set._sources,
        )

    def _joined(self) -> dict[ChangeId, ChangeId]:
        """Map each change to the change that it is joined with (invariant 4)."""
        owner = {change.id: change.id for change in self._changes}

        def find(change: ChangeId) -> ChangeId:
            while owner[change] != change:
                change = owner[change]
            return change

        presence: dict[str, list[ChangeId]] = defaultdict(list)
        files = set()
        for file in self._file_changes:
            for path, node in ((file.old_path, file.old), (file.new_path, file.new)):
                if node is not None and file.presence is not None:
                    presence[path].append(file.presence)
                if node is not None and node.kind is not EntryKind.DIRECTORY:
                    files.add(path)
        for path, changes in presence.items():
            for folder in (*folders_of([path]), path):
                # This includes a path that is a file in one tree and a directory in the other.
                if folder in files and folder in presence:
                    for change in (*changes, *presence[folder]):
                        first, second = sorted((find(change), find(presence[folder][0])))
                        owner[second] = first
        return {change: find(change) for change in owner}


def _line_block(change: Change, path: str, span: Span, text: bytes) -> LineBlock:
    return LineBlock(change.id, path, span.start - 1, lines_with_ends(text))


def _starts(source: ParsedSource | None) -> StatementStarts | None:
    if source is None:
        return None
    return lambda first, last: {line - 1 for line in source.statement_starts(first + 1, last)}


def _function_of(
    piece: BlockPiece, old: ParsedSource | None, new: ParsedSource | None
) -> str | None:
    """Return the function that a piece changes: the new one, or else the old one."""
    before = _function(old, piece.old_first, piece.old_last)
    if piece.new_first == piece.new_last:
        return before
    return _function(new, piece.new_first, piece.new_last) or before


def _function(source: ParsedSource | None, first: int, last: int) -> str | None:
    found = source.function_at(max(first + (last > first), 1)) if source else None
    return found.name if found else None


def function_groups(changes: Iterable[Change]) -> list[frozenset[ChangeId]]:
    """Group the changes by function; changes outside functions are grouped by block."""
    return _grouped(changes, lambda c: (c.file, c.function) if c.function else c.block)


def blocks(changes: Iterable[Change]) -> list[frozenset[ChangeId]]:
    """Group the changes by block: one contiguous sequence of changed lines."""
    return _grouped(changes, lambda change: change.block)


def pieces(changes: Iterable[Change]) -> list[frozenset[ChangeId]]:
    """Return each change as a group of its own."""
    return _grouped(changes, lambda change: change.id)


def _grouped(
    changes: Iterable[Change], key: Callable[[Change], Hashable]
) -> list[frozenset[ChangeId]]:
    found: dict[Hashable, set[ChangeId]] = defaultdict(set)
    for change in changes:
        found[key(change)].add(change.id)
    return sorted(map(frozenset, found.values()), key=min)
