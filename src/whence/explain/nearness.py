"""Does the fixed run go the way of the good version's run?

The test passes in both runs.  In the fixed run it may pass for another reason: work is skipped,
input is swallowed, a result is masked.  Then the two runs execute different lines, or write
different bytes.  Lines that only one of the two versions has do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whence.explain.recorder import covered_lines, process_counterpart
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

    @property
    def size(self) -> int:
        return len(self.skipped) + len(self.added) + self.output

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key.  What a run writes counts before the lines that it executes.

        Changes that stay in may lead the run to other lines without any harm.
        """
        return self.output, len(self.skipped) + len(self.added)

    def words(self) -> str:
        """Return a clause that says how the runs differ; the fixed run is its subject."""
        found = []
        if self.skipped:
            found.append(f"does not execute {_places(self.skipped)}, as the good version does")
        if self.added:
            found.append(f"executes {_places(self.added)}, unlike the good version")
        if self.output:
            found.append("writes other output than the good version")
        return " and ".join(found)


NO_DEVIATION = Deviation()


class GoodWay:
    """The run of the good version, which fixed runs are compared with."""

    def __init__(self, changes: Iterable[Change], good: Recording) -> None:
        self._changes, self._good = tuple(changes), good
        self._executed = _places_of(good)

    def deviation(self, fixed: Recording, reverted: Reverted) -> Deviation:
        """Compare a fixed run, in which `reverted` is reverted, with the good version's run."""
        lines = VariantLines(self._changes, reverted)
        gone = {
            (change.old_file, line)
            for change in self._changes
            if change.id not in reverted
            for line in change.old.lines
        }
        wanted = self._with_words(self._executed - gone)
        executed = {
            place
            for file, line in _places_of(fixed)
            if (place := lines.in_good(file, line)) is not None
        }
        return Deviation(
            frozenset(wanted - executed),
            frozenset(self._with_words(executed - self._executed)),
            sum(_other_output(fixed, self._good)),
        )

    def _with_words(self, places: set[Place]) -> set[Place]:
        """Return the places whose lines are more than brackets.

        A closing brace counts as executed or not by how the code before it is written.
        """
        text = self._good.lines.line
        return {(file, line) for file, line in places if _WORD.search(text(file, line))}


def _places_of(recording: Recording) -> set[Place]:
    """Return the lines that a recorded run executed."""
    return {(file, line) for file, lines in covered_lines(recording).items() for line in lines}


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
