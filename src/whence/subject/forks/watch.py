"""Which modules does a program import, from where, and what side effects do their imports have?

This file runs in the interpreter of the test, in a run whose outcome does not count: the program
could notice that it is watched.  Every event is noted for all modules whose import is in progress.
A module that only checks on import whether a file exists is not noticed.
"""

from __future__ import annotations

import _frozen_importlib
import atexit
import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_bootstrap: Any = _frozen_importlib  # its stub lacks the functions that we use
_IMPURE = {
    *("os.putenv", "os.unsetenv", "os.chdir", "os.chmod", "os.remove", "os.rename", "os.mkdir"),
    *("os.rmdir", "os.link", "os.symlink", "os.truncate", "os.system", "os.exec", "os.fork"),
    *("os.forkpty", "os.posix_spawn", "os.spawn", "os.kill", "os.killpg", "subprocess.Popen"),
    *("socket.connect", "socket.bind", "tempfile.mkstemp", "tempfile.mkdtemp", "sys.settrace"),
    *("sys.setprofile", "sys.addaudithook", "_thread.start_new_thread"),
}
_LISTS = {"os.listdir", "os.scandir", "glob.glob"}
_EVENTS = _IMPURE | _LISTS | {"open"}
_WRITES = os.O_WRONLY | os.O_RDWR


def watch(report: str) -> None:
    """Note all imports from now on; write the report when the program ends."""
    import warnings

    watcher = _Watcher()
    warnings.warn = watcher.on_warning(warnings.warn)
    warnings.warn_explicit = watcher.on_warning(warnings.warn_explicit)
    builtins.__import__ = watcher.on_import(builtins.__import__)
    _bootstrap._load_unlocked = watcher.on_load(_bootstrap._load_unlocked)
    _bootstrap._gcd_import = watcher.on_import_module(_bootstrap._gcd_import)
    sys.addaudithook(watcher.on_event)
    atexit.register(watcher.write, report, os.getpid())


class _Watcher:
    def __init__(self) -> None:
        self._loading: list[str] = []  # imports in progress; each module is imported by the last
        self._found: dict[str, tuple[str, str]] = {}  # (the loader's module, the file)
        # The inner dictionaries are ordered sets of modules and of paths.
        self._loads: dict[str, dict[str, None]] = {}
        self._reads: dict[str, dict[str, None]] = {}
        self._impure: dict[str, str] = {}
        self._failed: list[str] = []

    def write(self, report: str, process: int) -> None:
        if os.getpid() != process:
            return  # a forked child inherits the registration
        report_data = {
            "found": self._found,
            "loads": {name: list(others) for name, others in self._loads.items()},
            "reads": {name: list(paths) for name, paths in self._reads.items()},
            "impure": self._impure,
            "failed": self._failed,
            "path": [entry for entry in sys.path if isinstance(entry, str)],
        }
        with open(report, "w") as file:
            file.write(ascii(report_data))

    def _note_load(self, name: str) -> None:
        for module in self._loading:
            self._loads[module][name] = None

    def on_import(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Note imports of loaded modules too: the importing module depends on them."""

        def watched(
            name: str,
            globals: Mapping[str, Any] | None = None,  # noqa: A002  so it is called
            locals: Mapping[str, Any] | None = None,  # noqa: A002
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            if self._loading:
                try:
                    full = name
                    if level:
                        package = _bootstrap._calc___package__(globals)
                        full = _bootstrap._resolve_name(name, package, level)
                    for part in ("", *(f".{part}" for part in fromlist or ())):
                        self._note_load(full + part)
                except Exception:
                    pass  # the import itself will raise the error
            return plain(name, globals, locals, fromlist, level)

        return watched

    def on_import_module(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(name: str, package: str | None = None, level: int = 0) -> Any:
            self._note_load(_bootstrap._resolve_name(name, package, level) if level else name)
            return plain(name, package, level)

        return watched

    def on_load(self, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def watched(spec: Any) -> Any:
            loader = spec.loader if isinstance(spec.loader, type) else type(spec.loader)
            self._found[spec.name] = (loader.__module__, spec.origin or "")
            self._note_load(spec.name)
            self._loads.setdefault(spec.name, {})
            self._loading.append(spec.name)
            before = set(sys.modules)
            try:
                return plain(spec)
            except BaseException:
                self._failed.append(spec.name)
                raise
            finally:
                for name in sys.modules.keys() - before - self._found.keys():
                    self._note_load(name)  # such as `six.moves`, which no loader loads
                self._loading.remove(spec.name)

        return watched

    def on_warning(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            self._mark_impure("warning")
            return plain(*arguments, **options)

        return watched

    def on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Check these first: `sys._getframe` is an event too.
        if not self._loading or event not in _EVENTS:
            return
        if sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
            return  # the import system itself opens, lists and writes files
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if event in _IMPURE or writes:
            self._mark_impure(event)
        else:
            self._read(arguments[0], "/" if event in _LISTS else "")

    def _mark_impure(self, event: str) -> None:
        self._impure.update((module, event) for module in self._loading)

    def _read(self, path: object, end: str) -> None:
        name = os.fsdecode(path) if isinstance(path, (str, bytes)) else "."
        for module in self._loading:
            self._reads.setdefault(module, {})[os.path.abspath(name) + end] = None
