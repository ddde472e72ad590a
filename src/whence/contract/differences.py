"""In which parts do two recorded states differ?

What was not recorded differs from nothing.  An attribute that no object of its class has in the
other run is new or gone, and differs from nothing either: only common attributes are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from whence.contract.compared_names import ComparedNames
from whence.contract.shown import shown
from whence.trace.calls import NOT_RECORDED, Missing, Node, State, WatchedProcess

_MAX_DIFFERENCES = 12  # limit on the differences of one state that are listed; guessed
_INDEX = re.compile(r"\[\d+\]")
_MAX_COMPARED = 800  # limit on the nodes that are compared for one state; guessed


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that differs: where it is, and what both versions have there."""

    part: str  # "result", "exception", "a", "output"
    path: tuple[str, ...]  # ".name", "[3]", "['key']"; from the part on
    owner: str | None  # the class whose attribute differs
    good: str
    bad: str

    @property
    def where(self) -> str:
        return self.part + "".join(self.path)

    @property
    def pattern(self) -> str:
        """The place without positions and keys."""
        steps = ["[]" if step.startswith("[") else step for step in self.path]
        return _INDEX.sub("[]", self.part) + "".join(steps)


class StateComparison:
    """Compares states of a process of the good version and its counterpart of the bad one."""

    def __init__(self, good: WatchedProcess, bad: WatchedProcess) -> None:
        self._good, self._bad = good, bad
        self._same: set[tuple[int, int]] = set()  # nodes known to have no difference
        self.names = ComparedNames(good, bad)

    def differences(self, part: str, good: State, bad: State) -> list[Difference]:
        """Return the first differences between two states."""
        walk = _Walk(self, part)
        found = []
        for difference in walk.compare(good, bad, (), None):
            found.append(difference)
            if len(found) >= _MAX_DIFFERENCES:
                return found
        if not found:
            walk.note_same()
        return found

    def equal(self, part: str, good: State, bad: State) -> bool:
        return good is bad or not self.differences(part, good, bad)

    def difference(
        self, part: str, path: tuple[str, ...], owner: str | None, good: Any, bad: Any
    ) -> Difference:
        texts = [
            "nothing" if state is Missing else shown(process, state)
            for process, state in ((self._good, good), (self._bad, bad))
        ]
        return Difference(part, path, owner, texts[0], texts[1])

    def key(self, state: State, *, is_good: bool) -> str:
        """Return how a key of a dict is written in a path; equal keys are written alike."""
        text = shown(self._good if is_good else self._bad, state)
        return f"[{self.names.key(state, is_good=is_good) if '…' in text else text}]"

    def short_name(self, name: str) -> str:
        return self._good.short_name(name)

    def nodes(self, good: State, bad: State) -> tuple[Node | None, Node | None]:
        return self._good.node(good), self._bad.node(bad)

    def is_known(self, good: State, bad: State) -> bool:
        return (good[0], bad[0]) in self._same

    def note_same(self, good: State, bad: State) -> None:
        self._same.add((good[0], bad[0]))


class _Walk:
    """One comparison of two states."""

    def __init__(self, comparison: StateComparison, part: str) -> None:
        self._comparison, self._part = comparison, part
        self._left = _MAX_COMPARED
        self._met: set[tuple[State, State]] = set()
        self._skipped = 0  # how often a pair was met again, whose differences are told already

    def note_same(self) -> None:
        """Note that no pair differs: the walk has found no difference."""
        if self._left > 0:
            for good, bad in self._met:
                self._comparison.note_same(good, bad)

    def compare(
        self, good: State, bad: State, path: tuple[str, ...], owner: str | None
    ) -> Iterator[Difference]:
        if good is Missing or bad is Missing:
            yield self._found(path, owner, good, bad)
        elif good == NOT_RECORDED or bad == NOT_RECORDED:
            return
        elif type(good) is not tuple or type(bad) is not tuple:
            if not _same_plain(good, bad):
                yield self._found(path, owner, good, bad)
        elif good != bad and (good, bad) in self._met:
            self._skipped += 1
        elif good != bad and self._left > 0:
            self._met.add((good, bad))
            self._left -= 1
            yield from self._compare_nodes(good, bad, path, owner)

    def _found(self, path: tuple[str, ...], owner: str | None, good: Any, bad: Any) -> Difference:
        return self._comparison.difference(self._part, path, owner, good, bad)

    def _compare_nodes(
        self, good: State, bad: State, path: tuple[str, ...], owner: str | None
    ) -> Iterator[Difference]:
        good_node, bad_node = self._comparison.nodes(good, bad)
        if good_node is None or bad_node is None:  # an object that contains itself
            return
        if self._comparison.is_known(good, bad):
            return
        names = self._comparison.names
        ours = (good_node[0], names.good(good_node[1]))
        if ours != (bad_node[0], names.bad(bad_node[1])):
            yield self._found(path, owner, good, bad)
            return
        is_same, skipped = True, self._skipped
        for difference in self._parts(good_node, bad_node, path, owner, good, bad):
            is_same = False
            yield difference
        if is_same and self._left > 0 and self._skipped == skipped:
            self._comparison.note_same(good, bad)

    def _parts(
        self, good: Node, bad: Node, path: tuple[str, ...], owner: str | None, *whole: State
    ) -> Iterator[Difference]:
        kind, name, good_parts = good
        names = self._comparison.names
        if kind == "o":
            common = names.common(names.good(name))
            yield from self._mappings(
                {_step(key): value for key, value in good_parts if key in common},
                {_step(key): value for key, value in bad[2] if key in common},
                path, self._comparison.short_name(name),
            )  # fmt: skip
        elif kind == "d":
            keyed = [
                {self._comparison.key(pair[0], is_good=is_good): pair[1] for pair in parts if pair}
                for parts, is_good in ((good_parts, True), (bad[2], False))
            ]
            if () in good_parts or () in bad[2]:  # not all pairs are recorded
                shared = set(keyed[0]) & set(keyed[1])
                keyed = [{key: each[key] for key in shared} for each in keyed]
            yield from self._mappings(keyed[0], keyed[1], path, owner)
        elif kind in "lt" and len(good_parts) == len(bad[2]):
            for number, (one, other) in enumerate(zip(good_parts, bad[2], strict=True)):
                yield from self.compare(one, other, (*path, f"[{number}]"), owner)
        elif not names.equal(good, bad):
            yield self._found(path, owner, *whole)

    def _mappings(
        self, good: Mapping[str, State], bad: Mapping[str, State], path: tuple[str, ...],
        owner: str | None,
    ) -> Iterator[Difference]:  # fmt: skip
        for key in sorted({*good, *bad}):
            steps = (*path, key) if key else path
            yield from self.compare(good.get(key, Missing), bad.get(key, Missing), steps, owner)


def _step(attribute: str) -> str:
    """Return how a path names an attribute; what a base class holds has no name."""
    return "" if attribute == "()" else f".{attribute}"


def _same_plain(good: State, bad: State) -> bool:
    """Are two values equal, and of one type?  Not a number equals itself."""
    return type(good) is type(bad) and (good == bad or repr(good) == repr(bad))
