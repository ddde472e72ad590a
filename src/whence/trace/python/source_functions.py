"""Which functions does the source of a Python project define?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from whence.file_trees import files_below
from whence.source_lines import decoded_lines
from whence.trace.function_pairs import FunctionSource

_INSTALLED = frozenset({"site-packages", "dist-packages"})  # folders that are not watched


def source_functions(tree: Path) -> Iterator[FunctionSource]:
    """Yield the functions of all modules below `tree` that can be parsed."""
    for path in sorted(files_below(tree)):
        inside = path.relative_to(tree)
        if path.suffix == ".py" and _INSTALLED.isdisjoint(inside.parts) and path.is_file():
            yield from module_functions(path.read_bytes(), inside.as_posix())


def module_functions(source: bytes, file: str) -> Iterator[FunctionSource]:
    """Yield the functions of one module; none if it cannot be parsed."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = decoded_lines(source)
    yield from _functions(module, "", file, lines)


def _functions(
    node: ast.AST, prefix: str, file: str, lines: list[str]
) -> Iterator[FunctionSource]:  # fmt: skip
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.", file, lines)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{child.name}"
            yield _function(child, name, file, lines)
            yield from _functions(child, f"{name}.<locals>.", file, lines)
        else:
            yield from _functions(child, prefix, file, lines)


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, file: str, lines: list[str]
) -> FunctionSource:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    last = node.end_lineno or node.lineno
    text = tuple(line.strip() for line in lines[first - 1 : last])
    return FunctionSource(name, file, first, last, text, _meaning(node))


def _meaning(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return what is left of a function without its name, comments, layout and docstring."""
    body = list(node.body)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    parts = [node.args, *node.decorator_list, *body]
    return "\n".join(ast.dump(part) for part in parts)
