"""Under which names are the classes and functions of two runs compared?

A class that both runs have has its module and its qualified name.  If only one run has this module
for a qualified name, and the other run one other module, then the class was moved, and is the same.
Classes that a run made several times under one name are compared as if they were one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

from whence.trace.calls import NamedCode, Node, State, WatchedProcess

_Keys = dict[State, str]


class ComparedNames:
    """The names and states of two processes, in a form that can be compared."""

    def __init__(self, good: WatchedProcess, bad: WatchedProcess) -> None:
        self._processes = (good, bad)
        moved = _moved(good, bad)
        self._names = tuple(
            {name: _compared(code, moved) for name, code in process.named.items()}
            for process in self._processes
        )
        # Are the names in the states compared as they are?  Then so are the states.
        self._is_plain = not moved and not any("#" in name for each in self._names for name in each)
        self._keys: tuple[_Keys, _Keys] = ({}, {})
        self._attributes: dict[str, frozenset[str]] = {}

    def good(self, name: str) -> str:
        return self._names[0].get(name, name)

    def bad(self, name: str) -> str:
        return self._names[1].get(name, name)

    def common(self, name: str) -> frozenset[str]:
        """Return the attributes that objects of a class have in both runs, by its compared name."""
        if name not in self._attributes:
            good, bad = (self._attributes_in(number, name) for number in (0, 1))
            self._attributes[name] = good & bad
        return self._attributes[name]

    def _attributes_in(self, number: int, name: str) -> frozenset[str]:
        names, known = self._names[number], self._processes[number].attributes
        found = (known[each] for each in known if names.get(each, each) == name)
        return frozenset[str]().union(*found)

    def key(self, state: State, *, is_good: bool) -> str:
        """Return a text that two states share exactly if they are the same."""
        if type(state) is not tuple or self._is_plain:
            return repr(state)
        keys = self._keys[not is_good]
        if state not in keys:
            keys[state] = self._key(state, is_good=is_good)
        return keys[state]

    def equal(self, good: Node, bad: Node) -> bool:
        """Are two nodes the same, with all that they refer to?"""
        if self._is_plain:
            return good == bad
        return self._of_node(good, is_good=True) == self._of_node(bad, is_good=False)

    def _key(self, state: State, *, is_good: bool) -> str:
        node = self._processes[not is_good].node(state)
        return repr(state) if node is None else self._of_node(node, is_good=is_good)

    def _of_node(self, node: Node, *, is_good: bool) -> str:
        kind, name, parts = node
        texts = [*self._parts(kind, parts, is_good=is_good)]
        if kind in "sd" and name != "OrderedDict":
            texts.sort()
        name = self._names[not is_good].get(name, name)
        text = repr((kind, name, texts)).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=8).hexdigest()

    def _parts(
        self, kind: str, parts: tuple[State, ...], *, is_good: bool
    ) -> Iterator[str]:  # fmt: skip
        for part in parts:
            if kind == "o":
                yield f"{part[0]}={self.key(part[1], is_good=is_good)}"
            elif kind == "d" and part:
                yield ":".join(self.key(each, is_good=is_good) for each in part)
            else:
                yield self.key(part, is_good=is_good)


def _moved(good: WatchedProcess, bad: WatchedProcess) -> frozenset[NamedCode]:
    """Return the classes and functions that have another module now, of both runs."""
    by_name: dict[tuple[bool, str], tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for number, process in enumerate((good, bad)):
        for name, code in process.named.items():
            by_name[name.endswith("()"), code.qualname][number].add(code.module)
    found = set[NamedCode]()
    for (_, qualname), modules in by_name.items():
        left = [[*(each - other)] for each, other in (modules, modules[::-1])]
        if [len(each) for each in left] == [1, 1]:
            found.update(NamedCode(each[0], qualname, "", 0) for each in left)
    return frozenset(found)


def _compared(code: NamedCode, moved: frozenset[NamedCode]) -> str:
    plain = NamedCode(code.module, code.qualname, "", 0)
    return code.qualname if plain in moved else f"{code.module}.{code.qualname}"
