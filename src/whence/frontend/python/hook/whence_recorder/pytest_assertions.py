"""How are modules recorded whose assertions pytest rewrites?

pytest compiles these modules itself.  Its rewriting module gets another `compile`, which passes the
tree that pytest has rewritten to the recorder.  pytest's cache gets no instrumented code.
"""

from __future__ import annotations

import _ast as ast
import os
import sys

from .ops import MARK
from .preparing import ONLY_AST, silently
from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

REWRITER = "_pytest.assertion.rewrite"
AFTER = MARK + "after"  # the constant that is replaced by the patching function


def hooked(
    source: bytes, path: str, covers: Callable[[str], bool],
    rewritten: Callable[[Any, str, str], CodeType],
) -> CodeType:  # fmt: skip
    """Return the code of pytest's rewriting module with a call of the recorder at its end."""
    tree: Any = compile(source, path, "exec", ONLY_AST, dont_inherit=True)
    row = tree.body[-1].end_lineno
    where = {"lineno": row, "col_offset": 0, "end_lineno": row, "end_col_offset": 0}
    namespace = ast.Call(
        func=ast.Name(id="globals", ctx=ast.Load(), **where), args=[], keywords=[], **where
    )
    after = ast.Constant(value=AFTER, kind=None, **where)
    calling = ast.Call(func=after, args=[namespace], keywords=[], **where)
    tree.body.append(ast.Expr(value=calling, **where))
    code: CodeType = silently(lambda: compile(tree, path, "exec", dont_inherit=True), "ignore")
    patch = _patch_of(covers, rewritten)
    return code.replace(
        co_consts=tuple(patch if value == AFTER else value for value in code.co_consts)
    )


def _patch_of(
    covers: Callable[[str], bool], rewritten: Callable[[Any, str, str], CodeType]
) -> Callable[[dict[str, Any]], None]:
    """Return the function that patches the namespace of pytest's rewriting module."""
    plain = compile

    def compile_(tree: Any, filename: Any, *args: Any, **kwargs: Any) -> Any:
        path = os.fspath(filename)
        if isinstance(tree, (str, bytes)) or not covers(path):
            return plain(tree, filename, *args, **kwargs)
        return rewritten(tree, path, _module_name(sys._getframe(1)))

    def patch(namespace: dict[str, Any]) -> None:
        read, write = namespace["_read_pyc"], namespace["_write_pyc"]

        def read_pyc(source: Any, *args: Any, **kwargs: Any) -> Any:
            return None if covers(os.fspath(source)) else read(source, *args, **kwargs)

        def write_pyc(state: Any, code: CodeType, *args: Any, **kwargs: Any) -> Any:
            return False if covers(code.co_filename) else write(state, code, *args, **kwargs)

        namespace["compile"] = compile_
        namespace["_read_pyc"], namespace["_write_pyc"] = read_pyc, write_pyc

    return patch


def _module_name(frame: FrameType | None) -> str:
    """Return the name of the module that pytest is about to execute."""
    while frame is not None:
        if frame.f_code.co_name == "exec_module" and "module" in frame.f_locals:
            return str(getattr(frame.f_locals["module"], "__name__", ""))
        frame = frame.f_back
    return ""
