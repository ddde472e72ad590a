"""Which files of the tree may a C or C++ source include?

The `#include` lines are read, and a name stands for every file of the tree that ends with it.  So
the answer may hold too many files.  It lacks a file only if a macro names the file.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from whence.file_trees import files_below

_INCLUDE = re.compile(
    rb'^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*["<]([^">\n]+)[">]', re.M
)


class IncludeGraph:
    """The includes of the files below `tree`; a file that was changed is read again.

    The files `sometimes` count as present even if this variant lacks them.
    """

    def __init__(self, tree: Path, sometimes: frozenset[str] = frozenset()) -> None:
        self._tree = tree
        self._sometimes = sometimes
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._read: dict[str, tuple[tuple[int, int], frozenset[str]]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look for the files of the tree again."""
        paths = set(self._sometimes)
        paths.update(os.path.relpath(path, self._tree) for path in files_below(self._tree))
        self._by_name.clear()
        for path in sorted(paths):
            self._by_name[os.path.basename(path)].append(path)

    def files(self) -> Iterator[str]:
        """Yield the files of the tree."""
        for paths in self._by_name.values():
            yield from paths

    def reachable(self, source: str) -> frozenset[str]:
        """Return the files that `source` may include, and `source`; paths relative to the tree."""
        found = {source}
        todo = [source]
        while todo:
            for name in self._names(todo.pop()):
                more = set(self._files(name)) - found
                found |= more
                todo += more
        return frozenset(found)

    def _files(self, name: str) -> Iterable[str]:
        tail = os.path.normpath(name).replace("../", "")
        return (
            path
            for path in self._by_name.get(os.path.basename(tail), ())
            if f"/{path}".endswith(f"/{tail}")
        )

    def _names(self, path: str) -> frozenset[str]:
        """Return the names that a file includes now."""
        try:
            about = os.stat(self._tree / path)
            state = about.st_mtime_ns, about.st_size
            if path not in self._read or self._read[path][0] != state:
                text = (self._tree / path).read_bytes()
                self._read[path] = state, frozenset(map(os.fsdecode, _INCLUDE.findall(text)))
        except OSError:
            return frozenset()
        return self._read[path][1]
