"""Which node of a module's syntax tree does an operation of a recorded program belong to?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from whence.frontend.recorded_run import SOURCES
from whence.paths.python.records import RecordClass, record_class
from whence.trace.python.recording import PythonThread

N = TypeVar("N", bound=ast.AST)


class ModuleTree:
    """The syntax tree of one module."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.tree = ast.parse(source)

    @cached_property
    def _by_place(self) -> dict[tuple[int, int], list[ast.AST]]:
        found: dict[tuple[int, int], list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr | ast.stmt | ast.pattern):
                found.setdefault((node.lineno, node.col_offset), []).append(node)
        return found

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes, by name; the last one of several."""
        nodes = ast.walk(self.tree)
        return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """For each node, the one around it."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def at(self, row: int, col: int, kind: type[N]) -> N | None:
        """Return the node of a kind that begins at a place; the outermost one of several."""
        for node in self._by_place.get((row, col), ()):
            if isinstance(node, kind):
                return node
        return None


class ModuleTrees:
    """The syntax trees of a recorded program, read when they are asked for."""

    def __init__(self, thread: PythonThread) -> None:
        self._thread, self._program = thread, thread.program
        self._known: dict[int, ModuleTree | None] = {}
        self._classes: dict[str, RecordClass | None] = {}

    def of(self, module: int) -> ModuleTree | None:
        """Return the tree of a module; None if its source is not known."""
        if module not in self._known:
            self._known[module] = self._read(module)
        return self._known[module]

    def _read(self, module: int) -> ModuleTree | None:
        folder: Path = self._thread.recording.folder / SOURCES
        for name in (self._thread.image.module_files[module], self._program.modules[module].file):
            path = folder / name.lstrip("/")
            if path.is_file():
                try:
                    return ModuleTree(path.read_bytes())
                except SyntaxError:
                    return None
        return None

    def record_class(self, kind: str) -> RecordClass | None:
        """Return the class that a type is, if its instances get their fields from the library."""
        name = kind.rpartition(".")[2]
        if name not in self._classes:
            trees = (self.of(module) for module in range(len(self._program.modules)))
            own = [tree for tree in trees if tree is not None and name in tree.classes]
            is_known = len(own) == 1  # else it is not sure which one it is
            found = record_class(own[0].classes[name], own[0].classes) if is_known else None
            self._classes[name] = found
        return self._classes[name]

    def node(self, op: int, kind: type[N]) -> N | None:
        """Return the node of a kind that an operation stands for."""
        tree = self.of(self._program.functions[self._program.function_of(op)].module)
        return None if tree is None else tree.at(self._program.row[op], self._program.col[op], kind)

    def match_of(self, op: int) -> ast.Match | None:
        """Return the match statement that an operation belongs to."""
        tree = self.of(self._program.functions[self._program.function_of(op)].module)
        subject = None if tree is None else self.node(op, ast.expr)
        around = None if tree is None or subject is None else tree.parents.get(subject)
        return around if isinstance(around, ast.Match) else None
