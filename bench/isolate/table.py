"""How are the rows shown: as text while they are measured, as Markdown, as JSON?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from bench.isolate.score import Row, Summary, summarise

COLUMNS: tuple[str, ...] = ("case", "method", "changes", "found", "true", "root", "extra", "aux")
COLUMNS += ("runs", "builds", "seconds", "note")
WIDTHS = (26, 13, 8, 6, 5, 5, 6, 5, 6, 7, 8, 0)
TOTALS: tuple[str, ...] = (
    "group",
    "method",
    "cases",
    "answered",
    "cut",
    "any",
    "all",
    "root<=true+1",
)
TOTALS += ("median runs", "total runs", "seconds", "fast fewer", "fast <=", "fast <= of found")


def cells(row: Row) -> tuple[str, ...]:
    """Return one row as text.  A search that was cut shows its costs as ">N"."""
    answer = row.answer
    if answer.error:
        return (row.case, row.method, *["-"] * 9, f"no answer: {answer.error}")
    found = "all" if row.finds_all else f"{row.hit}/{row.true}" if row.finds_any else "no"
    over = ">" if answer.cut else ""
    return (
        row.case,
        row.method,
        str(answer.changes or "-"),
        found,
        str(row.true),
        str(row.root),
        str(row.extra),
        str(answer.auxiliary),
        f"{over}{answer.runs}",
        f"{over}{answer.builds}",
        f"{over}{answer.seconds:.1f}",
        answer.note,
    )


def line(texts: tuple[str, ...], widths: tuple[int, ...] = WIDTHS) -> str:
    """Return the texts below their columns: names to the left, numbers to the right."""
    padded = [
        text.ljust(width) if n < 2 or n == len(texts) - 1 else text.rjust(width)
        for n, (text, width) in enumerate(zip(texts, widths, strict=True))
    ]
    return " ".join(padded).rstrip()


def totals(summary: Summary) -> tuple[str, ...]:
    """Return one summary as text."""
    return (
        summary.group,
        summary.method,
        str(summary.cases),
        str(summary.answered),
        str(summary.cut),
        _share(summary.found_any, summary.cases),
        _share(summary.found_all, summary.cases),
        _share(summary.small, summary.cases),
        f"{summary.median_runs:g}",
        f"{'>' if summary.cut else ''}{summary.total_runs}",
        f"{summary.total_seconds:.0f}",
        _share(summary.fast_fewer, summary.compared),
        _share(summary.fast_fewer_or_equal, summary.compared),
        _share(summary.fast_fewer_or_equal_of_found, summary.found),
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.0f}%)" if whole else "-"


def text_summary(rows: list[Row]) -> str:
    body = [TOTALS, *(totals(summary) for summary in summarise(rows))]
    widths = tuple(max(len(texts[n]) for texts in body) for n in range(len(TOTALS)))
    return "\n".join(line(texts, widths) for texts in body)


def markdown(rows: list[Row], missing: dict[str, str]) -> str:
    parts = [markdown_table(TOTALS, [totals(summary) for summary in summarise(rows)])]
    parts.append(markdown_table(COLUMNS, [cells(row) for row in rows]))
    if missing:
        parts.append(markdown_table(("not installable", "reason"), list(missing.items())))
    return "\n\n".join(parts) + "\n"


def markdown_table(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    rule = tuple("---" for _ in head)
    return "\n".join(
        "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
        for texts in [head, rule, *body]
    )


def document(rows: list[Row], missing: dict[str, str]) -> str:
    """Return all results as JSON."""
    results: dict[str, Any] = {
        "rows": [
            {**asdict(row), "finds_any": row.finds_any, "finds_all": row.finds_all} for row in rows
        ],
        "summary": [asdict(summary) for summary in summarise(rows)],
        "not_installable": missing,
    }
    return json.dumps(results, indent=1) + "\n"
