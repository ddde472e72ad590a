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

Document = Mapping[str, Any]


def write_reports(
    options: Mapping[str, Any],
    document: Document,
    text: Callable[[], RenderableType],
    page: Callable[[], str],
    sarif: Callable[[], Document] | None = None,
) -> None:
    """Write what --json, --html and --sarif ask for, and print the text unless JSON is printed."""
    shown = json.dumps(document, indent=1)
    if options["html_file"]:
        put(Path(options["html_file"]), page().encode())
    if sarif is not None and options["sarif_file"]:
        put(Path(options["sarif_file"]), f"{json.dumps(sarif(), indent=1)}\n".encode())
    if options["json_file"] == "-":
        click.echo(shown)
        return
    open_console().print(text())
    if options["json_file"]:
        put(Path(options["json_file"]), f"{shown}\n".encode())
