"""How are the measured costs shown, and which aims do they meet?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from bench.trace.measure import Cost

MIB = 1 << 20
SLOWDOWN = 12
BYTES = 1.0
EVENTS = 50_000_000
OPEN = 10.0
MEMORY = 1536 * MIB
SLICE = 5.0
# Twice the work may cost this much and still count as linear: the times are short.
DOUBLED = 2.5


@dataclass(frozen=True, slots=True)
class Question:
    """The cost and the size of a slice of a byte of the output."""

    seconds: float
    peak: int
    steps: int
    lines: int


@dataclass(frozen=True, slots=True)
class Check:
    """The result of comparing every value of a run with the recomputed one."""

    compared: int
    mismatches: int
    same: bool  # are output and exit status those of the plain build?

    @property
    def fine(self) -> bool:
        return self.same and not self.mismatches and self.compared > 0


@dataclass(frozen=True, slots=True)
class Row:
    """All measurements of one project."""

    project: str
    lines: int
    size: int  # of the workload
    build_plain: float
    build_recorded: float
    same: bool  # are output and exit status the same, recorded and plain?
    times: int  # the number of runs in `plain` and `recorded`
    plain: Cost
    recorded: Cost
    instructions: int
    memory_events: int
    events: int
    log: int
    index: int
    open: float
    open_peak: int
    open_again: float
    slice: Question
    relevant: Question
    check: Check | None = None

    @property
    def slowdown(self) -> float:
        return self.recorded.cpu / self.plain.cpu

    @property
    def slowdown_wall(self) -> float:
        return self.recorded.wall / self.plain.wall

    @property
    def bytes_an_instruction(self) -> float:
        return self.log / self.instructions


@dataclass(frozen=True, slots=True)
class Growth:
    """The costs of a run of one length."""

    size: int
    plain: float
    recorded: float
    log: int
    open: float
    slice: float


@dataclass(frozen=True, slots=True)
class Aim:
    """Something that we want to be true, and the worst observation."""

    words: str
    seen: str
    met: bool


def aims(rows: Sequence[Row], growth: Sequence[Growth] = ()) -> list[Aim]:
    """Return each aim with the project that is furthest from it."""
    found = [
        _most(rows, f"slowdown, CPU time, {SLOWDOWN}x or less", lambda r: r.slowdown, SLOWDOWN,
              lambda value: f"{value:.1f}x"),
        _most(rows, f"slowdown, wall time, {SLOWDOWN}x or less", lambda r: r.slowdown_wall,
              SLOWDOWN, lambda value: f"{value:.1f}x"),
        _most(rows, f"bytes an executed instruction, {BYTES:g} or less",
              lambda r: r.bytes_an_instruction, BYTES, lambda value: f"{value:.2f}"),
        _most(rows, "opening 50 million memory events under 10 s (longer or shorter runs scaled)",
              lambda r: scaled(r.open, r.memory_events), OPEN, lambda value: f"{value:.1f} s"),
        _most(rows, "... and 1.5 GiB (not scaled)", lambda r: r.open_peak, MEMORY, mib),
        _most(rows, "slice of an output byte under 5 s", lambda r: r.slice.seconds, SLICE,
              lambda value: f"{value:.2f} s"),
        _most(rows, "relevant slice of an output byte under 5 s", lambda r: r.relevant.seconds,
              SLICE, lambda value: f"{value:.2f} s"),
    ]  # fmt: skip
    same = [row.project for row in rows if not row.same]
    found.append(Aim("recorded output and status as plain", _names(same), not same))
    checked = [row for row in rows if row.check is not None]
    if checked:
        wrong = [row.project for row in checked if row.check and not row.check.fine]
        found.append(Aim("every checked value as recomputed", _names(wrong), not wrong))
    if len(growth) > 1:
        worst, what = max(ratios(growth))
        seen = f"{what} x{worst:.2f} where the run is twice as long"
        found.append(Aim("growth is linear", seen, worst <= DOUBLED))
    return found


def _most(
    rows: Sequence[Row],
    words: str,
    of: Callable[[Row], float],
    limit: float,
    shown: Callable[[float], str],
) -> Aim:
    worst = max(rows, key=of)
    return Aim(words, f"{shown(of(worst))} ({worst.project})", of(worst) <= limit)


def _names(wrong: Sequence[str]) -> str:
    return "not " + ", ".join(wrong) if wrong else "all"


def scaled(seconds: float, events: int) -> float:
    """Return the seconds that EVENTS events would take at this rate."""
    return seconds * EVENTS / events if events else 0.0


def ratios(growth: Sequence[Growth]) -> list[tuple[float, str]]:
    """Return the growth of each cost from one length to the next, scaled to twice the length."""
    found = []
    for before, after in pairwise(growth):
        longer = after.size / before.size
        for name in ("recorded", "log", "open", "slice"):
            one, other = getattr(before, name), getattr(after, name)
            if one:
                found.append((other / one * 2 / longer, f"{name}, {before.size}-{after.size}"))
    return found


def mib(size: float) -> str:
    return f"{size / MIB:.0f} MiB"


# --- tables ---------------------------------------------------------------------------------

RUNNING: tuple[str, ...] = (
    "project",
    "lines",
    "size",
    "runs",
    "plain s",
    "recorded s",
    "slower (CPU)",
)
RUNNING += ("slower (wall)", "instructions", "memory events", "log", "bytes/instruction", "same")
ASKING: tuple[str, ...] = (
    "project",
    "index",
    "open s",
    "peak",
    "again s",
    "slice s",
    "peak",
    "steps",
    "lines",
)
ASKING += ("relevant s", "peak", "steps", "lines", "build s", "plain build s")
CHECKING = ("project", "values compared", "mismatches", "same output")
GROWING = ("inserts", "plain s", "recorded s", "log", "open s", "slice s")


def running(row: Row) -> tuple[str, ...]:
    return (
        row.project, str(row.lines), str(row.size), str(row.times),
        f"{row.plain.cpu:.2f}", f"{row.recorded.cpu:.2f}",
        f"{row.slowdown:.1f}x", f"{row.slowdown_wall:.1f}x",
        millions(row.instructions), millions(row.memory_events), mib(row.log),
        f"{row.bytes_an_instruction:.2f}", "yes" if row.same else "NO",
    )  # fmt: skip


def asking(row: Row) -> tuple[str, ...]:
    def cells_of(question: Question) -> tuple[str, ...]:
        return (
            f"{question.seconds:.2f}", mib(question.peak),
            millions(question.steps), str(question.lines),
        )  # fmt: skip

    return (
        row.project, mib(row.index), f"{row.open:.2f}", mib(row.open_peak),
        f"{row.open_again:.2f}", *cells_of(row.slice), *cells_of(row.relevant),
        f"{row.build_recorded:.0f}", f"{row.build_plain:.0f}",
    )  # fmt: skip


def checking(project: str, check: Check) -> tuple[str, ...]:
    same = "yes" if check.same else "NO"
    return (project, str(check.compared), str(check.mismatches), same)


def growing(growth: Growth) -> tuple[str, ...]:
    return (
        str(growth.size), f"{growth.plain:.3f}", f"{growth.recorded:.3f}", mib(growth.log),
        f"{growth.open:.2f}", f"{growth.slice:.2f}",
    )  # fmt: skip


def millions(count: int) -> str:
    return f"{count / 1e6:.1f} M" if count >= 100_000 else str(count)


def text_table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a table in text; the first column is aligned left, the others right."""
    rows = [tuple(head), *map(tuple, body)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(head))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if n else text.ljust(width)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(texts) + " |" for texts in [head, rule, *body])


Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def report(rows: Sequence[Row], growth: Sequence[Growth], table: Table = text_table) -> str:
    parts = [table(RUNNING, map(running, rows)), table(ASKING, map(asking, rows))]
    checks = [checking(row.project, row.check) for row in rows if row.check]
    if checks:
        parts.append(table(CHECKING, checks))
    if growth:
        parts.append(table(GROWING, map(growing, growth)))
    aimed = [(aim.words, aim.seen, "met" if aim.met else "NOT MET") for aim in aims(rows, growth)]
    parts.append(table(("aim", "worst", ""), aimed))
    return "\n\n".join(parts) + "\n"


def document(rows: Sequence[Row], growth: Sequence[Growth], missing: dict[str, str]) -> str:
    """Return all results as JSON."""
    results: dict[str, Any] = {
        "rows": [
            {**asdict(row), "slowdown": row.slowdown, "slowdown_wall": row.slowdown_wall}
            for row in rows
        ],
        "growth": [asdict(each) for each in growth],
        "aims": [asdict(aim) for aim in aims(rows, growth)] if rows else [],
        "unavailable": missing,
    }
    return json.dumps(results, indent=1) + "\n"
