"""Which test fails exactly if a call does not give what it gave in the good version?

The test is a script that makes the state in which the call started, calls the function, and asserts
the first part that differs:

    tested = import_module("shop")
    self = made(tested.Cart, {"prices": [5200]})
    result = plain(tested.Cart.__dict__["total"])(self, "FRIEND")
    assert result == 5170

Making the state runs no code of the program: objects get their attributes one by one.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from whence.contract.contracts import CallView
from whence.contract.differences import Difference
from whence.trace.calls import CalledFunction, State, WatchedProcess

TEST_FILE = "whence_call_test.py"
_STANDARD = frozenset({"datetime", "decimal", "fractions", "uuid", "pathlib", "builtins"})
_RESERVED = frozenset({"tested", "function", "result", "made", "plain", "printed", "sys"})
_HELPERS = '''

def made(kind, attributes, content=()):
    """Return an object with these attributes; its class is not called."""
    base = next(each for each in kind.__mro__ if each.__module__ == "builtins")
    is_filled = base in (dict, list, set)
    value = base.__new__(kind, *(() if is_filled else content))
    if is_filled and content:
        (base.extend if base is list else base.update)(value, *content)
    for name, each in attributes.items():
        object.__setattr__(value, name, each)
    return value


def plain(function):
    """Return the function that a property, a decorator and the like stand around."""
    while not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        for name in ("fget", "__func__", "func", "__wrapped__"):
            if getattr(function, name, None) is not None:
                function = getattr(function, name)
                break
        else:
            break
    return function


'''


class NotWritableError(Exception):
    """The call cannot be written as a script; the message says why, after "because"."""


def call_test(
    view: CallView, function: CalledFunction, differences: list[Difference], tree: Path
) -> str:
    """Return the text of the test for a call of `function` in the tree of the bad version."""
    writer = _Writer(view.bad_process)
    name = function.name
    if "<locals>" in name:
        raise NotWritableError(f"{name} is made inside of another function")
    variables: dict[str, str] = {}
    lines = [
        f"{_variable(each)} = {writer.text(view.bad.given[each])}"
        for each in view.bad.given
        if each not in view.bad.defaults
    ]
    variables = {each: _variable(each) for each in view.bad.given}
    for each, state in view.bad.around.items():
        lines.append(f"tested.{each} = {writer.text(state)}")
    path = "".join(f".__dict__[{part!r}]" for part in name.split("."))
    lines.append(f"function = plain(tested{path})")
    call = f"function({', '.join(_arguments(tree, function, view))})"
    lines += _asserted(view, differences, call, variables)
    body = "\n".join(lines)
    module = view.bad_process.module_names.get(function.file, "__main__")
    opening = [
        f'"""Does {name} give what it gave in the good version?  Written by whence contract."""',
        *(f"import {each}" for each in sorted({*writer.imports, "sys", "types"})),
        *_opened(module, function.file, view.bad_process.search_path),
    ]
    return "\n".join(opening) + _HELPERS + body + "\n"


def _opened(module: str, file: str, search_path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines that import the module of the function."""
    yield f"sys.path[:0] = {list(search_path)!r}"
    if module != "__main__":
        yield "import importlib"
        yield f"tested = importlib.import_module({module!r})"
        return
    name = Path(file).stem
    yield "import importlib.util"
    yield f"found = importlib.util.spec_from_file_location({name!r}, {file!r})"
    yield f"tested = sys.modules[{name!r}] = importlib.util.module_from_spec(found)"
    yield "found.loader.exec_module(tested)"


def _variable(name: str) -> str:
    return f"{name}_" if name in _RESERVED else name


def _arguments(tree: Path, function: CalledFunction, view: CallView) -> Iterator[str]:
    """Yield the arguments of the call; parameters that have their default are left out."""
    found = _definition(tree, function)
    if isinstance(found, ast.AsyncFunctionDef):
        raise NotWritableError(f"{function.name} is a coroutine")
    given = [name for name in view.bad.given if name not in view.bad.defaults]
    is_whole = True  # are all parameters so far given by their positions?
    arguments = found.args
    for each in (*arguments.posonlyargs, *arguments.args):
        if each.arg in given:
            yield _variable(each.arg) if is_whole else f"{each.arg}={_variable(each.arg)}"
        else:
            is_whole = False
    if arguments.vararg is not None and arguments.vararg.arg in given:
        yield f"*{_variable(arguments.vararg.arg)}"
    for each in arguments.kwonlyargs:
        if each.arg in given:
            yield f"{each.arg}={_variable(each.arg)}"
    if arguments.kwarg is not None and arguments.kwarg.arg in given:
        yield f"**{_variable(arguments.kwarg.arg)}"


def _definition(tree: Path, function: CalledFunction) -> ast.FunctionDef | ast.AsyncFunctionDef:
    try:
        module = ast.parse((tree / function.file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        raise NotWritableError(f"{function.file} cannot be read") from None
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == function.line:
                return node
    raise NotWritableError(f"{function.name} is not found in {function.file}")


# --- what is asserted -----------------------------------------------------------------------------


def _asserted(
    view: CallView, differences: list[Difference], call: str, variables: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines that call the function and assert what differs."""
    good, process = view.good, view.good_process
    if good.raised is not None:
        node = process.node(good.raised)
        raised = process.short_name(node[1]) if node else "an exception"
        yield "try:"
        yield f"    result = {call}"
        yield "except Exception as error:"
        yield "    result = type(error).__qualname__"
        yield f"assert result == {raised!r}"
        return
    if view.bad.raised is not None:
        yield f"result = {call}"
        return
    for each in differences:
        lines = _asserted_part(view, each, call, variables)
        if lines is not None:
            yield from lines
            return
    raise NotWritableError("no part that differs can be written in a script")


def _asserted_part(
    view: CallView, difference: Difference, call: str, variables: Mapping[str, str]
) -> list[str] | None:
    """Return the lines that assert one part; None if it cannot be written."""
    part, path = difference.part, difference.path
    state: State
    process, good = view.good_process, view.good
    if part == "standard output":
        text = "".join(
            each.text for each in good.written if each.stream == part and isinstance(each.text, str)
        )
        return [
            "import contextlib, io",
            "printed = io.StringIO()",
            "with contextlib.redirect_stdout(printed):",
            f"    result = {call}",
            f"assert printed.getvalue() == {text!r}",
        ]
    if part == "result":
        root, state = "result", good.result
    elif part == "yielded":
        root, state, call = "result", None, f"list({call})"
        if not path:
            return [f"result = {call}", f"assert len(result) == {len(good.yielded or ())}"]
        state, path = (good.yielded or ())[int(path[0][1:-1])], path[1:]
        root = f"result{difference.path[0]}"
    elif part in good.after:
        root, state = variables.get(part, part), good.after[part]
    elif part in good.around_after:
        root, state = f"tested.{part}", good.around_after[part]
    else:
        return None
    try:
        claims = _claim(process, state, path, root)
    except NotWritableError:
        return None
    return [f"result = {call}", f"assert {claims}"]


def _claim(process: WatchedProcess, state: State, path: tuple[str, ...], root: str) -> str:
    """Return the condition that a part has the value that it has in a state."""
    place = root
    for step in path:
        node = process.node(state)
        if node is None:
            raise NotWritableError("a part was not recorded")
        found = _step_into(node, step)
        if found is None:
            return f"not hasattr({place}, {step[1:]!r})" if step[0] == "." else _lacks(place, step)
        state, place = found[0], f"{place}{step}"
    node = process.node(state)
    if node is None or node[0] in "ltds":
        try:
            return f"{place} == {_Writer(process).text(state, is_plain=True)}"
        except NotWritableError:
            if node is None or () in node[2]:
                raise
            return f"len({place}) == {len(node[2])}"
    if node[0] == "b":
        return f"len({place}) == {node[2][0]} and {place}.startswith({node[2][2]!r})"
    return f"type({place}).__qualname__ == {process.short_name(node[1])!r}"


def _lacks(place: str, step: str) -> str:
    return f"{step[1:-1]} not in {place}"


def _step_into(node: Any, step: str) -> tuple[State] | None:
    kind, _, parts = node
    if kind == "o":
        return next(((part,) for name, part in parts if f".{name}" == step), None)
    if kind == "d":
        pairs = (pair for pair in parts if pair)
        return next(((value,) for key, value in pairs if f"[{key!r}]" == step), None)
    number = int(step[1:-1]) if step[1:-1].isdecimal() else len(parts)
    return (parts[number],) if number < len(parts) else None


# --- how states are written -----------------------------------------------------------------------


class _Writer:
    """Writes states as Python expressions."""

    def __init__(self, process: WatchedProcess) -> None:
        self._process = process
        self.imports: set[str] = set()

    def text(self, state: State, *, is_plain: bool = False) -> str:
        """Return an expression for a state; with `is_plain` only of values that are compared."""
        if type(state) is float and not math.isfinite(state):
            return f"float({str(state)!r})"
        if type(state) is not tuple:
            return repr(state)
        node = self._process.node(state)
        if node is None:
            raise NotWritableError("a part of its state was not recorded")
        kind, name, parts = node
        short = self._process.short_name(name)
        if () in parts:
            raise NotWritableError(f"only a part of a large {short} was recorded")
        if kind == "o" and not is_plain:
            return self._object(name, dict(parts))
        if kind == "d":
            pairs = [f"{self.text(key)}: {self.text(value)}" for key, value in parts]
            found = f"{{{', '.join(pairs)}}}"
            return found if name == "dict" else self._imported("collections", name, found)
        if kind in "lts" and name != "method":
            return self._sequence(kind, name, [self.text(each) for each in parts])
        if kind == "f" and name in self._process.classes:
            return self._named(name)
        if kind == "b" and isinstance(parts[2], str | bytes) and len(parts[2]) == parts[0]:
            return repr(parts[2])
        if kind == "b":
            raise NotWritableError(f"only the start of a long {name} was recorded")
        raise NotWritableError(f"a value of type {short} cannot be written")

    def _sequence(self, kind: str, name: str, texts: list[str]) -> str:
        inner = ", ".join(texts)
        if kind == "s":
            return f"{name}([{inner}])"
        if name == "deque":
            return self._imported("collections", name, f"[{inner}]")
        if name == "bytearray":
            return f"bytearray({inner})"
        return f"[{inner}]" if kind == "l" else f"({inner}{',' if len(texts) == 1 else ''})"

    def _imported(self, module: str, name: str, argument: str) -> str:
        self.imports.add(module)
        return f"{module}.{name}({argument})"

    def _named(self, name: str) -> str:
        """Return how a class is named."""
        module, qualname = self._process.code_named(name)[:2]
        is_one_of_several = "#" in name or f"{name}#2" in self._process.named
        if not module or "<locals>" in qualname or is_one_of_several:
            raise NotWritableError(f"the class {qualname} has no name of its own")
        if module == "builtins":
            return qualname
        if module == "__main__":
            return f"tested.{qualname}"
        self.imports.add(module)
        return f"{module}.{qualname}"

    def _object(self, name: str, parts: dict[str, State]) -> str:
        content = parts.pop("()", None)
        if "_name_" in parts:
            return f"{self._named(name)}[{parts['_name_']!r}]"  # an Enum
        module, short = self._process.code_named(name)[:2]
        if type(content) is str and module.partition(".")[0] in _STANDARD:
            self.imports.add("pathlib" if module.startswith("pathlib") else module)
            return f"{'pathlib' if module.startswith('pathlib') else module}.{short}({content})"
        if type(content) is str and short == "Pattern":
            return self._imported("re", "compile", content)
        attributes = ", ".join(f"{key!r}: {self.text(part)}" for key, part in parts.items())
        more = ""
        if content is not None:
            bases = self._process.classes.get(name, ())
            text = self.text(content)
            more = f", {text}" if "BaseException" in bases else f", ({text},)"
        return f"made({self._named(name)}, {{{attributes}}}{more})"
