"""`whence explain`: which changes broke the test, and how?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from whence.changes.changeset import ChangeSet
from whence.cli.isolate import OPTIONS, claimed, request_from
from whence.cli.options import Size, check_writable, with_options
from whence.cli.progress import watcher_for
from whence.cli.reports import as_json, write_reports
from whence.explain.next_command import with_next_command
from whence.explain.session import FRONTEND_CHOICES, ExplainRequest, explain_failure
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.model import Explanation
from whence.report.dot import explain_dot
from whence.report.explain_html import explain_page
from whence.report.explanation import explain_document
from whence.report.patch import to_patch
from whence.report.sarif import explain_sarif
from whence.report.story import explain_text

_MORE: list[Callable[..., Any]] = [
    click.option("--frontend", type=click.Choice(FRONTEND_CHOICES), default="auto", show_default=True, help="The language of the program; none: find the changes, but do not explain how they broke the test."),
    click.option("--trust", multiple=True, metavar="NAME", help="Treat NAME as correct: show its call, not its body."),
    click.option("--max-trace", type=Size(), default=DEFAULT_MAX_TRACE, show_default="4G", metavar="SIZE", help="Limit on the log of one recorded process."),
    click.option("--prove", is_flag=True, help="Test each link of the chain: put the fixed values in there, and run the test again."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with the diff, the source and the causes, linked to each other."),
    click.option("--sarif", "sarif_file", metavar="FILE", help="Write SARIF 2.1.0, for code scanning and editors."),
    click.option("--dot", "dot_file", metavar="FILE", help="Write the cause tree for Graphviz."),
]  # fmt: skip


@click.command()
@with_options([*OPTIONS, *_MORE])
def explain(**options: Any) -> int:
    """Find the changes that broke the test, and show how they broke it.

    Exit status: 0 explained, 1 not explained (the report says why), 2 usage or setup error.
    """
    request = ExplainRequest(
        request_from(options),
        frontend=options["frontend"],
        trust=tuple(options["trust"]),
        max_trace=options["max_trace"],
        proves=options["prove"],
    )
    files = (options[f"{name}_file"] for name in ("json", "patch", "html", "sarif", "dot"))
    check_writable(*files)
    explanation, changes = explain_failure(request, watcher_for(quiet=options["quiet"]))
    explanation = with_next_command(explanation, request, changes.touched)
    _write(explanation, changes, options)
    expected = ("explained", "isolated") if options["frontend"] == "none" else ("explained",)
    return 0 if explanation.result.status in expected else 1


def _write(explanation: Explanation, changes: ChangeSet, options: dict[str, Any]) -> None:
    write_reports(
        options,
        explain_document(explanation),
        lambda width: explain_text(explanation, width=width),
        patch=lambda: to_patch(changes, claimed(explanation.result)),
        html=lambda: explain_page(explanation),
        sarif=lambda: as_json(explain_sarif(explanation)),
        dot=lambda: explain_dot(explanation),
    )
