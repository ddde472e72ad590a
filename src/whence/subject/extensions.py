"""Which compiled extension modules hide changes to their Python sources?

Without a build command, a compiled module stays as it is in every variant, whatever its source is.
If its source is a Python module in the same folder, the tests can run without the compiled one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from whence.changes.tree import Entry, Tree, matches

_COMPILED = re.compile(r"(?P<module>(?:.*/)?[^/.]+)(?P<tag>\.[^/]+)?\.(?:so|pyd)")
_PYTHON_TAG = re.compile(r"\.(?:cpython-|pypy|cp\d|abi3)")  # plain shared libraries have no tag
_SOURCES = (".pyx", ".pxd", ".pxi", ".c", ".cc", ".cpp", ".cxx", ".h", ".rs")
_MAX_NAMED = 3  # limit on modules that a note names


@dataclass(frozen=True, slots=True)
class Extensions:
    """The compiled modules of a tree, each with its sources."""

    spare: Mapping[str, tuple[str, ...]]  # the same module exists as Python source
    needed: Mapping[str, tuple[str, ...]]  # it does not


def extensions(tree: Tree) -> Extensions:
    """Find the compiled modules of a tree."""
    spare, needed = {}, {}
    for path in tree.entries:
        if compiled := _COMPILED.fullmatch(path):
            source = compiled["module"] + ".py"
            others = (compiled["module"] + end for end in _SOURCES)
            if source in tree.entries:
                spare[path] = (source,)
            elif _PYTHON_TAG.match(compiled["tag"] or ""):
                needed[path] = tuple(other for other in others if other in tree.entries)
    return Extensions(spare, needed)


def without_spare(good: Tree, bad: Tree, keep: Iterable[str] = ()) -> tuple[Tree, Tree, list[str]]:
    """Return both versions without compiled modules that hide changes, and notes for the user.

    Either all spare modules are removed, or none: modules of one build belong together.
    """
    notes = []
    found = {name: extensions(tree) for name, tree in (("good", good), ("bad", bad))}
    changed = {path for path in {*good.entries, *bad.entries} if _differs(path, good, bad, keep)}
    spare = {**found["good"].spare, **found["bad"].spare}
    if any(not changed.isdisjoint(sources) for sources in spare.values()):
        notes.append(
            f"The test runs without {_named(spare)}, compiled from Python: with it, changes to its "
            "source would have no effect."
        )
        good, bad = _without(good, found["good"].spare), _without(bad, found["bad"].spare)
    needed = {**found["good"].needed, **found["bad"].needed}
    if stale := [path for path, sources in needed.items() if not changed.isdisjoint(sources)]:
        notes.append(
            f"No command compiles {_named(stale)} again, so changes to its source have no effect. "
            "Use --build to compile it."
        )
    return good, bad, notes


def _differs(path: str, good: Tree, bad: Tree, keep: Iterable[str]) -> bool:
    return good.entries.get(path) != bad.entries.get(path) and not matches(path, keep)


def _without(tree: Tree, paths: Mapping[str, object]) -> Tree:
    rest: dict[str, Entry] = {p: entry for p, entry in tree.entries.items() if p not in paths}
    return replace(tree, entries=rest)


def _named(paths: Iterable[str]) -> str:
    names = sorted(paths)
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
