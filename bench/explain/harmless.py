"""How is a seeded fault hidden among harmless changes?

`hide` makes three versions of a program: good, bad, and `harmless`, which has every change of bad
except the fault.  `bench.explain.pairs` builds and runs all three to verify them.
"""

from __future__ import annotations

import difflib
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from bench.explain import features, filler, refactorings, renames, reorderings
from bench.explain.desk import Desk, Fault, Recipe, Rewrite
from bench.explain.source import Edit, words_of
from bench.isolate.score import Place, hits
from bench.why import suite
from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import Change

Files = dict[str, bytes]

# Relative frequency of each kind of change; guessed.
KINDS: dict[tuple[Recipe, ...], float] = {
    (renames.local, renames.shared, renames.field): 1.0,
    reorderings.REORDERINGS: 1.5,
    refactorings.RECIPES: 4.0,
    features.RECIPES: 2.0,
    reorderings.LAYOUT: 1.5,
}
ATTEMPTS = 30
MOST = 14  # limit on changes beyond the wanted number: a rename cannot be cut
LINES_PER_CHANGE = 6  # lines of the program for each change; other changes go into added functions
CHANGES_PER_FUNCTION = 3
NOWHERE = (-9, 0)  # a span that overlaps no line


class TooSmallError(Exception):
    """The program has no room for another change."""


@dataclass(frozen=True)
class Hidden:
    """A pair of versions whose difference holds a fault; the trees have no test input yet."""

    good: Files
    bad: Files
    harmless: Files
    culprit: Place  # the change that holds the fault, or the span from its first to its last change
    changes: int
    kinds: dict[str, int]  # the number of rewrites of each kind
    is_alone: bool  # does reverting the culprits alone give `harmless`?


def hide(fault: suite.Fault, wanted: int, seed: int = 1, *, tangled: bool = False) -> Hidden:
    """Make between `wanted` and `wanted + MOST` changes; one of them is the fault.

    The same arguments give the same versions.  With `tangled`, a name in the faulty lines is
    renamed as well if possible, so that the fault cannot be reverted alone.
    """
    extra = max(0, wanted - len(fault.correct.splitlines()) // LINES_PER_CHANGE)
    functions = -(-extra // CHANGES_PER_FUNCTION)
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{fault.program}/{fault.name}/{wanted}/{seed}/{tangled}/{attempt}")
        try:
            # Where lines were removed, a rename beside them may always join the change.
            hidden = _hidden(fault, wanted, functions, rng, tangled and attempt < ATTEMPTS // 3)
        except TooSmallError:
            functions += 1 + functions // 2
        else:
            if hidden is not None:
                return hidden
    raise TooSmallError(f"{fault.program}/{fault.name}: no {wanted} changes around it")


def _hidden(
    fault: suite.Fault, wanted: int, functions: int, rng: random.Random, tangled: bool
) -> Hidden | None:
    """Return the pair, or None if the change with the fault holds more than the fault."""
    file = f"{fault.program}.c"
    desk = Desk({file: fault.faulty.encode()}, list(_places(file, fault)), rng, tangled)
    _add_filler(desk, file, functions)
    good = desk.mended()
    desk.written.clear()
    kinds: Counter[str] = Counter()
    pool = _pool()
    if tangled and (rename := _through_fault(desk, file)):
        desk.apply(rename)
        kinds[rename.kind] += 1
    changes = _compared(good, desk.files)
    while len(changes.changes) < wanted:
        for _ in range(max(1, (wanted - len(changes.changes)) // 4)):
            rewrite = _choose(pool, desk)
            desk.apply(rewrite)
            kinds[rewrite.kind] += 1
        changes = _compared(good, desk.files)
    culprits = _culprits(changes, desk)
    is_alone = bool(culprits) and _without(changes, culprits) == desk.mended()[file]
    if not is_alone and not (tangled and _hold_nothing_else(culprits, desk)):
        return None
    return Hidden(
        good,
        desk.files,
        desk.mended(),
        _cover([_place(change) for change in culprits]),
        len(changes.changes),
        dict(kinds),
        is_alone,
    )


def _places(file: str, fault: suite.Fault) -> Iterator[Fault]:
    """Yield the lines in which the faulty program differs from the correct one."""
    old = fault.correct.encode().splitlines(keepends=True)
    new = fault.faulty.encode().splitlines(keepends=True)
    starts = [0, *accumulate(len(line) for line in new)]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what != "equal":
            yield Fault(file, starts[k], starts[m], b"".join(old[i:j]))


def _add_filler(desk: Desk, file: str, functions: int) -> None:
    """Add modules to both versions, which `main` runs first."""
    if not functions:
        return
    source = desk.sources[file]
    (main,) = [function for function in source.functions if function.name == b"main"]
    include = max(node.end_byte for node in source.nodes("preproc_include"))
    at = source.line_end(main.body.start_byte)
    call = b"    if (%s < 0)\n        return 70;\n" % filler.CALL
    edits = [source.put(include, b'#include "extras.h"\n'), source.put(at, call)]
    edits += [Edit(name, 0, 0, text) for name, text in filler.modules(functions, desk.rng).items()]
    desk.apply(Rewrite("feature", edits))


# --- choosing ----------------------------------------------------------------------------------

Pool = dict[Recipe, tuple[float, set[str]]]


def _pool() -> Pool:
    """Return each recipe with its weight and the files in which it found nothing more to change."""
    return {
        recipe: (weight / len(recipes), set())
        for recipes, weight in KINDS.items()
        for recipe in recipes
    }


def _choose(pool: Pool, desk: Desk) -> Rewrite:
    """Return a random rewrite of a random kind in a random file; longer files are likelier."""
    while pool:
        recipes = list(pool)
        (recipe,) = desk.rng.choices(recipes, [pool[each][0] for each in recipes])
        spent = pool[recipe][1]
        files = [file for file in desk.sources if file not in spent]
        if not files:
            del pool[recipe]
            continue
        sizes = [len(desk.files[file]) for file in files]
        (file,) = desk.rng.choices(files, sizes)
        for rewrite in recipe(desk.sources[file], desk):
            if desk.admits(rewrite):
                return rewrite
        # Rewrites are never undone, so this recipe finds nothing here later either.
        spent.add(file)
    raise TooSmallError


def _through_fault(desk: Desk, file: str) -> Rewrite | None:
    """Return a rename of a name in the faulty or the correct lines, if there is one."""
    names = {word for fault in desk.faults for word in words_of(fault.old)}
    for fault in desk.faults:
        names |= words_of(desk.files[file][fault.start : fault.end])
    for recipe in (renames.local, renames.shared):
        for rewrite in recipe(desk.sources[file], desk):
            if rewrite.name in names and desk.admits(rewrite) and desk.touches_fault(rewrite):
                return rewrite
    return None


# --- counting ----------------------------------------------------------------------------------


def _compared(good: Files, bad: Files) -> ChangeSet:
    with tempfile.TemporaryDirectory() as name:
        for side, files in (("good", good), ("bad", bad)):
            write(files, Path(name) / side)
        return compare_trees(read_tree(Path(name) / "good"), read_tree(Path(name) / "bad"))


def write(files: Files, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text)


def _place(change: Change) -> Place:
    old, new = change.old, change.new
    return Place(change.file, (old.start, old.count), (new.start, new.count))


def _cover(places: list[Place]) -> Place:
    """Return the span from the first to the last of some places of a file."""
    if len(places) == 1:
        return places[0]
    old = [_ends(place.old) for place in places]
    new = [_ends(place.new) for place in places]
    return Place(places[0].file, _from_first_to_last(old), _from_first_to_last(new))


def _from_first_to_last(ends: list[tuple[int, int]]) -> tuple[int, int]:
    first = min(start for start, _ in ends)
    return first, max(end for _, end in ends) - first


def _without(changes: ChangeSet, culprits: list[Change]) -> bytes:
    """Return the file of the culprits with the culprits reverted."""
    nodes = changes.nodes(frozenset(change.id for change in culprits))
    return nodes[culprits[0].file].content


def _culprits(changes: ChangeSet, desk: Desk) -> list[Change]:
    """Return the changes that write the faulty lines, or lie where the fault removed lines."""
    return [
        change
        for change in changes.changes
        if any(_writes(change, place) for place in _faulty_lines(desk))
    ]


def _writes(change: Change, place: Place) -> bool:
    if place.new[1] and change.new.count:
        return place.file == change.file and bool(
            set(change.new.lines).intersection(range(*_ends(place.new)))
        )
    return hits(_place(change), place)


def _hold_nothing_else(culprits: list[Change], desk: Desk) -> bool:
    lines = {line for place in _faulty_lines(desk) for line in range(*_ends(place.new))}
    return bool(culprits) and all(lines.issuperset(change.new.lines) for change in culprits)


def _ends(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], span[0] + span[1]


def _faulty_lines(desk: Desk) -> list[Place]:
    places = []
    for fault in desk.faults:
        text = desk.files[fault.file]
        above = text.count(b"\n", 0, fault.start)
        count = text.count(b"\n", fault.start, fault.end)
        if count:
            places.append(Place(fault.file, NOWHERE, (above + 1, count)))
        else:
            gaps = _gaps(text.splitlines(), above, fault.old.splitlines())
            places += [Place(fault.file, NOWHERE, (gap, 0)) for gap in gaps]
    return places


def _gaps(lines: list[bytes], above: int, removed: list[bytes]) -> list[int]:
    """Return all places where lines may have been removed: the numbers of lines above them.

    before: a  b  a  c    after: a  c    `b a` was removed below line 1, or `a b` above it
    """
    found = [above]
    up, block = above, removed
    while up and block and lines[up - 1] == block[-1]:
        up, block = up - 1, [block[-1], *block[:-1]]
        found.append(up)
    down, block = above, removed
    while down < len(lines) and block and lines[down] == block[0]:
        down, block = down + 1, [*block[1:], block[0]]
        found.append(down)
    return found
