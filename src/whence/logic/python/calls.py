"""What do f-strings, builtin functions and methods of Python give?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.frontend.python.values import Obj
from whence.logic.python.cases import Cases, Rules
from whence.logic.python.containers import contents_of, looked_up
from whence.logic.python.terms import (
    PythonTerm,
    are_numbers,
    are_texts,
    bool_term,
    int_term,
    is_true,
    number_of,
    python_literal,
    str_term,
    text_literal,
)
from whence.program.operations import Operation, PyOp


def _text_of(term: PythonTerm) -> Any:
    """Return what str() gives, or None if unknown."""
    if term.sort == "bool":
        return z3.If(term.z3, z3.StringVal("True"), z3.StringVal("False"))
    if term.sort == "int":
        x = term.z3
        return z3.If(x < 0, z3.Concat(z3.StringVal("-"), z3.IntToStr(-x)), z3.IntToStr(x))
    return term.z3 if term.sort == "str" else None


def _format(operation: Operation, *terms: PythonTerm) -> PythonTerm | None:
    rest = iter(terms)
    parts = [
        _text_of(next(rest)) if part is None else text_literal(part) for part in operation.extra
    ]
    if not parts or any(part is None for part in parts):
        return None
    return str_term(z3.Concat(*parts) if len(parts) > 1 else parts[0])


def _builtin(operation: Operation, *terms: PythonTerm) -> Cases | PythonTerm | None:
    rule = _BUILTINS.get(operation.extra)
    return rule(*terms) if rule and terms else None


def _length(*terms: PythonTerm) -> PythonTerm | None:
    return int_term(z3.Length(terms[0].z3)) if len(terms) == 1 and are_texts(*terms) else None


def _converted(*terms: PythonTerm) -> PythonTerm | None:
    return int_term(number_of(terms[0])) if len(terms) == 1 and are_numbers(*terms) else None


def _str_call(*terms: PythonTerm) -> PythonTerm | None:
    found = _text_of(terms[0]) if len(terms) == 1 else None
    return None if found is None else str_term(found)


def _magnitude(*terms: PythonTerm) -> PythonTerm | None:
    if len(terms) != 1 or not are_numbers(*terms):
        return None
    x = number_of(terms[0])
    return int_term(z3.If(x < 0, -x, x))


def _extreme(*terms: PythonTerm, largest: bool) -> PythonTerm | None:
    if len(terms) < 2 or any(term.sort != "int" for term in terms):
        return None
    found = terms[0].z3
    for term in terms[1:]:
        found = z3.If(term.z3 > found if largest else term.z3 < found, term.z3, found)
    return int_term(found)


def _code_point(*terms: PythonTerm) -> Cases | None:
    if len(terms) != 1 or not are_texts(*terms):
        return None
    text = terms[0].z3
    return Cases([(None, int_term(z3.StrToCode(text)))], z3.Length(text) != 1, "TypeError")


_BUILTINS: dict[tuple[Any, ...], Callable[..., Cases | PythonTerm | None]] = {
    ("abs",): _magnitude,
    ("bool",): lambda *terms: bool_term(is_true(terms[0])) if len(terms) == 1 else None,
    ("int",): _converted,
    ("len",): _length,
    ("max",): lambda *terms: _extreme(*terms, largest=True),
    ("min",): lambda *terms: _extreme(*terms, largest=False),
    ("ord",): _code_point,
    ("str",): _str_call,
}


def _method(operation: Operation, own: PythonTerm, *terms: PythonTerm) -> Cases | PythonTerm | None:
    name = operation.extra[0]
    if name == "get" and len(operation.extra) == 1:
        return _got(own, terms)
    if len(operation.extra) > 1 or len(terms) != 1 or own.sort != "str":
        return None
    return _METHODS[name](own, terms[0]) if name in _METHODS else None


def _got(own: PythonTerm, terms: Sequence[PythonTerm]) -> Cases | None:
    opened = contents_of(own)
    is_dict = isinstance(own.value, Obj) and own.value.type == "dict"
    if opened is None or not is_dict or not 1 <= len(terms) <= 2:
        return None
    default = terms[1] if len(terms) == 2 else python_literal(None)
    return looked_up(terms[0], opened[1], opened[0], default)


def _affix(
    asks: Callable[[Any, Any], Any],
) -> Callable[[PythonTerm, PythonTerm], PythonTerm | None]:
    def rule(own: PythonTerm, affix: PythonTerm) -> PythonTerm | None:
        several = affix.parts if affix.sort == "tuple" else (affix,)
        return (
            bool_term(z3.Or([asks(text.z3, own.z3) for text in several]))
            if are_texts(*several)
            else None
        )

    return rule


def _find(own: PythonTerm, part: PythonTerm) -> PythonTerm | None:
    return int_term(z3.IndexOf(own.z3, part.z3, 0)) if are_texts(part) else None


def _index(own: PythonTerm, part: PythonTerm) -> Cases | None:
    if not are_texts(part):
        return None
    place = z3.IndexOf(own.z3, part.z3, 0)
    return Cases([(None, int_term(place))], place < 0, "ValueError")


_METHODS: dict[str, Callable[[PythonTerm, PythonTerm], Cases | PythonTerm | None]] = {
    "endswith": _affix(z3.SuffixOf),
    "find": _find,
    "index": _index,
    "startswith": _affix(z3.PrefixOf),
}


CALL_RULES: Rules = {
    PyOp.FORMAT: _format,
    PyOp.BUILTIN: _builtin,
    PyOp.METHOD: _method,
}
