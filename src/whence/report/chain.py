"""How is a failure-inducing chain shown: as text, JSON and a page?"""

from __future__ import annotations

from html import escape
from typing import Any

from rich.text import Text

from whence.model import ChainLink, ChainResult, SetMember
from whence.report.document import VERSION, failure_document
from whence.report.explanation import sentence
from whence.report.lines import SCREEN, TextLines, plain_text, shown_place
from whence.report.text import counted
from whence.report.visible import visible

_MAX_PLACE = 40  # columns of a place, before the source; guessed
_MIN_SHOWN = 6  # links that are shown, however long the chain is; guessed
_UNPROVED = "not proved"


def chain_document(result: ChainResult) -> dict[str, Any]:
    """Return the JSON of `whence chain`."""
    passing = result.passing
    return {
        "whence": VERSION,
        "command": "chain",
        "status": result.status,
        "reason": result.reason,
        "failure": failure_document(result.failure),
        "notes": list(result.notes),
        "passing": passing and {"by": passing.by, "file": passing.file, "line": passing.line},
        "chain": [_link(link) for link in result.chain],
        "cost": {
            "runs": result.runs,
            "cached": result.cached,
            "seconds": {name: round(each, 3) for name, each in result.seconds.items()},
        },
    }


def _link(link: ChainLink) -> dict[str, Any]:
    return {
        "file": link.file,
        "line": link.line,
        "function": link.function,
        "text": link.text,
        "set": [{"name": m.name, "failing": m.failing, "passing": m.passing} for m in link.members],
        "proved": link.is_proved,
        "says": link.says,
        "times": link.times,
        "root": link.is_root,
        "failure": link.is_failure,
    }


def chain_headline(result: ChainResult) -> str:
    """Return the answer in one sentence."""
    if result.status != "explained":
        return f"Not explained: {result.reason}"
    first = result.chain[0]
    proved = sum(link.is_proved for link in result.chain)
    where = _place(first)
    return (
        f"The failure follows from {where}: {counted(len(result.chain), 'link')}, "
        f"{proved} proved by {counted(result.runs + result.cached, 'run')}"
    )


def values_text(members: tuple[SetMember, ...]) -> str:
    """Return the values of both runs, such as `x = 1 (passing: 0)`."""
    return ", ".join(
        f"{m.name} = {m.failing}" + ("" if m.passing is None else f" (passing: {m.passing})")
        for m in members
    )


def chain_text(result: ChainResult, *, width: int) -> Text:
    """Return the chain on one screen."""
    page = TextLines(width)
    page.line(Text(plain_text(chain_headline(result)), style="bold"))
    page.line(Text(plain_text(f"failure  {result.failure.message}")))
    if result.passing is not None:
        page.line(Text(plain_text(f"passing  the run {result.passing.words}")))
    page.line(Text(""))
    blocks = [_block(number, link, width) for number, link in enumerate(result.chain, 1)]
    room = SCREEN - 6 - len(result.notes)
    for block in _on_screen(blocks, room):
        for line in block:
            page.line(line)
    for note in result.notes:
        page.line(Text(plain_text(f"note: {note}"), style="yellow"))
    cached = f" ({result.cached} known from before)" if result.cached else ""
    runs = counted(result.runs + result.cached, "run")
    page.line(Text(f"{runs}{cached}, {result.seconds.get('total', 0.0):.1f} s"))
    return page.text


def _on_screen(blocks: list[list[Text]], room: int) -> list[list[Text]]:
    """Leave out links in the middle if there are too many for one screen."""
    if sum(map(len, blocks)) <= room or len(blocks) <= _MIN_SHOWN:
        return blocks
    shown = max(_MIN_SHOWN, room // 3)
    first = shown // 2
    left = len(blocks) - shown
    gap = [Text(f"     … {counted(left, 'more link')}, in --html or --json", style="dim")]
    return [*blocks[:first], gap, *blocks[-(shown - first) :]]


def _place(link: ChainLink) -> str:
    place = shown_place(link.file, link.line)
    return f"{place} in {link.function}" if link.function else place


def _block(number: int, link: ChainLink, width: int) -> list[Text]:
    place = _place(link)
    head = Text(f"{number:3}  ")
    head.append(plain_text(place).ljust(_MAX_PLACE), style="bold red" if link.is_root else "cyan")
    head.append(f" {plain_text(link.text)}")
    lines = [head[:width]]
    values = values_text(link.members)
    times = f"  ({link.times} times)" if link.times > 1 else ""
    if values:
        lines.append(Text(f"     {plain_text(values)}{times}")[:width])
    mark = "" if link.is_proved else f"{_UNPROVED}: "
    style = "dim" if link.is_proved else "yellow"
    lines.append(Text(f"     {mark}{plain_text(sentence(link.says))}", style=style)[: 2 * width])
    return lines


# --- the page ------------------------------------------------------------------------------------

_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "ol{padding-left:1.5rem}li{margin:0 0 1rem}code,pre{font-family:monospace}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0;padding:.3rem;"
    "border-left:.25rem solid #888}"
    ".root>pre{border-color:#c00}.failure>pre{border-color:#000}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem;"
    "text-align:left}"
    ".unproved{background:#fff3cd}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#eee}.unproved{background:#443}}"
)


def chain_page(result: ChainResult) -> str:
    """Return one HTML document with the whole chain; it has no script."""
    links = "".join(map(_item, result.chain))
    notes = "".join(f"<p>note: {_shown(note)}</p>" for note in result.notes)
    passing = f"<p>Passing: the run {_shown(result.passing.words)}</p>" if result.passing else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{_shown(chain_headline(result))}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{_shown(chain_headline(result))}</h1>"
        f"<p>Failure: {_shown(result.failure.message)}</p>{passing}<ol>{links}</ol>{notes}"
        f"<p>{result.runs + result.cached} runs</p></body></html>"
    )


def _item(link: ChainLink) -> str:
    kinds = [
        name
        for name, holds in (
            ("root", link.is_root), ("failure", link.is_failure), ("unproved", not link.is_proved)
        )
        if holds
    ]  # fmt: skip
    place = f"{link.file}:{link.line}" + (f" in {link.function}" if link.function else "")
    rows = "".join(
        f"<tr><td><code>{_shown(m.name)}</code></td><td><code>{_shown(m.failing)}</code></td>"
        f"<td><code>{_shown(m.passing if m.passing is not None else '')}</code></td></tr>"
        for m in link.members
    )
    head = "<tr><th>name</th><th>failing</th><th>passing</th></tr>"
    times = f" ({link.times} times)" if link.times > 1 else ""
    mark = "" if link.is_proved else f"<strong>{_UNPROVED}</strong>: "
    return (
        f'<li class="{" ".join(kinds)}">{_shown(place)}{times}<pre>{_shown(link.text)}</pre>'
        f"{f'<table>{head}{rows}</table>' if rows else ''}"
        f"<p>{mark}{_shown(sentence(link.says))}</p></li>"
    )


def _shown(text: str) -> str:
    return escape(visible(text))
