"""Does the fixed run go the way of the good version's run?

The test passes in both runs.  In the fixed run it may pass for another reason: work is skipped,
input is swallowed, a result is masked.  Then the two runs execute different lines, or the same
lines a different number of times, or write different bytes.  Lines that only one of the two
versions has do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from whence.explain.recorder import covered_times, process_counterpart
from whence.explain.variant_lines import VariantLines
from whence.model import Change, Reverted
from whence.trace.recording import Recording
from whence.trace.written import stream_differences, without_noise, written_streams

_WORD = re.compile(r"\w")
Place = tuple[str, int]  # file and line of the good version


@dataclass(frozen=True)
class Deviation:
    """How a fixed run differs from the run of the good version."""

    skipped: frozenset[Place] = frozenset()  # lines that only the good version's run executed
    added: frozenset[Place] = frozenset()  # lines that only the fixed run executed
    output: int = 0  # lines of output that only one of the runs wrote
    more: frozenset[Place] = frozenset()  # lines that the fixed run executed more often
    less: frozenset[Place] = frozenset()  # lines that the good version's run executed more often
    times: float = 0.0  # how much these numbers differ: the sum over the lines of the shares

    @property
    def is_none(self) -> bool:
        return not (self.skipped or self.added or self.output or self.more or self.less)

    @property
    def rank(self) -> tuple[int, int, float]:
        """The sort key.  What a run writes counts before the lines that it executes.

        Changes that stay in may lead the run to other lines without any harm.  How often lines run
        counts last: a new instruction that no code executes any more only lets its loop turn.
        """
        return self.output, len(self.skipped) + len(self.added), round(self.times, 6)

    def beyond(self, other: Deviation) -> Deviation:
        """Return the part of this deviation that another one, which is smaller, does not share."""
        return Deviation(
            self.skipped - other.skipped,
            self.added - other.added,
            max(self.output - other.output, 0),
            self.more - other.more,
            self.less - other.less,
        )

    def words(self) -> str:
        """Return a clause that says how the runs differ; the fixed run is its subject."""
        found = []
        if self.skipped:
            found.append(f"does not execute {_places(self.skipped)}, as the good version does")
        if self.added:
            found.append(f"executes {_places(self.added)}, unlike the good version")
        if self.output:
            found.append("writes other output than the good version")
        if not found:
            found += [
                f"executes {_places(places)} {words} often than the good version"
                for places, words in ((self.more, "more"), (self.less, "less"))
                if places
            ]
        return " and ".join(found)


NO_DEVIATION = Deviation()


class GoodWay:
    """The run of the good version, which fixed runs are compared with."""

    def __init__(self, changes: Iterable[Change], good: Recording) -> None:
        self._changes, self._good = tuple(changes), good
        self._times = _times_of(good)
        self._executed = set(self._times)

    def deviation(self, fixed: Recording, reverted: Reverted) -> Deviation:
        """Compare a fixed run, in which `reverted` is reverted, with the good version's run."""
        lines = VariantLines(self._changes, reverted)
        gone = _old_lines(change for change in self._changes if change.id not in reverted)
        wanted = self._with_words(self._executed - gone)
        times = {
            place: count
            for (file, line), count in _times_of(fixed).items()
            if (place := lines.in_good(file, line)) is not None
        }
        executed = set(times)
        both = self._with_words((executed & self._executed) - self._changed)
        differing = {place: times[place] - self._times[place] for place in both}
        return Deviation(
            frozenset(wanted - executed),
            frozenset(self._with_words(executed - self._executed)),
            sum(_other_output(fixed, self._good)),
            frozenset(place for place, count in differing.items() if count > 0),
            frozenset(place for place, count in differing.items() if count < 0),
            sum(
                abs(differing[place]) / max(times[place], self._times[place])
                for place in sorted(both)
            ),
        )

    @cached_property
    def _changed(self) -> set[Place]:
        """The lines that some change takes away.

        How often these run is not compared: a set that reverts more changes would seem nearer.
        """
        return _old_lines(self._changes)

    def _with_words(self, places: set[Place]) -> set[Place]:
        """Return the places whose lines are more than brackets.

        A closing brace counts as executed or not by how the code before it is written.
        """
        text = self._good.lines.line
        return {(file, line) for file, line in places if _WORD.search(text(file, line))}


def _old_lines(changes: Iterable[Change]) -> set[Place]:
    return {(change.old_file, line) for change in changes for line in change.old.lines}


def _times_of(recording: Recording) -> dict[Place, int]:
    """Return how often a recorded run executed each of its lines."""
    return {
        (file, line): count
        for file, lines in covered_times(recording).items()
        for line, count in lines.items()
    }


def _other_output(fixed: Recording, good: Recording) -> Iterator[int]:
    """Yield, for each stream that differs, the number of lines that only one of the runs wrote."""
    for process in fixed.processes:
        other = process_counterpart(process, fixed, good)
        if other is None:
            continue
        written = written_streams(fixed, process), written_streams(good, other)
        for difference in stream_differences(*written):
            passing = difference.passing
            text = without_noise(difference.failing.content, passing.content, passing.second)
            own, theirs = Counter(text.split(b"\n")), Counter(passing.content.split(b"\n"))
            yield sum(((own - theirs) + (theirs - own)).values())


def _places(places: frozenset[Place]) -> str:
    """Return some lines in words, such as "a.c:3 and 5 other lines"."""
    file, line = min(places)
    rest = len(places) - 1
    return f"{file}:{line}" + (f" and {rest} other line{'s' * (rest > 1)}" if rest else "")
