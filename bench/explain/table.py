"""Which tables show what explaining finds and costs, compared with searches by outcomes alone?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, log
from statistics import mean, median
from typing import Any

from bench.explain.methods import EXPLAIN, METHODS, Measured
from bench.isolate.score import Answer, Place, Row
from bench.trace.table import Table, markdown_table

REPORTED = 1.2  # limit on root changes for each true one
FEWER = {"dd": 10.0, "add": 2.0}  # runs of the other method for each run of explain
REAL_SECONDS = 600.0  # limit for a real case
PUBLISHED = (
    "AFTER's published figures, for its own 7 programs: 7 of 7 matched, 2.4 changes reported where "
    "1.7 are true, 9.4 times faster than delta debugging and 1.4 times faster than ADD."
)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The cost of another method for a cost of 1 of explain, over the cases that both answered."""

    cases: int
    mean: float  # geometric
    total: float
    is_more: bool  # some of the searches were cut: they would have needed more


def ratio(rows: Sequence[Measured], method: str, of: str) -> Ratio | None:
    """Compare the `runs` or `seconds` of a method with those of explain."""
    mine = {each.row.case: each.row.answer for each in rows if each.row.method == EXPLAIN}
    pairs = [
        (float(getattr(each.row.answer, of)), float(getattr(mine[each.row.case], of)))
        for each in rows
        if each.row.method == method and is_answered(each) and each.row.case in mine
        and not mine[each.row.case].error
    ]  # fmt: skip
    pairs = [(theirs, ours) for theirs, ours in pairs if theirs and ours]
    if not pairs:
        return None
    cut = any(each.row.answer.cut for each in rows if each.row.method == method)
    logs = [log(theirs / ours) for theirs, ours in pairs]
    total = sum(theirs for theirs, _ in pairs) / sum(ours for _, ours in pairs)
    return Ratio(len(pairs), exp(mean(logs)), total, cut)


def is_answered(measured: Measured) -> bool:
    return not measured.row.answer.error


@dataclass(frozen=True, slots=True)
class Aim:
    words: str
    seen: str
    met: bool


def aims(rows: Sequence[Measured]) -> list[Aim]:
    mine = [each for each in rows if each.row.method == EXPLAIN]
    if not mine:
        return []
    matched = sum(each.row.finds_all for each in mine)
    share = reported(mine)
    found = [
        Aim("all culprits matched", f"{matched} of {len(mine)} cases", matched == len(mine)),
        Aim(
            f"at most {REPORTED} changes reported for each true one",
            f"{share:.2f}",
            0 < share <= REPORTED,
        ),
    ]
    for method, wanted in FEWER.items():
        if seen := ratio(rows, method, "runs"):
            words = f"{wanted:g} times fewer runs than {method} (geometric mean)"
            found.append(Aim(words, _times(seen, seen.mean), seen.mean >= wanted))
    if real := [each.row.answer.seconds for each in mine if each.row.group == "c"]:
        words = f"each real case in {REAL_SECONDS:.0f} s"
        found.append(Aim(words, f"at most {max(real):.0f} s", max(real) <= REAL_SECONDS))
    return found


def reported(rows: Sequence[Measured]) -> float:
    """Return the number of root changes for each true one, over the answered cases."""
    answered = [each.row for each in rows if is_answered(each)]
    true = sum(row.true for row in answered)
    return sum(row.root for row in answered) / true if true else 0.0


def _times(seen: Ratio, value: float) -> str:
    return f"{'more than ' if seen.is_more else ''}{value:.1f} times"


# --- tables ------------------------------------------------------------------------------------

TOTALS = (
    "cases", "method", "answered", "cut", "all", "any", "root", "true", "root/true", "extra", "aux",
    "median runs", "runs", "builds", "seconds", "runs/explain", "of total", "s/explain", "of total",
)  # fmt: skip
CASES = (
    "case", "method", "changes", "found", "true", "root", "extra", "aux", "status", "causes",
    "chain", "on chain", "runs", "builds", "solver calls", "trace s", "semantics s", "solver s",
    "seconds", "note",
)  # fmt: skip


def totals(group: str, method: str, rows: Sequence[Measured]) -> tuple[str, ...]:
    """Return one method on a group of cases; means and sums are over the answered cases."""
    mine = [each for each in rows if each.row.method == method]
    answered = [each.row for each in mine if is_answered(each)]
    answers = [row.answer for row in answered]
    over = ">" if any(answer.cut for answer in answers) else ""
    head = (group, method, f"{len(answered)}/{len(mine)}", str(sum(a.cut for a in answers)))
    if not answered:
        return head + ("-",) * (len(TOTALS) - len(head))
    return (
        *head,
        str(sum(row.finds_all for row in answered)),
        str(sum(row.finds_any for row in answered)),
        f"{mean(row.root for row in answered):.2f}",
        f"{mean(row.true for row in answered):.2f}",
        f"{reported(mine):.2f}",
        f"{mean(row.extra for row in answered):.2f}",
        f"{mean(answer.auxiliary for answer in answers):.2f}",
        f"{median(answer.runs for answer in answers):g}",
        f"{over}{sum(answer.runs for answer in answers)}",
        f"{over}{sum(answer.builds for answer in answers)}",
        f"{over}{sum(answer.seconds for answer in answers):.0f}",
        *_ratios(ratio(rows, method, "runs")),
        *_ratios(ratio(rows, method, "seconds")),
    )


def _ratios(seen: Ratio | None) -> tuple[str, str]:
    if seen is None:
        return "-", "-"
    over = ">" if seen.is_more else ""
    return f"{over}{seen.mean:.1f}", f"{over}{seen.total:.1f}"


def cells(measured: Measured) -> tuple[str, ...]:
    """Return one method on one case.  A search that was cut shows its costs as ">N"."""
    row, answer = measured.row, measured.row.answer
    if answer.error:
        return (row.case, row.method, *["-"] * (len(CASES) - 3), f"no answer: {answer.error}")
    over = ">" if answer.cut else ""
    phases = measured.phases or {}
    is_explained = row.method == EXPLAIN
    return (
        row.case, row.method, str(answer.changes or "-"),
        "all" if row.finds_all else f"{row.hit}/{row.true}" if row.finds_any else "NO",
        str(row.true), str(row.root), str(row.extra), str(answer.auxiliary),
        measured.status or "-",
        str(measured.causes) if is_explained else "",
        str(measured.chain) if is_explained else "",
        ("yes" if measured.is_on_chain else "NO") if is_explained else "",
        f"{over}{answer.runs}", f"{over}{answer.builds}",
        str(measured.solver_calls) if is_explained else "",
        *(f"{phases.get(phase, 0):.1f}" if is_explained else ""
          for phase in ("trace", "semantics", "solver")),
        f"{over}{answer.seconds:.1f}", answer.note,
    )  # fmt: skip


def report(rows: Sequence[Measured], missing: dict[str, str], table: Table) -> str:
    """Return the totals of each group and of all cases, the aims, and every case."""
    groups = sorted({each.row.group for each in rows})
    methods = [each for each in METHODS if any(row.row.method == each for row in rows)]
    summed = [
        totals(group, method, [each for each in rows if each.row.group == group])
        for group in groups
        for method in methods
    ]
    if len(groups) > 1:
        summed += [totals("all", method, rows) for method in methods]
    aimed = [(aim.words, aim.seen, "met" if aim.met else "NOT MET") for aim in aims(rows)]
    parts = [table(TOTALS, summed), table(("aim", "seen", ""), aimed)]
    parts.append(table(CASES, [cells(each) for each in rows]))
    parts += [f"not measured: {name}: {reason}" for name, reason in sorted(missing.items())]
    return "\n\n".join(parts) + "\n"


def published(rows: Sequence[Measured], missing: dict[str, str]) -> str:
    """Return the page RESULTS.md."""
    head = "# What was measured\n\n`python -m bench.explain.run --out bench/explain/RESULTS.md`; "
    head += f"[README.md](README.md) explains the columns.\n\n{PUBLISHED}\n\n"
    return head + report(rows, missing, markdown_table)


# --- on disk -----------------------------------------------------------------------------------


def to_json(measured: Measured) -> str:
    return json.dumps(asdict(measured), indent=1) + "\n"


def from_json(text: str) -> Measured:
    document: dict[str, Any] = json.loads(text)
    row = document.pop("row")
    answer = row.pop("answer")
    root = tuple(
        Place(each["file"], tuple(each["old"]), tuple(each["new"])) for each in answer.pop("root")
    )
    return Measured(Row(**row, answer=Answer(root=root, **answer)), **document)
