"""How does the answer of `whence darwin` become a page and SARIF?"""

from __future__ import annotations

from html import escape
from typing import Any

from whence.model import DarwinResult, Suspect, VersionName
from whence.report.darwin import darwin_summary, shown_values
from whence.report.sarif import sarif_line, sarif_log, sarif_words
from whence.report.visible import visible

_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{border:1px solid #999;padding:.4rem;text-align:left;vertical-align:top}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0;padding:.4rem;"
    "background:#8882}"
)
RULE = "parting-branch"


def darwin_page(result: DarwinResult) -> str:
    """Return one HTML document with all suspects; it has no script and needs no network."""
    notes = "".join(
        f"<p>note: {_shown(note)}</p>" for note in (result.reason, *result.notes) if note
    )
    items = "".join(f"<li>{_item(one)}</li>" for one in result.suspects)
    title = "Why do the two versions treat this input differently?"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p><b>{_shown(darwin_summary(result))}</b></p><p>{_shown(result.failure)}</p>"
        f"<ol>{items}</ol>{notes}<p>{_shown(_cost(result))}</p></body></html>"
    )


def _item(one: Suspect) -> str:
    where = "in a change" if one.is_changed else "in unchanged code"
    head = f"{one.file}:{one.line} in {one.function} ({one.version.value} version, {where})"
    failing, alternate = shown_values(one)
    rows = [("failing test", failing, "")]
    if one.is_validated:
        rows.append(("other input", alternate, f"good: {one.good}; bad: {one.bad}"))
    body = "".join(
        f"<tr><th>{name}</th><td>{_shown(values)}</td><td>{_shown(ends)}</td></tr>"
        for name, values, ends in rows
    )
    return (
        f"<h2>{_shown(head)}</h2><pre>{_shown(one.text.strip())}</pre><p>{_shown(one.because)}</p>"
        f"<table>{body}</table>{_command(one)}"
    )


def _command(one: Suspect) -> str:
    """Return how to run the other input, if there is one."""
    return f"<p>Try it:</p><pre>{_shown(one.test.command)}</pre>" if one.is_validated else ""


def _cost(result: DarwinResult) -> str:
    asked = sum(result.questions.values())
    return f"{asked} questions, {result.solver_calls} solver calls, {result.runs} runs"


def _shown(text: str) -> str:
    return escape(visible(text))


def darwin_sarif(result: DarwinResult) -> dict[str, Any]:
    """Return the suspects as a SARIF log; those of the good version are related places."""
    rule = {
        "id": RULE,
        "name": "PartingBranch",
        "shortDescription": {"text": "Two versions part at this branch."},
        "fullDescription": {
            "text": "The good version treats two inputs alike that this branch treats differently. "
            "One of them is the input of the failing test."
        },
        "defaultConfiguration": {"level": "warning"},
        "properties": {"precision": "medium", "tags": ["correctness", "regression"]},
    }
    return sarif_log(rule, [_result(rank, one) for rank, one in enumerate(result.suspects, 1)])


def _result(rank: int, one: Suspect) -> dict[str, Any]:
    place = sarif_line(one.file, one.line, one.function)
    is_bad = one.version is VersionName.BAD
    tried = f" Try it: {one.test.command}" if one.is_validated else ""
    return {
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": "warning",
        "rank": max(100.0 - 5 * (rank - 1), 0.0),
        "message": {"text": sarif_words(one.because + tried)},
        "locations": [place] if is_bad else [],
        **({} if is_bad else {"relatedLocations": [{"id": 1, **place}]}),
    }
