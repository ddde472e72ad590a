"""How does a cause tree become one page that needs no network and trusts none of its content?

1. The page holds the tree as nested lists, so it can be read without scripts.  The script
   (page/*.js) makes it browsable, and draws everything else from the same data as JSON.
2. All text from the program is escaped: in the lists as text, in the JSON without `<`.  The script
   turns it into text nodes, never into markup.
3. The page's content security policy allows only our script, and forbids all network access.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from whence.model import Cause, Mark, WhyResult
from whence.report.causes import BEARING, cause_place, in_order, listed, tree_summary, why_document
from whence.report.visible import visible

_MAX_NESTING = 12  # of lists; guessed: more leave no room, and browsers stop at about 500
_MAX_STATEMENTS = 5000  # listed for readers without the script; guessed

_STYLES = ("base.css", "tree.css", "story.css", "detail.css", "layout.css")
_SCRIPTS = (
    *("state.js", "text.js", "tree.js", "paths.js", "cause.js"),
    *("source.js", "chain.js", "marks.js", "start.js"),
)


def why_page(result: WhyResult) -> str:
    """Return one HTML document with the tree, the sources and the script to browse them."""
    return filled_page(
        title=f"Why {result.point}",
        message=result.failure.message,
        summary=tree_summary(result),
        notes=(result.reason, *result.notes),
        nav='aria-label="Causes"',
        story="",
        tree="".join(tree_lists(result)),
        data=tree_data(result, why_document(result)),
    )


def filled_page(
    *,
    title: str,
    message: str,
    summary: str,
    notes: Iterable[str | None],
    nav: str,
    story: str,
    tree: str,
    data: dict[str, Any],
) -> str:
    """Return the page; `nav`, `story` and `tree` are markup, the others any text."""
    style = "\n".join(map(_part, _STYLES))
    # The scripts share one scope, which is not the browser's global one.
    script = '"use strict";\n{\n' + "\n".join(map(_part, _SCRIPTS)) + "}\n"
    return Template(_part("page.html")).substitute(
        policy=_policy(style, script),
        style=style,
        script=script,
        title=as_text(title),
        message=as_text(message),
        summary=as_text(summary),
        notes="".join(f"<li>{as_text(note)}</li>" for note in notes if note),
        nav=nav,
        story=story,
        tree=tree,
        data=_json(data),
    )


def _part(name: str) -> str:
    return files("whence.report").joinpath("page", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",  # the script cannot turn a string into markup
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def as_text(text: str) -> str:
    """Return the markup that shows a text."""
    return escape(visible(text))


# --- data for the script ---------------------------------------------------------------------


def tree_data(result: WhyResult, document: dict[str, Any]) -> dict[str, Any]:
    """Return the result document with the sources; a statement of several causes is held once."""
    numbers: dict[str, int] = {}
    statements: list[dict[str, Any]] = []
    for cause in document["causes"]:
        for at, statement in enumerate(cause["statements"]):
            number = numbers.setdefault(repr(statement), len(statements))
            if number == len(statements):
                statements.append(statement)
            cause["statements"][at] = number
    return {
        **document,
        "point": result.point,
        "statements": statements,
        "sources": result.sources,
        "bearing": {influence.value: words for influence, words in BEARING.items()},
    }


def _json(data: dict[str, Any]) -> str:
    """Return JSON without characters that have a meaning in HTML."""
    written = json.dumps(data, separators=(",", ":"))
    return written.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


# --- lists for readers without it ------------------------------------------------------------


def tree_lists(result: WhyResult) -> Iterator[str]:
    """Yield nested lists; causes below the deepest level are listed on it, in the same order."""
    is_short = sum(len(cause.statements) for cause in result.causes) <= _MAX_STATEMENTS
    if not is_short:
        yield "<noscript><p>Too many statements to list: the script shows them.</p></noscript>"
    depths: dict[int | None, int] = {None: -1}
    depth = -1
    for cause in in_order(result.causes):
        before, depths[cause.id] = depth, depths[cause.parent] + 1
        depth = min(depths[cause.id], _MAX_NESTING)
        if depth > before:
            yield "<ul>" if depth else '<ul id="tree">'
        else:
            yield "</li>" + "</ul></li>" * (before - depth)
        yield _item(cause)
        yield f"<noscript>{_unscripted(cause, result.marks.get(cause.id), is_short)}</noscript>"
    yield "</li></ul>" * (depth + 1)


def _item(cause: Cause) -> str:
    predicate = cause.predicate
    about = (
        [f'<span class="place">{as_text(cause_place(predicate))}</span>'] if predicate.file else []
    )
    about.append(BEARING[cause.influence])
    if cause.children is None:
        about.append("… not computed")
    return (
        f'<li id="cause-{cause.id}"><div class="row" id="row-{cause.id}">'
        f'<span class="what">{as_code(predicate.text)} was {as_code(predicate.outcome)}</span> '
        f'<span class="about">{" · ".join(about)}</span></div>'
        f'<p class="because">{as_sentence(cause.because)}</p>'
    )


def _unscripted(cause: Cause, mark: Mark | None, is_short: bool) -> str:
    """Return the part of a cause that the script shows in another place."""
    marked = f"<p>marked {mark.value}</p>" if mark else ""
    statements = [
        f'<li><span class="place">{as_text(cause_place(statement))}</span> '
        f"{as_code(statement.text)} "
        f'<span class="values">{as_text(listed(statement.values))}</span></li>'
        for statement in cause.statements
        if is_short
    ]
    return f"{marked}<ol>{''.join(statements)}</ol>" if statements else marked


def as_code(text: str) -> str:
    """Return source code as markup; no line break can divide an arrow (->)."""
    return f"<code>{as_text(text).replace('-&gt;', '<span>-&gt;</span>')}</code>"


def as_sentence(text: str) -> str:
    """Return words as markup, with code between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without a partner
        return as_text(text)
    return "".join(as_code(part) if at % 2 else as_text(part) for at, part in enumerate(parts))
