"""Which op of one version of a program is which op of another version?

Functions are paired by name, and renamed ones by their text; inside a pair the lines that a diff
of the two bodies leaves alone, and those that one replaced by one; on a pair of lines the ops of
the same kind, in order.  Nothing here looks at a run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

import numpy as np

from whence.program.source import SourceLines
from whence.trace.columns import NONE
from whence.trace.recording import Image, Sort

_ALIKE = 0.6  # so much of two bodies is the same if one is the other, renamed
_LIKE_LINES = 0.5  # and so much of two lines if one became the other
_MOST_RENAMED = 400  # functions without a namesake for which it is tried
_MOST_LINES = 60  # of a replaced block that are compared one by one


class PairedFunction(NamedTuple):
    """A function: its ops, and its lines in the file that holds it."""

    function: int
    name: str
    file: str
    first: int  # lines, as numbered in the file
    last: int
    text: tuple[str, ...]  # stripped


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
    def by_name(self) -> dict[tuple[str, str], list[int]]:
        """The functions of each name and file."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, name in enumerate(self.image.function_names):
            found[name, self.file_of(number)].append(number)
        return found

    @cached_property
    def named(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self.image.function_names):
            found[name].append(number)
        return found

    def file_of(self, function: int) -> str:
        start, count = int(self._starts[function]), int(self._counts[function])
        files = self.image.files[start : start + count]
        known = files[files != NONE]
        return self.image.file_names[int(known[-1])] if len(known) else ""

    def body(self, function: int) -> PairedFunction | None:
        """None if the compiler did not say where it is."""
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
        """What a function's ops are, whatever things are called in it."""
        sorts = (self.image.sort(op) for _, _, op in self.ops(function))
        return tuple((one.opcode, one.operands) for one in sorts)

    def ops(self, function: int) -> Iterator[tuple[str, int, int]]:
        """File, line and number of each op of a function; "" and 0 where there is none."""
        start, count = int(self._starts[function]), int(self._counts[function])
        files = self.image.files[start : start + count].tolist()
        rows = self.image.rows[start : start + count].tolist()
        names = self.image.file_names
        for offset, (file, row) in enumerate(zip(files, rows, strict=True)):
            known = file != NONE and row
            yield (names[file] if known else "", row if known else 0, start + offset)


class Pairing:
    """The pairs of two versions; made for a function when one of its ops is asked about."""

    def __init__(self, here: Version, there: Version) -> None:
        self.here, self.there = here, there
        self._ops: dict[int, dict[int, int]] = {}  # by function here
        self._back: dict[int, dict[int, int]] = {}  # by function there

    def op(self, op: int) -> int | None:
        """The op there that is this op here."""
        function = self.here.image.function_of(op)
        other = self.functions.get(function)
        return None if other is None else self._paired(function, other).get(op)

    def back(self, op: int) -> int | None:
        """The op here that is this op there."""
        function = self.there.image.function_of(op)
        own = self._functions_back.get(function)
        if own is None:
            return None
        self._paired(own, function)
        return self._back[function].get(op)

    def _paired(self, here: int, there: int) -> dict[int, int]:
        if here not in self._ops:
            pairs = dict(self._pair_ops(here, there))
            self._ops[here] = pairs
            self._back[there] = {other: own for own, other in pairs.items()}
        return self._ops[here]

    # --- functions -----------------------------------------------------------------------------

    @cached_property
    def functions(self) -> dict[int, int]:
        """The function there for each function here that has one."""
        found: dict[int, int] = {}
        for key, own in self.here.by_name.items():
            others = self.there.by_name.get(key, ())
            found.update(zip(own, others, strict=False))
        taken = set(found.values())
        for name, own in self.here.named.items():  # moved to another file
            left = [function for function in own if function not in found]
            others = [f for f in self.there.named.get(name, ()) if f not in taken]
            if len(left) == len(others) == 1:
                found[left[0]] = others[0]
                taken.add(others[0])
        found.update(self._renamed(found, taken))
        return found

    @cached_property
    def _functions_back(self) -> dict[int, int]:
        return {other: own for own, other in self.functions.items()}

    def _renamed(self, found: dict[int, int], taken: set[int]) -> Iterator[tuple[int, int]]:
        own = [f for f in range(len(self.here.image.function_names)) if f not in found]
        others = [f for f in range(len(self.there.image.function_names)) if f not in taken]
        if not own or not others or max(len(own), len(others)) > _MOST_RENAMED:
            return
        bodies = [body for f in others if (body := self.there.body(f))]
        free = {body.function for body in bodies}
        left: list[int] = []
        for function in own:
            body = self.here.body(function)
            if body is None:
                continue
            near = [
                (_likeness(body.text, b.text), b.function) for b in bodies if b.function in free
            ]
            best = max(near, default=(0.0, -1))
            if best[0] >= _ALIKE:
                free.discard(best[1])
                yield function, best[1]
            else:
                left.append(function)
        yield from self._of_one_shape(left, sorted(free))

    def _of_one_shape(self, own: Sequence[int], others: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Functions of which every line is written differently, and that do just the same."""
        ours, theirs = defaultdict(list), defaultdict(list)
        for function in own:
            ours[self.here.shape(function)].append(function)
        for function in others:
            theirs[self.there.shape(function)].append(function)
        for shape, functions in ours.items():
            if len(functions) == len(theirs[shape]) == 1:
                yield functions[0], theirs[shape][0]

    # --- ops -----------------------------------------------------------------------------------

    def _pair_ops(self, here: int, there: int) -> Iterator[tuple[int, int]]:
        own, other = self.here.body(here), self.there.body(there)
        rows = dict(_pair_lines(own, other)) if own and other else {}
        theirs: dict[tuple[str, int], list[int]] = defaultdict(list)
        ours: dict[tuple[str, int], list[int]] = defaultdict(list)
        for file, row, op in self.there.ops(there):
            theirs[file, row].append(op)
        for file, row, op in self.here.ops(here):
            ours[file, row].append(op)
        for (file, row), ops in ours.items():
            place = (file, row)
            if own and other and file == own.file and row:
                if row not in rows:
                    continue
                place = (other.file, rows[row])
            yield from self._on_lines(ops, theirs.get(place, []))

    def _on_lines(self, ours: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[int, int]]:
        a = [self._sort(self.here, op, is_here=True) for op in ours]
        b = [self._sort(self.there, op, is_here=False) for op in theirs]
        if a == b:
            yield from zip(ours, theirs, strict=True)
            return
        for i, j, size in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
            yield from zip(ours[i : i + size], theirs[j : j + size], strict=True)

    def _sort(self, version: Version, op: int, *, is_here: bool) -> Sort:
        """What two ops have in common that can be the same; a callee counts as its namesake."""
        sort = version.image.sort(op)
        return sort._replace(callee=self._callee(sort.callee)) if is_here and sort.callee else sort

    def _callee(self, name: str) -> str:
        """What the function of this name is called there."""
        for function in self.here.named.get(name, ())[:1]:
            other = self.functions.get(function)
            if other is not None:
                return self.there.image.function_names[other]
        return name


def _pair_lines(here: PairedFunction, there: PairedFunction) -> Iterator[tuple[int, int]]:
    """The lines of two bodies that are the same, or that one became the other."""
    if here.text == there.text:
        yield from zip(range(here.first, here.last + 1), range(there.first, there.last + 1),
                       strict=True)  # fmt: skip
        return
    a, b = here.text, there.text
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    middle = SequenceMatcher(None, a[start : len(a) - end], b[start : len(b) - end], autojunk=False)
    yield from ((here.first + k, there.first + k) for k in range(start))
    for tag, i1, i2, j1, j2 in middle.get_opcodes():
        left, right = range(i1, i2), range(j1, j2)
        if tag == "replace" and len(left) != len(right):
            pairs = _like(a[start:], b[start:], left, right)
        else:
            pairs = list(zip(left, right, strict=False))
        yield from ((here.first + start + i, there.first + start + j) for i, j in pairs)
    yield from ((here.last - k, there.last - k) for k in range(end))


def _like(a: Sequence[str], b: Sequence[str], left: range, right: range) -> list[tuple[int, int]]:
    """The lines of a replaced block that are like each other, in order."""
    if max(len(left), len(right)) > _MOST_LINES:
        return []
    found: list[tuple[int, int]] = []
    following = right.start
    for i in left:
        near = [(_likeness(_words(a[i]), _words(b[j])), -j) for j in range(following, right.stop)]
        best, at = max(near, default=(0.0, 0))
        if best >= _LIKE_LINES:
            found.append((i, -at))
            following = -at + 1
    return found


def _words(line: str) -> list[str]:
    return re.findall(r"\w+|\S", line)


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many lines the two begin with alike."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _likeness(a: Sequence[str], b: Sequence[str]) -> float:
    if not a or not b or max(len(a), len(b)) > 4 * min(len(a), len(b)):
        return 0.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _LIKE_LINES else 0.0
