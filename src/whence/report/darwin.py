"""How is the answer of `whence darwin` shown: as text and JSON?"""

from __future__ import annotations

import textwrap
from typing import Any

from rich.text import Text

from whence.model import DarwinResult, Suspect, VersionName
from whence.report.document import VERSION
from whence.report.explore import test_document
from whence.report.text import counted
from whence.report.visible import visible

_MAX_SHOWN = 5  # suspects in a text; guessed: more do not fit on one screen
_WIDTH = 100  # columns of a text; most terminals have as many
_MAX_VALUES = 4  # values of a branch in a text; guessed


def darwin_document(result: DarwinResult) -> dict[str, Any]:
    """Return the JSON of `whence darwin`."""
    return {
        "whence": VERSION,
        "command": "darwin",
        "status": "explained" if result.suspects else "unexplained",
        "reason": result.reason,
        "notes": list(result.notes),
        "failure": result.failure,
        "by": result.by,
        "suspects": [_suspect(rank, one) for rank, one in enumerate(result.suspects, 1)],
        "conditions": result.conditions,
        "questions": result.questions,
        "dropped": result.dropped,
        "disagreeing": result.disagreeing,
        "cost": {
            "runs": result.runs,
            "solver_calls": result.solver_calls,
            "seconds": {phase: round(s, 3) for phase, s in result.seconds.items()},
        },
    }


def _suspect(rank: int, one: Suspect) -> dict[str, Any]:
    return {
        "rank": rank,
        "version": one.version.value,
        "file": one.file,
        "line": one.line,
        "function": one.function,
        "text": one.text,
        "condition": one.condition,
        "because": one.because,
        "changed": one.is_changed,
        "in_bad": {"file": one.in_bad[0], "line": one.in_bad[1]} if one.in_bad else None,
        "test": test_document(one.test),
        "validated": one.is_validated,
        "agrees": one.agrees,
        "outcomes": {"good": one.good, "bad": one.bad},
        "values": {"failing": one.failing, "alternate": one.alternate},
        "edited": one.edited,
    }


def darwin_summary(result: DarwinResult) -> str:
    """Return the answer in one sentence."""
    if not result.suspects:
        return "No branch found at which the two versions part."
    first = result.suspects[0]
    where = f"{first.file}:{first.line} in {first.function}"
    number = counted(len(result.suspects), "suspect")
    if first.version is VersionName.GOOD:
        return f"{number}; the first is {where} of the good version"
    return f"{number}; the first is {where} of the bad version"


def darwin_text(result: DarwinResult) -> Text:
    """Return the answer in words."""
    text = Text(f"{visible(darwin_summary(result))}\n", style="bold")
    text.append("failure  ", style="red").append(f"{visible(result.failure)}\n", style="not bold")
    if result.reason:
        text.append(f"{visible(result.reason)}\n", style="not bold")
    for rank, one in enumerate(result.suspects[:_MAX_SHOWN], 1):
        text.append_text(_suspect_text(rank, one))
    hidden = len(result.suspects) - _MAX_SHOWN
    if hidden > 0:
        text.append(f"\n… {counted(hidden, 'more suspect')}, in --json or --html\n")
    for note in _notes(result):
        text.append(f"note: {visible(note)}\n", style="yellow not bold")
    return text


def _notes(result: DarwinResult) -> list[str]:
    found = list(result.notes)
    if result.disagreeing:
        number = counted(result.disagreeing, "more branch").replace("branchs", "branches")
        found.append(
            f"{number} not shown: their inputs leave the path, but the versions still differ"
        )
    if result.dropped:
        number = counted(result.dropped, "input")
        found.append(f"{number} dropped: when run, they did not go the way that they should")
    return found


def _suspect_text(rank: int, one: Suspect) -> Text:
    text = Text(style="not bold")
    where = "in a change" if one.is_changed else "in unchanged code"
    place = f"{one.file}:{one.line} in {one.function}"
    text.append(f"\n{rank:2}  {visible(place)}", style="bold")
    text.append(f"  ({one.version.value} version, {where}{_in_bad(one)})\n")
    text.append(f"    {visible(one.text.strip())}\n")
    for line in textwrap.wrap(visible(one.because), _WIDTH - 4):
        text.append(f"    {line}\n")
    failing, alternate = shown_values(one)
    if failing:
        text.append(f"    failing test: {visible(failing)}")
        text.append(f";  other input: {visible(alternate)}\n" if alternate else "\n")
    if one.is_validated:  # else it is the failing test
        text.append("    try it: ").append(f"{visible(one.test.command)}\n", style="green")
    return text


def _in_bad(one: Suspect) -> str:
    """Return where in the bad version a line of the good version belongs."""
    if one.version is VersionName.BAD or one.in_bad is None:
        return ""
    return f"; in the bad version near {visible(one.in_bad[0])}:{one.in_bad[1]}"


def shown_values(one: Suspect) -> tuple[str, str]:
    """Return the values that the branch read, with the failing test and with the other input."""
    both = [name for name in one.failing if one.failing[name] != one.alternate.get(name)]
    chosen = (both or list(one.failing))[:_MAX_VALUES]
    failing = ", ".join(f"{name} = {one.failing[name]}" for name in chosen)
    alternate = ", ".join(
        f"{name} = {one.alternate[name]}" for name in chosen if name in one.alternate
    )
    return failing, alternate
