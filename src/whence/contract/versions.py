"""Which functions do both versions have, and which of them were changed?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from whence.trace.calls import WatchedProcess
from whence.trace.function_pairs import FunctionSource, pair_sources

_Place = tuple[str, int, str]  # file, first line, name


@dataclass(frozen=True)
class PairedSources:
    """The functions in the sources of both versions."""

    good: Sequence[FunctionSource]
    bad: Sequence[FunctionSource]

    @cached_property
    def pairs(self) -> Mapping[FunctionSource, FunctionSource]:
        """The good function for each paired bad function."""
        return pair_sources(self.bad, self.good)

    @cached_property
    def changed(self) -> tuple[frozenset[tuple[str, int]], frozenset[tuple[str, int]]]:
        """File and first line of the changed functions, in the good and in the bad version."""
        edited = [pair for pair in self.pairs.items() if pair[0].meaning != pair[1].meaning]
        found = ({(g.file, g.first) for _, g in edited}, {(b.file, b.first) for b, _ in edited})
        return frozenset(found[0]), frozenset(found[1])

    @cached_property
    def new(self) -> frozenset[tuple[str, int]]:
        """File and first line of the functions that only the bad version has."""
        return frozenset((each.file, each.first) for each in self.bad if each not in self.pairs)

    def functions(self, good: WatchedProcess, bad: WatchedProcess) -> dict[int, int]:
        """Return the index of the good function for that of each paired function of a process."""
        sources = {_place(b): _place(g) for b, g in self.pairs.items()}
        good_index: dict[_Place, int] = {}
        others: dict[tuple[str, str], list[int]] = defaultdict(list)
        in_tree = {_place(function) for function in self.good}
        for index, function in enumerate(good.functions):
            place = (function.file, function.line, function.name)
            good_index[place] = index
            if place not in in_tree:  # the test itself may be outside of the tree
                others[function.file, function.name].append(index)
        found: dict[int, int] = {}
        for index, function in enumerate(bad.functions):
            partner = sources.get((function.file, function.line, function.name))
            if partner in good_index:
                found[index] = good_index[partner]
            elif others[function.file, function.name]:
                found[index] = others[function.file, function.name].pop(0)
        return found


def _place(function: FunctionSource) -> _Place:
    return (function.file, function.first, function.name)
