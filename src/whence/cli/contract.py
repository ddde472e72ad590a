"""`whence contract`: did behaviour change only where it was meant to?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Group
from rich.text import Text

from whence.cli.options import SOURCE_OPTIONS, Seconds, Size, check_writable, with_options
from whence.cli.progress import watcher_for
from whence.cli.recording import sayer
from whence.cli.reports import as_json, write_reports
from whence.contract.explaining import ExplainedDifference, explain_difference
from whence.contract.session import ContractRequest, check_contracts
from whence.model import ContractResult
from whence.report.contract import contract_document, contract_text
from whence.report.contract_files import contract_page, contract_sarif
from whence.report.explanation import explain_document
from whence.report.story import explain_text
from whence.report.visible import visible
from whence.source_lines import source_lines
from whence.subject.trial import BuildAndTest

_OPTIONS: list[Callable[..., Any]] = [
    click.option("--good", required=True, metavar="SRC", help="The version that behaves as it should: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
    click.option("--bad", required=True, metavar="SRC", help="The new version, named in the same ways."),
    click.option("--test", required=True, metavar="CMD", help="Shell command that runs the tests in the version's tree ({tree}). They may pass or fail."),
    click.option("--build", metavar="CMD", help="Shell command run before the test; $CC and $CXX are set."),
    click.option("--contracts", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help="A file of contracts, for functions whose source is not yours; may be repeated."),
    click.option("--explain", metavar="FUNCTION", help="Also explain the first differing call of a function: which changes, and how."),
    click.option("--keep", multiple=True, metavar="GLOB", help="Files that both versions have as the bad one has them, such as the tests; may be repeated."),
    *SOURCE_OPTIONS,
    click.option("--timeout", type=Seconds(), metavar="S", help="Time limit in seconds for one build or test."),
    click.option("--memory", type=Size(), metavar="SIZE", help="Memory limit for one process of a build or test, such as 2G."),
    click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with every function and its first differing call."),
    click.option("--sarif", "sarif_file", metavar="FILE", help="Write SARIF 2.1.0, for code scanning and editors."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command("contract")
@with_options(_OPTIONS)
def contract_command(**options: Any) -> int:
    """Find the functions that behave differently although no contract says that they should.

    The test runs on both versions.  Every call of a function that both have is compared with the
    call of the good version, if both start in the same state: its result, its exception, what it
    changed and what it wrote.  A contract, a comment before the function, says which change is
    meant; without one, everything must be equal.

    Exit status: 0 kept, 1 changed or broken, 2 usage or setup error.
    """
    check_writable(*(options[f"{name}_file"] for name in ("json", "html", "sarif")))
    commands = BuildAndTest(
        test=options["test"], build=options["build"], asked_timeout=options["timeout"],
        memory=options["memory"],
    )  # fmt: skip
    request = ContractRequest(
        options["good"], options["bad"], commands, options["repo"], options["contracts"],
        tuple(options["keep"]),
    )  # fmt: skip
    is_quiet = options["quiet"] or options["json_file"] == "-"
    if options["explain"]:
        explained = explain_difference(request, options["explain"], watcher_for(quiet=is_quiet))
        _report(explained.result, options, explained)
        return 1
    result = check_contracts(request, sayer(quiet=is_quiet))
    _report(result, options)
    return 0 if result.is_kept else 1


def _report(
    result: ContractResult, options: dict[str, Any], explained: ExplainedDifference | None = None
) -> None:
    document = contract_document(result)
    if explained is not None:
        document["explained"] = {
            "function": options["explain"],
            "test": explained.test,
            "explanation": explain_document(explained.explanation),
        }

    def text(width: int) -> Group:
        parts = [contract_text(result)]
        if explained is not None:
            parts.append(Text(f"\nWhy {options['explain']} differs: this test fails", style="bold"))
            parts.append(Text(_lines_of(explained.test), style="dim"))
            parts.append(explain_text(explained.explanation, width=width))
        return Group(*parts)

    write_reports(
        options,
        document,
        text,
        html=lambda: contract_page(result),
        sarif=lambda: as_json(contract_sarif(result)),
    )


def _lines_of(test: str) -> str:
    """Return the lines of a test that make the state of a call, call it and assert."""
    lines = source_lines(test.rpartition("\n\n\n")[2])
    return "".join(f"  {visible(line)}\n" for line in lines)
