"""Which code does an imported module execute?

Modules of the tree execute instrumented code.  All others execute their usual code.
"""

from __future__ import annotations

import _thread
from importlib import _bootstrap_external as external

from .log import EventLog
from .ops import MARK
from .preparing import PreparedSource, Preparer
from .private import BUILTINS
from .pytest_assertions import REWRITER, hooked
from .settings import Settings

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

MODULE = 2**31  # number of a log record, as in frontend/python/logged.py


class Loader:
    """Instruments modules when they are imported, and notes them in the log."""

    def __init__(self, settings: Settings, log: EventLog, functions: dict[str, Any]) -> None:
        self._settings, self._log, self.functions = settings, log, functions
        self._preparer = Preparer(settings)
        self._base = 0
        self._lock = _thread.allocate_lock()

    def install(self) -> None:
        """Make Python's source loaders ask this loader for code first.

        The installed function has the file name of the import system, so that Python removes its
        frames from tracebacks too.
        """
        plain = external.SourceLoader.get_code
        plain_translation = external.SourceLoader.source_to_code
        code_of = self._code_of

        def get_code(self: Any, fullname: str) -> CodeType | None:
            if type(self).source_to_code is plain_translation:
                code = code_of(self, fullname)
                if code is not None:
                    return code
            return plain(self, fullname)

        get_code.__code__ = get_code.__code__.replace(co_filename=plain.__code__.co_filename)
        get_code.__qualname__, get_code.__doc__ = plain.__qualname__, plain.__doc__
        get_code.__module__ = plain.__module__
        external.SourceLoader.get_code = get_code  # type: ignore[method-assign]

    def _code_of(self, loader: Any, fullname: str) -> CodeType | None:
        """Return instrumented code; None if the module is not recorded or cannot be."""
        try:
            path = loader.get_filename(fullname)
            if fullname == REWRITER:
                return hooked(loader.get_data(path), path, self._settings.covers, self._rewritten)
            if not self._settings.covers(path):
                return None
            prepared = self._preparer.prepare(loader.get_data(path), path, fullname)
            return None if prepared is None else self._ready(prepared, fullname, path)
        except Exception:
            return None

    def _rewritten(self, tree: Any, path: str, name: str) -> CodeType:
        plain, prepared = self._preparer.prepare_rewritten(tree, path, name)
        return plain if prepared is None else self._ready(prepared, name, path)

    def _ready(self, prepared: PreparedSource, name: str, path: str) -> CodeType:
        """Note the module in the log, and return its code with the recorder's functions."""
        base = self.announce(name, path, prepared.digest, prepared.n_ops)
        functions = self.functions.items()
        replacements: dict[str, object] = {MARK + key: value for key, value in functions}
        return substituted(prepared.code, replacements, base, path)

    def announce(self, name: str, path: str, digest: str, n_ops: int) -> int:
        """Note a module in the log, and return the number of its first operation."""
        with self._lock:
            base = self._base
            self._base += n_ops
            self._log.note(MODULE, (base, name, path, digest, n_ops))
        return base


def substituted(
    code: CodeType, replacements: dict[str, object], base: int, path: str
) -> CodeType:  # fmt: skip
    """Return code whose marked constants are replaced.

    A marked name is replaced according to `replacements`, a marked number n by `base` + n.
    """
    consts: list[object] = []
    for value in code.co_consts:
        if isinstance(value, str) and value.startswith(MARK):
            if value in replacements:
                value = replacements[value]
            elif value[len(MARK) :].isdecimal():
                value = base + int(value[len(MARK) :])
        elif isinstance(value, type(code)):
            value = substituted(value, replacements, base, path)
        consts.append(value)
    return code.replace(co_consts=tuple(consts), co_filename=path)
