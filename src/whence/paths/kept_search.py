"""How does an exploration continue where it stopped?

What is written down is plain data: the inputs of each run that may change, the open questions, and
the hashes of what was asked.  The conditions of a run are computed again when one of its questions
comes up.
"""

from __future__ import annotations

import heapq
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import astuple
from typing import Any

from whence.inputs import InputSource, SourceKind
from whence.paths.explore import ExploreSearch, OpenQuestion
from whence.paths.program import Contents

_COUNTS = ("infeasible", "unknown", "repeated", "diverged", "executed")


def search_state(search: ExploreSearch, free: Collection[InputSource]) -> dict[str, Any]:
    """Return what an exploration knows, as data for JSON.  `free` are the inputs that may change.

    The other inputs (the environment) are no business of who reads the file.
    """
    return {
        "inputs": [_contents_state(one, free) for one in search.inputs],
        "moves": search.moves,
        "open": [list(astuple(one)) for one in search.open],
        "ended": [list(one) for one in search.ended],
        "unmoved": search.unmoved,
        "asked": sorted(search.asked),
        "classes": sorted(search.classes),
        "counts": {name: getattr(search.found, name) for name in _COUNTS},
    }


def restore_search(search: ExploreSearch, state: dict[str, Any], first: Contents) -> None:
    """Continue an exploration that `search_state` described; `search` is new.

    `first` are the inputs of the test as it is.
    """
    search.inputs = [{**first, **_read_contents(one)} for one in state["inputs"]]
    search.moves = list(state["moves"])
    search.open = [
        OpenQuestion(weight, order, of, at, tuple(excluded))
        for weight, order, of, at, excluded in state["open"]
    ]
    heapq.heapify(search.open)
    search.ended = [(of, at) for of, at in state["ended"]]
    search.unmoved = list(state["unmoved"])
    search.asked, search.classes = set(state["asked"]), set(state["classes"])
    for name in _COUNTS:
        setattr(search.found, name, state["counts"][name])


def _contents_state(contents: Contents, free: Collection[InputSource]) -> list[list[Any]]:
    return [
        [source.kind.name, source.name, source.number, b64encode(text).decode()]
        for source, text in sorted(contents.items())
        if source in free
    ]


def _read_contents(state: list[list[Any]]) -> Contents:
    return {
        InputSource(SourceKind[kind], name, number): b64decode(text)
        for kind, name, number, text in state
    }
