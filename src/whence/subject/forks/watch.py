"""Which modules does a program import, where from, for whom, and what do their imports do besides?

Runs in the interpreter of the test, in a run that nobody judges: a program that looks can see that
it is watched.  All that is noted, is noted of each module whose import is under way.  Not seen is a
module that on import only asks whether a file is there.
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

_bootstrap: Any = _frozen_importlib  # of which we use what its stub does not tell
_IMPURE = {
    *("os.putenv", "os.unsetenv", "os.chdir", "os.chmod", "os.remove", "os.rename", "os.mkdir"),
    *("os.rmdir", "os.link", "os.symlink", "os.truncate", "os.system", "os.exec", "os.fork"),
    *("os.forkpty", "os.posix_spawn", "os.spawn", "os.kill", "os.killpg", "subprocess.Popen"),
    *("socket.connect", "socket.bind", "tempfile.mkstemp", "tempfile.mkdtemp", "sys.settrace"),
    *("sys.setprofile", "sys.addaudithook", "_thread.start_new_thread"),
}
_LISTS = {"os.listdir", "os.scandir", "glob.glob"}
_HEARD = _IMPURE | _LISTS | {"open"}
_WRITES = os.O_WRONLY | os.O_RDWR


def watch(report: str) -> None:
    """From now on note what is imported; the report is written when the program ends."""
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
        self._loading: list[str] = []  # the modules under way, each imported by the one before it
        self._found: dict[str, tuple[str, str]] = {}  # the loader's module, and the file
        # Keys in order stand for what is imported or put into sys.modules, and what is opened.
        self._brought: dict[str, dict[str, None]] = {}
        self._reads: dict[str, dict[str, None]] = {}
        self._impure: dict[str, str] = {}
        self._failed: list[str] = []

    def write(self, report: str, process: int) -> None:
        if os.getpid() != process:
            return  # a fork, which runs what its parent has registered
        learned = {
            "found": self._found,
            "brought": {name: list(others) for name, others in self._brought.items()},
            "reads": {name: list(paths) for name, paths in self._reads.items()},
            "impure": self._impure,
            "failed": self._failed,
            "path": [entry for entry in sys.path if isinstance(entry, str)],
        }
        with open(report, "w") as file:
            file.write(ascii(learned))

    def _bring(self, name: str) -> None:
        for module in self._loading:
            self._brought[module][name] = None

    def on_import(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Also what is there already and need not be loaded: who imports it depends on it."""

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
                        self._bring(full + part)
                except Exception:
                    pass  # the import itself will say what is wrong
            return plain(name, globals, locals, fromlist, level)

        return watched

    def on_import_module(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(name: str, package: str | None = None, level: int = 0) -> Any:
            self._bring(_bootstrap._resolve_name(name, package, level) if level else name)
            return plain(name, package, level)

        return watched

    def on_load(self, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def watched(spec: Any) -> Any:
            loader = spec.loader if isinstance(spec.loader, type) else type(spec.loader)
            self._found[spec.name] = (loader.__module__, spec.origin or "")
            self._bring(spec.name)
            self._brought.setdefault(spec.name, {})
            self._loading.append(spec.name)
            before = set(sys.modules)
            try:
                return plain(spec)
            except BaseException:
                self._failed.append(spec.name)
                raise
            finally:
                for name in sys.modules.keys() - before - self._found.keys():
                    self._bring(name)  # such as `six.moves`, which nobody loads
                self._loading.remove(spec.name)

        return watched

    def on_warning(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            self._spoil("warning")
            return plain(*arguments, **options)

        return watched

    def on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        # In this order: looking at a frame is an event too.
        if not self._loading or event not in _HEARD:
            return
        if sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
            return  # that opens and lists what it imports, and writes what it compiles
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if event in _IMPURE or writes:
            self._spoil(event)
        else:
            self._read(arguments[0], "/" if event in _LISTS else "")

    def _spoil(self, event: str) -> None:
        self._impure.update((module, event) for module in self._loading)

    def _read(self, path: object, end: str) -> None:
        name = os.fsdecode(path) if isinstance(path, (str, bytes)) else "."
        for module in self._loading:
            self._reads.setdefault(module, {})[os.path.abspath(name) + end] = None
