"""What does a clause of a Python contract mean on recorded states?

A clause is a Python expression.  Its names are read from one of three states of a call:

    before  the state at the start, which is the same in both versions
    good    the state at the end of the call in the good version: `prev(...)`
    bad     the state at the end of the call in the bad version

The expression is compiled with every name replaced by `state_name`, and evaluated on values that
are rebuilt from the recorded states.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from whence.contract.clauses import ClauseText
from whence.contract.contracts import CallView
from whence.contract.rebuilt import NamedObject, class_names, rebuilt
from whence.source_lines import source_lines
from whence.trace.calls import Call, UnknownStateError, WatchedProcess

_STATES = {"requires": "before", "when_ensured": "good", "when_signaled": "good"}
_FUNCTIONS = [
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "frozenset",
    "int",
    "len",
    "list",
    "map",
    "max",
    "min",
    "ord",
    "chr",
    "pow",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "complex",
    "hex",
    "format",
]
_MAX_BITS = 100_000  # of a number that a contract computes; guessed
_MAX_RANGE = 1_000_000  # limit on the numbers of a range in a contract; guessed
_BOUNDED = (ast.Pow, ast.LShift)  # operators with which a small text makes a huge number
_MODIFIERS = ("old", "prev", "latest", "deprecated")
_FORBIDDEN = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


@dataclass(frozen=True)
class KnownNames:
    """The names that a contract of a function may use."""

    good_params: tuple[str, ...]
    bad_params: tuple[str, ...]
    constants: Mapping[str, Any]  # literals that the module of the function defines
    others: Collection[str]  # globals of that module
    classes: Collection[str]


@dataclass(frozen=True)
class PythonClause:
    """A clause, ready to be evaluated."""

    text: ClauseText
    code: CodeType
    uses: frozenset[tuple[str, str]]  # state and name
    known: KnownNames

    def holds(self, view: CallView) -> bool:
        """Does the clause hold for a call?  UnknownStateError: it cannot be said."""
        namespace = {f"{state}_{name}": self._value(view, state, name) for state, name in self.uses}
        namespace |= _builtins()
        try:
            return bool(eval(self.code, {"__builtins__": {}, **namespace}))
        except UnknownStateError:
            raise
        except Exception as error:
            call = f"called from {view.bad.place[0]}:{view.bad.place[1]}"
            self.text.complain(
                f"evaluating this clause raises {type(error).__name__}: {error} ({call})",
                hint="Guard it, as in `x is not None and x.y`, or use only recorded attributes.",
            )

    @property
    def normal(self) -> str:
        return ast.dump(_parsed(self.text.text))

    @property
    def demanded(self) -> str | None:
        tree = _parsed(self.text.text)
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], ast.Eq):
            left, right = tree.left, tree.comparators[0]
            if isinstance(left, ast.Name) and left.id == "result":
                return repr(right.value) if isinstance(right, ast.Constant) else None
        return None

    def _value(self, view: CallView, state: str, name: str) -> Any:
        is_good = state == "good"
        process, call = (view.good_process, view.good) if is_good else (view.bad_process, view.bad)
        if name == self.text.variable or name == "exception":
            return rebuilt(process, call.raised)
        if name == "result":
            return rebuilt(process, _result(process, call))
        given, around = (
            (call.given, call.around) if state == "before" else (call.after, call.around_after)
        )
        if name in given:
            return rebuilt(process, given[name])
        if state == "before" and name in view.good.given:  # a parameter that was deleted
            return rebuilt(view.good_process, view.good.given[name])
        if name in around:
            return rebuilt(process, around[name])
        if name in self.known.constants:
            return self.known.constants[name]
        if name in self.known.classes:
            return NamedObject(name)
        raise UnknownStateError(f"{name} was not recorded for this call")


def _parsed(text: str) -> ast.expr:
    return ast.parse(f"({text.replace(chr(92), ' ')}\n)", mode="eval").body


def _result(process: WatchedProcess, call: Call) -> Any:
    if call.yielded is None:
        return call.result
    content = ("l", "list", call.yielded)
    key = hash(("yielded", call.number))
    process.nodes[key] = content
    return (key,)


def compile_clause(text: ClauseText, known: KnownNames) -> PythonClause:
    """Return a clause; a mistake in it is an error with its place."""
    plain = text.text.replace("\\", " ")
    try:
        tree = ast.parse(f"({plain}\n)", mode="eval")
    except SyntaxError as error:
        text.complain(
            f"this is no expression: {error.msg}", _offset(plain, error.lineno, error.offset)
        )
    if text.exception and not _is_exception(text.exception, known):
        whole = "\n".join(line.text for line in text.lines)
        place = whole.rfind(text.exception, 0, text.offset)
        what = f"{text.exception!r} is unknown here: no exception of Python, class or global"
        text.complain(what, place - text.offset)
    renamer = _Renamer(text, plain, known)
    body = renamer.visit(tree.body)
    expression = ast.fix_missing_locations(ast.Expression(body))
    code = compile(expression, f"<contract {text.lines[0].file}>", "eval")
    return PythonClause(text, code, frozenset(renamer.uses), known)


def _is_exception(name: str, known: KnownNames) -> bool:
    """Is a name that of an exception of Python, or of a class or global of the program?"""
    if "." in name:
        return True  # of a library
    found = getattr(builtins, name, None)
    is_builtin = isinstance(found, type) and issubclass(found, BaseException)
    return is_builtin or name in known.classes or name in known.others or name == "exception"


def _offset(text: str, line: int | None, column: int | None) -> int:
    """Return the offset of a place that Python names; the text is behind one bracket."""
    lines = source_lines(text)[: (line or 1) - 1]
    before = sum(len(each) + 1 for each in lines)
    inside = max((column or 1) - 1 - (not lines), 0)
    return min(before + inside, len(text))


class _Renamer(ast.NodeTransformer):
    """Replaces each name by the name of its value in the state that is meant."""

    def __init__(self, text: ClauseText, plain: str, known: KnownNames) -> None:
        self._text, self._plain, self._known = text, plain, known
        self._state = _STATES.get(text.keyword, "bad")
        self._bound: set[str] = set()
        self.uses: set[tuple[str, str]] = set()
        given = {*known.good_params, *known.bad_params, *known.others, *known.constants}
        self._names = given | {*known.classes} | ({text.variable} if text.variable else set())

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, _FORBIDDEN):
            self._complain(node, f"a contract has no {type(node).__name__.lower()}")
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            return self._comprehension(node)
        return super().visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace an operator that could take forever by a function with a limit."""
        self.generic_visit(node)
        if not isinstance(node.op, _BOUNDED):
            return node
        name = "function_pow" if isinstance(node.op, ast.Pow) else "function_shifted"
        called = ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
        return ast.copy_location(called, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._bound or isinstance(node.ctx, ast.Store):
            return node
        if node.id == "result":
            return self._read(node, "result")
        if node.id in self._names:
            return self._read(node, node.id)
        if node.id in _FUNCTIONS or node.id in ("isinstance", "type_name"):
            return ast.copy_location(ast.Name(f"function_{node.id}", ast.Load()), node)
        if isinstance(getattr(builtins, node.id, None), type):
            return ast.copy_location(ast.Name(f"class_{node.id}", ast.Load()), node)
        near = ", ".join(sorted(self._known.bad_params)) or "none"
        self._complain(node, f"{node.id!r} is unknown here; the parameters are: {near}")
        return node

    def _read(self, node: ast.Name, name: str) -> ast.AST:
        if name == "result" and self._state == "before":
            self._complain(node, "the result is not known at the start of a call")
        self.uses.add((self._state, name))
        return ast.copy_location(ast.Name(f"{self._state}_{name}", ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _MODIFIERS and name not in self._bound:
            if len(node.args) != 1 or node.keywords:
                self._complain(node, f"{name} has one argument")
            if name in ("latest", "deprecated"):
                return self._existence(node.args[0], name)
            return self._in_state("before" if name == "old" else "good", node.args[0])
        return self.generic_visit(node)

    def _in_state(self, state: str, node: ast.expr) -> ast.AST:
        outer = self._state
        if not (outer == "before" and state == "good" and self._text.keyword != "requires"):
            self._state = state
        if self._text.keyword == "requires":  # both versions start in the same state
            self._state = "before"
        found: ast.AST = self.visit(node)
        self._state = outer
        return found

    def _existence(self, node: ast.expr, modifier: str) -> ast.AST:
        """Return the constant that says whether only one version has a parameter."""
        if not isinstance(node, ast.Name):
            self._complain(node, f"{modifier} takes the name of a parameter")
        assert isinstance(node, ast.Name)
        good, bad = (node.id in p for p in (self._known.good_params, self._known.bad_params))
        if not good and not bad:
            self._complain(node, f"neither version has a parameter {node.id!r}")
        is_so = (bad and not good) if modifier == "latest" else (good and not bad)
        return ast.copy_location(ast.Constant(is_so), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr.startswith("__"):
            self._complain(node, f"{node.attr} cannot be used in a contract")
        return self.generic_visit(node)

    def _comprehension(self, node: Any) -> ast.AST:
        outer = set(self._bound)
        for generator in node.generators:
            generator.iter = self.visit(generator.iter)
            names = (each for each in ast.walk(generator.target) if isinstance(each, ast.Name))
            self._bound |= {each.id for each in names}
            generator.ifs = [self.visit(each) for each in generator.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        self._bound = outer
        result: ast.AST = node
        return result

    def _complain(self, node: ast.AST, what: str) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 1)
        self._text.complain(what, _offset(self._plain, line, column + 1))


def _builtins() -> dict[str, Any]:
    found: dict[str, Any] = {f"function_{name}": getattr(builtins, name) for name in _FUNCTIONS}
    found["function_isinstance"] = _isinstance
    found["function_type_name"] = lambda value: class_names(value)[0]
    types = {name: each for name, each in vars(builtins).items() if isinstance(each, type)}
    found |= {"function_pow": _pow, "function_shifted": _shifted, "function_range": _range}
    return found | {f"class_{name}": each for name, each in types.items()}


def _pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    if not modulus and isinstance(base, int) and isinstance(exponent, int):
        _check_bits(base.bit_length() * max(exponent, 0))
    return pow(base, exponent, *modulus)


def _shifted(number: Any, by: Any) -> Any:
    _check_bits(by if isinstance(by, int) else 0)
    return number << by


def _check_bits(bits: int) -> None:
    if bits > _MAX_BITS:
        raise OverflowError("the number would be too large")


def _range(*limits: int) -> range:
    found = range(*limits)
    if len(found) > _MAX_RANGE:
        raise OverflowError(f"a range in a contract has at most {_MAX_RANGE:,} numbers")
    return found


def _isinstance(value: Any, types: Any) -> bool:
    """Is a value of one of some classes?  Classes of the program are compared by name."""
    wanted = types if isinstance(types, tuple) else (types,)
    names = class_names(value)
    return any(
        (each.name if isinstance(each, NamedObject) else each.__name__) in names for each in wanted
    )
