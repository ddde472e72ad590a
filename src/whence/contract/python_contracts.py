"""Which names may a contract of a Python function use?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from whence.contract.cases import Clause
from whence.contract.clauses import ClauseText
from whence.contract.contracts import SeenCall
from whence.contract.python_clauses import KnownNames, compile_clause
from whence.contract.suggesting import suggestion
from whence.contract.versions import PairedSources
from whence.trace.function_pairs import FunctionSource


class PythonContracts:
    """Compiles the clauses of contracts of Python functions."""

    comment = "#@"

    def __init__(self, sources: PairedSources, good: Path, bad: Path) -> None:
        self._sources, self._trees = sources, (good, bad)
        self._modules: dict[Path, ast.Module | None] = {}
        self._classes: frozenset[str] | None = None

    def suggestion(self, calls: Sequence[SeenCall]) -> str | None:
        """Return a contract that the calls seen would keep; None if there is none to suggest."""
        return suggestion(calls)

    def clause(self, text: ClauseText, good: FunctionSource, bad: FunctionSource) -> Clause:
        """Return a clause of the contract of a function."""
        return compile_clause(text, self._known(good, bad))

    def _known(self, good: FunctionSource, function: FunctionSource) -> KnownNames:
        module = self._module(self._trees[1] / function.file)
        constants = dict(_literals(module)) if module else {}
        return KnownNames(
            _parameters(self._module(self._trees[0] / good.file), good),
            _parameters(module, function),
            constants,
            frozenset(_globals(module)) if module else frozenset(),
            self._all_classes(),
        )

    def _module(self, path: Path) -> ast.Module | None:
        if path not in self._modules:
            try:
                self._modules[path] = ast.parse(path.read_bytes())
            except (OSError, SyntaxError, ValueError):
                self._modules[path] = None
        return self._modules[path]

    def _all_classes(self) -> frozenset[str]:
        """Return the names of the classes that the modules of the bad version define."""
        if self._classes is None:
            paths = {self._trees[1] / function.file for function in self._sources.bad}
            modules = (self._module(path) for path in sorted(paths))
            self._classes = frozenset(
                node.name
                for module in modules if module
                for node in ast.walk(module) if isinstance(node, ast.ClassDef)
            )  # fmt: skip
        return self._classes


def _parameters(module: ast.Module | None, function: FunctionSource) -> tuple[str, ...]:
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == function.first:
                return tuple(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
    return ()


def _literals(module: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield the names of a module that are assigned a literal."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                yield node.targets[0].id, ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _globals(module: ast.Module) -> Iterator[str]:
    """Yield the names that a module assigns or imports."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
