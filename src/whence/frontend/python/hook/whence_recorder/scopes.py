"""Which function owns the variable that a name denotes?"""

from __future__ import annotations

import _ast as ast
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .ops import Node

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope:
    """The names that are visible at one place of the source.

    Its kind is module, class, function (also for lambdas), genexpr or comp.  A comp is a list, set
    or dict comprehension; its variables belong to the function around it.  A variable of a comp
    that hides others of the same function has one ' at the end of its name for each.
    """

    def __init__(self, kind: str, parent: Scope | None, owner: int, private: str | None) -> None:
        self.kind, self.parent, self.owner, self.private = kind, parent, owner, private
        self.bound: dict[str, str] = {}  # name -> its name in the description
        self.globals: set[str] = set()
        self.label = ""  # for a comp: list, set or dict

    def bind(self, names: ScopeNames) -> None:
        """Add the names that the scope binds."""
        self.globals = {self.mangled(name) for name in names.globals}
        elsewhere = names.globals | names.nonlocals
        for name in names.bound - elsewhere:
            mangled = self.mangled(name)
            self.bound[mangled] = mangled + "'" * self._hidden(mangled)

    def _hidden(self, name: str) -> int:
        """Return the number of variables of the same function that a name hides."""
        count, scope = 0, self.parent if self.kind == "comp" else None
        while scope is not None and scope.owner == self.owner:
            count += name in scope.bound
            scope = scope.parent if scope.kind == "comp" else None
        return count

    def find(self, name: str) -> tuple[str, int]:
        """Return a variable's name in the description, and the function that owns it."""
        name = self.mangled(name)
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            if scope.kind != "class" or scope is self:
                if name in scope.globals:
                    break
                if name in scope.bound:
                    return scope.bound[name], scope.owner
            scope = scope.parent
        return name, 0

    def comprehensions(self) -> str:
        """Return what the surrounding comprehensions add to a qualified name.

        From Python 3.12 on they add nothing.
        """
        if self.kind != "comp" or sys.version_info >= (3, 12) or self.parent is None:
            return ""
        return f"{self.parent.comprehensions()}<{self.label}comp>.<locals>."

    def binder(self) -> Scope:
        """Return the scope in which `:=` binds."""
        scope = self
        while scope.parent is not None and scope.kind in ("comp", "genexpr"):
            scope = scope.parent
        return scope

    def mangled(self, name: str) -> str:
        """Return a private name of a class as Python stores it."""
        private = self.private
        if private and name.startswith("__") and not name.endswith("__") and "." not in name:
            return f"_{private}{name}"
        return name


class ScopeNames:
    """The names that a body binds, and those that it declares global or nonlocal."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        for node in nodes:
            self._visit(node, within=False)

    def _visit(self, node: Node, within: bool) -> None:
        """Collect the names of a node; `within` a comprehension only `:=` binds."""
        kind = type(node)
        if kind is ast.Name:
            if not within and type(node.ctx) is not ast.Load:
                self.bound.add(node.id)
            return
        if kind is ast.NamedExpr:
            self.bound.add(node.target.id)
            self._visit(node.value, within)
            return
        if kind in COMPREHENSIONS:
            within = True
        elif kind in FUNCTIONS or kind is ast.ClassDef:
            self.bound.add(node.name)
        elif kind in (ast.Import, ast.ImportFrom):
            self.bound.update(bound_by(alias) for alias in node.names if alias.name != "*")
        elif kind is ast.Global:
            self.globals.update(node.names)
        elif kind is ast.Nonlocal:
            self.nonlocals.update(node.names)
        elif kind is ast.MatchMapping:
            if node.rest:
                self.bound.add(node.rest)
        elif kind in (ast.ExceptHandler, ast.MatchAs, ast.MatchStar) and node.name:
            self.bound.add(node.name)
        for child in _evaluated_here(node):
            self._visit(child, within)


def bound_by(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def _evaluated_here(node: Node) -> Iterator[Node]:
    """Yield the parts of a node that belong to the scope around it."""
    if isinstance(node, FUNCTIONS):
        yield from node.decorator_list
        yield from defaults(node.args)
    elif isinstance(node, ast.Lambda):
        yield from defaults(node.args)
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
    else:
        yield from children(node)


def defaults(args: ast.arguments) -> list[ast.expr]:
    return [*args.defaults, *(default for default in args.kw_defaults if default is not None)]


def children(node: Node) -> Iterator[Node]:
    """Yield the child nodes, as `ast.iter_child_nodes`; `ast` is not imported."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))
