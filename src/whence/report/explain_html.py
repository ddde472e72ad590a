"""How does an explanation become one page: the diff, the chain, the source and the causes, linked?

It is the page of a cause tree (html.py, whose rules hold here too) with the story before the tree:
what broke the test as a diff, and the chain.  The script shows the source of whatever is chosen,
with the changes in it, and from the source leads back to the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from whence.model import Alternative, Explanation, Hunk, Link, LinkKind, Reported
from whence.report.causes import BEARING
from whence.report.explanation import (
    SAYS_PASSING,
    change_place,
    explain_document,
    good_and_bad_text,
    headline,
    line_of,
    notes_of,
    passes,
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
from whence.report.text import counted, failure_line, told_lines

_MOST = 2000  # lines of one change
_SIGNS = {"+": "added", "-": "removed"}


def explain_page(explanation: Explanation) -> str:
    """One HTML document that needs nothing else."""
    result, why = explanation.result, explanation.why
    reason = result.reason
    if reason and result.status == "isolated":
        reason = f"isolated, not explained: {reason}"
    return filled_page(
        title=headline(result),
        message=failure_line(result),
        summary=passes(result),
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
    return {**known, "marks": {}, "edits": edits}


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
        "removed": hunk.removed.decode("utf-8", "replace").splitlines()[:_MOST],
    }


# --- markup ----------------------------------------------------------------------------------


def _story(explanation: Explanation) -> Iterator[str]:
    result = explanation.result
    yield '<section id="story"><h2>What broke it</h2>'
    yield from (_change(change, n) for n, change in enumerate(result.root))
    if result.auxiliary:
        count = counted(len(result.auxiliary), "auxiliary change")
        yield f"<details><summary>{count}, reverted too or the program does not hold together"
        yield "</summary>"
        yield from (
            _change(change, n) for n, change in enumerate(result.auxiliary, len(result.root))
        )
        yield "</details>"
    if explanation.chain:
        yield f"<h2>How</h2><p>{SAYS_PASSING.get(explanation.passing, '')}</p>"
        yield '<ol id="chain">'
        yield from (_link(link) for link in explanation.chain)
        yield "</ol>"
    yield from _others(explanation.alternatives)
    if explanation.why and explanation.why.causes:
        yield "<h2>All causes, from the failure backwards</h2>"
    yield "</section>"


def _change(change: Reported, number: int) -> str:
    lines = told_lines(change)
    shown = [_line(line) for line in lines[:_MOST]]
    if len(lines) > _MOST:
        shown.append(f"… {len(lines) - _MOST} more lines")
    return (
        f'<div class="edit" id="change-{number}">'
        f'<button type="button" class="step place">{as_text(change_place(change))}</button>'
        f'<pre class="diff">{"".join(shown)}</pre></div>'
    )


def _line(line: str) -> str:
    return f'<code class="{_SIGNS.get(line[:1], "plain")}">{as_text(line)}</code>'


def _link(link: Link) -> str:
    at = f"{link.file}:{link.line}" if link.file else ""
    place = " in ".join(filter(None, (at, link.function)))
    lost = "not run: " if link.step is LinkKind.MISSING else ""
    times = f" ({link.times:,} times)" if link.times > 1 else ""
    return (
        f'<li><button type="button" class="step {link.step.value}">'
        f'<span class="place">{as_text(place)}</span> {lost}{as_code(link.text)} '
        f'<span class="says">{as_sentence(sentence(link.says))}{times}</span> '
        f'<span class="values">{as_text(good_and_bad_text(link.passing, link.failing))}</span>'
        "</button></li>"
    )


def _others(alternatives: Sequence[Alternative]) -> Iterator[str]:
    if not alternatives:
        return
    yield "<h2>Reverted instead, these make the test pass as well</h2><ul>"
    for other in alternatives:
        places = together([change_place(change) for change in other.root], 10)
        dodge = "only steers around the fault; " if other.is_dodge else ""
        told = dodge + as_sentence(other.why)
        yield f'<li><span class="place">{as_text(places)}</span> {told}</li>'
    yield "</ul>"
