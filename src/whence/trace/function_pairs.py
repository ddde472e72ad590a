"""Which function of the good version of a program matches which function of the bad version?

Functions are paired by file and name, then by name alone if the name is unique (a function was
moved), then by the similarity of their text (it was renamed).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

SAME_BODY = 0.6  # least similarity of the bodies of a function and its renamed form; guessed
MAX_RENAMED = 400  # limit on functions without a namesake that are compared by text; guessed
_QUICKLY = 0.5  # similarity below which texts are not compared in detail; guessed
_MAX_RATIO = 4  # of the lengths of similar texts


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function in the source of one version."""

    name: str
    file: str
    first: int  # first and last line number in the file
    last: int
    text: tuple[str, ...]  # the lines, stripped
    meaning: str = ""  # equal for two functions that differ in layout and comments only


def pair_sources(
    bad: Sequence[FunctionSource], good: Sequence[FunctionSource]
) -> dict[FunctionSource, FunctionSource]:
    """Return the function of the good version for each paired function of the bad version."""
    found: dict[FunctionSource, FunctionSource] = {}
    found |= _same_place(bad, good)
    left = [function for function in bad if function not in found]
    taken = set(found.values())
    free = [function for function in good if function not in taken]
    moved = dict(_moved(left, free))
    found |= moved
    left = [function for function in left if function not in moved]
    taken = set(moved.values())
    free = [function for function in free if function not in taken]
    return found | dict(_renamed(left, free))


def _same_place(
    bad: Iterable[FunctionSource], good: Iterable[FunctionSource]
) -> dict[FunctionSource, FunctionSource]:
    """Pair functions by file and name.

    Of those that a file defines repeatedly (overloaded ones) the unchanged ones come first, then
    those that begin as before, then the others in their order.
    """
    places: dict[tuple[str, str], list[FunctionSource]] = defaultdict(list)
    for function in good:
        places[function.file, function.name].append(function)
    found: dict[FunctionSource, FunctionSource] = {}
    left = [function for function in bad if (function.file, function.name) in places]
    for alike in (_is_unchanged, _begins_alike, lambda *_: True):
        for function in left:
            free = places[function.file, function.name]
            partner = next((each for each in free if alike(function, each)), None)
            if partner is not None:
                free.remove(partner)
                found[function] = partner
        left = [function for function in left if function not in found]
    return found


def _is_unchanged(bad: FunctionSource, good: FunctionSource) -> bool:
    return bad.text == good.text


def _begins_alike(bad: FunctionSource, good: FunctionSource) -> bool:
    heads = ["".join(each.text[:1]).partition("{")[0] for each in (bad, good)]
    return heads[0] == heads[1]


def _moved(
    bad: Iterable[FunctionSource], good: Iterable[FunctionSource]
) -> Iterator[tuple[FunctionSource, FunctionSource]]:
    """Pair functions by a name that only one of each side has."""
    sides: list[dict[str, list[FunctionSource]]] = []
    for functions in (bad, good):
        names: dict[str, list[FunctionSource]] = defaultdict(list)
        for function in functions:
            names[function.name].append(function)
        sides.append(names)
    for name, functions in sides[0].items():
        others = sides[1].get(name, [])
        if len(functions) == len(others) == 1:
            yield functions[0], others[0]


def _renamed(
    bad: Sequence[FunctionSource], good: Sequence[FunctionSource]
) -> Iterator[tuple[FunctionSource, FunctionSource]]:
    """Pair functions by the similarity of their text."""
    if not bad or not good or max(len(bad), len(good)) > MAX_RENAMED:
        return
    free = list(good)
    for function in bad:
        similar = [(similarity(function.text, each.text), i) for i, each in enumerate(free)]
        best, index = max(similar, default=(0.0, -1))
        if best >= SAME_BODY:
            yield function, free.pop(index)


def similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the share of equal parts, from 0 to 1; 0 for lengths that differ a lot."""
    if not a or not b or max(len(a), len(b)) > _MAX_RATIO * min(len(a), len(b)):
        return 0.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _QUICKLY else 0.0
