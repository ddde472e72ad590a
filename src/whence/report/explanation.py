"""What is an explanation as JSON, and which words do all reports use for its parts?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from whence.model import Alternative, ChangeKind, Explanation, Link, LinkKind, Reported, Result
from whence.report.causes import cause_document, listed
from whence.report.document import change_document, to_document
from whence.report.text import KINDS, counted

GAP = "gap: how the step above led to the step below was not followed"  # between two links
_PLACE = re.compile(r"\S+\.\w+:\d")
FAILING = "failing"  # label of values of the failing run
_LABELS = {"good": "good", "reverted": "fixed"}  # by `Explanation.passing`
_LEGENDS = {
    "good": "good: the version that passes; failing: the bad version",
    "reverted": "fixed: with the root reverted; failing: as is",
}


def explain_document(explanation: Explanation) -> dict[str, Any]:
    """Return the JSON of `whence explain`."""
    why = explanation.why
    document = to_document(explanation.result)
    other = [_other(alternative) for alternative in explanation.alternatives]
    cost = {
        **document["cost"],
        "recorded": explanation.recorded,
        "solver_calls": why.solver_calls if why else 0,
        "trace_events": why.events if why else 0,
    }
    return {
        **document,
        "alternatives": [one["ids"] for one in other] or document["alternatives"],
        "other": other,
        "passing": explanation.passing,
        "dodged": explanation.dodged,
        "chain": [_link(link) for link in explanation.chain],
        "causes": [cause_document(cause) for cause in why.causes] if why else [],
        "notes": notes_of(explanation),
        "cost": cost,
    }


def _link(link: Link) -> dict[str, Any]:
    return {**vars(link), "step": link.step.value, "changes": list(link.changes)}


def _other(alternative: Alternative) -> dict[str, Any]:
    return {
        "ids": sorted(n for c in (*alternative.root, *alternative.auxiliary) for n in c.ids),
        "root": [change_document(change) for change in alternative.root],
        "auxiliary": [change_document(change) for change in alternative.auxiliary],
        "is_dodge": alternative.is_dodge,
        "why": alternative.why,
    }


# --- words -----------------------------------------------------------------------------------


def headline(result: Result) -> str:
    """Return which changes broke the test, and where they are."""
    found = f"{len(result.root)} of {counted(result.total, 'change')}"
    if result.status == "unexplained":
        return f"Not isolated: {found} left."
    return f"{found} broke the test: {together([change_place(change) for change in result.root])}"


def passes(explanation: Explanation) -> str:
    """Return what whence verified by running the test."""
    result = explanation.result
    if result.status == "unexplained":
        return ""
    several = len(result.root) > 1
    auxiliary = counted(len(result.auxiliary), "auxiliary change")
    also = f" and {auxiliary}" if result.auxiliary else ""
    needs_all = several and not result.reason and result.needs_all
    each = "; with any one left in, it does not" if needs_all else ""
    return f"With {'them' if several else 'it'}{also} reverted, the test passes{each}."


def notes_of(explanation: Explanation) -> list[str]:
    """Return the notes of the result and of the cause tree, each once."""
    why = explanation.why
    return list(dict.fromkeys((*explanation.result.notes, *(why.notes if why else ()))))


def change_place(change: Reported) -> str:
    """Return where a change is, such as `find.c:98 in parse`."""
    line = f":{line_of(change)}" if change.kind is ChangeKind.EDIT else ""
    function = f" in {change.function}" if change.function else ""
    kind = f" ({KINDS[change.kind]})" if change.kind in KINDS else ""
    return f"{change.file}{line}{function}{kind}"


def line_of(change: Reported) -> int:
    """Return the line of the bad version at which a change is shown.

    Removed lines are shown at the line before them.
    """
    return max(change.new.start, 1)


def together(words: Sequence[str], most: int = 3) -> str:
    """Return the words as a list, such as `a, b and c`, or `a, b and 4 more`."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def passing_label(explanation: Explanation) -> str:
    """Return the label of values of the passing run: `good` or `fixed`."""
    return _LABELS[explanation.passing]


def legend(explanation: Explanation) -> str:
    """Return what the labels of values mean and, with --prove, how much of the chain is proved."""
    found = _LEGENDS[explanation.passing]
    runs = explanation.proving_runs
    if runs is None:
        return found
    links = [link for link in explanation.chain if link.step is not LinkKind.FAILURE]
    proved = sum(link.proved is True for link in links)
    of = "" if proved == len(links) else f"{proved} of {len(links)} links "
    return f"{found}; {of}proved by {counted(runs, 'run')}"


def both_values(passing: Mapping[str, str], failing: Mapping[str, str], label: str) -> str:
    """Return the values of both runs, such as `fixed: sum = 4, failing: sum = 1`.

    `label` is that of the passing run.
    """
    parts = [f"{label}: {listed(passing)}" if passing else ""]
    parts.append(f"{FAILING}: {listed(failing)}" if failing else "")
    return ("; " if max(len(passing), len(failing)) > 1 else ", ").join(filter(None, parts))


def not_run(link: Link) -> str:
    """Return the words before the text of a statement that did not run; none for other links."""
    if link.step is not LinkKind.MISSING:
        return ""
    return "not run here: " if link.elsewhere else "not run: "


def sentence(words: str) -> str:
    """Return the words with a capital letter and a full stop, unless they have an end.

    A place such as `prices.c:43` keeps its first letter.
    """
    words = words.strip()
    if not words:
        return ""
    first = words[0] if _PLACE.match(words) else words[0].upper()
    return first + words[1:] + ("" if words[-1] in ".!?:…" else ".")
