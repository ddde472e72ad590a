"""How is the answer of `whence contract` shown: as text, and as JSON?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from whence.model import ContractFunction, ContractResult, ContractVerdict, OffendingCall
from whence.report.document import VERSION
from whence.report.text import counted
from whence.report.visible import visible
from whence.source_lines import source_lines

_MAX_FUNCTIONS = 6  # functions that the text shows in full; guessed, for one screen
_MAX_PASSED = 12  # functions that the text names as passing a difference on; guessed
_MAX_LINE = 160  # characters of one value; guessed
_STYLES = {
    ContractVerdict.CHANGED: "red",
    ContractVerdict.BROKEN: "red",
    ContractVerdict.KEPT: "green",
}


def contract_document(result: ContractResult) -> dict[str, Any]:
    """Return the JSON of `whence contract`."""
    return {
        "whence": VERSION,
        "command": "contract",
        "status": "kept" if result.is_kept else "broken",
        "reason": result.reason,
        "notes": list(result.notes),
        "functions": [_function_document(function) for function in result.functions],
        "cost": {
            "runs": result.runs,
            "seconds": {phase: round(s, 3) for phase, s in result.seconds.items()},
        },
    }


def _function_document(function: ContractFunction) -> dict[str, Any]:
    return {
        "file": function.file,
        "line": function.line,
        "function": function.function,
        "good_name": function.good_name,
        "calls": function.calls,
        "compared": function.compared,
        "rerun": function.rerun,
        "differing": function.differing,
        "verdict": function.verdict.value,
        "contract": function.contract,
        "first": None if function.first is None else _call_document(function.first),
        "through": list(function.through),
        "suggestion": function.suggestion,
    }


def _call_document(call: OffendingCall) -> dict[str, Any]:
    return {
        "called_from": call.called_from,
        "arguments": call.arguments,
        "good": call.good,
        "bad": call.bad,
        "differs": list(call.differs),
        "way": call.way,
        "within": list(call.within),
        "uses": list(call.uses),
    }


def wrong_functions(
    result: ContractResult,
) -> tuple[list[ContractFunction], list[ContractFunction]]:
    """Return the functions where a difference arises, and those that pass one on."""
    wrong = [
        f
        for f in result.functions
        if f.verdict in (ContractVerdict.CHANGED, ContractVerdict.BROKEN)
    ]
    return [f for f in wrong if not f.through], [f for f in wrong if f.through]


def headline(result: ContractResult) -> str:
    """Return the answer in one sentence."""
    origins, passing = wrong_functions(result)
    compared = sum(function.compared for function in result.functions)
    basis = f"{compared:,} calls of {counted(len(result.functions), 'function')} compared"
    if not origins and not passing:
        kept = sum(f.verdict is ContractVerdict.KEPT for f in result.functions)
        if result.reason is not None:
            return f"Behaviour changed: {result.reason} ({basis})."
        whose = "its contract says" if kept == 1 else "their contracts say"
        meant = f"; {counted(kept, 'function')} changed as {whose}" if kept else ""
        return f"Every call did what it did in the good version{meant} ({basis})."
    more = f", and {len(passing)} pass{'es' * (len(passing) == 1)} it on" if passing else ""
    verb = "changes its" if len(origins) == 1 else "change their"
    return (
        f"{counted(len(origins), 'function')} {verb} behaviour although no contract says so{more} "
        f"({basis})."
    )


def place_of(function: ContractFunction) -> str:
    return f"{function.file}:{function.line} in {function.function}"


def contract_text(result: ContractResult) -> Text:
    """Return the answer as text for a terminal."""
    text = Text()
    text.append(f"{visible(headline(result))}\n", style="bold")
    origins, passing = wrong_functions(result)
    for function in origins[:_MAX_FUNCTIONS]:
        text.append_text(_function_text(function))
    if len(origins) > _MAX_FUNCTIONS:
        text.append(f"… {len(origins) - _MAX_FUNCTIONS} more, in --html or --json\n")
    if passing:
        names = [function.function for function in passing[:_MAX_PASSED]]
        more = f" and {len(passing) - _MAX_PASSED} more" if len(passing) > _MAX_PASSED else ""
        text.append(f"\npassed on by  {visible(', '.join(names))}{more}\n")
    text.append_text(_others(result.functions))
    for note in result.notes:
        text.append(f"note: {visible(note)}\n", style="yellow")
    return text


def _function_text(function: ContractFunction) -> Text:
    text = Text("\n")
    text.append(f"{function.verdict.value}  ", style=_STYLES.get(function.verdict, ""))
    text.append(visible(place_of(function)), style="bold")
    text.append(f"  {_share(function)}\n")
    call = function.first
    assert call is not None
    arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    text.append(f"  called from {visible(call.called_from)} with {_cut(arguments)}\n")
    text.append("    good  ", style="green").append(f"{_cut(call.good)}\n")
    text.append("    bad   ", style="red").append(f"{_cut(call.bad)}\n")
    for sentence in call.differs:
        text.append(f"    {_cut(sentence)}\n")
    if call.way == "rerun":
        text.append("  The good answer is from running the good function on this call's state.\n")
    if call.within:
        text.append(f"  {_cut(unjudged(call))}\n")
    if call.uses:
        text.append(f"  {_cut(used(call))}\n")
    if function.suggestion is not None:
        text.append(
            "  If this is meant, say so before the function (a suggestion from these calls):\n"
        )
        sign = "#@" if function.file.endswith(".py") else "//@"
        for line in source_lines(function.suggestion):
            text.append(f"    {sign} {visible(line)}\n", style="dim")
    return text


def _share(function: ContractFunction) -> str:
    renamed = f"was {function.good_name}; " if function.good_name else ""
    return f"{renamed}{differing_calls(function)}{ways(function)}"


def differing_calls(function: ContractFunction) -> str:
    """Return how many of the compared calls differ, such as `2 of 5 compared calls differ`."""
    if function.compared == 1:
        return "the one compared call differs"
    return f"{function.differing} of {function.compared} compared calls differ"


def unjudged(call: OffendingCall) -> str:
    """Say which functions within a call may be where its difference arises."""
    names = ", ".join(call.within)
    return f"It calls functions that are new or changed, and that could not be compared: {names}."


def used(call: OffendingCall) -> str:
    """Say which changed names a function uses whose own code is the same."""
    names = ", ".join(call.uses)
    return f"Its code is the same in both versions; it uses what was changed: {names}."


def ways(function: ContractFunction) -> str:
    """Say how often the good function was run again, if it was."""
    if not function.rerun:
        return ""
    return f" (for {function.rerun} of them the good function was run on the recorded state)"


def _others(functions: Sequence[ContractFunction]) -> Text:
    """Return lines for the functions with contracts that are not broken."""
    text = Text()
    for verdict, words in (
        (ContractVerdict.KEPT, "kept"),
        (ContractVerdict.UNMATCHED, "unmatched: no call fits a case of the contract"),
    ):
        names = [place_of(each) for each in functions if each.verdict is verdict]
        for name in names[:_MAX_PASSED]:
            text.append(f"{words}  {visible(name)}\n", style=_STYLES.get(verdict, "yellow"))
    return text


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _MAX_LINE else f"{shown[: _MAX_LINE - 2]} …"
