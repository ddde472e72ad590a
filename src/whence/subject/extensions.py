"""Which compiled modules of a Python project keep its variants from being what they should be?

What was compiled before stays as it is, whatever a variant has of its source.  Where the source is
Python and lies beside it, Python runs just as well without the compiled module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from whence.changes.tree import Entry, Tree, matches

_COMPILED = re.compile(r"(?P<module>(?:.*/)?[^/.]+)(?P<tag>\.[^/]+)?\.(?:so|pyd)")
_OF_PYTHON = re.compile(r"\.(?:cpython-|pypy|cp\d|abi3)")  # so are libraries not called
_SOURCES = (".pyx", ".pxd", ".pxi", ".c", ".cc", ".cpp", ".cxx", ".h", ".rs")
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Extensions:
    """The compiled modules of a tree, each with its sources."""

    spare: Mapping[str, tuple[str, ...]]  # Python has the same module
    needed: Mapping[str, tuple[str, ...]]


def extensions(tree: Tree) -> Extensions:
    """Find the compiled modules of a tree."""
    spare, needed = {}, {}
    for path in tree.entries:
        if compiled := _COMPILED.fullmatch(path):
            source = compiled["module"] + ".py"
            others = (compiled["module"] + end for end in _SOURCES)
            if source in tree.entries:
                spare[path] = (source,)
            elif _OF_PYTHON.match(compiled["tag"] or ""):
                needed[path] = tuple(other for other in others if other in tree.entries)
    return Extensions(spare, needed)


def without_spare(good: Tree, bad: Tree, keep: Iterable[str] = ()) -> tuple[Tree, Tree, list[str]]:
    """Return two versions without the compiled modules that would hide changes, and what to say.

    All that can be spared go, or none: modules of one build belong together.
    """
    notes = []
    found = {name: extensions(tree) for name, tree in (("good", good), ("bad", bad))}
    changed = {path for path in {*good.entries, *bad.entries} if _differs(path, good, bad, keep)}
    spare = {**found["good"].spare, **found["bad"].spare}
    if any(not changed.isdisjoint(sources) for sources in spare.values()):
        notes.append(
            f"Run without {_named(spare)}, compiled from Python: with it, changes to its source "
            "would have no effect."
        )
        good, bad = _without(good, found["good"].spare), _without(bad, found["bad"].spare)
    needed = {**found["good"].needed, **found["bad"].needed}
    if stale := [path for path, sources in needed.items() if not changed.isdisjoint(sources)]:
        notes.append(
            f"Nothing compiles {_named(stale)} again, so changes to its source have no effect; "
            "--build can do that."
        )
    return good, bad, notes


def _differs(path: str, good: Tree, bad: Tree, keep: Iterable[str]) -> bool:
    return good.entries.get(path) != bad.entries.get(path) and not matches(path, keep)


def _without(tree: Tree, paths: Mapping[str, object]) -> Tree:
    rest: dict[str, Entry] = {p: entry for p, entry in tree.entries.items() if p not in paths}
    return replace(tree, entries=rest)


def _named(paths: Iterable[str]) -> str:
    names = sorted(paths)
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
