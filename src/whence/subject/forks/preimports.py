"""Which modules can be imported before the variant is known?

Modules that are the same in every variant: no change touches their file, the file of a module that
they import, or a file that they read.  And their import only defines things.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_PLAIN_LOADERS = ("_frozen_importlib", "_frozen_importlib_external", "zipimport")


@dataclass(frozen=True)
class ImportReport:
    """The imports of one run of the test, by name of the module, in order of import."""

    found: Mapping[str, tuple[str, str]]  # (the module of its loader, its file)
    loads: Mapping[str, list[str]]  # the modules that its import imports or puts into sys.modules
    reads: Mapping[str, list[str]]  # the paths that its import opens; a folder ends with a slash
    impure: Mapping[str, str]  # a side effect of its import
    failed: list[str]  # modules whose import raised an exception that the test caught
    path: list[str]  # sys.path at the end


@dataclass(frozen=True)
class Touched:
    """The paths of a tree that changes can affect."""

    tree: Path
    paths: frozenset[str]  # paths that are not the same in all variants
    comes_and_goes: frozenset[str]  # those of them that some variant lacks

    def __contains__(self, path: str) -> bool:
        """Can this file or folder differ between variants?"""
        root = f"{self.tree}/"
        if path.endswith("/"):
            return path.startswith(root) or root.startswith(path)
        return path.startswith(root) and path[len(root) :] in self.paths

    def names(self, folders: Iterable[str] | None = None) -> set[str]:
        """Return the last names of modules that some variant lacks; only those in `folders`."""
        found = set()
        for path in map(PurePosixPath, self.comes_and_goes):
            module = path.parent if path.name == "__init__.py" else path
            if folders is None or os.path.join(self.tree, module.parent) in folders:
                found.add(module.name.partition(".")[0])
        return found


def preimportable(report: ImportReport, touched: Touched, unfit: Iterable[str] = ()) -> list[str]:
    """Return the modules that can be imported early, in the order in which to do it."""
    folders = {os.path.normpath(os.path.join(touched.tree, entry)) for entry in report.path}
    elsewhere, hides = touched.names(), touched.names(folders)
    needs = {
        name: {*_parents(name), *report.loads[name], report.found[name][0]} for name in report.found
    }
    dirty = {*unfit, *report.impure}
    for name, (loader, file) in report.found.items():
        # An import that failed in this run may succeed in a variant with another file.
        missed = (need.rpartition(".")[2] for need in needs[name] - report.found.keys())
        if (
            # A module with a file must come from Python's own loader: pytest's loader rewrites it.
            # A module without a file must come from another loader, such as that of six; with
            # Python's own loader it would be a namespace package.
            ((loader in _PLAIN_LOADERS) != bool(file) or file in touched or name in hides)
            or any(path in touched for path in report.reads.get(name, ()))
            or not elsewhere.isdisjoint(missed)
        ):
            dirty.add(name)
    while more := {name for name in needs.keys() - dirty if not dirty.isdisjoint(needs[name])}:
        dirty |= more
    return [name for name in report.found if name not in dirty.union(report.failed)]


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
