"""How does a program run with the recorder in a fork of a process that has started it already?

The fork server (subject/forks/server.py) starts with the recorder, and takes it from `sys.modules`.
All its runs have the same settings; the file of alterations is written anew before each run.
"""

from __future__ import annotations

import os
import sys

from .loading import Loader, substituted
from .preparing import Preparer
from .private import BUILTINS
from .recorder_calls import DOOR, TABLE
from .script import is_script
from .settings import Settings

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from .altering import Alterer

FORKED = "\0whence forked"  # the key of sys.modules under which the fork server finds it


class ForkedRecorder:
    """The recorder of a fork server."""

    def __init__(self, settings: Settings, loader: Loader, alterer: Alterer) -> None:
        self._loader, self._alterer = loader, alterer
        self._preparer = Preparer(settings)

    def begin(self) -> None:
        """In a fork: read what is altered in its run."""
        self._alterer.load()

    def script(self, path: str) -> CodeType | None:
        """In a fork: return the instrumented code of a script; None if it is not recorded."""
        path = os.path.abspath(path)
        with open(path, "rb") as file:
            source = file.read()
        if not is_script(path, source):
            return None
        prepared = self._preparer.prepare(source, path, "__main__", is_script=True)
        if prepared is None:
            return None
        # The script is the first module, so the number of its first operation is 0.
        code = substituted(prepared.code, {TABLE: {}}, 0, path)
        self._loader.announce("__main__", path, prepared.digest, prepared.n_ops)

        def called(table: dict[str, Any]) -> None:
            del sys.modules[DOOR]
            table.update(self._loader.functions)

        sys.modules[DOOR] = called  # type: ignore[assignment]
        return code
