"""How many runs may a search still need?

Nobody knows which changes are the root, so nobody knows how many runs are left.  But the search is
a program that can be replayed: a forecast assumes a root that fits all known outcomes, and counts
the runs that the search would need to find it.  It does so for many roots, chosen at random with
the weights of the search, and gives the range of the counts.  Variants that do not build cost runs
too: as many of the assumed outcomes are broken as of the known ones.

A replay takes longer the more runs are known.  So a search is replayed only when the number of
known outcomes has grown by a share since the last time.  In between, the runs that were made are
subtracted from the range.  All forecasts together take no more than a share of the search's time.

An assumed root may be simpler than the true one.  If the smallest passing set shrinks slowly, the
range reaches at least to where this pace leads.

If no assumed root fits the outcomes, or replays take too long, or more runs were made than a range
allowed, the range comes from how the search went until now: how fast the smallest passing set
shrank in the later half of the runs, and how large it still is.

There is no forecast before a few runs, if neither way gives a range, and if it would be so wide
that it says nothing.  tests/search/test_forecast.py measures how often a range contains the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil, floor, log2
from random import Random

from whence.model import ChangeId, Outcome, Reverted, Run
from whence.search.space import Search

_SAMPLES = 12  # assumed roots of one forecast; guessed
_MIN_SAMPLES = 6  # with fewer there is no forecast; guessed
_MAX_SECONDS = 0.3  # limit on the time of one forecast; guessed
_MAX_SHARE = 0.03  # limit on the share of the search's time that all forecasts take; guessed
_GROWTH = 1.25  # a search is replayed again when the known outcomes have grown by this; guessed
_MAX_REPLAYED = 400  # limit on the runs of one assumed search; guessed
_SIZES = (1, 1, 1, 2)  # least number of changes in an assumed root; guessed
_MIN_WEIGHT = 1e-6  # of a change that the search holds for impossible; guessed
_MIN_KNOWN = 5  # known outcomes: the two versions, and a few runs of the search; guessed
# The range goes from the count at one share of the samples, divided by the factor, to the count at
# the other share, times the factor.  In 24 simulated searches that the constants were not measured
# on, 89 % of the stated ranges contained the truth; their median width was a factor of 4.7.
_SHARES = (0.2, 0.8)
_FACTOR = 1.6
_MAX_WIDTH = 12  # limit on the ratio of a range that is stated, if its end is ...
_FEW = 20  # ... more than this; both measured on 40 other searches
# Without replays, a range goes from the runs left at the pace until now, divided by the factor, to
# some tries of each change of the smallest passing set; from 6 searches of 130 to 1,800 runs.
_PACE_FACTOR = 2.5
_TRIES = 2
_MIN_PACED = 20  # known outcomes for such a range; guessed


@dataclass(frozen=True)
class RunsLeft:
    """The range of the runs that a search may still need."""

    least: int
    most: int


@dataclass
class Forecaster:
    """Forecasts one search.  `make` starts the search anew, `known` has all outcomes so far."""

    make: Callable[[], Search[object]]
    known: Mapping[Reverted, Run]
    weight: Mapping[ChangeId, float]
    _began: float = field(default_factory=time.monotonic, init=False)
    _spent: float = field(default=0.0, init=False)  # seconds that forecasts took
    _range: RunsLeft | None = field(default=None, init=False)  # from the last replays
    _at: int = field(default=0, init=False)  # the number of outcomes that were known then
    _promised: int | None = field(default=None, init=False)  # outcomes at the end of an old range
    _sizes: list[int] = field(default_factory=list, init=False)  # see `_note_sizes`
    _is_misled: bool = field(default=False, init=False)  # has such an end passed?

    def runs_left(self) -> RunsLeft | None:
        """Return the range of the runs left; None if nothing is known about them."""
        count = len(self.known)
        if count < _MIN_KNOWN:
            return None
        is_over = self._promised is not None and count >= self._promised
        if is_over:
            self._is_misled, self._range = True, None
        is_due = not self._is_misled and (not self._at or count >= self._at * _GROWTH)
        if is_due and self._has_time():
            started = time.monotonic()
            self._range, self._at = self._forecast(started + _MAX_SECONDS), count
            self._spent += time.monotonic() - started
            if self._range is not None and self._promised is None:
                self._promised = count + self._range.most
        made = count - self._at
        if self._range is None or made >= self._range.most:
            return self._by_pace()
        most = self._range.most - made
        return _stated(RunsLeft(self._range.least * most // self._range.most, most))

    def _by_pace(self) -> RunsLeft | None:
        """Return the range by how the smallest passing set shrank in the later half of the runs.

        A search that goes on slowly tries the changes of this set one by one, and some twice.
        """
        self._note_sizes()
        count = len(self._sizes)
        if count < _MIN_PACED:
            return None
        now, shrunk = self._sizes[-1], self._sizes[count // 2] - self._sizes[-1]
        left = min(now, now * (count - count // 2) / shrunk) if shrunk else now
        return _stated(RunsLeft(floor(left / _PACE_FACTOR), _TRIES * now))

    def _note_sizes(self) -> None:
        """Note the size of the smallest passing set after each outcome that is new."""
        for reverted, run in islice(self.known.items(), len(self._sizes), None):
            last = self._sizes[-1] if self._sizes else max(map(len, self.known))
            self._sizes.append(min(len(reverted), last) if run.outcome is Outcome.PASS else last)

    def _has_time(self) -> bool:
        """May a forecast take its time now?"""
        elapsed = time.monotonic() - self._began
        return self._spent <= _MAX_SECONDS + _MAX_SHARE * elapsed

    def _forecast(self, ends: float) -> RunsLeft | None:
        """Return the range of the runs left from replays; None if too few of them end in time."""
        random = Random(len(self.known))
        counts: list[int] = []
        for _ in range(_SAMPLES):
            root = self._root(random)
            count = None if root is None else self._count(root, random.random(), ends)
            if count is None:
                break
            counts.append(count)
        if len(counts) < _MIN_SAMPLES:
            return None
        low, high = (sorted(counts)[round(share * (len(counts) - 1))] for share in _SHARES)
        return RunsLeft(floor(low / _FACTOR), ceil(max(high * _FACTOR, self._at_this_pace())))

    def _at_this_pace(self) -> float:
        """Return the runs left if the smallest passing set goes on to shrink as it did so far."""
        sizes = [
            len(reverted) for reverted, run in self.known.items() if run.outcome is Outcome.PASS
        ]
        largest, smallest = max(sizes), min(sizes)
        halvings = log2(largest / smallest) if smallest else 0.0
        return len(self.known) / halvings * log2(max(smallest, 1)) if halvings else 0.0

    # --- one assumed root ------------------------------------------------------------------------

    def _root(self, random: Random) -> Reverted | None:
        """Return a random root that fits the known outcomes; None if none was found."""
        passed = [r for r, run in self.known.items() if run.outcome is Outcome.PASS]
        failed = [r for r, run in self.known.items() if run.outcome is Outcome.FAIL]
        inside = sorted(frozenset.intersection(*passed)) if passed else []
        if not inside:
            return None
        root = {self._drawn(inside, random) for _ in range(random.choice(_SIZES))}
        # With a part of the root reverted, the failure stays: a failed set lacks a change of it.
        while (reverted := next((r for r in failed if root <= r), None)) is not None:
            outside = [change for change in inside if change not in reverted]
            if not outside:
                return None
            root.add(self._drawn(outside, random))
        return frozenset(root)

    def _drawn(self, changes: Sequence[ChangeId], random: Random) -> ChangeId:
        weights = [max(self.weight.get(change, 1.0), _MIN_WEIGHT) for change in changes]
        return random.choices(changes, weights)[0]

    def _count(self, root: Reverted, seed: float, ends: float) -> int | None:
        """Return the runs that the search would need to find this root.

        None: that was not known when the time `ends` came.
        """
        outcomes = [run.outcome for run in self.known.values()]
        broken = sum(outcome in (Outcome.BROKEN, Outcome.OTHER) for outcome in outcomes)
        rate = broken / (len(outcomes) + 2)
        assumed: dict[Reverted, Run] = {}
        random = Random(seed)
        search = self.make()
        try:
            asked = next(search)
            while len(assumed) < _MAX_REPLAYED:
                if time.monotonic() > ends:
                    return None
                run = self.known.get(asked) or assumed.get(asked)
                if run is None:
                    outcome = Outcome.PASS if root <= asked else Outcome.FAIL
                    is_broken = random.random() < rate
                    run = assumed[asked] = Run(Outcome.BROKEN if is_broken else outcome)
                asked = search.send(run)
        except StopIteration:
            pass
        return len(assumed)


def _stated(found: RunsLeft) -> RunsLeft | None:
    """Return a range, unless it is so wide that it says nothing."""
    is_wide = found.most > _FEW and found.most > _MAX_WIDTH * max(found.least, 1)
    return None if is_wide else found
