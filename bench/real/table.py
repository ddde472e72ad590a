"""How are the measured cases shown, and how many of them have an answer?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bench.real.cases import RealCase
from bench.real.measure import Measured
from bench.trace.table import Table, markdown_table

COLUMNS: tuple[str, ...] = (
    "case",
    "language",
    "build",
    "changes",
    "built",
    "seen",
    "explained",
    "root",
    "on chain",
)
COLUMNS += ("runs", "builds", "wasted", "s", "CPU s")


def cells(case: RealCase, row: Measured) -> tuple[str, ...]:
    left = f"{row.root} left" if row.root else "-"
    in_root = f"{_word(row.is_in_root)} ({row.root})" if row.is_minimal else left
    return (
        *(case.name, case.language, case.system, str(row.changes or "-")),
        *map(_word, (row.built, row.seen, row.explained)),
        *(in_root, _word(row.is_on_chain)),
        *map(str, (row.runs, row.builds or "-", row.wasted)),
        *(f"{row.seconds:.0f}", f"{row.cpu:.0f}"),
    )


def _word(answer: bool | None) -> str:
    return "?" if answer is None else "yes" if answer else "NO"


def summary(rows: Sequence[Measured]) -> str:
    """Return the figures over all cases in one sentence."""
    counts = {
        "built": sum(row.built is True for row in rows),
        "failure seen": sum(row.seen is True for row in rows),
        "explained": sum(row.explained for row in rows),
        "culprit in root": sum(row.is_in_root for row in rows),
        "culprit on chain": sum(row.is_on_chain for row in rows),
    }
    words = ", ".join(f"{name} {count}" for name, count in counts.items())
    return (
        f"{len(rows)} cases: {words}; median {median(row.seconds for row in rows):.0f} s,"
        f" median {median(row.cpu for row in rows):.0f} CPU s."
    )


def report(cases: Sequence[RealCase], rows: Sequence[Measured], table: Table) -> str:
    by_name = {case.name: case for case in cases}
    parts = [table(COLUMNS, [cells(by_name[row.case], row) for row in rows]), summary(rows)]
    notes = [f"- {row.case}: {row.note}" for row in rows if row.note]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def published(cases: Sequence[RealCase], rows: Sequence[Measured], missing: dict[str, str]) -> str:
    """Return the tables as Markdown, with the cases that were not measured."""
    text = report(cases, rows, markdown_table)
    left_out = "\n".join(f"- not measured: {name}: {why}" for name, why in sorted(missing.items()))
    return f"{text}\n\n{left_out}".rstrip() + "\n"
