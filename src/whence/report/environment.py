"""How is the answer of `whence environment` shown: as text, JSON and a page?"""

from __future__ import annotations

from html import escape
from typing import Any

from rich.text import Text

from whence.model import EnvironmentAnswer, EnvironmentResult
from whence.report.document import VERSION
from whence.report.visible import visible


def environment_document(result: EnvironmentResult) -> dict[str, Any]:
    """Return the JSON of `whence environment locate` and `diff`."""
    return {
        "whence": VERSION,
        "command": "environment",
        "status": "located" if result.answers and result.is_located else result.empty_status,
        "reason": result.reason,
        "notes": list(result.notes),
        "answers": [_answer(answer) for answer in result.answers],
        "calls": result.calls,
        "runs": result.runs,
        "cost": {"runs": result.runs, "seconds": {"total": round(result.seconds, 3)}},
    }


def _answer(answer: EnvironmentAnswer) -> dict[str, Any]:
    return {
        "call": answer.call,
        "path": answer.path,
        "variable": answer.variable,
        "process": answer.process,
        "good": answer.good,
        "bad": answer.bad,
        "difference": answer.difference,
        "line": answer.line,
        "called_from": answer.called_from,
        "verified": answer.verified,
        "verified_by": answer.verified_by,
    }


def environment_text(result: EnvironmentResult) -> Text:
    """Return the answer in words."""
    text = Text()
    if result.reason:
        text.append("No answer found. ", style="bold").append(f"{visible(result.reason)}\n")
    for answer in result.answers:
        text.append(f"{visible(answer.sentence)}\n", style="bold")
        text.append(f"  {visible(answer.difference)}\n")
        text.append("  there: ", style="green").append(f"{visible(answer.good)}\n")
        text.append("  here:  ", style="red").append(f"{visible(answer.bad)}\n")
        if answer.called_from:
            text.append(f"  asked at {visible(answer.called_from)}\n")
        if answer.verified_by:
            text.append(f"  Verified: {visible(answer.verified_by)}\n")
    for note in result.notes:
        text.append(f"note: {visible(note)}\n", style="yellow")
    if result.runs:
        text.append(f"{result.calls:,} recorded calls, {result.runs} runs, {result.seconds:.1f} s")
    return text


_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{border:1px solid #999;padding:.4rem;text-align:left;vertical-align:top}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}"
)


def environment_page(result: EnvironmentResult) -> str:
    """Return one HTML document with both sides of every answer; it has no script."""
    parts = [
        f"<h2>{_shown(answer.sentence)}</h2><p>{_shown(answer.difference)}</p>"
        "<table><tr><th>there: passes</th><th>here: fails</th></tr>"
        f"<tr><td><pre>{_shown(answer.good)}</pre></td><td><pre>{_shown(answer.bad)}</pre></td></tr>"
        f"</table><p>{_shown('asked at ' + answer.called_from) if answer.called_from else ''}</p>"
        f"<p>{_shown('Verified: ' + answer.verified_by) if answer.verified_by else ''}</p>"
        for answer in result.answers
    ]
    if result.reason:
        parts.append(f"<p>{_shown(result.reason)}</p>")
    parts += [f"<p>note: {_shown(note)}</p>" for note in result.notes]
    parts.append(f"<p>{result.calls:,} recorded calls, {result.runs} runs</p>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>It works there and not here</title><style>{_STYLE}</style></head>"
        f"<body><h1>It works there and not here</h1>{''.join(parts)}</body></html>"
    )


def _shown(text: str) -> str:
    return escape(visible(text))
