"""Which tables show what explaining finds in Python, and which aims does it meet?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median

from bench.explain.methods import EXPLAIN
from bench.explain.table import Aim
from bench.python.measure import METHODS, Seen
from bench.trace.table import Table, markdown_table

SHARE = 0.9
SECONDS = 10.0  # limit on the median, end to end

TOTALS = (
    "method", "answered", "cut", "explained", "any", "all", "root<=true", "root/true", "extra",
    "function on chain", "line on chain", "exact line", "causes", "median runs", "runs",
    "median s", "seconds",
)  # fmt: skip
CASES = (
    "case", "method", "changes", "found", "true", "root", "extra", "aux", "status", "causes",
    "chain", "function", "line", "exact", "runs", "seconds", "CPU s", "MB", "note",
)  # fmt: skip


def aims(rows: Sequence[Seen]) -> list[Aim]:
    """Return the aims, over all cases; a case without an answer counts as a miss."""
    mine = [each for each in rows if each.measured.row.method == EXPLAIN]
    if not mine:
        return []
    found = sum(each.measured.row.finds_any for each in mine)
    every = sum(each.measured.row.finds_all for each in mine)
    middle = median(each.measured.row.answer.seconds for each in mine)
    return [
        Aim(
            "a true culprit in the root, always",
            f"{share(found, len(mine))}; all of them: {share(every, len(mine))}",
            found == len(mine),
        ),
        _in_most("root no larger than the true set", mine, map(is_tight, mine)),
        _in_most("a culprit's line on the chain", mine, (each.has_line for each in mine)),
        Aim(f"median under {SECONDS:.0f} s end to end", f"{middle:.1f} s", middle < SECONDS),
    ]


def _in_most(words: str, rows: Sequence[Seen], are: Iterable[bool]) -> Aim:
    count = sum(are)
    is_met = count >= SHARE * len(rows)
    return Aim(f"{words} in {100 * SHARE:.0f}%", share(count, len(rows)), is_met)


def is_tight(each: Seen) -> bool:
    """Does the answer name no more changes than there are culprits?"""
    row = each.measured.row
    return 0 < row.root <= row.true


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f}%)" if whole else "-"


def totals(method: str, rows: Sequence[Seen]) -> tuple[str, ...]:
    """Return one method over all cases; sums and means are over the answered cases."""
    mine = [each for each in rows if each.measured.row.method == method]
    answered = [each for each in mine if not each.measured.row.answer.error]
    head = (method, f"{len(answered)}/{len(mine)}")
    if not answered:
        return head + ("-",) * (len(TOTALS) - len(head))
    scored = [each.measured.row for each in answered]
    answers = [row.answer for row in scored]
    over = ">" if any(answer.cut for answer in answers) else ""
    return (
        *head,
        str(sum(answer.cut for answer in answers)),
        _only_explained(method, sum(each.measured.status == "explained" for each in answered)),
        str(sum(row.finds_any for row in scored)),
        str(sum(row.finds_all for row in scored)),
        str(sum(map(is_tight, answered))),
        f"{sum(row.root for row in scored) / sum(row.true for row in scored):.2f}",
        f"{mean(row.extra for row in scored):.2f}",
        _only_explained(method, sum(each.has_function for each in answered)),
        _only_explained(method, sum(each.has_line for each in answered)),
        _only_explained(method, sum(each.has_exact_line for each in answered)),
        _only_explained(method, f"{mean(each.measured.causes for each in answered):.1f}"),
        f"{median(answer.runs for answer in answers):g}",
        f"{over}{sum(answer.runs for answer in answers)}",
        f"{median(answer.seconds for answer in answers):.1f}",
        f"{over}{sum(answer.seconds for answer in answers):.0f}",
    )


def _only_explained(method: str, value: object) -> str:
    """Return the columns that only an explanation fills."""
    return str(value) if method == EXPLAIN else ""


def cells(each: Seen) -> tuple[str, ...]:
    """Return one method on one case.  A search that was cut shows its costs as ">N"."""
    row, answer = each.measured.row, each.measured.row.answer
    if answer.error:
        return (row.case, row.method, *["-"] * (len(CASES) - 3), f"no answer: {answer.error}")
    over = ">" if answer.cut else ""
    notes = dict.fromkeys((answer.note, each.reason if row.method == EXPLAIN else ""))
    return (
        row.case, row.method, str(answer.changes or "-"),
        "all" if row.finds_all else f"{row.hit}/{row.true}" if row.finds_any else "NO",
        str(row.true), str(row.root), str(row.extra), str(answer.auxiliary),
        each.measured.status or "-",
        _only_explained(row.method, each.measured.causes),
        _only_explained(row.method, each.measured.chain),
        *(_only_explained(row.method, "yes" if is_there else "NO")
          for is_there in (each.has_function, each.has_line, each.has_exact_line)),
        f"{over}{answer.runs}", f"{over}{answer.seconds:.1f}",
        f"{over}{each.measured.cpu:.1f}", str(each.measured.megabytes),
        " ".join(note.replace("|", "\\|").replace("\n", " ") for note in notes if note),
    )  # fmt: skip


def report(rows: Sequence[Seen], missing: dict[str, str], table: Table) -> str:
    """Return totals by method, the aims, and every case."""
    present = [name for name in METHODS if any(each.measured.row.method == name for each in rows)]
    aimed = [(aim.words, aim.seen, "met" if aim.met else "NOT MET") for aim in aims(rows)]
    parts = [
        table(TOTALS, [totals(method, rows) for method in present]),
        table(("aim", "seen", ""), aimed),
        table(CASES, [cells(each) for each in rows]),
    ]
    parts += [f"not measured: {name}: {reason}" for name, reason in sorted(missing.items())]
    return "\n\n".join(parts) + "\n"


def published(rows: Sequence[Seen], missing: dict[str, str], note: str = "") -> str:
    """Return the page RESULTS.md."""
    head = "# What was measured\n\n`python -m bench.python.run --out bench/python/RESULTS.md`; "
    head += "[README.md](README.md) explains the columns.\n\n"
    return head + (f"{note}\n\n" if note else "") + report(rows, missing, markdown_table)
