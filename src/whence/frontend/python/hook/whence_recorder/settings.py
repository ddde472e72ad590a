"""What was the recorder asked for?"""

from __future__ import annotations

import os

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
INSTALLED = frozenset({"site-packages", "dist-packages"})


class Settings:
    """`tree` and `also` say which modules are recorded, `trace` is where to."""

    def __init__(self, values: dict[str, str]) -> None:
        self.trace = values["trace"]
        self.cache: str | None = values.get("cache")
        self.version = values["version"]
        self.max_trace = int(values["max_trace"])
        self._tree = _both_ways([values["tree"]])
        also = _both_ways(values.get("also", "").split(os.pathsep))
        self._roots = tuple(os.path.join(root, "") for root in (*self._tree, *also))
        self._files = frozenset(also)

    def covers(self, file: str) -> bool:
        """Is it recorded?  What was installed into a folder of the tree is not."""
        path = os.path.abspath(file)
        for root in self._roots:
            if path.startswith(root):
                return INSTALLED.isdisjoint(path[len(root) :].split(os.sep))
        return path in self._files

    def name(self, file: str) -> str:
        """The file as it is called whatever folder the tree is in."""
        for root in self._tree:
            if file.startswith(root + os.sep):
                return file[len(root) + 1 :]
        return file


def _both_ways(paths: list[str]) -> list[str]:
    """Paths as they are written and as they really are."""
    return [way(path) for path in paths if path for way in (os.path.abspath, os.path.realpath)]
