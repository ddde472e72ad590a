"""Which operands of an operation force its result on their own?

One zero forces a product, whatever the other factor is.  The condition and the arm that was taken
force the result of a SELECT.  The payload of a NaN does not count: if the result is any NaN, the
operands that force it to be a NaN are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

from whence.logic.c.evaluate import evaluate
from whence.logic.c.floats import FORMATS
from whence.program.operations import COp, Operation

# Each operand matters, whatever the values of the others.
_NEED_ALL = frozenset({
    COp.COPY, COp.ADD, COp.SUB, COp.XOR, COp.EQ, COp.NE, COp.ZEXT, COp.SEXT, COp.TRUNC, COp.CONCAT,
    COp.EXTRACT, COp.FNEG, COp.FABS, COp.COPYSIGN, COp.BSWAP, COp.BITREVERSE,
})  # fmt: skip
_COMPUTES_FLOATS = frozenset({
    COp.FADD, COp.FSUB, COp.FMUL, COp.FDIV, COp.FREM, COp.FMA, COp.FMULADD, COp.SQRT, COp.FLOOR,
    COp.CEIL, COp.TRUNCF, COp.RINT, COp.ROUND, COp.FMIN, COp.FMAX, COp.FPTRUNC, COp.FPEXT,
})  # fmt: skip
# The result may be the same for all operands, as in a switch without cases.
_MAYBE_CONSTANT = frozenset({COp.SWITCH, COp.FCMP, COp.FPCLASS})


def decisive(operation: Operation, operands: Sequence[int], result: int) -> tuple[int, ...]:
    """Return the indices of a smallest set of operands that force the result.

    If there are several, it is the one with the lowest indices.
    """
    return alternatives(operation, operands, result)[0]


def alternatives(
    operation: Operation, operands: Sequence[int], result: int
) -> tuple[tuple[int, ...], ...]:
    """Return all sets of operands that force the result and need each of their members.

    The smallest come first, then those with the lowest indices.  If the result cannot be
    computed, the only set is that of all operands.
    """
    everything = tuple(range(len(operands)))
    op = operation.op
    if op in _NEED_ALL or not _is_result(operation, evaluate(operation, operands), result):
        return (everything,)
    if op is COp.ADDRESS:
        return ((0, *(i for i in everything[1:] if operation.extra[i - 1] % 2**operation.width)),)
    found: list[tuple[int, ...]] = []
    for size in range(op not in _MAYBE_CONSTANT, len(operands) + 1):
        for chosen in combinations(everything, size):
            if any(set(smaller) <= set(chosen) for smaller in found):
                continue
            if _forces(operation, operands, result, chosen):
                found.append(chosen)
    return tuple(found)


def _forces(
    operation: Operation, operands: Sequence[int], result: int, chosen: tuple[int, ...]
) -> bool:
    """Is the result the same for all values of the operands that are not chosen?

    Not all values need to be tried.  In each operand, every operation is monotone, or compares
    it with a value, or distinguishes 0 from 1.  So the result is the same for all values if it is
    the same for the `_probes`.  (As a condition, every value other than 0 behaves like 1.)
    """
    values = list(operands)
    others = [index for index in range(len(operands)) if index not in chosen]
    for tried in product(*((*_probes(operation, index), *operands) for index in others)):
        for index, value in zip(others, tried, strict=True):
            values[index] = value
        found = evaluate(operation, values)
        if found is not None and found != result and not _is_result(operation, found, result):
            return False
    return True


@cache
def _probes(operation: Operation, index: int) -> tuple[int, ...]:
    """Return values of an operand between which the result differs if it differs at all.

    The values of the operands in the run are to be tried as well.
    """
    width = operation.widths[index]
    top = 1 << (width - 1)
    values = [0, 1, 2 * top - 1, top - 1, top, operation.width - 1, *operation.extra]
    if width in FORMATS:
        f = FORMATS[width]
        one = f.sign // 2 - (1 << (f.precision - 1))
        positive = (one, f.infinity, f.infinity | f.quiet, f.infinity + 1)
        values += [*positive, *(value | f.sign for value in (1, *positive))]
    return tuple(value for value in values if 0 <= value < 2 * top)


def _is_result(operation: Operation, found: int | None, result: int) -> bool:
    if found is None or found == result:
        return found is not None
    f = FORMATS.get(operation.width) if operation.op in _COMPUTES_FLOATS else None
    return f is not None and f.is_nan(found) and f.is_nan(result)
