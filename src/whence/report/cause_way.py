"""Which causes lie on the way of the failing value, from the failure back to where it was made?

A tree can have hundreds of causes.  Most of them say why an operation far upstream ran, or what
could have written a value and did not.  The way follows one line of them.  From each cause it goes
to the condition that decided that the value of the cause was made: the condition of the latest
statement of the cause that has one.  A cause without such a condition is followed by the most
important of its children; if these say what kept an old value, the way shows a few of them, because
any of them may be the one that should have gone the other way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from whence.model import Cause, Influence

_MAX_KEPT = 3  # conditions shown that kept an old value; guessed
_DECIDED = (Influence.DIRECT, Influence.PREMISE)


def way_of(causes: Sequence[Cause], without: AbstractSet[int] = frozenset()) -> list[Cause]:
    """Return the causes on the way of the failing value, from the failure backwards.

    The way avoids the causes `without`.
    """
    known = {cause.id: cause for cause in causes if cause.id not in without}
    cause = next((cause for cause in causes if cause.parent is None), None)
    found: list[Cause] = []
    others: list[Cause] = []
    while cause is not None:
        found += [cause, *others]
        cause, others = _next(cause, known)
    return found


def _next(cause: Cause, known: Mapping[int, Cause]) -> tuple[Cause | None, list[Cause]]:
    """Return the next cause on the way, and causes that are as likely as it."""
    below = [known[number] for number in cause.children or () if number in known]
    below = [child for child in below if child.parent == cause.id]
    decided = {child.about: child for child in reversed(below) if child.influence in _DECIDED}
    places = [(statement.file, statement.line) for statement in reversed(cause.statements)]
    own = (cause.predicate.file, cause.predicate.line)
    for place in (*(place for place in places if place != own), own):
        if place in decided:
            return decided[place], []
    kept = [child for child in below if child.influence is Influence.INDIRECT]
    if below and below[0] in kept:
        return below[0], kept[1:_MAX_KEPT]
    return (below[0] if below else None), []
