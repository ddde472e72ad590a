"""How is the answer of `whence augment` shown: as text, JSON and a page?"""

from __future__ import annotations

from html import escape
from typing import Any

from rich.text import Text

from whence.model import AugmentedChange, AugmentResult, ChangeStatus, EffectPlace
from whence.report.document import VERSION, change_document, diff_lines
from whence.report.explore import test_document
from whence.report.visible import visible

_MAX_LINES = 4  # of a change, or of an output, in a text; guessed: one screen
_STYLES = {
    ChangeStatus.EXPOSED: "bold green",
    ChangeStatus.REACHED: "yellow",
    ChangeStatus.UNREACHED: "red",
    ChangeStatus.EQUAL: "green",
    ChangeStatus.MEANT: "green",
    ChangeStatus.UNKNOWN: "dim",
}


def augment_document(result: AugmentResult) -> dict[str, Any]:
    """Return the JSON of `whence augment`."""
    return {
        "whence": VERSION,
        "command": "augment",
        "status": "done" if result.is_done else "stopped",
        "reason": result.reason,
        "notes": list(result.notes),
        "folder": result.folder,
        "changes": [_change(one) for one in result.changes],
        "cost": {
            "runs": result.runs,
            "builds": result.builds,
            "solver_calls": result.solver_calls,
            "seconds": {name: round(value, 3) for name, value in result.seconds.items()},
        },
    }


def _change(one: AugmentedChange) -> dict[str, Any]:
    outputs = None if one.outputs is None else {"good": one.outputs[0], "bad": one.outputs[1]}
    return {
        **change_document(one.change),
        "status": one.status.value,
        "because": one.because,
        "made": one.is_made,
        "test": None if one.test is None else test_document(one.test),
        "outputs": outputs,
        "effect": [_place(place) for place in one.effect],
        "cost": {
            "runs": one.runs,
            "runs_to_reach": one.runs_to_reach,
            "solver_calls": one.solver_calls,
            "seconds": round(one.seconds, 3),
        },
    }


def _place(place: EffectPlace) -> dict[str, Any]:
    return {
        "file": place.file,
        "line": place.line,
        "function": place.function,
        "text": place.text,
        "parent": place.parent,
        "good": place.good,
        "bad": place.bad,
        "end": place.end,
    }


def augment_text(result: AugmentResult) -> Text:
    """Return what the tests show of each change."""
    text = Text()
    text.append(f"{_head(result)}\n", style="bold")
    for one in result.changes:
        change = one.change
        where = f"{change.file}:{change.new.start}"
        text.append(f"\n{one.status.value}  ", style=_STYLES[one.status])
        text.append(f"{visible(where)}{f' in {change.function}' if change.function else ''}")
        text.append(f"  (change {change.id})\n")
        for line in _cut(diff_lines(change)[1:]):
            text.append(f"  {visible(line)}\n", style="dim")
        text.append(f"  {visible(one.because)}\n")
        if one.test is not None:
            made = "new test" if one.is_made else "given test"
            text.append(f"  {made}: {visible(one.test.command)}\n")
    for note in result.notes:
        text.append(f"note: {visible(note)}\n", style="yellow")
    total = result.seconds.get("total", 0.0)
    text.append(
        f"\nThe tests are in {visible(result.folder)}.  {result.runs} runs, {result.builds} "
        f"builds, {result.solver_calls} solver calls, {total:.1f} s"
    )
    return text


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MAX_LINES else [*lines[: _MAX_LINES - 1], "…"]


def _head(result: AugmentResult) -> str:
    counts = dict.fromkeys(ChangeStatus, 0)
    for one in result.changes:
        counts[one.status] += 1
    parts = [f"{count} {status.value}" for status, count in counts.items() if count]
    what = "1 change" if len(result.changes) == 1 else f"{len(result.changes)} changes"
    ended = "" if result.is_done else f"; stopped: {result.reason}"
    return f"{what}: {', '.join(parts)}{ended}"


_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{border:1px solid #999;padding:.4rem;text-align:left;vertical-align:top}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}"
    "ul{list-style:none;padding-left:1.2rem}.end{color:#a00}code{background:#eee}"
)


def augment_page(result: AugmentResult) -> str:
    """Return one HTML document with each change, its effect and its outputs; it has no script."""
    parts = "".join(map(_section, result.changes))
    notes = "".join(f"<p>note: {_shown(note)}</p>" for note in result.notes)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>What the changes change</title><style>{_STYLE}</style></head>"
        f"<body><h1>{_shown(_head(result))}</h1>{parts}{notes}</body></html>"
    )


def _section(one: AugmentedChange) -> str:
    change = one.change
    diff = "\n".join(map(_shown, diff_lines(change)))
    test = "" if one.test is None else f"<p>Test: <code>{_shown(one.test.command)}</code></p>"
    outputs = ""
    if one.outputs is not None:
        good, bad = ("\n".join(map(_shown, text.split("\n"))) for text in one.outputs)
        outputs = (
            "<table><tr><th>good version</th><th>bad version</th></tr>"
            f"<tr><td><pre>{good}</pre></td><td><pre>{bad}</pre></td></tr></table>"
        )
    return (
        f'<h2 id="c{change.id}">{one.status.value}: {_shown(change.file)}:{change.new.start}</h2>'
        f"<pre>{diff}</pre><p>{_shown(one.because)}</p>{test}{outputs}{_tree(one, None)}"
    )


def _tree(one: AugmentedChange, parent: int | None) -> str:
    """Return the places below one as a nested list."""
    rows = []
    for number, place in enumerate(one.effect):
        if place.parent != parent:
            continue
        values = f" good: {place.good or 'not run'}; bad: {place.bad}" if place.bad else ""
        end = f' <span class="end">{_shown(place.end)}</span>' if place.end else ""
        rows.append(
            f"<li>{_shown(place.file)}:{place.line} <code>{_shown(place.text)}</code>"
            f"{_shown(values)}{end}{_tree(one, number)}</li>"
        )
    return f"<ul>{''.join(rows)}</ul>" if rows else ""


def _shown(text: str) -> str:
    return escape(visible(text))
