"""Makes random Python programs in which each number is assigned on its own line.

No branch decides which list `other` is: a relevant slice does not contain branches that would have
made an executed append change another list.
"""

from __future__ import annotations

import random

_HEAD = """\
class Box:
    def __init__(self, size):
        self.size = size
        self.items = []

    def put(self, item):
        if item > self.size:
            self.items.append(item)
        return len(self.items)


def some(first, second):
    for number in range(first % 5):
        if (number + second) % 2 == 0:
            yield number * second


def chosen(first, second):
    if first > second:
        return first - second
    return second
"""
_NAMES = "abcde"
_BLOCKS = ("if {0} > {1}:", "for i in range({0} % 4):", "while {0} > 50:")
_PLAIN = (
    "{0} = {1} + {2}",
    "{0} = ({1} * {2}) % 97",
    "{0} = chosen({1}, {2})",
    "{0} = {1} if {1} < {2} else {0}",
    "{0} = sum(some({1}, {2}))",
    "{0} = sum([n for n in numbers if n > {1}])",
    "numbers.append({0})",
    "numbers[{0} % len(numbers)] = {1}",
    "{0} = numbers[{1} % len(numbers)]",
    "{0} = len(numbers)",
    "table[{0} % 7] = {1}",
    "{0} = table.get({1} % 7, {2})",
    "{0} = box.put({1})",
    "box.size = {0}",
    "{0} = max(box.items or [{1}])",
    "{0}, {1} = {1}, {2}",
    "{0} += {1}",
    "other.append({0})",
)
_TRIED = ("try:", "    {0} = table[{1}]", "except KeyError:", "    {0} = {2}")


class Writer:
    """Writes one program.  Equal seeds give equal programs."""

    def __init__(self, seed: int, statements: int = 40) -> None:
        self._random = random.Random(seed)
        self._lines = _HEAD.splitlines()
        for name in _NAMES:
            self._lines.append(f"{name} = {self._random.randrange(60)}")
        self._lines += ["numbers = [a]", "other = numbers", "table = {}", "box = Box(b)"]
        self._body(statements, 0)
        self._lines.append(f"result = {self._random.choice(_NAMES)}")

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _body(self, count: int, depth: int) -> None:
        while count > 0:
            inside = self._random.randrange(1, 5)
            if depth < 3 and self._random.random() < 0.25:
                pattern = self._random.choice(_BLOCKS)
                names = self._random.choices(_NAMES, k=3)
                self._add(pattern, names, depth)
                self._body(inside, depth + 1)
                if pattern.startswith("while"):
                    self._add("{0} = {0} // 2", names, depth + 1)
                count -= inside
            else:
                self._statement(depth)
                count -= 1

    def _statement(self, depth: int) -> None:
        kind = self._random.random()
        names = self._random.choices(_NAMES, k=3)
        if kind < 0.2:
            self._add(f"{names[0]} = {self._random.randrange(60)}", names, depth)
        elif kind < 0.3:
            for line in _TRIED:
                self._add(line, names, depth)
        else:
            self._add(self._random.choice(_PLAIN), names, depth)

    def _add(self, pattern: str, names: list[str], depth: int) -> None:
        self._lines.append("    " * depth + pattern.format(*names))
