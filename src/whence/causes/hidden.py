"""Which functions are taken as a whole, so that their bodies are not shown?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whence.program.ids import Activation
from whence.trace.flow import Flow
from whence.trace.slice_at import trusted_functions


def hidden_activations(flow: Flow, trust: Sequence[str]) -> set[Activation]:
    """Return the activations of functions that are taken as a whole, and all inside them.

    These are the functions that the user trusts, and functions from outside the program's tree
    that the tree calls, such as those in a library's header.  A test outside the tree that calls
    into the tree is shown.
    """
    image = flow.thread.image
    outside = image.is_library
    trusted = trusted_functions(image, trust) if trust else np.zeros(len(outside), bool)
    if not (outside | trusted).any():
        return set()
    activations = flow.thread.stream.activations
    functions, parents = activations["function"].tolist(), activations["parent"].tolist()
    hidden: set[Activation] = set()
    inside: set[Activation] = set()  # those of functions of the tree, and all that they called
    rows: Any = enumerate(zip(functions, parents, strict=True))  # by Activation
    for number, (function, parent) in rows:
        is_known = function < len(outside)
        is_outside = is_known and bool(outside[function])
        if parent in inside or (is_known and not is_outside):
            inside.add(number)
        if (
            parent in hidden
            or (number and is_known and bool(trusted[function]))
            or (parent in inside and is_outside)
        ):
            hidden.add(number)
    return hidden
