"""How is the answer of `whence explore` shown: as text, JSON and a page?"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from rich.text import Text

from whence.model import ExploredTest, ExploreResult, MadeTest
from whence.report.document import VERSION
from whence.report.text import counted
from whence.report.visible import visible

_MAX_SHOWN = 20  # tests in a text; guessed: one screen
_MAX_COMMAND = 100  # characters of a command in a text


def test_document(test: MadeTest) -> dict[str, Any]:
    """Return a test that whence made as plain data."""
    return {
        "command": test.command,
        "argv": list(test.argv),
        "stdin": test.stdin,
        "files": dict(test.files),
        "module": test.module,
        "script": test.script,
    }


def explore_document(result: ExploreResult) -> dict[str, Any]:
    """Return the JSON of `whence explore`."""
    return {
        "whence": VERSION,
        "command": "explore",
        "status": "complete" if result.is_complete else "stopped",
        "reason": result.reason,
        "notes": list(result.notes),
        "point": result.point,
        "inputs": list(result.inputs),
        "folder": result.folder,
        "tests": [_explored(test) for test in result.tests],
        "cost": {
            "runs": result.runs,
            "solver_calls": result.solver_calls,
            "infeasible": result.infeasible,
            "unknown": result.unknown,
            "open": result.open_questions,
            "seconds": {"total": round(result.seconds, 3)},
        },
    }


def _explored(test: ExploredTest) -> dict[str, Any]:
    return {
        "id": test.id,
        "test": test_document(test.test),
        "condition": test.condition,
        "result": test.result,
        "exit": test.exit,
        "output": test.output,
        "trouble": test.trouble,
        "from": None if test.origin is None else list(test.origin),
    }


def explore_text(result: ExploreResult) -> Text:
    """Return the classes of inputs, one sentence each, crashes first."""
    text = Text()
    text.append(f"{_head(result)}\n", style="bold")
    if result.shared:
        text.append(f"in all classes: {visible(result.shared)}\n")
    for test in result.tests[:_MAX_SHOWN]:
        text.append(f"{test.id:>4}  ").append(visible(test.own or test.condition))
        style = "bold red" if test.trouble else "green"
        text.append(": ").append(f"{visible(test.trouble or test.result)}\n", style=style)
        text.append(f"      {_shortened(visible(test.test.command))}\n", style="dim")
    if len(result.tests) > _MAX_SHOWN:
        text.append(f"      and {len(result.tests) - _MAX_SHOWN} more (--json, --html)\n")
    for note in result.notes:
        text.append(f"note: {visible(note)}\n", style="yellow")
    text.append(f"The tests are in {visible(result.folder)}.  {_cost(result)}")
    return text


def _head(result: ExploreResult) -> str:
    found = (
        f"{len(result.tests)} classes of inputs" if len(result.tests) != 1 else "1 class of inputs"
    )
    about = "by path" if result.point == "path" else f"by what decides {visible(result.point)}"
    inputs = ", ".join(map(visible, result.inputs))
    ended = "complete" if result.is_complete else f"stopped: {visible(result.reason or '')}"
    return f"{found} {about} ({inputs}); {ended}"


def _cost(result: ExploreResult) -> str:
    parts = [counted(result.runs, "recorded run"), counted(result.solver_calls, "solver call")]
    if result.infeasible:
        parts.append(f"no input for {counted(result.infeasible, 'question')}")
    if result.open_questions:
        parts.append(f"{counted(result.open_questions, 'question')} not asked")
    return ", ".join([*parts, f"{result.seconds:.1f} s"])


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_COMMAND else f"{text[: _MAX_COMMAND - 1]}…"


_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{border:1px solid #999;padding:.4rem;text-align:left;vertical-align:top}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}"
    ".trouble{background:#fdd}"
)


def explore_page(result: ExploreResult) -> str:
    """Return one HTML document with all classes; it has no script."""
    rows = "".join(_rows(result))
    notes = "".join(f"<p>note: {_shown(note)}</p>" for note in result.notes)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>Classes of inputs</title><style>{_STYLE}</style></head>"
        f"<body><h1>{_shown(_head(result))}</h1>"
        "<table><tr><th>test</th><th>condition</th><th>result</th><th>command and output</th>"
        f"<th>from</th></tr>{rows}</table>{notes}<p>{_shown(_cost(result))}</p></body></html>"
    )


def _rows(result: ExploreResult) -> Iterator[str]:
    for test in result.tests:
        origin = "" if test.origin is None else f"test {test.origin[0]}, condition {test.origin[1]}"
        yield (
            f'<tr{" class=trouble" if test.trouble else ""} id="t{test.id}"><td>{test.id}</td>'
            f"<td>{_shown(test.condition)}</td><td>{_shown(test.trouble or test.result)}</td>"
            f"<td><pre>{_shown(test.test.command)}</pre><pre>{_shown(test.output)}</pre></td>"
            f"<td>{origin}</td></tr>"
        )


def _shown(text: str) -> str:
    return escape(visible(text))
