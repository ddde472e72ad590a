"""Which functions are taken as a whole, so that their bodies are not shown?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from whence.program.ids import Activation
from whence.trace.flow import Flow
from whence.trace.slice_at import trusted_functions
from whence.trace.slicer import Flags


def hidden_activations(flow: Flow, trust: Sequence[str]) -> Collection[Activation]:
    """Return the activations of functions that are taken as a whole.

    These are the functions that the user trusts with all inside them, and functions from outside
    the program's tree that the tree calls, such as those in a library's header.  Functions of the
    tree that these call back are shown, and so is a test outside the tree that calls into the tree.
    """
    image = flow.thread.image
    outside = image.is_library
    trusted = trusted_functions(image, trust) if trust else np.zeros(len(outside), bool)
    if not (outside | trusted).any():
        return set()
    if flow.thread.stream.sections is not None:
        return _HiddenActivations(flow, outside, trusted)
    activations = flow.thread.stream.activations
    functions, parents = activations["function"].tolist(), activations["parent"].tolist()
    hidden: set[Activation] = set()
    within: set[Activation] = set()  # those of trusted functions, and all that they called
    inside: set[Activation] = set()  # those of functions of the tree, and all that they called
    rows: Any = enumerate(zip(functions, parents, strict=True))  # by Activation
    for number, (function, parent) in rows:
        is_known = function < len(outside)
        is_outside = is_known and bool(outside[function])
        if parent in inside or (is_known and not is_outside):
            inside.add(number)
        if parent in within or (number and is_known and bool(trusted[function])):
            within.add(number)
        if (
            number in within
            or (parent in inside and is_outside)
            or (parent in hidden and not is_known)
        ):
            hidden.add(number)
    return hidden


class _HiddenActivations(Collection[Activation]):
    """The same for a long run: an activation is looked up when it is asked for."""

    def __init__(self, flow: Flow, outside: Flags, trusted: Flags) -> None:
        rows = flow.thread.stream.activations
        self._functions, self._parents = rows["function"], rows["parent"]
        self._outside, self._trusted = outside, trusted
        # Is it hidden, within a trusted function, and inside the tree?
        self._known: dict[int, tuple[bool, bool, bool]] = {}

    def __contains__(self, activation: object) -> bool:
        return isinstance(activation, int) and self._state(activation)[0]

    def __len__(self) -> int:
        return len(self._functions)

    def __iter__(self) -> Iterator[Activation]:
        return (Activation(number) for number in range(len(self)) if number in self)

    def _state(self, activation: int) -> tuple[bool, bool, bool]:
        chain = []
        while activation not in self._known:
            chain.append(activation)
            if not activation:
                break
            activation = int(self._parents[activation])
        for number in reversed(chain):
            self._known[number] = self._of(number)
        return self._known[chain[0] if chain else activation]

    def _of(self, number: int) -> tuple[bool, bool, bool]:
        function, parent = int(self._functions[number]), int(self._parents[number])
        hidden, within, inside = self._known[parent] if number else (False, False, False)
        is_known = function < len(self._outside)
        is_outside = is_known and bool(self._outside[function])
        is_trusted = bool(number) and is_known and bool(self._trusted[function])
        is_inside = inside or (is_known and not is_outside)
        is_within = within or is_trusted
        is_hidden = is_within or (inside and is_outside) or (hidden and not is_known)
        return is_hidden, is_within, is_inside
