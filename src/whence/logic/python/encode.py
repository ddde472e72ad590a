"""What does a Python operation say about its operands and its result, in the solver's words?

The types are those of the run: a value that was an int is an unbounded Int, a bool a Bool, a short
str a String, a tuple its items, an exception its type and which one it was.  Everything else is
only equal to itself or not; so what asks for types (`is None`, isinstance, `==` of a str and an
int) is not said at all.  What is said is never more than what holds of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import z3

from whence.frontend.python.values import UNKNOWN, Obj, Value, items, key, likeness
from whence.program.operations import COp, Operation, PyOp

MOST_TEXT = 256  # characters of a str that the solver sees
_HIGHEST = 0x2FFFF  # character that it knows
_NUMBERS = ("int", "bool")


@dataclass(frozen=True, slots=True, eq=False)
class PythonTerm:
    """A value to the solver: an expression of its sort, or parts."""

    sort: str  # "int", "bool", "str", "tuple", "exception" or "other"
    value: Value  # what it was in the run
    z3: Any = None
    parts: tuple[PythonTerm, ...] = ()  # of a tuple; of an exception, its type and which one it is


def variable(name: str, value: Value) -> PythonTerm:
    """A value of which only the type is known: that of `value`."""
    sort = sort_of(value)
    if sort in ("tuple", "exception"):
        parts = (variable(f"{name}.{at}", one) for at, one in enumerate(_parts(value)))
        return PythonTerm(sort, value, None, tuple(parts))
    return PythonTerm(sort, value, z3.Const(name, _Z3_SORTS[sort]()))


def python_literal(value: Value) -> PythonTerm:
    sort = sort_of(value)
    if sort in ("tuple", "exception"):
        return PythonTerm(sort, value, None, tuple(map(python_literal, _parts(value))))
    return PythonTerm(sort, value, _LITERALS[sort](value))


def sort_of(value: Value) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, str):
        is_seen = len(value) <= MOST_TEXT and all(ord(one) <= _HIGHEST for one in value)
        return "str" if is_seen else "other"
    if isinstance(value, Obj) and value.kind == "exception":
        return "exception"
    is_tuple = isinstance(value, Obj) and value.type == "tuple" and items(value) is not None
    return "tuple" if is_tuple else "other"


def equal(a: PythonTerm, b: PythonTerm) -> Any:
    """That two terms are one value."""
    if a.sort != b.sort or len(a.parts) != len(b.parts):
        return z3.BoolVal(False)
    if a.z3 is None:
        return z3.And([equal(one, other) for one, other in zip(a.parts, b.parts, strict=True)])
    return a.z3 == b.z3


def differs(term: PythonTerm, value: Value) -> Any:
    """That a term is not that value; or, if that is an exception, not one of its type."""
    other = python_literal(value)
    if term.sort == other.sort == "exception":
        return z3.Not(equal(term.parts[0], other.parts[0]))
    return z3.Not(equal(term, other))


def is_true(term: PythonTerm) -> Any:
    """That it is true; None if we cannot say."""
    if term.sort == "bool":
        return term.z3
    if term.sort == "int":
        return term.z3 != 0
    return term.z3 != z3.StringVal("") if term.sort == "str" else None


def encode(operation: Operation, operands: Sequence[PythonTerm], result: PythonTerm) -> Any:
    """That `result` is what the operation gives; None if nothing can be said."""
    rule = _RULES.get(operation.op)
    said = rule(operation, *operands) if rule and result.value is not UNKNOWN else None
    if not isinstance(said, _Said):
        said = None if said is None else _Said([(None, said)])
    return None if said is None else said.of(result)


@dataclass
class _Said:
    """What an operation gives: under each condition a term, under another one an exception."""

    cases: list[tuple[Any, PythonTerm]]
    raises: Any = None
    error: str = ""
    given: Any = None  # of what else it is only known under this condition

    def of(self, result: PythonTerm) -> Any:
        said = self._raised(result) if result.sort == "exception" else self._found(result)
        return said if said is None or self.given is None else z3.Implies(self.given, said)

    def _raised(self, result: PythonTerm) -> Any:
        if self.raises is None:
            return None
        # As a value of that sort, what is no exception is one of no type.
        kind = z3.If(self.raises, _type_code(self.error), _type_code(""))
        return result.parts[0].z3 == kind

    def _found(self, result: PythonTerm) -> Any:
        said = [
            _agree(term, result)
            if condition is None
            else z3.Implies(condition, _agree(term, result))
            for condition, term in self.cases
            if term.sort == result.sort and len(term.parts) == len(result.parts)
        ]
        if not said:
            return None
        return (
            z3.And(said) if self.raises is None else z3.Implies(z3.Not(self.raises), z3.And(said))
        )


def _agree(found: PythonTerm, result: PythonTerm) -> Any:
    """That they are equal, as far as both show their parts."""
    if found.sort != "tuple":
        return equal(found, result)
    both = zip(found.parts, result.parts, strict=True)
    return z3.And([equal(one, other) for one, other in both if one.sort == other.sort])


# --- values --------------------------------------------------------------------------------------


def _parts(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, Obj)
    if value.kind != "exception":
        return items(value) or ()
    return Obj(0, "class", "type", value.type), Obj(
        value.identity, "object", value.type, value.shape
    )


def _code(value: object) -> Any:
    digest = blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return z3.BitVecVal(int.from_bytes(digest, "little"), 64)


def _type_code(name: str) -> Any:
    return _opaque(Obj(0, "class", "type", name))


def _opaque(value: Value) -> Any:
    """A number that stands for the value; an object is the same, whatever becomes of it."""
    if isinstance(value, Obj):
        return _code((value.type, value.identity) if value.identity else likeness(value))
    return _code(key(value))


def _text(value: str) -> Any:
    return z3.StringVal(value.replace("\\", r"\u{5c}"))  # or it would begin an escape


_Z3_SORTS: dict[str, Callable[[], Any]] = {
    "int": z3.IntSort,
    "bool": z3.BoolSort,
    "str": z3.StringSort,
    "other": lambda: z3.BitVecSort(64),
}
_LITERALS: dict[str, Callable[[Any], Any]] = {
    "int": z3.IntVal,
    "bool": z3.BoolVal,
    "str": _text,
    "other": _opaque,
}


def _int(found: Any) -> PythonTerm:
    return PythonTerm("int", UNKNOWN, found)


def _bool(found: Any) -> PythonTerm | None:
    return None if found is None else PythonTerm("bool", UNKNOWN, found)


def _str(found: Any) -> PythonTerm:
    return PythonTerm("str", UNKNOWN, found)


def _number(term: PythonTerm) -> Any:
    return z3.If(term.z3, z3.IntVal(1), z3.IntVal(0)) if term.sort == "bool" else term.z3


def _are_numbers(*terms: PythonTerm) -> bool:
    return all(term.sort in _NUMBERS for term in terms)


def _are_texts(*terms: PythonTerm) -> bool:
    return all(term.sort == "str" for term in terms)


def _constant(term: PythonTerm) -> int | None:
    """The number that an int literal is."""
    found = z3.simplify(_number(term)) if _are_numbers(term) else None
    return found.as_long() if found is not None and z3.is_int_value(found) else None


# --- numbers -------------------------------------------------------------------------------------


def _arithmetic(compute: Callable[..., Any]) -> Callable[..., PythonTerm | None]:
    def rule(_: Operation, *terms: PythonTerm) -> PythonTerm | None:
        return _int(compute(*map(_number, terms))) if _are_numbers(*terms) else None

    return rule


def _add(_: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    if _are_texts(a, b):
        return _str(z3.Concat(a.z3, b.z3))
    if a.sort == b.sort == "tuple":
        return PythonTerm("tuple", UNKNOWN, None, a.parts + b.parts)
    return _int(_number(a) + _number(b)) if _are_numbers(a, b) else None


def _floor(a: Any, b: Any) -> Any:
    return z3.If(b > 0, a / b, (-a) / (-b))


def _remainder(a: Any, b: Any) -> Any:
    return z3.If(b > 0, a % b, -((-a) % (-b)))


def _dividing(compute: Callable[[Any, Any], Any] | None) -> Callable[..., _Said | None]:
    def rule(_: Operation, a: PythonTerm, b: PythonTerm) -> _Said | None:
        if not _are_numbers(a, b):
            return None
        x, y = _number(a), _number(b)
        cases: list[tuple[Any, PythonTerm]] = [(None, _int(compute(x, y)))] if compute else []
        return _Said(cases, y == 0, "ZeroDivisionError")

    return rule


def _power(_: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    exponent = _constant(b)
    if exponent is None or not 0 <= exponent <= 3 or not _are_numbers(a):
        return None
    found = z3.IntVal(1)
    for _time in range(exponent):
        found = found * _number(a)
    return _int(found)


def _shift(operation: Operation, a: PythonTerm, n: PythonTerm) -> PythonTerm | None:
    places = _constant(n)
    if places is None or not 0 <= places <= 256 or not _are_numbers(a):
        return None
    x, by = _number(a), z3.IntVal(1 << places)
    return _int(x * by if operation.op is PyOp.SHL else x / by)


def _bitwise(operation: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    if a.sort != "bool" or b.sort != "bool":
        return None
    compute = {PyOp.BITAND: z3.And, PyOp.BITOR: z3.Or, PyOp.BITXOR: z3.Xor}
    return _bool(compute[operation.op](a.z3, b.z3))  # type: ignore[index]


# --- comparisons ---------------------------------------------------------------------------------


def _equals(a: PythonTerm, b: PythonTerm) -> Any:
    """That Python's == holds; None if we cannot say."""
    if _are_numbers(a, b):
        return a.z3 == b.z3 if a.sort == b.sort else _number(a) == _number(b)
    if _are_texts(a, b):
        return a.z3 == b.z3
    if a.sort != "tuple" or b.sort != "tuple" or len(a.parts) != len(b.parts):
        return None
    return _all([_equals(one, other) for one, other in zip(a.parts, b.parts, strict=True)])


def _all(found: Sequence[Any]) -> Any:
    return None if any(one is None for one in found) else z3.And(list(found))


_ORDER: dict[PyOp, Callable[[Any, Any], Any]] = {
    PyOp.LT: lambda a, b: a < b,
    PyOp.LE: lambda a, b: a <= b,
    PyOp.GT: lambda a, b: b < a,
    PyOp.GE: lambda a, b: b <= a,
}


def _holds(op: PyOp, a: PythonTerm, b: PythonTerm) -> Any:
    if op in _ORDER:
        if _are_numbers(a, b):
            return _ORDER[op](_number(a), _number(b))
        return _ORDER[op](a.z3, b.z3) if _are_texts(a, b) else None
    if op in (PyOp.EQ, PyOp.NE):
        found = _equals(a, b)
    elif op in (PyOp.IS, PyOp.ISNOT):
        found = _is(a, b)
    else:
        found = z3.Contains(b.z3, a.z3) if _are_texts(a, b) else None
    return z3.Not(found) if found is not None and op in _NEGATED else found


_NEGATED = (PyOp.NE, PyOp.ISNOT, PyOp.NOTIN)


def _is(a: PythonTerm, b: PythonTerm) -> Any:
    if a.sort == b.sort == "bool":
        return a.z3 == b.z3
    if a.sort == b.sort == "other" and any(
        one.value is None and z3.is_bv_value(one.z3) for one in (a, b)
    ):
        return a.z3 == b.z3
    return None


def _compare(operation: Operation, a: PythonTerm, b: PythonTerm) -> PythonTerm | None:
    assert isinstance(operation.op, PyOp)
    return _bool(_holds(operation.op, a, b))


def _chain(operation: Operation, *terms: PythonTerm) -> PythonTerm | None:
    pairs = zip(operation.extra, terms, terms[1:], strict=False)
    return _bool(_all([_holds(op, a, b) for op, a, b in pairs]))


def _truth(operation: Operation, a: PythonTerm) -> PythonTerm | None:
    found = is_true(a)
    return _bool(z3.Not(found) if found is not None and operation.op is PyOp.NOT else found)


# --- containers ----------------------------------------------------------------------------------


def _family(term: PythonTerm) -> str | None:
    """Values of different families are never equal."""
    if isinstance(term.value, int | float):
        return "number"
    is_plain = term.value is None or isinstance(term.value, str | bytes)
    return type(term.value).__name__ if is_plain else None


def _matches(a: PythonTerm, b: PythonTerm) -> Any:
    """As `_equals`; what is of another type does not match."""
    families = _family(a), _family(b)
    if None not in families and families[0] != families[1]:
        return z3.BoolVal(False)
    return _equals(a, b)


def _is_hashable(term: PythonTerm) -> bool:
    return _family(term) is not None or (
        term.sort == "tuple" and all(map(_is_hashable, term.parts))
    )


def _opened(term: PythonTerm) -> tuple[Any, list[PythonTerm]] | None:
    """What is in a container, and under which condition; of a dict k, v, k, v, ..."""
    if term.sort == "tuple":
        return None, list(term.parts)
    known = items(term.value)
    is_known = isinstance(term.value, Obj) and term.value.type in _KNOWN
    if known is None or not is_known:
        return None
    return term.z3 == _opaque(term.value), list(map(python_literal, known))


_KNOWN = ("list", "set", "frozenset", "dict")


def _member(operation: Operation, a: PythonTerm, whole: PythonTerm) -> _Said | PythonTerm | None:
    if whole.sort == "str":
        return _compare(operation, a, whole)
    opened = _opened(whole)
    if opened is None:
        return None
    given, inside = opened
    kind = whole.value.kind if isinstance(whole.value, Obj) else "tuple"
    matches = [_matches(a, one) for one in (inside[::2] if kind == "dict" else inside)]
    if any(one is None for one in matches) or (kind in ("dict", "set") and not _is_hashable(a)):
        return None
    found = z3.Or(matches) if operation.op is PyOp.IN else z3.Not(z3.Or(matches))
    return _Said([(None, PythonTerm("bool", UNKNOWN, found))], given=given)


def _item(_: Operation, whole: PythonTerm, at: PythonTerm) -> _Said | None:
    opened = _opened(whole)
    if whole.sort == "str" and _are_numbers(at):
        return _character(whole, _number(at))
    if opened is None or not isinstance(whole.value, Obj):
        return None
    given, inside = opened
    kind = whole.value.kind
    if kind == "dict":
        return _looked_up(at, inside, given)
    if kind == "set" or not _are_numbers(at):
        return None
    n, x = len(inside), _number(at)
    cases = [(z3.Or(x == k, x == k - n), one) for k, one in enumerate(inside)]
    return _Said(cases, z3.Or(x >= n, x < -n), "IndexError", given)


def _character(whole: PythonTerm, x: Any) -> _Said:
    n = z3.Length(whole.z3)
    found = z3.SubString(whole.z3, z3.If(x < 0, x + n, x), 1)
    return _Said([(None, _str(found))], z3.Or(x >= n, x < -n), "IndexError")


def _looked_up(
    at: PythonTerm, inside: Sequence[PythonTerm], given: Any, default: PythonTerm | None = None
) -> _Said | None:
    """The entry whose key is `at`; if there is none, the default or a KeyError."""
    matches = [_matches(at, one) for one in inside[::2]]
    if any(one is None for one in matches) or not _is_hashable(at):
        return None
    cases = list(zip(matches, inside[1::2], strict=True))
    missing = z3.Not(z3.Or(matches))
    if default is None:
        return _Said(cases, missing, "KeyError", given)
    return _Said([*cases, (missing, default)], given=given)


def _slice(
    _: Operation, whole: PythonTerm, lower: PythonTerm, upper: PythonTerm, step: PythonTerm
) -> PythonTerm | None:
    if whole.sort != "str" or not (_is_none(step) or _constant(step) == 1):
        return None
    n = z3.Length(whole.z3)
    first = z3.IntVal(0) if _is_none(lower) else _clamped(lower, n)
    after = n if _is_none(upper) else _clamped(upper, n)
    if first is None or after is None:
        return None
    return _str(
        z3.If(first < after, z3.SubString(whole.z3, first, after - first), z3.StringVal(""))
    )


def _is_none(term: PythonTerm) -> bool:
    return term.value is None and z3.is_bv_value(term.z3)


def _clamped(bound: PythonTerm, n: Any) -> Any:
    if not _are_numbers(bound):
        return None
    x = _number(bound)
    return z3.If(x < 0, z3.If(x + n < 0, z3.IntVal(0), x + n), z3.If(x > n, n, x))


def _tuple(_: Operation, *terms: PythonTerm) -> PythonTerm:
    return PythonTerm("tuple", UNKNOWN, None, terms)


# --- texts and calls -----------------------------------------------------------------------------


def _shown(term: PythonTerm) -> Any:
    """What str() gives; None if we cannot say."""
    if term.sort == "bool":
        return z3.If(term.z3, z3.StringVal("True"), z3.StringVal("False"))
    if term.sort == "int":
        x = term.z3
        return z3.If(x < 0, z3.Concat(z3.StringVal("-"), z3.IntToStr(-x)), z3.IntToStr(x))
    return term.z3 if term.sort == "str" else None


def _format(operation: Operation, *terms: PythonTerm) -> PythonTerm | None:
    rest = iter(terms)
    parts = [_shown(next(rest)) if part is None else _text(part) for part in operation.extra]
    if not parts or any(part is None for part in parts):
        return None
    return _str(z3.Concat(*parts) if len(parts) > 1 else parts[0])


def _builtin(operation: Operation, *terms: PythonTerm) -> _Said | PythonTerm | None:
    rule = _BUILTINS.get(operation.extra)
    return rule(*terms) if rule and terms else None


def _length(*terms: PythonTerm) -> PythonTerm | None:
    return _int(z3.Length(terms[0].z3)) if len(terms) == 1 and _are_texts(*terms) else None


def _converted(*terms: PythonTerm) -> PythonTerm | None:
    return _int(_number(terms[0])) if len(terms) == 1 and _are_numbers(*terms) else None


def _as_text(*terms: PythonTerm) -> PythonTerm | None:
    found = _shown(terms[0]) if len(terms) == 1 else None
    return None if found is None else _str(found)


def _magnitude(*terms: PythonTerm) -> PythonTerm | None:
    if len(terms) != 1 or not _are_numbers(*terms):
        return None
    x = _number(terms[0])
    return _int(z3.If(x < 0, -x, x))


def _extreme(*terms: PythonTerm, largest: bool) -> PythonTerm | None:
    if len(terms) < 2 or any(term.sort != "int" for term in terms):
        return None
    found = terms[0].z3
    for term in terms[1:]:
        found = z3.If(term.z3 > found if largest else term.z3 < found, term.z3, found)
    return _int(found)


def _code_point(*terms: PythonTerm) -> _Said | None:
    if len(terms) != 1 or not _are_texts(*terms):
        return None
    text = terms[0].z3
    return _Said([(None, _int(z3.StrToCode(text)))], z3.Length(text) != 1, "TypeError")


_BUILTINS: dict[tuple[Any, ...], Callable[..., _Said | PythonTerm | None]] = {
    ("abs",): _magnitude,
    ("bool",): lambda *terms: _bool(is_true(terms[0])) if len(terms) == 1 else None,
    ("int",): _converted,
    ("len",): _length,
    ("max",): lambda *terms: _extreme(*terms, largest=True),
    ("min",): lambda *terms: _extreme(*terms, largest=False),
    ("ord",): _code_point,
    ("str",): _as_text,
}


def _method(operation: Operation, own: PythonTerm, *terms: PythonTerm) -> _Said | PythonTerm | None:
    name = operation.extra[0]
    if name == "get" and len(operation.extra) == 1:
        return _got(own, terms)
    if len(operation.extra) > 1 or len(terms) != 1 or own.sort != "str":
        return None
    return _METHODS[name](own, terms[0]) if name in _METHODS else None


def _got(own: PythonTerm, terms: Sequence[PythonTerm]) -> _Said | None:
    opened = _opened(own)
    is_dict = isinstance(own.value, Obj) and own.value.type == "dict"
    if opened is None or not is_dict or not 1 <= len(terms) <= 2:
        return None
    default = terms[1] if len(terms) == 2 else python_literal(None)
    return _looked_up(terms[0], opened[1], opened[0], default)


def _affix(
    asks: Callable[[Any, Any], Any],
) -> Callable[[PythonTerm, PythonTerm], PythonTerm | None]:
    def rule(own: PythonTerm, affix: PythonTerm) -> PythonTerm | None:
        several = affix.parts if affix.sort == "tuple" else (affix,)
        return (
            _bool(z3.Or([asks(one.z3, own.z3) for one in several]))
            if _are_texts(*several)
            else None
        )

    return rule


def _find(own: PythonTerm, part: PythonTerm) -> PythonTerm | None:
    return _int(z3.IndexOf(own.z3, part.z3, 0)) if _are_texts(part) else None


def _index(own: PythonTerm, part: PythonTerm) -> _Said | None:
    if not _are_texts(part):
        return None
    place = z3.IndexOf(own.z3, part.z3, 0)
    return _Said([(None, _int(place))], place < 0, "ValueError")


_METHODS: dict[str, Callable[[PythonTerm, PythonTerm], _Said | PythonTerm | None]] = {
    "endswith": _affix(z3.SuffixOf),
    "find": _find,
    "index": _index,
    "startswith": _affix(z3.PrefixOf),
}

_RULES: dict[COp | PyOp, Callable[..., _Said | PythonTerm | None]] = {
    COp.COPY: lambda _, a: a,
    PyOp.EITHER: lambda _, a: a,
    PyOp.ADD: _add,
    PyOp.SUB: _arithmetic(lambda a, b: a - b),
    PyOp.MUL: _arithmetic(lambda a, b: a * b),
    PyOp.TRUEDIV: _dividing(None),
    PyOp.FLOORDIV: _dividing(_floor),
    PyOp.MOD: _dividing(_remainder),
    PyOp.POW: _power,
    PyOp.SHL: _shift,
    PyOp.SHR: _shift,
    **dict.fromkeys((PyOp.BITAND, PyOp.BITOR, PyOp.BITXOR), _bitwise),
    PyOp.NEG: _arithmetic(lambda a: -a),
    PyOp.POS: _arithmetic(lambda a: a),
    PyOp.INVERT: _arithmetic(lambda a: -a - 1),
    PyOp.NOT: _truth,
    PyOp.TRUTH: _truth,
    **dict.fromkeys((*_ORDER, PyOp.EQ, PyOp.NE, PyOp.IS, PyOp.ISNOT), _compare),
    PyOp.IN: _member,
    PyOp.NOTIN: _member,
    PyOp.CHAIN: _chain,
    PyOp.ITEM: _item,
    PyOp.SLICE: _slice,
    PyOp.TUPLE: _tuple,
    PyOp.FORMAT: _format,
    PyOp.BUILTIN: _builtin,
    PyOp.METHOD: _method,
}
