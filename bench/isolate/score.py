"""How good is an answer: does it name the true culprit, and how much else?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a change in both versions: start line and line count, as in a zero-context diff.

    Without lines, it is the place after the start line.
    """

    file: str
    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a method to a case, and its cost.

    A `cut` search was stopped by a limit: its costs are lower bounds, and its root is the best so
    far.  With an `error` there is no answer.
    """

    root: tuple[Place, ...] = ()
    auxiliary: int = 0
    changes: int = 0
    runs: int = 0
    builds: int = 0
    seconds: float = 0.0
    cut: bool = False
    error: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: one method on one case."""

    case: str
    group: str
    method: str
    true: int
    root: int
    hit: int  # number of culprits that some root change hits
    extra: int  # root changes that hit neither a culprit nor a supporting change
    answer: Answer

    @property
    def finds_any(self) -> bool:
        return self.hit > 0

    @property
    def finds_all(self) -> bool:
        return self.hit == self.true

    @property
    def is_small(self) -> bool:
        """Does the answer name at most one change more than there are culprits?"""
        return 0 < self.root <= self.true + 1


@dataclass(frozen=True, slots=True)
class Summary:
    """One method over all cases of a group.  Costs are over the `answered` cases only."""

    group: str
    method: str
    cases: int
    answered: int
    cut: int
    found_any: int
    found_all: int
    small: int
    median_runs: float
    total_runs: int
    total_seconds: float
    compared: int  # cases that both `fast` and this method answered
    fast_fewer: int
    fast_fewer_or_equal: int
    found: int  # those where this method named a culprit: a wrong answer can be cheap
    fast_fewer_or_equal_of_found: int


def hits(change: Place, culprit: Place) -> bool:
    """Do the two overlap or adjoin, in either version of the same file?"""
    return change.file == culprit.file and (
        _touch(change.new, culprit.new) or _touch(change.old, culprit.old)
    )


def _touch(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Is there no line between the two?

    This compares the gaps between lines, so that a place without lines is a gap, not the line
    above it.
    """
    (a_from, a_to), (b_from, b_to) = _gaps(a), _gaps(b)
    return a_from <= b_to and b_from <= a_to


def _gaps(span: tuple[int, int]) -> tuple[int, int]:
    """Return the gaps before and after the span; gap n is the gap after line n."""
    start, count = span
    return (start - 1, start + count - 1) if count else (start, start)


def score(
    case: str,
    group: str,
    method: str,
    culprits: tuple[Place, ...],
    supporting: tuple[Place, ...],
    answer: Answer,
) -> Row:
    known = culprits + supporting
    return Row(
        case,
        group,
        method,
        true=len(culprits),
        root=len(answer.root),
        hit=sum(any(hits(change, culprit) for change in answer.root) for culprit in culprits),
        extra=sum(not any(hits(change, place) for place in known) for change in answer.root),
        answer=answer,
    )


def summarise(rows: list[Row]) -> list[Summary]:
    """Return one summary for each group and method, in the order of their first rows."""
    keys = dict.fromkeys((row.group, row.method) for row in rows)
    return [_summary(group, method, rows) for group, method in keys]


def _summary(group: str, method: str, rows: list[Row]) -> Summary:
    mine = [row for row in rows if (row.group, row.method) == (group, method)]
    answered = [row for row in mine if not row.answer.error]
    runs = [row.answer.runs for row in answered]
    fast = {
        row.case: row.answer
        for row in rows
        if (row.group, row.method) == (group, "fast") and not row.answer.error
    }
    pairs = [(fast[row.case], row.answer) for row in answered if row.case in fast]
    right = [(fast[r.case], r.answer) for r in answered if r.case in fast and r.finds_any]
    return Summary(
        group,
        method,
        cases=len(mine),
        answered=len(answered),
        cut=sum(row.answer.cut for row in answered),
        found_any=sum(row.finds_any for row in answered),
        found_all=sum(row.finds_all for row in answered),
        small=sum(row.is_small for row in answered),
        median_runs=median(runs) if runs else 0.0,
        total_runs=sum(runs),
        total_seconds=sum(row.answer.seconds for row in answered),
        compared=len(pairs),
        fast_fewer=sum(_fewer(*pair) for pair in pairs),
        fast_fewer_or_equal=sum(_fewer(*pair) or _equal(*pair) for pair in pairs),
        found=len(right),
        fast_fewer_or_equal_of_found=sum(_fewer(*pair) or _equal(*pair) for pair in right),
    )


def _fewer(fast: Answer, other: Answer) -> bool:
    """Did `fast` surely need fewer runs?  A cut search would have needed more than it made."""
    return not fast.cut and (fast.runs < other.runs or (other.cut and fast.runs == other.runs))


def _equal(fast: Answer, other: Answer) -> bool:
    return not fast.cut and not other.cut and fast.runs == other.runs
