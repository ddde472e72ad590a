"""Where does the answer of a command go: to the terminal, and to files in which formats?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from whence.cli.console import open_console
from whence.cli.options import put

_WIDTH = 100  # columns of a report that does not go to a terminal

Document = Mapping[str, Any]


def write_reports(
    options: Mapping[str, Any],
    document: Document,
    text: Callable[[int], RenderableType] | None,
    **formats: Callable[[], str | bytes],
) -> None:
    """Print the answer, then write the files that --json, --html and the like ask for.

    `text` gets the width of the report; None: the user has seen the answer already.  `formats`
    has a function for each further format: `html` for --html FILE.
    """
    shown = as_json(document)
    if options["json_file"] == "-":
        click.echo(shown, nl=False)
    else:
        if text is not None:
            console = open_console()
            console.print(text(console.width if console.is_terminal else _WIDTH))
        if options["json_file"]:
            put(Path(options["json_file"]), shown.encode())
    for name, content in formats.items():
        if options[f"{name}_file"]:
            found = content()
            put(Path(options[f"{name}_file"]), found.encode() if isinstance(found, str) else found)


def as_json(document: Document) -> str:
    return f"{json.dumps(document, indent=1)}\n"
