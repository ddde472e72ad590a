"""The whole of `whence explain`: two versions and a test in, the changes and the causes out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from whence.changes.changeset import ChangeSet
from whence.model import Explanation
from whence.search.session import Order, Watcher, opened

FRONTENDS = ("auto", "c", "none")


@dataclass(frozen=True)
class Wish:
    """What the user asked for beside what `isolate` is asked for."""

    order: Order
    frontend: str = "auto"
    trust: tuple[str, ...] = ()  # functions that are not looked into
    max_trace: int = 4 * 2**30  # bytes that one process may log


def explain(wish: Wish, watcher: Watcher) -> tuple[Explanation, ChangeSet]:
    """Do the whole job; returns the changes too, for those who report on them."""
    started = time.monotonic()
    order = replace(wish.order, command="explain")
    with opened(order, watcher) as session:
        result = session.result(started)
        return Explanation(result), session.changes
