"""Which steps defined the classes of some values?

A dataclass, a named tuple or an enum gets methods that no source has: they are generated from what
the body of the class holds.  So a step that runs such a method depends on the steps of that body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from whence.frontend.python.logged import Token
from whence.frontend.python.values import CONTAINERS
from whence.program.ids import Step
from whence.trace.python.objects import ObjectHistory, identity

_MAX_DEPTH = 2  # limit on containers in containers whose items are looked at; guessed
_MAX_ITEMS = 16  # limit on the items of one container that are looked at; guessed


def class_definitions(
    objects: ObjectHistory, tokens: Iterable[Token], step: Step
) -> Iterator[Step]:
    """Yield the steps before `step` that made the classes of values, and what these hold.

    Only classes of the program count.  A class counts as its own class.
    """
    addresses = {address for token in tokens for address in _classes(objects, token, _MAX_DEPTH)}
    for address in sorted(addresses):
        state = objects.at((address, 0, None), step)
        if state is None:
            continue
        if state.made is not None and state.made < step:
            yield state.made
        yield from (writer for writer in state.attribute_writers if writer < step)


def _classes(objects: ObjectHistory, token: Token, depth: int) -> Iterator[int]:
    """Yield the addresses of the program's classes that a value, or an item of it, is of."""
    if identity(token) is None:
        return
    yield from filter(objects.is_program_class, objects.classes_of(token))
    assert type(token) is tuple
    shape = token[2]
    if depth and objects.kind(token) in CONTAINERS and shape and shape[1]:
        for inner in shape[1][:_MAX_ITEMS]:
            yield from _classes(objects, inner, depth - 1)
