"""Which tables show what users read before they see a fault, and which aims are met?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median

from bench.trace.table import Table, text_table
from bench.why.measure import Row, Walk
from bench.why.reading import Read

SHARE = 0.03
LINES = 10
# Figures that CaFL's authors publish for their own suite: shares of the executed instructions.
PUBLISHED = {"tree": 0.069, "level": 2.1, "dynamic": 0.485, "relevant": 0.823}


@dataclass(frozen=True, slots=True)
class Aim:
    """Something that we want to be true, and what was observed."""

    words: str
    seen: str
    met: bool


def aims(rows: Sequence[Row]) -> list[Aim]:
    walks = trees(rows)
    found = sum(walk.read.found for walk in walks)
    share = _mean([tree_share(row) for row in rows if row.tree])
    lines = _median([walk.read.lines for walk in walks])
    way_share = _mean([way.steps / row.steps for row, way in ways(rows)])
    way_lines = _median([way.lines for _, way in ways(rows)])
    return [
        Aim("the fault is found in all runs", f"{found} of {len(rows)}", found == len(rows)),
        Aim(
            f"{SHARE:.0%} of the instructions or less are read, on average",
            _percent(share),
            share is not None and share <= SHARE,
        ),
        Aim(
            f"{LINES} lines or fewer are read, in the median",
            _number(lines),
            lines is not None and lines <= LINES,
        ),
        Aim(
            f"{SHARE:.0%} or less by a user who prunes",
            _percent(way_share),
            way_share is not None and way_share <= SHARE,
        ),
        Aim(
            f"{LINES} lines or fewer by a user who prunes",
            _number(way_lines),
            way_lines is not None and way_lines <= LINES,
        ),
    ]


def trees(rows: Sequence[Row]) -> list[Walk]:
    return [row.tree for row in rows if row.tree]


def ways(rows: Sequence[Row]) -> list[tuple[Row, Read]]:
    return [(row, row.tree.way) for row in rows if row.tree and row.tree.way]


def tree_share(row: Row) -> float:
    assert row.tree is not None
    return row.tree.read.steps / row.steps


# --- numbers -----------------------------------------------------------------------------------


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}".removesuffix(".0")


# --- tables ------------------------------------------------------------------------------------

PROGRAMS = (
    "program", "faults", "runs", "instructions",
    "found", "level", "median", "share", "lines", "causes", "s", "whole s", "way", "lines",
    "DS found", "share", "lines", "RS found", "share", "lines",
)  # fmt: skip
FAULTS = (
    "fault", "kind", "test", "instructions",
    "level", "share", "lines", "causes", "s", "of", "whole s", "way", "lines",
    "DS", "share", "lines", "RS", "share", "lines", "note",
)  # fmt: skip


def summary(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return one line for the runs of a program, or for all runs."""
    walks = trees(rows)
    levels = [walk.level for walk in walks if walk.level is not None]
    return (
        name,
        str(len({(row.program, row.fault) for row in rows})),
        str(len(rows)),
        _number(_median([row.steps for row in rows]), 0),
        f"{sum(walk.read.found for walk in walks)}/{len(rows)}",
        _number(_mean(levels)),
        _number(_median(levels)),
        _percent(_mean([tree_share(row) for row in rows if row.tree])),
        _number(_median([walk.read.lines for walk in walks])),
        _number(_median([walk.causes for walk in walks])),
        _number(_median([walk.read.seconds for walk in walks]), 2),
        _number(_median([walk.all_seconds for walk in walks]), 2),
        _percent(_mean([way.steps / row.steps for row, way in ways(rows)])),
        _number(_median([way.lines for _, way in ways(rows)])),
        *_slices(rows, lambda row: row.dynamic),
        *_slices(rows, lambda row: row.relevant),
    )


def _slices(rows: Sequence[Row], of: Callable[[Row], Read]) -> tuple[str, ...]:
    return (
        f"{sum(of(row).found for row in rows)}/{len(rows)}",
        _percent(_mean([of(row).steps / row.steps for row in rows])),
        _number(_median([of(row).lines for row in rows])),
    )


def detail(row: Row) -> tuple[str, ...]:
    """Return one line for one run."""
    return (
        row.fault, row.kind, row.test, str(row.steps),
        *_walked(row),
        *_sliced(row.dynamic, row), *_sliced(row.relevant, row),
        row.error.partition("\n")[0],
    )  # fmt: skip


def _walked(row: Row) -> tuple[str, ...]:
    walk = row.tree
    if walk is None:
        return ("-",) * 9
    return (
        "NO" if walk.level is None else str(walk.level),
        _percent(tree_share(row)),
        str(walk.read.lines),
        str(walk.causes),
        f"{walk.read.seconds:.2f}",
        f"{walk.all_causes}{'' if walk.is_whole else '+'}",
        f"{walk.all_seconds:.2f}",
        _percent(walk.way.steps / row.steps) if walk.way else "-",
        str(walk.way.lines) if walk.way else "-",
    )


def _sliced(read: Read, row: Row) -> tuple[str, ...]:
    return "yes" if read.found else "NO", _percent(read.steps / row.steps), str(read.lines)


def report(rows: Sequence[Row], broken: dict[str, str], table: Table = text_table) -> str:
    """Return programs, aims, and every run; `broken` are runs that could not be measured."""
    names = sorted({row.program for row in rows})
    of = {name: [row for row in rows if row.program == name] for name in names}
    totals = [summary(name, of[name]) for name in names]
    if len(names) > 1:
        totals.append(summary("all", rows))
    aimed = [(aim.words, aim.seen, "met" if aim.met else "NOT MET") for aim in aims(rows)]
    parts = [table(PROGRAMS, totals), table(("aim", "seen", ""), aimed)]
    for name in names:
        parts += [f"## {name}", table(FAULTS, map(detail, of[name]))]
    parts += [f"not measured: {run}: {reason}" for run, reason in sorted(broken.items())]
    return "\n\n".join(parts) + "\n"


def document(rows: Sequence[Row], broken: dict[str, str]) -> str:
    """Return all results as JSON."""
    results = {
        "rows": [asdict(row) for row in rows],
        "aims": [asdict(aim) for aim in aims(rows)],
        "published": PUBLISHED,
        "broken": broken,
    }
    return json.dumps(results, indent=1) + "\n"


HEAD = f"""\
# What was measured

`python -m bench.why.run --out bench/why/RESULTS.md`; [README.md](README.md) explains the columns.

CaFL's published figures, for its own programs: all faults found, at level {PUBLISHED["level"]} on
average, with {PUBLISHED["tree"]:.1%} of the executed instructions; {PUBLISHED["dynamic"]:.1%} for
dynamic slices and {PUBLISHED["relevant"]:.1%} for relevant slices.

"""
