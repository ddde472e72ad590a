"""Is each answer minimal, as every search method claims, for random simulated programs?

The simulated programs are small, so that all of their variants can be tried.  Half of them are
monotone: reverting more changes never breaks what passes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import chain, combinations
from pathlib import Path

from bench.attack.attempts import Attempt, in_child
from tests.search.oracles import Oracle, answer, changes
from whence.model import ChangeId, Outcome, Reverted
from whence.search.isolate import METHODS, Answer, IsolateProblem

_OTHERS = (Outcome.FAIL, Outcome.FAIL, Outcome.OTHER, Outcome.BROKEN)
_SMALL = 3  # units of an answer of which every subset is tried by whence


def attack(work: Path, count: int) -> Iterator[Attempt]:  # noqa: ARG001 - an Attack
    """Search in random simulated programs, with each method in turn."""
    for number in range(count):
        chance = random.Random(f"oracle {number}")
        method = METHODS[number % len(METHODS)]
        size = chance.randrange(1, 10)
        monotone = chance.random() < 0.5
        judge = (_monotone if monotone else _any)(size, chance)
        problem = IsolateProblem(
            changes(size, block_size=chance.randrange(1, 4), functions=chance.randrange(4)),
            method=method,
        )
        oracle = Oracle(judge)
        found = in_child(lambda p=problem, o=oracle: answer(p, o))  # type: ignore[misc]  # mypy infers no lambda defaults
        name = f"{number} {method} {'monotone' if monotone else 'any'} {size}"
        if found.failed:
            yield Attempt(name, found.failed, found.detail)
            continue
        why = _wrong(found.value, judge, method, monotone=monotone)
        yield Attempt(name, "wrong" if why else None, why or "")


def _wrong(
    found: Answer, judge: Callable[[Reverted], Outcome], method: str, *, monotone: bool
) -> str | None:
    """Return what an answer claims and is not so."""
    units = (*found.root, *found.auxiliary)
    if (judge(found.reverted) is Outcome.PASS) != found.holds:
        return "does not pass, or passes and says that it does not"
    if not found.holds or found.reason is not None:
        return None  # it says itself that the set may not do, or may not be minimal
    claimed = units if method in ("fast", "after") else found.root
    for unit in claimed:
        if judge(found.reverted - unit) is Outcome.PASS:
            return f"{sorted(unit)} can be left in"
    if method == "fast" and len(units) <= _SMALL:
        for part in chain.from_iterable(combinations(units, n) for n in range(len(units))):
            if judge(frozenset().union(*part)) is Outcome.PASS:
                return f"{part} alone passes"
    if monotone and method in ("fast", "after") and len(units) == len(found.reverted):
        # No proper subset passes: of a monotone program it is enough to leave out one change.
        for change in found.reverted:
            if judge(found.reverted - {change}) is Outcome.PASS:
                return f"{change} can be left in"
    return None


def _monotone(size: int, chance: random.Random) -> Callable[[Reverted], Outcome]:
    """Let the test pass if one of some random sets is reverted."""
    sets = [
        frozenset(ChangeId(i) for i in chance.sample(range(size), chance.randrange(1, size + 1)))
        for _ in range(chance.randrange(1, 4))
    ]
    return lambda reverted: Outcome.PASS if any(one <= reverted for one in sets) else Outcome.FAIL


def _any(size: int, chance: random.Random) -> Callable[[Reverted], Outcome]:
    """Let each variant end in a random way, except for the two versions."""
    everything = [ChangeId(i) for i in range(size)]
    subsets = chain.from_iterable(combinations(everything, n) for n in range(size + 1))
    outcomes = {
        frozenset(one): Outcome.PASS if chance.random() < 0.3 else chance.choice(_OTHERS)
        for one in subsets
    }
    outcomes[frozenset()] = Outcome.FAIL
    outcomes[frozenset(everything)] = Outcome.PASS
    return outcomes.__getitem__
