"""What is the result of a Python operation on known operands?

Python itself computes it, on copies of the operands.  An unknown part of an operand (items that
were not recorded, instances of other classes) is a ghost in the copy: it can be passed on, but as
soon as the operation looks at it, the result is UNKNOWN.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from whence.frontend.python.values import (
    CONTAINERS,
    MAX_ITEMS,
    UNKNOWN,
    Long,
    Obj,
    Unknown,
    Value,
    has_unknown,
    inner,
    is_builtin,
    items,
    same,
    size,
    truth,
)
from whence.program.operations import COp, Operation, PyOp

MAX_CHARACTERS, MAX_BITS = 4096, 4096  # limits of values that the recorder keeps whole
_MAX_COUNT = 1 << 16  # limit on counts that we repeat, shift or pad by; guessed
_WIDE = re.compile(r"\d{5}|\*")  # in a format: a width that may be too large

BUILTINS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(abs, all, any, bool, chr, dict, divmod, float, frozenset, int, len, list, max, min, ord),
        *(range, repr, round, set, sorted, str, sum, tuple),
    )
} | {"isinstance": isinstance, "type": type}  # computed from recorded values, not copies
_TEXT = frozenset({
    "capitalize", "center", "count", "endswith", "expandtabs", "find", "index", "isalnum",
    "isalpha", "isdigit", "islower", "isspace", "istitle", "isupper", "join", "ljust", "lower",
    "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase",
    "title", "upper", "zfill",
})  # fmt: skip
_OF_SETS = frozenset({
    "copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset",
    "symmetric_difference", "union",
})  # fmt: skip
METHODS: dict[type, frozenset[str]] = {  # methods that change nothing
    str: _TEXT | {"casefold", "encode", "format", "isdecimal", "isidentifier", "isnumeric"},
    bytes: _TEXT | {"decode", "hex"},
    int: frozenset({"bit_length"}),
    float: frozenset({"is_integer"}),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    set: _OF_SETS,
    frozenset: _OF_SETS,
}
# Operations whose result does not depend on the order of a set, which differs in each run.
_SET_OPS = frozenset({
    PyOp.SUB, PyOp.BITAND, PyOp.BITOR, PyOp.BITXOR, PyOp.EQ, PyOp.NE, PyOp.LT, PyOp.LE, PyOp.GT,
    PyOp.GE, PyOp.IN, PyOp.NOTIN, PyOp.NOT, PyOp.TRUTH, PyOp.ITEM, PyOp.ATTR, PyOp.SET,
})  # fmt: skip
_SET_CALLS = _OF_SETS | {"bool", "frozenset", "len", "set", "sorted"}
_PLAIN = (bool, int, float, str, bytes, type(None))
_TYPES = {kind.__name__: kind for kind in (list, tuple, set, frozenset, dict)}
_CLASSES = {kind.__name__: kind for kind in (*_PLAIN[:-1], *_TYPES.values(), object)}
_ANSWERS = frozenset({"range", "complex", "dict_keys", "dict_values", "dict_items"})


class _UnknownResult(Exception):
    """The result depends on a part of an operand that is not known."""


class _Ghost:
    """Stands for an object of which only the recorded value is known."""

    __slots__ = ("value",)
    value: Value

    def __init__(self, value: Value) -> None:
        object.__setattr__(self, "value", value)


def _refuse(*_: object) -> NoReturn:
    raise _UnknownResult


_BINARY_METHODS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("and", "or", "xor", "divmod"),
)
for _name in (
    *(_BINARY_METHODS + tuple(f"r{name}" for name in _BINARY_METHODS)),
    *("neg", "pos", "invert", "abs", "round", "eq", "ne", "lt", "le", "gt", "ge", "hash", "bool"),
    *("len", "iter", "getitem", "contains", "index", "int", "float", "repr", "str", "format"),
    *("getattr", "next"),
):
    setattr(_Ghost, f"__{_name}__", _refuse)


def evaluate(operation: Operation, operands: Sequence[Value]) -> Value:
    """Return the result, which may be an exception, or UNKNOWN."""
    if any(isinstance(operand, Long) or operand is UNKNOWN for operand in operands):
        return UNKNOWN
    op = operation.op
    if op in (COp.COPY, PyOp.EITHER):
        return operands[0]
    if op in _VALUE_RULES:
        return _VALUE_RULES[op](operation, operands)
    if op is PyOp.BUILTIN and operation.extra in _VALUE_BUILTINS:
        answer = _VALUE_BUILTINS[operation.extra](*operands)
        if answer is not UNKNOWN or operation.extra != ("len",):
            return answer
    rule = _RULES.get(op)
    if rule is None or (_has_set(operands) and not _ignores_order(operation)):
        return UNKNOWN
    return _computed(operation, operands, rule)


def agrees(found: Value, result: Value) -> bool:
    """Is a computed value the recorded one?

    The message of an exception does not count: it depends on the version of Python.
    """
    if isinstance(found, Obj) and isinstance(result, Obj) and found.type == result.type:
        is_identical = found.identity == result.identity != 0  # it came out of a container
        return (
            is_identical or found.kind == "exception" or same(_flattened(found), _flattened(result))
        )
    return same(found, result)


def _flattened(value: Obj) -> Obj:
    """Return a container as it is recorded, without the contents of its items.

    Constants of the program have these contents.
    """
    if value.kind not in CONTAINERS or not inner(value):
        return value
    return replace(value, shape=(size(value), tuple(map(_nested, inner(value)))))


def _computed(operation: Operation, operands: Sequence[Value], rule: Callable[..., Any]) -> Value:
    ghosts: list[_Ghost] = []
    copies = [_as_object(operand, ghosts) for operand in operands]
    try:
        found = _as_value(rule(operation, *copies))
        return UNKNOWN if has_unknown(found) else found
    except (_UnknownResult, MemoryError, RecursionError):
        return UNKNOWN
    except LookupError as error:  # it does not depend on unknown items
        return _raised(error)
    except Exception as error:
        # The ghost may have caused it: an instance of a subclass of str would have worked.
        return UNKNOWN if ghosts else _raised(error)


def _raised(error: Exception) -> Value:
    try:
        arguments = tuple(_as_value(argument, inside=True) for argument in error.args)
    except _UnknownResult:
        arguments = ()
    return Obj(0, "exception", type(error).__name__, arguments)


# --- values to objects and back ----------------------------------------------------------------


def _as_object(value: Value, ghosts: list[_Ghost], *, inside: bool = False) -> Any:
    """Return an object for a value, so that Python can compute with it."""
    # Containers compare a NaN by its identity, which is not recorded.
    if not isinstance(value, Obj | Long | Unknown) and not (inside and value != value):
        return value
    if not inside and isinstance(value, Obj) and value.type in _TYPES:
        found = [_as_object(item, ghosts, inside=True) for item in inner(value)]
        if value.kind in ("list", "tuple"):
            found += [
                _as_object(UNKNOWN, ghosts) for _ in range(len(found), min(size(value), _MAX_COUNT))
            ]
        try:
            if value.kind == "dict" and items(value) is not None:
                return dict(zip(found[::2], found[1::2], strict=True))
            if value.kind != "dict" and len(found) == size(value):
                return _TYPES[value.type](found)
        except _UnknownResult:  # a ghost has no hash
            pass
    ghosts.append(_Ghost(value))
    return ghosts[-1]


def _as_value(found: Any, *, inside: bool = False) -> Value:
    """Return the value that the recorder would have logged for an object."""
    if isinstance(found, _Ghost):
        return _nested(found.value) if inside else found.value
    if isinstance(found, _PLAIN):
        if _is_long(found):
            raise _UnknownResult
        return found
    name = type(found).__name__
    if name in _ANSWERS:
        return Obj(0, "object", name, None)
    if name not in _TYPES:
        raise _UnknownResult
    return _container(name, len(found), None if inside else [*_flat(found)])


def _flat(found: Any) -> Iterator[Value]:
    if isinstance(found, dict):
        return (_as_value(part, inside=True) for pair in found.items() for part in pair)
    if isinstance(found, set | frozenset):
        if all(type(item) in (str, int) for item in found):
            found = sorted(found, key=repr)
        elif len(found) > MAX_ITEMS:  # the order of its items is unknown
            raise _UnknownResult
    return (_as_value(item, inside=True) for item in found)


def _container(name: str, length: int, inside: Sequence[Value] | None) -> Obj:
    kind = "set" if name == "frozenset" else name
    limit = MAX_ITEMS * (2 if kind == "dict" else 1)
    recorded = None if inside is None and length else tuple((inside or ())[:limit])
    return Obj(0, kind, name, (length, recorded))


def _nested(value: Value) -> Value:
    """Return a value as the recorder logs it inside a container."""
    if isinstance(value, Obj) and value.kind in CONTAINERS and size(value):
        return replace(value, shape=(size(value), None))
    return value


def _is_long(value: Any) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > MAX_CHARACTERS
    return isinstance(value, int) and value.bit_length() > MAX_BITS


def _has_set(operands: Sequence[Value]) -> bool:
    return any(isinstance(operand, Obj) and operand.kind == "set" for operand in operands)


def _ignores_order(operation: Operation) -> bool:
    if operation.op in (PyOp.BUILTIN, PyOp.METHOD):
        return operation.extra[0] in _SET_CALLS
    return operation.op in _SET_OPS


# --- operations on recorded values ------------------------------------------------------


def _is(_: Operation, operands: Sequence[Value]) -> Value:
    a, b = operands
    if isinstance(a, Obj) and isinstance(b, Obj):
        return a.identity == b.identity if a.identity and b.identity else UNKNOWN
    if type(a) is not type(b) or not same(a, b):
        return False
    return True if a is None or isinstance(a, bool) else UNKNOWN


def _is_not(operation: Operation, operands: Sequence[Value]) -> Value:
    found = _is(operation, operands)
    return found if found is UNKNOWN else not found


def _truth(_: Operation, operands: Sequence[Value]) -> Value:
    found = truth(operands[0])
    return UNKNOWN if found is None else found


def _not(_: Operation, operands: Sequence[Value]) -> Value:
    found = truth(operands[0])
    return UNKNOWN if found is None else not found


def _listing(name: str) -> Callable[..., Value]:
    return lambda _, operands: _container(name, len(operands), [*map(_nested, operands)])


def _type(value: Value = UNKNOWN, *others: Value) -> Value:
    kind = _type_of(value)
    return UNKNOWN if kind is None or others else _class(kind)


def _is_instance(value: Value = UNKNOWN, asked: Value = UNKNOWN, *others: Value) -> Value:
    kind, classes = _type_of(value), _asked_classes(asked)
    if classes is None or others:
        return UNKNOWN
    if kind is not None:
        return issubclass(kind, classes)
    base = _CLASSES.get(value.kind) if isinstance(value, Obj) else None
    return True if base is not None and issubclass(base, classes) else UNKNOWN


def _length(value: Value = UNKNOWN, *others: Value) -> Value:
    is_known = isinstance(value, Obj) and value.kind in CONTAINERS and is_builtin(value)
    return size(value) if isinstance(value, Obj) and is_known and not others else UNKNOWN


def _class(kind: type) -> Obj:
    return Obj(0, "class", "type", kind.__name__)


def _type_of(value: Value) -> type | None:
    if isinstance(value, Obj):
        return _TYPES.get(value.type)
    return None if value is UNKNOWN else type(value)


def _asked_classes(value: Value) -> tuple[type, ...] | None:
    asked = items(value) if isinstance(value, Obj) and value.type == "tuple" else (value,)
    names = [
        value.shape for value in asked or () if isinstance(value, Obj) and value.kind == "class"
    ]
    if asked is None or len(names) < len(asked) or not all(name in _CLASSES for name in names):
        return None
    return tuple(_CLASSES[name] for name in names)


_VALUE_BUILTINS: dict[tuple[str, ...], Callable[..., Value]] = {
    ("isinstance",): _is_instance,
    ("len",): _length,
    ("type",): _type,
}
_VALUE_RULES: dict[COp | PyOp, Callable[..., Value]] = {
    COp.OPAQUE: lambda *_: UNKNOWN,
    PyOp.IS: _is,
    PyOp.ISNOT: _is_not,
    PyOp.TRUTH: _truth,
    PyOp.NOT: _not,
    PyOp.LIST: _listing("list"),
    PyOp.TUPLE: _listing("tuple"),
}

# --- operations on objects ------------------------------------------------------------------------


def _product(_: Operation, a: Any, b: Any) -> Any:
    for count, whole in ((a, b), (b, a)):
        if isinstance(count, int) and isinstance(whole, str | bytes | list | tuple):
            _refuse_if(count * len(whole) > _MAX_COUNT)
    return a * b


def _power(_: Operation, a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        _refuse_if(a.bit_length() * b > _MAX_COUNT)
    return a**b


def _left_shift(_: Operation, a: Any, n: Any) -> Any:
    _refuse_if(isinstance(n, int) and n > _MAX_COUNT)
    return a << n


def _modulo(_: Operation, a: Any, b: Any) -> Any:
    # A format need not use all items of a mapping, but all items of every other operand.
    _refuse_if(isinstance(a, str | bytes) and (_is_wide(a) or isinstance(b, _Ghost)))
    return a % b


def _is_wide(text: str | bytes) -> bool:
    return _WIDE.search(text.decode("latin-1") if isinstance(text, bytes) else text) is not None


def _refuse_if(condition: bool) -> None:
    if condition:
        raise _UnknownResult


def _chain(operation: Operation, *operands: Any) -> Any:
    found: Any = True
    for at, op in enumerate(operation.extra):
        _refuse_if(op not in _COMPARING)
        found = _COMPARING[op](operands[at], operands[at + 1])
        if not found:
            break
    return found


def _attribute(operation: Operation, a: Any) -> Any:
    getattr(a, operation.extra[0])
    raise _UnknownResult  # the attribute exists, but its value is unknown


def _format(operation: Operation, *operands: Any) -> Any:
    rest = iter(operands)
    return "".join(f"{next(rest)}" if part is None else part for part in operation.extra)


def _dict(_: Operation, *operands: Any) -> Any:
    return dict(zip(operands[::2], operands[1::2], strict=True))


def _builtin(operation: Operation, *operands: Any) -> Any:
    return _called(BUILTINS.get(operation.extra[0]), operation, operands)


def _method(operation: Operation, a: Any, *operands: Any) -> Any:
    name = operation.extra[0]
    if not hasattr(a, name):
        return getattr(a, name)
    _refuse_if(name not in METHODS.get(type(a), ()))
    _refuse_if(name == "format" and _is_wide(a))
    return _called(getattr(a, name), operation, operands)


def _called(callee: Any, operation: Operation, operands: Sequence[Any]) -> Any:
    is_large = operation.op is PyOp.METHOD or operation.extra[0] == "round"
    _refuse_if(callee is None)
    _refuse_if(
        is_large
        and any(isinstance(operand, int) and abs(operand) > _MAX_COUNT for operand in operands)
    )
    names = operation.extra[1:]
    _refuse_if("key" in names)
    positional = len(operands) - len(names)
    return callee(*operands[:positional], **dict(zip(names, operands[positional:], strict=True)))


_COMPARING: dict[Any, Callable[[Any, Any], Any]] = {
    PyOp.EQ: operator.eq,
    PyOp.NE: operator.ne,
    PyOp.LT: operator.lt,
    PyOp.LE: operator.le,
    PyOp.GT: operator.gt,
    PyOp.GE: operator.ge,
    PyOp.IN: lambda a, b: a in b,
    PyOp.NOTIN: lambda a, b: a not in b,
}


def _plainly(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *operands: compute(*operands)


_RULES: dict[COp | PyOp, Callable[..., Any]] = {
    **{op: _plainly(compare) for op, compare in _COMPARING.items()},
    PyOp.ADD: _plainly(operator.add),
    PyOp.SUB: _plainly(operator.sub),
    PyOp.MUL: _product,
    PyOp.TRUEDIV: _plainly(operator.truediv),
    PyOp.FLOORDIV: _plainly(operator.floordiv),
    PyOp.MOD: _modulo,
    PyOp.POW: _power,
    PyOp.MATMUL: _plainly(operator.matmul),
    PyOp.SHL: _left_shift,
    PyOp.SHR: _plainly(operator.rshift),
    PyOp.BITAND: _plainly(operator.and_),
    PyOp.BITOR: _plainly(operator.or_),
    PyOp.BITXOR: _plainly(operator.xor),
    PyOp.NEG: _plainly(operator.neg),
    PyOp.POS: _plainly(operator.pos),
    PyOp.INVERT: _plainly(operator.invert),
    PyOp.CHAIN: _chain,
    PyOp.ITEM: _plainly(operator.getitem),
    PyOp.SLICE: lambda _, a, lower, upper, step: a[lower:upper:step],
    PyOp.ATTR: _attribute,
    PyOp.SET: lambda _, *operands: set(operands),
    PyOp.DICT: _dict,
    PyOp.FORMAT: _format,
    PyOp.BUILTIN: _builtin,
    PyOp.METHOD: _method,
}
