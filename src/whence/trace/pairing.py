"""Which operation of the good version of a program matches which operation of the bad version?

Functions are paired by name, and renamed ones by their text.  Inside a pair of functions, lines
are paired that a diff of the two bodies keeps, and lines that replace each other.  On a pair of
lines, operations of the same sort are paired in order.  Only the programs count here, not the runs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from whence.program.ids import Op
from whence.program.source import SourceLines
from whence.trace.columns import NONE
from whence.trace.function_pairs import MAX_RENAMED, SAME_BODY, similarity
from whence.trace.recording import Image, Sort

_SAME_LINE = 0.5  # least similarity of a line and the line that replaced it; guessed
_MAX_REPLACED = 60  # limit on lines of a replaced part that are compared one by one; guessed


class PairedFunction(NamedTuple):
    """A function, and its lines in the file that holds most of it."""

    function: int
    name: str
    file: str
    first: int  # first and last line number in the file
    last: int
    text: tuple[str, ...]  # the lines, stripped


class Version:
    """The functions of one version of a program."""

    def __init__(self, image: Image, lines: SourceLines) -> None:
        self.image = image
        self._lines = lines
        code = image.code
        self._starts = code.function_first_op.astype(np.int64)
        self._counts = code.function_ops.astype(np.int64)
        self._bodies: dict[int, PairedFunction | None] = {}

    @cached_property
    def by_name_and_file(self) -> dict[tuple[str, str], list[int]]:
        """The functions of each name and file."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, name in enumerate(self.image.function_names):
            found[name, self.file_of(number)].append(number)
        return found

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """The functions of each name."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self.image.function_names):
            found[name].append(number)
        return found

    def file_of(self, function: int) -> str:
        """Return the file of the function's last operation that has one; "" if none has."""
        start, count = int(self._starts[function]), int(self._counts[function])
        files = self.image.files[start : start + count]
        known = files[files != NONE]
        return self.image.file_names[int(known[-1])] if len(known) else ""

    def body(self, function: int) -> PairedFunction | None:
        """Return the lines of a function; None if the compiler did not record them."""
        if function not in self._bodies:
            self._bodies[function] = self._read(function)
        return self._bodies[function]

    def _read(self, function: int) -> PairedFunction | None:
        file = self.file_of(function)
        rows = [row for name, row, _ in self.ops(function) if name == file and row]
        if not rows:
            return None
        first, last = min(rows), max(rows)
        text = tuple(line.strip() for line in self._lines.of(file)[first - 1 : last])
        if len(text) != last - first + 1:
            text = ("",) * (last - first + 1)
        name = self.image.function_names[function]
        return PairedFunction(function, name, file, first, last, text)

    def shape(self, function: int) -> tuple[tuple[str, int], ...]:
        """Return what is left of a function's operations without the names in them."""
        sorts = (self.image.sort(op) for _, _, op in self.ops(function))
        return tuple((sort.opcode, sort.operands) for sort in sorts)

    def kinds_and_rows(self, function: int) -> npt.NDArray[np.int64]:
        """Return the kind and the line of each operation of a function."""
        start, count = int(self._starts[function]), int(self._counts[function])
        part = slice(start, start + count)
        return np.array([self.image.code.kind[part], self.image.rows[part]], np.int64)

    def ops(self, function: int) -> Iterator[tuple[str, int, Op]]:
        """Yield (file, line, operation) for each operation; ("", 0, operation) if unknown."""
        start, count = int(self._starts[function]), int(self._counts[function])
        files = self.image.files[start : start + count].tolist()
        rows = self.image.rows[start : start + count].tolist()
        names = self.image.file_names
        for offset, (file, row) in enumerate(zip(files, rows, strict=True)):
            known = file != NONE and row
            yield (names[file] if known else "", row if known else 0, Op(start + offset))


class Pairing:
    """The paired functions and operations of two versions.

    The operations of a function are paired when one of them is first looked up.
    """

    def __init__(self, bad: Version, good: Version) -> None:
        self.bad, self.good = bad, good
        self._good_ops: dict[int, dict[Op, Op]] = {}  # by function of the bad version
        self._bad_ops: dict[int, dict[Op, Op]] = {}  # by function of the good version

    def good_op(self, op: Op) -> Op | None:
        """Return the operation of the good version that matches an operation of the bad one."""
        bad = self.bad.image.function_of(op)
        good = self.functions.get(bad)
        return None if good is None else self._paired(bad, good).get(op)

    def bad_op(self, op: Op) -> Op | None:
        """Return the operation of the bad version that matches an operation of the good one."""
        good = self.good.image.function_of(op)
        bad = self._bad_functions.get(good)
        if bad is None:
            return None
        self._paired(bad, good)
        return self._bad_ops[good].get(op)

    def _paired(self, bad: int, good: int) -> dict[Op, Op]:
        """Return the operations of the good function by those of the bad function."""
        if bad not in self._good_ops:
            pairs = dict(self._pair_ops(bad, good))
            self._good_ops[bad] = pairs
            self._bad_ops[good] = {good_op: bad_op for bad_op, good_op in pairs.items()}
        return self._good_ops[bad]

    # --- functions -----------------------------------------------------------------------------

    @cached_property
    def functions(self) -> dict[int, int]:
        """The function of the good version for each paired function of the bad version."""
        found: dict[int, int] = {}
        for key, bad in self.bad.by_name_and_file.items():
            good = self.good.by_name_and_file.get(key, ())
            found.update(zip(bad, good, strict=False))
        taken = set(found.values())
        for name, functions in self.bad.by_name.items():  # moved to another file
            bad_left = [f for f in functions if f not in found]
            good_left = [f for f in self.good.by_name.get(name, ()) if f not in taken]
            if len(bad_left) == len(good_left) == 1:
                found[bad_left[0]] = good_left[0]
                taken.add(good_left[0])
        found.update(self._renamed(found, taken))
        return found

    @cached_property
    def _bad_functions(self) -> dict[int, int]:
        return {good: bad for bad, good in self.functions.items()}

    def _renamed(self, found: dict[int, int], taken: set[int]) -> Iterator[tuple[int, int]]:
        """Pair the functions that are left by the similarity of their bodies."""
        bad = [f for f in range(len(self.bad.image.function_names)) if f not in found]
        good = [f for f in range(len(self.good.image.function_names)) if f not in taken]
        if not bad or not good or max(len(bad), len(good)) > MAX_RENAMED:
            return
        bodies = [body for f in good if (body := self.good.body(f))]
        free = {body.function for body in bodies}
        left: list[int] = []
        for function in bad:
            body = self.bad.body(function)
            if body is None:
                continue
            similar = [
                (similarity(body.text, b.text), b.function) for b in bodies if b.function in free
            ]
            most, best = max(similar, default=(0.0, -1))
            if most >= SAME_BODY:
                free.discard(best)
                yield function, best
            else:
                left.append(function)
        yield from self._of_one_shape(left, sorted(free))

    def _of_one_shape(self, bad: Sequence[int], good: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Pair functions with different text but the same operations, if no others have them."""
        bad_shapes, good_shapes = defaultdict(list), defaultdict(list)
        for function in bad:
            bad_shapes[self.bad.shape(function)].append(function)
        for function in good:
            good_shapes[self.good.shape(function)].append(function)
        for shape, functions in bad_shapes.items():
            if len(functions) == len(good_shapes[shape]) == 1:
                yield functions[0], good_shapes[shape][0]

    # --- operations ----------------------------------------------------------------------------

    def _pair_ops(self, bad: int, good: int) -> Iterator[tuple[Op, Op]]:
        if self._is_same_library_code(bad, good):
            pairs = zip(self.bad.ops(bad), self.good.ops(good), strict=True)
            yield from ((own, other) for (_, _, own), (_, _, other) in pairs)
            return
        bad_body, good_body = self.bad.body(bad), self.good.body(good)
        rows = dict(_pair_lines(bad_body, good_body)) if bad_body and good_body else {}
        good_lines: dict[tuple[str, int], list[Op]] = defaultdict(list)
        bad_lines: dict[tuple[str, int], list[Op]] = defaultdict(list)
        for file, row, op in self.good.ops(good):
            good_lines[file, row].append(op)
        for file, row, op in self.bad.ops(bad):
            bad_lines[file, row].append(op)
        for (file, row), ops in bad_lines.items():
            line = (file, row)
            if bad_body and good_body and file == bad_body.file and row:
                if row not in rows:
                    continue
                line = (good_body.file, rows[row])
            yield from self._on_lines(ops, good_lines.get(line, []))

    def _is_same_library_code(self, bad: int, good: int) -> bool:
        """Do two functions of one name and file outside the tree look the same at a glance?

        A program has thousands of such functions, from headers that no change touches.  To compare
        the sorts of their operations, their IR would have to be read.
        """
        if not (self.bad.image.is_outside[bad] and self.good.image.is_outside[good]):
            return False
        if self.bad.file_of(bad) != self.good.file_of(good):
            return False
        own, other = self.bad.kinds_and_rows(bad), self.good.kinds_and_rows(good)
        return own.shape == other.shape and bool((own == other).all())

    def _on_lines(self, bad: Sequence[Op], good: Sequence[Op]) -> Iterator[tuple[Op, Op]]:
        """Pair the operations of two paired lines that are of the same sort, in order.

        If a line lost or got operations, those that access a variable of the same name are paired
        first: of `a = 0; b = 0;` and `b = 0;`, the two that write b.
        """
        bad_sorts = [self._bad_sort(op) for op in bad]
        good_sorts = [self.good.image.sort(op) for op in good]
        if bad_sorts == good_sorts:
            yield from zip(bad, good, strict=True)
            return
        named = [
            (s, self.bad.image.variable_name(op)) for s, op in zip(bad_sorts, bad, strict=True)
        ]
        others = [
            (s, self.good.image.variable_name(op)) for s, op in zip(good_sorts, good, strict=True)
        ]
        begin = (0, 0)
        for i, j, size in _matching(named, others):
            rest = bad_sorts[begin[0] : i], good_sorts[begin[1] : j]
            for k, m, count in _matching(*rest):
                k, m = k + begin[0], m + begin[1]
                yield from zip(bad[k : k + count], good[m : m + count], strict=True)
            yield from zip(bad[i : i + size], good[j : j + size], strict=True)
            begin = i + size, j + size

    def _bad_sort(self, op: Op) -> Sort:
        """Return the sort of an operation of the bad version, with callees as good names them."""
        sort = self.bad.image.sort(op)
        return sort._replace(callee=self._good_name(sort.callee)) if sort.callee else sort

    def _good_name(self, name: str) -> str:
        """Return the good version's name of a function that the bad version calls `name`."""
        for function in self.bad.by_name.get(name, ())[:1]:
            good = self.functions.get(function)
            if good is not None:
                return self.good.image.function_names[good]
        return name


def _matching(own: Sequence[Hashable], other: Sequence[Hashable]) -> list[Match]:
    """Return the parts that two sequences share, in order; the last one is empty."""
    return SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()


def _pair_lines(bad: PairedFunction, good: PairedFunction) -> Iterator[tuple[int, int]]:
    """Yield the pairs of lines that are equal, or of which one replaced the other."""
    if bad.text == good.text:
        yield from zip(range(bad.first, bad.last + 1), range(good.first, good.last + 1),
                       strict=True)  # fmt: skip
        return
    a, b = bad.text, good.text
    start = _common_start(a, b)
    end = _common_start(a[start:][::-1], b[start:][::-1])
    middle = SequenceMatcher(None, a[start : len(a) - end], b[start : len(b) - end], autojunk=False)
    yield from ((bad.first + k, good.first + k) for k in range(start))
    for tag, i1, i2, j1, j2 in middle.get_opcodes():
        left, right = range(i1, i2), range(j1, j2)
        if tag == "replace" and len(left) != len(right):
            pairs = _similar_lines(a[start:], b[start:], left, right)
        else:
            pairs = list(zip(left, right, strict=False))
        yield from ((bad.first + start + i, good.first + start + j) for i, j in pairs)
    yield from ((bad.last - k, good.last - k) for k in range(end))


def _similar_lines(
    a: Sequence[str], b: Sequence[str], left: range, right: range
) -> list[tuple[int, int]]:
    """Pair the similar lines of a replaced part, in order."""
    if max(len(left), len(right)) > _MAX_REPLACED:
        return []
    found: list[tuple[int, int]] = []
    following = right.start
    for i in left:
        similar = [
            (similarity(_words(a[i]), _words(b[j])), -j) for j in range(following, right.stop)
        ]
        best, minus_j = max(similar, default=(0.0, 0))
        if best >= _SAME_LINE:
            found.append((i, -minus_j))
            following = -minus_j + 1
    return found


def _words(line: str) -> list[str]:
    return re.findall(r"\w+|\S", line)


def _common_start(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the number of equal lines at the start of both."""
    count = 0
    for in_a, in_b in zip(a, b, strict=False):
        if in_a != in_b:
            break
        count += 1
    return count
