"""What does a source become?

Code with marks in it where the recorder's functions belong, and a description of its operations.
Instrumenting takes time, so both are kept under a digest of all that decides them; where the
tree is does not.
"""

from __future__ import annotations

import marshal
import os
import sys
from _blake2 import blake2b
from importlib import _bootstrap_external as external

from .log import json
from .private import BUILTINS
from .settings import Settings

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from .module import InstrumentedModule

    # Code, description, number of operations, and does the compiler have something to say?
    Made = tuple[CodeType, bytes, int, bool]

ONLY_AST = 0x400
DIGEST = 16
COMMAND = "<string>"  # the file that Python names for the text of -c


class PreparedSource:
    def __init__(self, code: CodeType, digest: str, n_ops: int) -> None:
        self.code, self.digest, self.n_ops = code, digest, n_ops


class Preparer:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        ours = (__package__ or "") + "."
        self._ours = {k: v for k, v in sys.modules.items() if f"{k}.".startswith(ours)}
        # Taken hold of: a test may put fakes in their place.
        self._open, self._read, self._close = os.open, os.read, os.close
        self._write, self._replace, self._getpid = os.write, os.replace, os.getpid
        self._exists = os.path.exists

    def prepare(
        self, source: bytes, path: str, name: str, *, is_script: bool = False
    ) -> PreparedSource | None:
        """None if it cannot be instrumented; what is wrong with the source is raised."""
        digest = self._digest(source, path, name, "script" if is_script else "module")
        kept = self._kept(digest)
        if kept is None or kept[3]:
            said = silently(lambda: compile(source, path, "exec", dont_inherit=True), "error")
            if said is None:  # the compiler has something to say
                compile(source, path, "exec", dont_inherit=True)

        def parsed() -> Any:
            return compile(source, path, "exec", ONLY_AST, dont_inherit=True)

        if kept is None:
            kept = self._made(parsed, source, path, name, digest, is_script, said is None)
        return self._described(digest, kept)

    def prepare_rewritten(
        self, tree: Any, path: str, name: str
    ) -> tuple[CodeType, PreparedSource | None]:
        """The plain code of a tree that pytest has rewritten, and what it becomes."""
        plain = compile(tree, path, "exec", dont_inherit=True)
        source = self._content(path)
        same_anywhere = marshal.dumps(renamed(plain, ""))
        digest = self._digest(same_anywhere + source, path, name, "pytest")
        kept = self._kept(digest)
        if kept is None:
            kept = self._made(lambda: tree, source, path, name, digest, False, False)
        return plain, self._described(digest, kept)

    def _made(
        self, parsed: Callable[[], Any], source: bytes, path: str, name: str, digest: str,
        is_script: bool, speaks: bool,
    ) -> Made | None:  # fmt: skip
        module_of = self._instrumenter()
        file = self._settings.name(path)

        def lowered() -> Made:
            tree = parsed()
            module = module_of(tree, utf8(source), is_script=is_script)
            code = compile(tree, path, "exec", dont_inherit=True)
            description = module.description(name, file)
            if path == COMMAND:
                description["source"] = source.decode("utf-8", "replace")
            return code, json(description).encode(), module.n_ops, speaks

        try:
            made: Made = silently(lambda: without_collections(lowered), "ignore")
        except Exception as problem:
            reason = f"{type(problem).__name__}: {problem}"
            told = {"file": file, "name": name, "skipped": reason}
            self._describe(digest, json(told).encode())
            return None
        self._keep(digest, made)
        return made

    def _instrumenter(self) -> type[InstrumentedModule]:
        """Imported when it is needed: most processes find all that they need in the cache."""
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
        sys.modules.update(self._ours)
        try:
            from .module import InstrumentedModule

            return InstrumentedModule
        finally:
            sys.dont_write_bytecode = before
            package = (__package__ or "") + "."
            for name in [name for name in sys.modules if f"{name}.".startswith(package)]:
                self._ours[name] = sys.modules.pop(name)
            sys.path_importer_cache.pop(os.path.dirname(__file__), None)

    # --- files ---

    def _digest(self, source: bytes, path: str, name: str, kind: str) -> str:
        what = (self._settings.version, sys.version, self._settings.name(path), name, kind)
        text = "\0".join(what).encode("utf-8", "surrogateescape")
        return blake2b(text + source, digest_size=DIGEST).hexdigest()

    def _kept(self, digest: str) -> Made | None:
        if self._settings.cache is None:
            return None
        try:
            data = self._content(f"{self._settings.cache}/{digest}")
            if blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
                return None
            kept: Made = marshal.loads(data[DIGEST:])
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return kept

    def _keep(self, digest: str, made: Made) -> None:
        if self._settings.cache is not None:
            data = marshal.dumps(made)
            check = blake2b(data, digest_size=DIGEST).digest()
            try:
                self._put(f"{self._settings.cache}/{digest}", check + data)
            except OSError:
                return

    def _described(self, digest: str, made: Made | None) -> PreparedSource | None:
        if made is None:
            return None
        code, description, n_ops, _ = made
        self._describe(digest, description)
        return PreparedSource(code, digest, n_ops)

    def _describe(self, digest: str, description: bytes) -> None:
        file = f"{self._settings.trace}/modules/{digest}.json"
        if not self._exists(file):
            self._put(file, description)

    def _content(self, file: str) -> bytes:
        fd = self._open(file, os.O_RDONLY)
        try:
            parts = []
            while part := self._read(fd, 1 << 22):
                parts.append(part)
            return b"".join(parts)
        finally:
            self._close(fd)

    def _put(self, file: str, data: bytes) -> None:
        """Write a file that nobody ever sees in part."""
        partial = f"{file}.{self._getpid()}.part"
        fd = self._open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._write(fd, rest) :]
        finally:
            self._close(fd)
        self._replace(partial, file)


def renamed(code: CodeType, path: str) -> CodeType:
    """The same code as that of another file."""
    consts = tuple(
        renamed(value, path) if isinstance(value, type(code)) else value for value in code.co_consts
    )
    return code.replace(co_consts=consts, co_filename=path)


def silently(act: Callable[[], Any], action: str) -> Any:
    """Do something while all warnings are ignored, or are errors; None if one was."""
    import _warnings

    filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
    ours = (action, None, Warning, None, 0)
    filters.insert(0, ours)
    try:
        return act()
    except (SyntaxError, Warning):
        if action != "error":
            raise
        return None
    finally:
        for i, item in enumerate(filters):
            if item is ours:
                del filters[i]
                break


def without_collections(act: Callable[[], Any]) -> Any:
    """Do something that makes many objects, of which no cycle is worth looking for."""
    import gc

    if not gc.isenabled():
        return act()
    gc.disable()
    try:
        return act()
    finally:
        gc.enable()


def utf8(source: bytes) -> bytes:
    """The source as positions count it."""
    try:
        if b"coding" not in b"\n".join(source.split(b"\n", 2)[:2]):
            return source.removeprefix(b"\xef\xbb\xbf")
        text: str = external.decode_source(source)
        return text.encode("utf-8", "replace")
    except Exception:
        return source
