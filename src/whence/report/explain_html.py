"""How does an explanation become one page: the diff, the chain, the source and the causes, linked?

It is the page of a cause tree (html.py, whose rules hold here too) with a story before the tree:
the breaking changes as a diff, and the chain.  The script shows the source of the selected step,
with the changes marked in it, and links source lines back to the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from whence.model import Alternative, Explanation, Hunk, Link, Reported
from whence.report.causes import BEARING
from whence.report.explanation import (
    GAP,
    both_values,
    change_place,
    explain_document,
    headline,
    legend,
    line_of,
    not_run,
    notes_of,
    passes,
    passing_label,
    sentence,
    together,
)
from whence.report.html import (
    as_code,
    as_sentence,
    as_text,
    filled_page,
    tree_data,
    tree_lists,
)
from whence.report.text import ALSO_REVERTED, counted, diff_body, failure_line
from whence.source_lines import decoded_lines

_MAX_LINES = 2000  # shown of one change; guessed
_SIGNS = {"+": "added", "-": "removed"}


def explain_page(explanation: Explanation) -> str:
    """Return one HTML document that needs no other file."""
    result, why = explanation.result, explanation.why
    reason = result.reason
    if reason and result.status == "isolated":
        reason = f"isolated, not explained: {reason}"
    return filled_page(
        title=headline(result),
        message=failure_line(result),
        summary=passes(explanation),
        notes=(explanation.dodged, reason, *notes_of(explanation)),
        nav='class="explains" aria-label="What broke the test, and how"',
        story="".join(_story(explanation)),
        tree="".join(tree_lists(why)) if why else "",
        data=_data(explanation),
    )


def _data(explanation: Explanation) -> dict[str, Any]:
    document, why = explain_document(explanation), explanation.why
    bare: dict[str, Any] = {"point": "", "marks": {}, "statements": [], "sources": {}}
    bare["bearing"] = {influence.value: words for influence, words in BEARING.items()}
    known = tree_data(why, document) if why else {**document, **bare}
    result = explanation.result
    edits = [_edit(change) for change in (*result.root, *result.auxiliary)]
    return {**known, "marks": {}, "edits": edits, "label": passing_label(explanation)}


def _edit(change: Reported) -> dict[str, Any]:
    return {
        "ids": list(change.ids),
        "file": change.file,
        "line": line_of(change),
        "where": change_place(change),
        "hunks": [_hunk(hunk) for hunk in change.hunks],
    }


def _hunk(hunk: Hunk) -> dict[str, Any]:
    return {
        "start": hunk.new.start,
        "count": hunk.new.count,
        "removed": decoded_lines(hunk.removed)[:_MAX_LINES],
    }


# --- markup ----------------------------------------------------------------------------------


def _story(explanation: Explanation) -> Iterator[str]:
    result = explanation.result
    yield '<section id="story"><h2>What broke it</h2>'
    yield from (_change(change, n) for n, change in enumerate(result.root))
    if result.auxiliary:
        count = counted(len(result.auxiliary), "auxiliary change")
        yield f"<details><summary>{count}, {ALSO_REVERTED}</summary>"
        yield from (
            _change(change, n) for n, change in enumerate(result.auxiliary, len(result.root))
        )
        yield "</details>"
    if explanation.chain:
        yield f"<h2>From the changes to the failure</h2><p>{legend(explanation)}</p>"
        yield '<ol id="chain">'
        label = passing_label(explanation)
        yield from (_link(link, label) for link in explanation.chain)
        yield "</ol>"
    yield from _others(explanation.alternatives)
    if explanation.why and explanation.why.causes:
        yield "<h2>All causes, from the failure backwards</h2>"
    yield "</section>"


def _change(change: Reported, number: int) -> str:
    lines = diff_body(change)
    shown = [_line(line) for line in lines[:_MAX_LINES]]
    if len(lines) > _MAX_LINES:
        shown.append(f"… {len(lines) - _MAX_LINES} more lines")
    return (
        f'<div class="edit" id="change-{number}">'
        f'<button type="button" class="step place">{as_text(change_place(change))}</button>'
        f'<pre class="diff">{"".join(shown)}</pre></div>'
    )


def _line(line: str) -> str:
    return f'<code class="{_SIGNS.get(line[:1], "plain")}">{as_text(line)}</code>'


def _link(link: Link, label: str) -> str:
    at = f"{link.file}:{link.line}" if link.file else ""
    place = " in ".join(filter(None, (at, link.function)))
    missing = not_run(link)
    times = f" ({link.times:,} times)" if link.times > 1 else ""
    gap = f'<p class="gap">⋮ {as_text(GAP)}</p>' if link.gap else ""
    return (
        f'<li>{gap}<button type="button" class="step {link.step.value}">'
        f'<span class="place">{as_text(place)}</span> {missing}{as_code(link.text)} '
        f'<span class="says">{as_sentence(sentence(link.says))}{times}</span> '
        f"{_proof(link)}"
        f'<span class="values">{as_text(both_values(link.passing, link.failing, label))}</span>'
        "</button></li>"
    )


def _proof(link: Link) -> str:
    """Return what a rerun showed about a link, if it was tested."""
    return f'<span class="says">{as_sentence(sentence(link.proof))}</span> ' if link.proof else ""


def _others(alternatives: Sequence[Alternative]) -> Iterator[str]:
    if not alternatives:
        return
    yield "<h2>Other changes whose reverting makes the test pass</h2><ul>"
    for other in alternatives:
        places = together([change_place(change) for change in other.root], 10)
        dodge = "only avoids the faulty code; " if other.is_dodge else ""
        reason = dodge + as_sentence(other.why)
        yield f'<li><span class="place">{as_text(places)}</span> {reason}</li>'
    yield "</ul>"
