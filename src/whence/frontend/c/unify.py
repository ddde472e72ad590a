"""What may each pointer point to, if a pointer and what it is assigned to point to the same?

After Steensgaard: values that flow into one another become one value, and what they point to
becomes one class.  A *class* is a set of objects laid over one another.  Three rules keep the
result precise.

1. A pointer has an offset in its class: `Target`.  Pointers that meet with different offsets do
   not spoil the class; only the pointer becomes vaguer: any multiple of its `stride` may be added.
2. When classes meet through pointers to different offsets, one is laid over the other with a
   shift, as a struct is laid over its first member.
3. Values stored in a class are kept apart by offset, until one is read or written through a vague
   pointer.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

FAR = 1 << 48  # larger than any offset


class Target(NamedTuple):
    """Where a pointer points: at `offset` in class `cls`, plus any multiple of `stride`.

    It stays within the bytes from `low` to `high` (those of an array, if they are known).
    """

    cls: int
    offset: int
    stride: int = 0
    low: int = -FAR
    high: int = FAR

    def is_anywhere(self) -> bool:
        """Is the offset completely unknown?"""
        return self.stride == 1 and self.low == -FAR


class FieldStep(NamedTuple):
    """How a pointer is made from another: `add` bytes further, plus any multiple of `stride`.

    If `length` is not 0, it points into an array of `length` bytes that starts `array` bytes
    further.
    """

    add: int
    stride: int = 0
    array: int = 0
    length: int = 0

    def apply(self, at: Target) -> Target:
        low, high = at.low, at.high
        if self.length and at.stride == 0 and low == -FAR:
            low = at.offset + self.array
            high = low + self.length
        stride = gcd(at.stride, self.stride)
        offset = at.offset + self.add
        return Target(at.cls, offset % stride if stride else offset, stride, low, high)


class Unifier:
    """Merges values and classes until no assignment of the program adds anything."""

    def __init__(self) -> None:
        self._value_parent: list[int] = []
        self._target: list[Target | None] = []
        self._steps: list[dict[FieldStep, int]] = []  # the values made from this one
        self._star: list[int] = []  # the value stored where this one points, or -1
        self._parent: list[int] = []  # parent of a class
        self._shift: list[int] = []  # where a class starts in its parent
        self._fields: list[dict[int, int]] = []  # the values stored at the offsets of a class
        self._fold: list[int] = []  # if not 0, offsets count modulo this
        # (low, high, stride): there, offsets count modulo stride
        self._arrays: list[list[tuple[int, int, int]]] = []
        self._joins: list[tuple[int, int]] = []
        self._moved: list[int] = []
        self.members: list[list[tuple[int, int]]] = []  # (object, shift) pairs of a root class
        self.changes = 0

    # --- values

    def value(self) -> int:
        """Return a new value, which points nowhere yet."""
        self._value_parent.append(len(self._value_parent))
        self._target.append(None)
        self._steps.append({})
        self._star.append(-1)
        return len(self._value_parent) - 1

    def find(self, value: int) -> int:
        parent = self._value_parent
        while parent[value] != value:
            parent[value] = parent[parent[value]]
            value = parent[value]
        return value

    def target(self, value: int) -> Target | None:
        at = self._target[self.find(value)]
        return None if at is None else self.rooted(at)

    def rooted(self, at: Target) -> Target:
        """Return the same place in terms of the root of its class."""
        root, shift = self.find_class(at.cls)
        if root == at.cls:
            return at
        offset = at.offset + shift
        low = at.low if at.low == -FAR else at.low + shift
        high = at.high if at.high == FAR else at.high + shift
        return Target(root, offset % at.stride if at.stride else offset, at.stride, low, high)

    def point(self, value: int, at: Target) -> None:
        """Let the value also point to `at`."""
        value = self.find(value)
        old = self._target[value]
        new = self.rooted(at) if old is None else self._meet(old, at)
        if old is None or new != self.rooted(old):
            self._target[value] = new
            self._moved.append(value)

    def join(self, one: int, other: int) -> None:
        self._joins.append((one, other))

    def step(self, value: int, step: FieldStep) -> int:
        """Return the value that results from moving this one by `step`."""
        value = self.find(value)
        at = self._target[value]
        if at is not None and at.is_anywhere():
            return value
        steps = self._steps[value]
        if step not in steps:
            steps[step] = self.value()
            if at is not None:
                self.point(steps[step], step.apply(self.rooted(at)))
        return steps[step]

    def star(self, value: int) -> int:
        """Return the value stored where this one points."""
        value = self.find(value)
        if self._star[value] < 0:
            self._star[value] = self.value()
            at = self._target[value]
            if at is not None:
                self.join(self._star[value], self.content(at))
        return self._star[value]

    def settle(self) -> None:
        """Apply all pending joins and moves."""
        while self._joins or self._moved:
            while self._joins:
                self._join(*self._joins.pop())
            if self._moved:
                self._moved_on(self.find(self._moved.pop()))

    def _moved_on(self, value: int) -> None:
        at = self._target[value]
        assert at is not None
        at = self.rooted(at)
        if at.is_anywhere():
            # The pointer already points anywhere, so a step changes nothing.
            for made in self._steps[value].values():
                self.join(value, made)
            self._steps[value] = {}
        for step, made in self._steps[value].items():
            self.point(made, step.apply(at))
        if self._star[value] >= 0:
            self.join(self._star[value], self.content(at))

    def _join(self, one: int, other: int) -> None:
        one, other = self.find(one), self.find(other)
        if one == other:
            return
        self.changes += 1
        if len(self._steps[one]) < len(self._steps[other]):
            one, other = other, one
        self._value_parent[other] = one
        kept = self._steps[one]
        added = []
        for step, made in self._steps[other].items():
            if step in kept:
                self.join(kept[step], made)
            else:
                kept[step] = made
                added.append(step)
        self._steps[other] = {}
        starred = self._star[one] < 0
        if self._star[one] < 0:
            self._star[one] = self._star[other]
        elif self._star[other] >= 0:
            self.join(self._star[one], self._star[other])
        first, second = self._target[one], self._target[other]
        if second is None and first is None:
            return
        if first is None or second is None:
            at = self.rooted(first or second)  # type: ignore[arg-type]  # one of them is second
        else:
            at = self._meet(first, second)
        self._target[one] = at
        if first is None or at != self.rooted(first):
            self._moved.append(one)
        else:
            self._catch_up(one, added, starred)

    def _catch_up(self, value: int, added: list[FieldStep], starred: bool) -> None:
        """Update a value that has not moved but has new steps, perhaps its first star."""
        at = self.target(value)
        assert at is not None
        steps = self._steps[value]
        if at.is_anywhere():
            for step in added:
                self.join(value, steps.pop(step))
        else:
            for step in added:
                self.point(steps[step], step.apply(at))
        if starred and self._star[value] >= 0:
            self.join(self._star[value], self.content(at))

    def _meet(self, one: Target, other: Target) -> Target:
        one, other = self.rooted(one), self.rooted(other)
        if one.cls != other.cls:
            self._merge(one.cls, other.cls, one.offset - other.offset)
            one, other = self.rooted(one), self.rooted(other)
        stride = gcd(one.stride, other.stride, one.offset - other.offset)
        offset = one.offset % stride if stride else one.offset
        low, high = min(one.low, other.low), max(one.high, other.high)
        return Target(one.cls, offset, stride, low, high)

    # --- classes

    def cls(self, *members: int) -> int:
        """Return a new class of these objects."""
        number = len(self._parent)
        self._parent.append(number)
        self._shift.append(0)
        self._fields.append({})
        self._fold.append(0)
        self._arrays.append([])
        self.members.append([(member, 0) for member in members])
        return number

    def find_class(self, cls: int) -> tuple[int, int]:
        """Return the root of a class, and where the class starts in it."""
        parent, shift = self._parent, self._shift
        path = []
        while parent[cls] != cls:
            path.append(cls)
            cls = parent[cls]
        total = 0
        for node in reversed(path):
            total += shift[node]
            parent[node], shift[node] = cls, total
        return cls, total

    def _merge(self, one: int, other: int, shift: int) -> None:
        """Lay root class `other` over root class `one`, shifted by `shift` bytes."""
        self.changes += 1
        if self._weight(one) < self._weight(other):
            one, other, shift = other, one, -shift
        self._parent[other], self._shift[other] = one, shift
        self.members[one].extend((member, at + shift) for member, at in self.members[other])
        self.members[other] = []
        for low, high, stride in self._arrays[other]:
            self._fold_array(one, low + shift, high + shift, stride)
        if self._fold[other]:
            self._fold_all(one, self._fold[other])
        for offset, stored in self._fields[other].items():
            self._put(one, offset + shift, stored)
        self._fields[other] = {}
        self._arrays[other] = []

    def _weight(self, cls: int) -> int:
        return len(self.members[cls]) + len(self._fields[cls])

    def content(self, at: Target) -> int:
        """Return the value stored at `at`."""
        at = self.rooted(at)
        if at.stride and at.low > -FAR:
            self._fold_array(at.cls, at.low, at.high, at.stride)
        elif at.stride:
            self._fold_all(at.cls, at.stride)
        within = at.stride and at.low > -FAR
        first = at.low + (at.offset - at.low) % at.stride if within else at.offset
        key = self._key(at.cls, first)
        fields = self._fields[at.cls]
        if key not in fields:
            fields[key] = self.value()
        return fields[key]

    def contents(self, cls: int) -> list[tuple[Target, int]]:
        """Return everything stored in a root class, with its places."""
        return [(self._home(cls, key), stored) for key, stored in self._fields[cls].items()]

    def _home(self, cls: int, key: int) -> Target:
        """Return all places that share a key."""
        if self._fold[cls]:
            return Target(cls, key, self._fold[cls])
        for low, high, stride in self._arrays[cls]:
            if low <= key < high:
                return Target(cls, key, stride, low, high)
        return Target(cls, key)

    def _put(self, cls: int, offset: int, stored: int) -> None:
        key = self._key(cls, offset)
        known = self._fields[cls].setdefault(key, stored)
        if known != stored:
            self.join(known, stored)

    def _key(self, cls: int, offset: int) -> int:
        if self._fold[cls]:
            return offset % self._fold[cls]
        for low, high, stride in self._arrays[cls]:
            if low <= offset < high:
                return low + (offset - low) % stride
        return offset

    def _fold_all(self, cls: int, stride: int) -> None:
        fold = gcd(self._fold[cls], stride, *(array[2] for array in self._arrays[cls]))
        if fold != self._fold[cls]:
            self._fold[cls] = fold
            self._arrays[cls] = []
            self._refold(cls)

    def _fold_array(self, cls: int, low: int, high: int, stride: int) -> None:
        if self._fold[cls]:
            self._fold_all(cls, stride)
            return
        apart = []
        new = (low, high, stride)
        for array in self._arrays[cls]:
            if array[1] <= new[0] or new[1] <= array[0]:
                apart.append(array)
            else:
                start = min(array[0], new[0])
                new = (start, max(array[1], new[1]), gcd(array[2], new[2]))
        if new not in self._arrays[cls]:
            self._arrays[cls] = [*apart, new]
            self._refold(cls)

    def _refold(self, cls: int) -> None:
        fields, self._fields[cls] = self._fields[cls], {}
        for offset, stored in fields.items():
            self._put(cls, offset, stored)
