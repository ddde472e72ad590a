"""Which modules are recorded, and where does the trace go?"""

from __future__ import annotations

import os

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
INSTALLED = frozenset({"site-packages", "dist-packages"})  # folders of installed packages


class Settings:
    """The settings that whence wrote for the recorder.

    Modules below `tree` and `also` are recorded into the folder `trace`.
    """

    def __init__(self, values: dict[str, str]) -> None:
        self.trace = values["trace"]
        self.cache: str | None = values.get("cache")
        self.version = values["version"]
        self.max_trace = int(values["max_trace"])
        # The file that says what to alter; None: nothing, and no code for it is needed.
        self.alterations: str | None = values.get("alterations") or None
        # Is this a fork server, whose forks read the alterations?
        self.is_forked = values.get("forked") == "yes"
        # A file that lists changed functions, if only calls are watched; None: all is recorded.
        self.watched: str | None = values.get("watched") or None
        # A file with calls that are to be run again at the end; None: there are none.
        self.again: str | None = values.get("again") or None
        # Is the program expected to be killed, because it does not end?
        self.is_hang = values.get("hang") == "yes"
        self._tree = _given_and_real([values["tree"]])
        also = _given_and_real(values.get("also", "").split(os.pathsep))
        self._roots = tuple(os.path.join(root, "") for root in (*self._tree, *also))
        self._files = frozenset(also)

    def covers(self, file: str) -> bool:
        """Is a file recorded?  Packages that are installed into a folder of the tree are not."""
        path = os.path.abspath(file)
        for root in self._roots:
            if path.startswith(root):
                return INSTALLED.isdisjoint(path[len(root) :].split(os.sep))
        return path in self._files

    def name(self, file: str) -> str:
        """Return the path of a file without the folder that the tree is in."""
        for root in self._tree:
            if file.startswith(root + os.sep):
                return file[len(root) + 1 :]
        return file


def _given_and_real(paths: list[str]) -> list[str]:
    """Return each path as it was given and with symbolic links resolved."""
    return [
        resolve(path) for path in paths if path for resolve in (os.path.abspath, os.path.realpath)
    ]
