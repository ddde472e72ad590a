"""Which code does a module get?

Modules of the tree get instrumented code, all others what they always got.  Instrumenting takes
time, so what a source became is kept under a digest of all that decides it.
"""

from __future__ import annotations

import _thread
import marshal
import os
import sys
from _blake2 import blake2b
from importlib import _bootstrap_external as external

from .log import Log, json
from .ops import MARK
from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from .module import Module

MODULE = 2**31
ONLY_AST = 0x400
INSTALLED = frozenset({"site-packages", "dist-packages"})
REWRITER = "_pytest.assertion.rewrite"


class Settings:
    """What the recording was asked for."""

    def __init__(self, values: dict[str, str]) -> None:
        self.trace = values["trace"]
        self.cache: str | None = values.get("cache")
        self.version = values["version"]
        self.max_trace = int(values["max_trace"])
        roots = [values["tree"], *values.get("also", "").split(os.pathsep)]
        both = [way(root) for root in roots if root for way in (os.path.abspath, os.path.realpath)]
        self.roots = tuple(os.path.join(root, "") for root in both)
        self.files = frozenset(both)

    def covers(self, file: str) -> bool:
        """Is it recorded?  What was installed into a folder of the tree is not."""
        path = os.path.abspath(file)
        for root in self.roots:
            if path.startswith(root):
                return INSTALLED.isdisjoint(path[len(root) :].split(os.sep))
        return path in self.files


class Loader:
    """Instruments, and tells the log which operations belong to which module."""

    def __init__(self, settings: Settings, log: Log, functions: dict[str, Any]) -> None:
        self._settings, self.log, self.functions = settings, log, functions
        self._base = 0
        self._lock = _thread.allocate_lock()
        ours = (__package__ or "") + "."
        self._ours = {k: v for k, v in sys.modules.items() if f"{k}.".startswith(ours)}
        self._open, self._read, self._close = os.open, os.read, os.close
        self._write, self._replace, self._getpid = os.write, os.replace, os.getpid
        self._exists = os.path.exists

    @classmethod
    def preparing(cls, settings: Settings) -> Loader:
        """One that only prepares code."""
        return cls(settings, None, {})  # type: ignore[arg-type]

    def install(self) -> None:
        """Have source loaders come here first.

        The function bears the import system's file name: its frames vanish from tracebacks as
        theirs do.
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
        """None if the module is not recorded; what is wrong with it, others say."""
        try:
            path = loader.get_filename(fullname)
            if fullname == REWRITER:
                return self._rewriter(loader.get_data(path), path)
            if not self._settings.covers(path):
                return None
            return self.instrument(loader.get_data(path), path, fullname)
        except Exception:
            return None

    def instrument(self, source: bytes, path: str, name: str) -> CodeType | None:
        found = self.prepare(source, path, name)
        return None if found is None else self.ready(*found, name=name, path=path)

    def ready(
        self, code: CodeType, digest: str, n_ops: int, *, name: str | None, path: str
    ) -> CodeType:
        """The code with the recorder's functions in it; the log learns of the module."""
        base = self.announce(name, path, digest, n_ops)
        known: dict[str, object] = {MARK + key: value for key, value in self.functions.items()}
        return substituted(code, known, base)

    def announce(self, name: str | None, path: str, digest: str, n_ops: int) -> int:
        """Where the module's operations begin to count."""
        with self._lock:
            base = self._base
            self._base += n_ops
            self.log.note(MODULE, (base, name, path, digest, n_ops))
        return base

    # --- instrumenting, or knowing from before ---

    def prepare(
        self, source: bytes, path: str, name: str, *, is_script: bool = False
    ) -> tuple[CodeType, str, int] | None:
        """Code with marks in it, the digest of its description and its number of operations."""
        digest = self._digest(source, path, name, "script" if is_script else "module")
        kept = self._kept(digest)
        if kept is None:
            kept = self._made(source, path, name, digest, is_script)
            if kept is None:
                return None
        code, description, n_ops = kept
        self._describe(digest, description)
        return code, digest, n_ops

    def _made(
        self, source: bytes, path: str, name: str, digest: str, is_script: bool
    ) -> tuple[CodeType, bytes, int] | None:
        module_of = self._instrumenter()
        said = silently(lambda: compile(source, path, "exec", dont_inherit=True), "error")
        if said is None:  # it has something to say
            compile(source, path, "exec", dont_inherit=True)

        def lowered() -> tuple[CodeType, bytes, int]:
            tree = compile(source, path, "exec", ONLY_AST, dont_inherit=True)
            module = module_of(tree, utf8(source), is_script=is_script)
            code = compile(tree, path, "exec", dont_inherit=True)
            description = module.description(name, path)
            if path == "<string>":
                description["source"] = source.decode("utf-8", "replace")
            return code, json(description).encode(), module.n_ops

        made: tuple[CodeType, bytes, int] | None
        try:
            made = silently(lowered, "ignore")
        except Exception as problem:
            self._skip(digest, path, name, f"{type(problem).__name__}: {problem}")
            return None
        if said is not None and made is not None:
            self._keep(digest, made)
        return made

    def _instrumenter(self) -> type[Module]:
        """Imported when it is needed: most processes find all that they need in the cache."""
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
        sys.modules.update(self._ours)
        try:
            from .module import Module

            return Module
        finally:
            sys.dont_write_bytecode = before
            package = (__package__ or "") + "."
            for name in [name for name in sys.modules if f"{name}.".startswith(package)]:
                self._ours[name] = sys.modules.pop(name)
            sys.path_importer_cache.pop(os.path.dirname(__file__), None)

    def _skip(self, digest: str, path: str, name: str, reason: str) -> None:
        document = {"file": path, "name": name, "skipped": reason}
        self._describe(digest, json(document).encode())

    def rewritten(self, tree: Any, path: str, name: str | None) -> CodeType:
        """The code of a tree that pytest has rewritten."""
        module_of = self._instrumenter()
        with open(path, "rb") as file:
            source = file.read()
        plain = compile(tree, path, "exec", dont_inherit=True)
        digest = self._digest(source, path, name or "", "pytest")
        try:

            def lowered() -> tuple[CodeType, bytes, int]:
                module = module_of(tree, utf8(source))
                code = compile(tree, path, "exec", dont_inherit=True)
                return code, json(module.description(name or "", path)).encode(), module.n_ops

            made = silently(lowered, "ignore")
            assert made is not None
        except Exception as problem:
            self._skip(digest, path, name or "", f"{type(problem).__name__}: {problem}")
            return plain
        code, description, n_ops = made
        self._describe(digest, description)
        return self.ready(code, digest, n_ops, name=name, path=path)

    def _rewriter(self, source: bytes, path: str) -> CodeType:
        """pytest's rewriting module, which will compile with us and keep nothing of that."""
        compiled, covers, rewritten = compile, self._settings.covers, self.rewritten

        def compile_(tree: Any, filename: Any, *args: Any, **kwargs: Any) -> Any:
            path = os.fspath(filename)
            if isinstance(tree, (str, bytes)) or not covers(path):
                return compiled(tree, filename, *args, **kwargs)
            return rewritten(tree, path, _module_name(sys._getframe(1)))

        def after(namespace: dict[str, Any]) -> None:
            read, write = namespace["_read_pyc"], namespace["_write_pyc"]
            namespace["compile"] = compile_
            namespace["_read_pyc"] = lambda source, *rest, **named: (
                None if covers(os.fspath(source)) else read(source, *rest, **named)
            )
            namespace["_write_pyc"] = lambda state, co, *rest, **named: (
                False if covers(co.co_filename) else write(state, co, *rest, **named)
            )

        import _ast as ast

        tree: Any = compile(source, path, "exec", ONLY_AST, dont_inherit=True)
        at = tree.body[-1]
        where = {
            "lineno": at.end_lineno, "col_offset": 0,
            "end_lineno": at.end_lineno, "end_col_offset": 0,
        }  # fmt: skip
        called = ast.Call(
            func=ast.Constant(value=MARK + "after", kind=None, **where),
            args=[ast.Call(func=ast.Name(id="globals", ctx=ast.Load(), **where),
                           args=[], keywords=[], **where)],
            keywords=[], **where,
        )  # fmt: skip
        tree.body.append(ast.Expr(value=called, **where))
        code = silently(lambda: compile(tree, path, "exec", dont_inherit=True), "ignore")
        assert code is not None
        return substituted(code, {MARK + "after": after}, 0)

    # --- files ---

    def _digest(self, source: bytes, path: str, name: str, kind: str) -> str:
        what = (self._settings.version, sys.version, path, name, kind)
        return blake2b("\0".join(what).encode() + source, digest_size=16).hexdigest()

    def _kept(self, digest: str) -> tuple[CodeType, bytes, int] | None:
        if self._settings.cache is None:
            return None
        try:
            data = self._content(f"{self._settings.cache}/{digest}")
            if blake2b(data[16:], digest_size=16).digest() != data[:16]:
                return None
            kept: tuple[CodeType, bytes, int] = marshal.loads(data[16:])
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return kept

    def _keep(self, digest: str, made: tuple[CodeType, bytes, int]) -> None:
        if self._settings.cache is not None:
            data = marshal.dumps(made)
            check = blake2b(data, digest_size=16).digest()
            try:
                self._put(f"{self._settings.cache}/{digest}", check + data)
            except OSError:
                return

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


def substituted(code: CodeType, known: dict[str, object], base: int) -> CodeType:
    """The code with marks replaced: names by what is `known`, numbers counted from `base`."""
    consts: list[object] = []
    for value in code.co_consts:
        if isinstance(value, str) and value.startswith(MARK):
            if value in known:
                value = known[value]
            elif value[len(MARK) :].isdecimal():
                value = base + int(value[len(MARK) :])
        elif isinstance(value, type(code)):
            value = substituted(value, known, base)
        consts.append(value)
    return code.replace(co_consts=tuple(consts))


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


def utf8(source: bytes) -> bytes:
    """The source as positions count it."""
    try:
        if b"coding" not in b"\n".join(source.split(b"\n", 2)[:2]):
            return source.removeprefix(b"\xef\xbb\xbf")
        text: str = external.decode_source(source)
        return text.encode("utf-8", "replace")
    except Exception:
        return source


def _module_name(frame: Any) -> str | None:
    """The module that pytest is about to execute."""
    while frame is not None:
        module = frame.f_locals.get("module") if frame.f_code.co_name == "exec_module" else None
        if module is not None:
            return str(getattr(module, "__name__", None))
        frame = frame.f_back
    return None
