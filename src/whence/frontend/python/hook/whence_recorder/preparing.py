"""What does instrumenting a source yield?

It yields code with marks in place of the recorder's functions, and a description of the module's
operations.  Instrumenting takes time, so both are cached under a digest of everything that they
depend on.  They do not depend on the folder of the tree.
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
    from .watching import WatchedModule

    # Code, description, number of operations, and whether the compiler warns about the source.
    Instrumented = tuple[CodeType, bytes, int, bool]

ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
DIGEST = 16  # bytes
COMMAND = "<string>"  # the file name that Python gives to the text of -c


class PreparedSource:
    """Instrumented code, and the digest that names the file of its description."""

    def __init__(self, code: CodeType, digest: str, n_ops: int) -> None:
        self.code, self.digest, self.n_ops = code, digest, n_ops


class Preparer:
    """Instruments sources, or takes the result from the cache."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        prefix = (__package__ or "") + "."
        self._own_modules = {k: v for k, v in sys.modules.items() if f"{k}.".startswith(prefix)}
        # References are kept, because a test may replace these functions.
        self._open, self._read, self._close = os.open, os.read, os.close
        self._write, self._replace, self._getpid = os.write, os.replace, os.getpid
        self._exists = os.path.exists

    def prepare(
        self, source: bytes, path: str, name: str, *, is_script: bool = False
    ) -> PreparedSource | None:
        """Return the instrumented source, or None if instrumenting fails.

        A mistake in the source is raised, and warnings of the compiler are shown, as usual.
        """
        digest = self._digest(source, path, name, "script" if is_script else "module")
        cached = self._cached(digest)
        if cached is None or cached[3]:
            code = silently(lambda: compile(source, path, "exec", dont_inherit=True), "error")
            warns = code is None
            if warns:  # compile again, so that the warning or error is shown once
                compile(source, path, "exec", dont_inherit=True)

        def parsed() -> Any:
            return compile(source, path, "exec", ONLY_AST, dont_inherit=True)

        if cached is None:
            cached = self._instrument(parsed, source, path, name, digest, is_script, warns)
        return self._described(digest, cached)

    def prepare_rewritten(
        self, tree: Any, path: str, name: str
    ) -> tuple[CodeType, PreparedSource | None]:
        """Return the plain code of a tree that pytest has rewritten, and the instrumented one."""
        plain = compile(tree, path, "exec", dont_inherit=True)
        source = self._content(path)
        same_anywhere = marshal.dumps(renamed(plain, ""))
        digest = self._digest(same_anywhere + source, path, name, "pytest")
        cached = self._cached(digest)
        if cached is None:
            cached = self._instrument(lambda: tree, source, path, name, digest, False, False)
        return plain, self._described(digest, cached)

    def _instrument(
        self, parsed: Callable[[], Any], source: bytes, path: str, name: str, digest: str,
        is_script: bool, warns: bool,
    ) -> Instrumented | None:  # fmt: skip
        """Instrument a source and cache the result; None if that fails."""
        module_of = self._instrumenter()
        file = self._settings.name(path)

        def instrumented() -> Instrumented:
            tree = parsed()
            alterable = self._settings.alterations is not None
            module = module_of(tree, utf8(source), is_script=is_script, is_alterable=alterable)
            code = compile(tree, path, "exec", dont_inherit=True)
            description = module.description(name, file)
            if path == COMMAND:
                description["source"] = source.decode("utf-8", "replace")
            return code, json(description).encode(), module.n_ops, warns

        try:
            result: Instrumented = silently(lambda: without_collections(instrumented), "ignore")
        except Exception as problem:
            reason = f"{type(problem).__name__}: {problem}"
            description = {"file": file, "name": name, "skipped": reason}
            self._describe(digest, json(description).encode())
            return None
        self._cache(digest, result)
        return result

    def _instrumenter(self) -> type[InstrumentedModule] | type[WatchedModule]:
        """Import the rewriting code.  Most processes find all code in the cache and need none."""
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
        sys.modules.update(self._own_modules)
        try:
            if self._settings.watched:
                from .watching import WatchedModule

                return WatchedModule
            from .module import InstrumentedModule

            return InstrumentedModule
        finally:
            sys.dont_write_bytecode = before
            package = (__package__ or "") + "."
            for name in [name for name in sys.modules if f"{name}.".startswith(package)]:
                self._own_modules[name] = sys.modules.pop(name)
            sys.path_importer_cache.pop(os.path.dirname(__file__), None)

    # --- files ---

    def _digest(self, source: bytes, path: str, name: str, kind: str) -> str:
        kind += "" if self._settings.alterations is None else " alterable"
        kind += "calls" if self._settings.watched else ""
        what = (self._settings.version, sys.version, self._settings.name(path), name, kind)
        text = "\0".join(what).encode("utf-8", "surrogateescape")
        return blake2b(text + source, digest_size=DIGEST).hexdigest()

    def _cached(self, digest: str) -> Instrumented | None:
        if self._settings.cache is None:
            return None
        try:
            data = self._content(f"{self._settings.cache}/{digest}")
            if blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
                return None
            cached: Instrumented = marshal.loads(data[DIGEST:])
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return cached

    def _cache(self, digest: str, instrumented: Instrumented) -> None:
        if self._settings.cache is not None:
            data = marshal.dumps(instrumented)
            check = blake2b(data, digest_size=DIGEST).digest()
            try:
                self._put(f"{self._settings.cache}/{digest}", check + data)
            except OSError:
                return

    def _described(
        self, digest: str, instrumented: Instrumented | None
    ) -> PreparedSource | None:  # fmt: skip
        """Write the description into the trace, and return the source with its code."""
        if instrumented is None:
            return None
        code, description, n_ops, _ = instrumented
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
        """Write a file so that other processes never see a part of it."""
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
    """Return the same code with another file name."""
    consts = tuple(
        renamed(value, path) if isinstance(value, type(code)) else value for value in code.co_consts
    )
    return code.replace(co_consts=consts, co_filename=path)


def silently(act: Callable[[], Any], action: str) -> Any:
    """Call `act` while warnings are handled by `action`, "ignore" or "error".

    Return None if the action is "error" and there is a warning or a mistake in the source.
    """
    import _warnings

    filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
    added = (action, None, Warning, None, 0)
    filters.insert(0, added)
    try:
        return act()
    except (SyntaxError, Warning):
        if action != "error":
            raise
        return None
    finally:
        for i, item in enumerate(filters):
            if item is added:
                del filters[i]
                break


def without_collections(act: Callable[[], Any]) -> Any:
    """Call `act` without garbage collections: it makes many objects, and none is garbage."""
    import gc

    if not gc.isenabled():
        return act()
    gc.disable()
    try:
        return act()
    finally:
        gc.enable()


def utf8(source: bytes) -> bytes:
    """Return the source as UTF-8, in which the compiler counts columns."""
    try:
        if b"coding" not in b"\n".join(source.split(b"\n", 2)[:2]):
            return source.removeprefix(b"\xef\xbb\xbf")
        text: str = external.decode_source(source)
        return text.encode("utf-8", "replace")
    except Exception:
        return source
