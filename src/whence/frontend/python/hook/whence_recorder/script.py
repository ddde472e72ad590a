"""How is the script recorded that Python runs as `__main__`?

The script is compiled to a file, and the interpreter is started again with that file instead of
the script.  Python runs the file as it would have run the script, without a frame of the recorder
below it.  The compiled script calls the recorder first, which corrects `__main__`, `sys.argv` and
`sys.path`.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib import _bootstrap_external as external

from .loading import Loader, substituted
from .preparing import COMMAND, Preparer
from .private import BUILTINS
from .recorder_calls import DOOR, TABLE
from .settings import Settings

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "main"  # the folder of the trace for compiled scripts


class CommandSource:
    """A command line of Python: its options, what it runs, and the arguments of the latter."""

    def __init__(self, words: list[str]) -> None:
        self.options: list[str] = []
        self.kind = "file"  # or "c" or "m"
        self.what: str | None = None
        self.rest: list[str] = []
        i = 1
        while i < len(words) and words[i].startswith("-") and words[i] not in ("-", "--"):
            i = self._option(words, i)
            if self.kind != "file":
                return
        i += words[i : i + 1] == ["--"]
        self.what = words[i] if i < len(words) else None
        self.rest = words[i + 1 :]

    def _option(self, words: list[str], i: int) -> int:
        word = words[i]
        takes_next = word == "--check-hash-based-pycs"
        for j, letter in enumerate(word[1:] if not word.startswith("--") else "", 1):
            following = word[j + 1 :]
            if letter in "cm":
                self.options += [word[:j]] if j > 1 else []
                self.kind = letter
                self.what = following or words[i + 1]
                self.rest = words[i + 1 :] if following else words[i + 2 :]
                return i
            if letter in "WX":
                takes_next = not following
                break
        end = i + 1 + takes_next
        self.options += words[i:end]
        return end


class Script:
    """The script of this process; `is_compiled` if the recorder has compiled it before."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = f"{settings.trace}/{FOLDER}"
        self._command = CommandSource(sys.orig_argv)
        what = self._command.what or ""
        self.is_compiled = what.startswith(self._folder)
        self.is_new = not self.is_compiled and self._command.kind in ("file", "c")

    def start_again(self) -> None:
        """Restart Python with the compiled script.  Return only if nothing can be recorded."""
        command = self._command
        found = self._source()
        if found is None or not sys.executable:
            return
        path, source = found
        prepared = Preparer(self._settings).prepare(source, path, "__main__", is_script=True)
        if prepared is None:
            return
        # The script is the first module, so the number of its first operation is 0.
        code = substituted(prepared.code, {TABLE: {}}, 0, path)
        file = f"{self._folder}/{os.getpid()}.pyc"
        os.makedirs(self._folder, exist_ok=True)
        with open(file, "wb") as written:
            written.write(external.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
        with open(f"{file}.info", "wb") as written:
            script = (path, prepared.digest, prepared.n_ops)
            info = (*script, sys.orig_argv, command.what, command.kind)
            marshal.dump(info, written)
        sys.stdout.flush()
        words = [sys.orig_argv[0], *command.options, file, *command.rest]
        os.execv(sys.executable, words)

    def _source(self) -> tuple[str, bytes] | None:
        """Return the path and source of the script; None if it cannot be recorded."""
        command = self._command
        skips_a_line = any(
            word[:1] == "-" and word[1:2] not in "-WX" and "x" in word for word in command.options
        )
        if command.what in (None, "-", "") or skips_a_line:
            return None
        assert command.what is not None
        if command.kind == "c":
            return COMMAND, f"{command.what}\n".encode("utf-8", "surrogateescape")
        path = os.path.abspath(command.what)
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            source = file.read()
        return (path, source) if is_script(path, source) else None

    def expect(self, loader: Loader) -> None:
        """Prepare for the call with which the compiled script begins."""
        compiled = self._command.what
        assert compiled is not None
        with open(f"{compiled}.info", "rb") as file:
            path, digest, n_ops, *invocation = marshal.load(file)
        loader.announce("__main__", path, digest, n_ops)

        def called(table: dict[str, Any]) -> None:
            del sys.modules[DOOR]
            table.update(loader.functions)
            self._pretend(compiled, path, *invocation)
            if path == COMMAND and sys.version_info >= (3, 13):
                _show_source(invocation[1], sys._getframe(1).f_code)

        sys.modules[DOOR] = called  # type: ignore[assignment]

    def _pretend(self, compiled: str, path: str, words: list[str], what: str, kind: str) -> None:
        """Set what the program can see as if Python had started the script itself."""
        sys.orig_argv[:] = words
        sys.argv[0] = "-c" if kind == "c" else what
        if sys.path and sys.path[0] == os.path.dirname(os.path.realpath(compiled)):
            sys.path[0] = "" if kind == "c" else os.path.dirname(os.path.realpath(what))
        main = sys.modules["__main__"].__dict__
        if kind == "c":
            from importlib._bootstrap import BuiltinImporter

            main["__loader__"] = BuiltinImporter
            main.pop("__file__", None)
            main.pop("__cached__", None)
        else:
            main["__file__"] = path
            main["__loader__"] = external.SourceFileLoader("__main__", path)
        os.unlink(compiled)
        os.unlink(f"{compiled}.info")


def is_script(path: str, source: bytes) -> bool:
    """Is a file a script of the program: text, and no tool of the interpreter such as pytest?"""
    is_tool = os.path.dirname(path) == os.path.dirname(sys.executable)
    return not is_tool and b"\0" not in source and not source.startswith(b"PK")


def _show_source(text: str, code: object) -> None:
    """Make tracebacks show the text of -c, as Python does from 3.13 on."""
    import linecache

    key = code if hasattr(linecache, "_interactive_cache") else COMMAND
    linecache._register_code(key, text, COMMAND)  # type: ignore[attr-defined]
