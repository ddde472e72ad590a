"""Which operands of a Python operation force its result on their own, and which of their items?

The types are those of the run: a zero forces a product if the other factor is any int.  In a tuple
that was searched, only the item that matched counts.  In two tuples that differ, only the first
pair of items that differ counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from whence.frontend.python.values import Obj, Value, items, same
from whence.logic.logic import ALL
from whence.logic.python.evaluate import agrees, evaluate
from whence.program.operations import COp, Operation, PyOp

Sets = Iterator[tuple[int, ...]]


def alternatives(
    operation: Operation, operands: Sequence[Value], result: Value
) -> tuple[tuple[int, ...], ...]:
    """Return the sets of operands that force the result, the smallest first.

    If the result cannot be computed, the only set is that of all operands.
    """
    everything = tuple(range(len(operands)))
    rule = _RULES.get(operation.op)
    if rule is None or not agrees(evaluate(operation, operands), result):
        return (everything,)
    found = list(dict.fromkeys([*rule(operation, operands), everything]))
    kept = [chosen for chosen in found if not any({*other} < {*chosen} for other in found)]
    return tuple(sorted(kept, key=len))


def items_needed(operation: Operation, operands: Sequence[Value], index: int) -> int:
    """Return the items of operand `index` that force the result, as a mask: bit i is item i.

    The mask is ALL for every operand that is not a tuple: a list may have changed since.
    """
    rule = _ITEMS.get(operation.op)
    whole = _tuple(operands[index])
    found = rule(operation, operands, index) if rule and whole else None
    return ALL if found is None else found


# --- operands ----------------------------------------------------------------------------------


def _is_int(value: Value) -> bool:
    return isinstance(value, int)  # a bool is one


def _each(condition: Callable[[Value, Value], bool]) -> Callable[..., Sets]:
    """Return a rule that yields each of two operands for which `condition` holds.

    `condition` gets the operand and the other operand.
    """

    def rule(_: Operation, operands: Sequence[Value]) -> Sets:
        for index in (0, 1):
            if condition(operands[index], operands[1 - index]):
                yield (index,)

    return rule


def _absorbs_product(a: Value, other: Value) -> bool:
    if _is_int(other):
        return a in ("", b"") or (_is_int(a) and a == 0) or _is_empty(a)
    # A text, list or tuple repeated zero times is empty, whatever its contents.
    return isinstance(a, int) and a <= 0 and (isinstance(other, str | bytes) or _is_tuple(other))


def _is_empty(value: Value) -> bool:
    return _is_tuple(value) and items(value) == ()


def _is_tuple(value: Value) -> bool:
    return isinstance(value, Obj) and value.type in ("list", "tuple")


def _divisor(operation: Operation, operands: Sequence[Value]) -> Sets:
    a, b = operands
    if _is_int(a) and _is_int(b) and (b == 0 or (operation.op is PyOp.MOD and b in (1, -1))):
        yield (1,)


def _power(_: Operation, operands: Sequence[Value]) -> Sets:
    a, b = operands
    if _is_int(a) and _is_int(b) and b == 0:
        yield (1,)


def _order(operation: Operation, operands: Sequence[Value]) -> Sets:
    """Yield an empty text that decides an order: no text is smaller."""
    a, b = operands
    if type(a) is type(b) and isinstance(a, str | bytes):
        if not b and operation.op in (PyOp.LT, PyOp.GE):
            yield (1,)
        if not a and operation.op in (PyOp.GT, PyOp.LE):
            yield (0,)


def _member(_: Operation, operands: Sequence[Value]) -> Sets:
    a, b = operands
    if isinstance(a, str) and a == "" and isinstance(b, str):
        yield (0,)
    if _is_empty(b):
        yield (1,)


def _chain(operation: Operation, operands: Sequence[Value]) -> Sets:
    """Yield the operands up to the first comparison that does not hold."""
    for count in range(1, len(operation.extra)):
        first = Operation(PyOp.CHAIN, extra=operation.extra[:count])
        if evaluate(first, operands[: count + 1]) is not True:
            yield tuple(range(count + 1))
            return


def _method(operation: Operation, operands: Sequence[Value]) -> Sets:
    name = operation.extra[0]
    if name in ("startswith", "endswith") and len(operands) == 2 and operands[1] in ("", b""):
        yield (1,)
    is_dict = isinstance(operands[0], Obj) and operands[0].type == "dict"
    if name == "get" and is_dict and len(operands) == 3:
        has_key = evaluate(Operation(PyOp.IN), [operands[1], operands[0]])
        if has_key is True:
            yield (0, 1)


_RULES: dict[COp | PyOp, Callable[..., Sets]] = {
    PyOp.MUL: _each(_absorbs_product),
    PyOp.BITAND: _each(lambda a, b: type(a) is type(b) and _is_int(a) and a in (False, 0)),
    PyOp.BITOR: _each(lambda a, b: type(a) is type(b) and (a is True or (a == -1 and _is_int(b)))),
    PyOp.FLOORDIV: _divisor,
    PyOp.TRUEDIV: _divisor,
    PyOp.MOD: _divisor,
    PyOp.POW: _power,
    PyOp.LT: _order,
    PyOp.LE: _order,
    PyOp.GT: _order,
    PyOp.GE: _order,
    PyOp.IN: _member,
    PyOp.NOTIN: _member,
    PyOp.CHAIN: _chain,
    PyOp.METHOD: _method,
}

# --- items -------------------------------------------------------------------------------------


def _tuple(value: Value) -> tuple[Value, ...] | None:
    return items(value) if isinstance(value, Obj) and value.type == "tuple" else None


def _holds(op: PyOp, a: Value, b: Value) -> bool:
    return evaluate(Operation(op), [a, b]) is True


def _item(_: Operation, operands: Sequence[Value], index: int) -> int | None:
    whole, at = _tuple(operands[0]), operands[1]
    if index or whole is None or not isinstance(at, int) or not -len(whole) <= at < len(whole):
        return None
    return 1 << at % len(whole)


def _matched(_: Operation, operands: Sequence[Value], index: int) -> int | None:
    whole = _tuple(operands[1])
    return None if index != 1 or whole is None else _first(PyOp.EQ, operands[0], whole)


def _affix(operation: Operation, operands: Sequence[Value], index: int) -> int | None:
    if operation.extra[0] not in ("startswith", "endswith") or index != 1 or len(operands) != 2:
        return None
    for at, one in enumerate(_tuple(operands[1]) or ()):
        if evaluate(operation, [operands[0], one]) is True:
            return 1 << at
    return None


def _first(op: PyOp, a: Value, others: Sequence[Value]) -> int | None:
    return next((1 << at for at, other in enumerate(others) if _holds(op, a, other)), None)


def _first_difference(operation: Operation, operands: Sequence[Value], _: int) -> int | None:
    """Return the first item that differs; for an order, all items up to it."""
    a, b = map(_tuple, operands)
    if a is None or b is None or len(a) != len(b):
        return None
    for at, (one, other) in enumerate(zip(a, b, strict=True)):
        if _holds(PyOp.NE, one, other) and not same(one, other):  # a NaN may be the same object
            return 1 << at if operation.op in (PyOp.EQ, PyOp.NE) else (2 << at) - 1
    return None


_ITEMS: dict[COp | PyOp, Callable[..., int | None]] = {
    PyOp.ITEM: _item,
    PyOp.IN: _matched,
    PyOp.NOTIN: _matched,
    PyOp.METHOD: _affix,
    **dict.fromkeys((PyOp.EQ, PyOp.NE, PyOp.LT, PyOp.LE, PyOp.GT, PyOp.GE), _first_difference),
}
