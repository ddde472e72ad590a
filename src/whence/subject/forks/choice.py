"""Which modules can be imported before the variant is known?

Those that are the same in every variant: no change touches their file, nor that of any module
they import, nor a file that they read; and to import them does nothing but define things.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_PLAIN_LOADERS = ("_frozen_importlib", "_frozen_importlib_external", "zipimport")


@dataclass(frozen=True)
class Learned:
    """What one run of the test imported; all by the name of the module, in order of import."""

    found: Mapping[str, tuple[str, str]]  # the module of its loader, and its file
    brought: Mapping[str, list[str]]  # what its import tried to import, or put into sys.modules
    reads: Mapping[str, list[str]]  # what it opened on import; a folder ends with a slash
    impure: Mapping[str, str]  # what its import did besides
    failed: list[str]  # whose import raised, and whoever wanted them did without
    path: list[str]  # sys.path at the end


@dataclass(frozen=True)
class Touched:
    """What the changes can do to a tree."""

    tree: Path
    paths: frozenset[str]  # that some variant has differently
    comes_and_goes: frozenset[str]  # those of them that some variant does not have

    def __contains__(self, path: str) -> bool:
        """Can a variant have this file, or this folder, differently?"""
        root = f"{self.tree}/"
        if path.endswith("/"):
            return path.startswith(root) or root.startswith(path)
        return path.startswith(root) and path[len(root) :] in self.paths

    def names(self, folders: Iterable[str] | None = None) -> set[str]:
        """The modules, without their packages, that not all variants have; in `folders` or all."""
        found = set()
        for path in map(PurePosixPath, self.comes_and_goes):
            module = path.parent if path.name == "__init__.py" else path
            if folders is None or os.path.join(self.tree, module.parent) in folders:
                found.add(module.name.partition(".")[0])
        return found


def preimportable(learned: Learned, touched: Touched, unfit: Iterable[str] = ()) -> list[str]:
    """Return the modules that can be imported early, in the order in which to do it."""
    folders = {os.path.normpath(os.path.join(touched.tree, entry)) for entry in learned.path}
    elsewhere, hides = touched.names(), touched.names(folders)
    needs = {
        name: {*_parents(name), *learned.brought[name], learned.found[name][0]}
        for name in learned.found
    }
    dirty = {*unfit, *learned.impure}
    for name, (loader, file) in learned.found.items():
        # An import that failed in this run may not fail where a file comes or goes.
        missed = (need.rpartition(".")[2] for need in needs[name] - learned.found.keys())
        if (
            # What has a file is loaded by Python itself, and not rewritten as pytest does; what
            # has none was made up by a loader, such as that of six, and is no folder.
            ((loader in _PLAIN_LOADERS) != bool(file) or file in touched or name in hides)
            or any(path in touched for path in learned.reads.get(name, ()))
            or not elsewhere.isdisjoint(missed)
        ):
            dirty.add(name)
    while more := {name for name in needs.keys() - dirty if not dirty.isdisjoint(needs[name])}:
        dirty |= more
    return [name for name in learned.found if name not in dirty.union(learned.failed)]


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
