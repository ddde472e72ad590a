"""`whence augment`: which tests show what the changes between two versions change?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.cli.options import SOURCE_OPTIONS, Seconds, Size, check_writable, with_options
from whence.cli.recording import sayer
from whence.cli.reports import write_reports
from whence.errors import UserError
from whence.languages import LANGUAGES
from whence.model import AugmentResult
from whence.paths.input_spec import parse_input_spec
from whence.report.augment import augment_document, augment_page, augment_text
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.service.recording import prepare
from whence.subject.trial import BuildAndTest
from whence.temporary import unused_path

_NODE = re.compile(r"[^\s<>|&;]+\.py(::[^<>|&;]+)?")
_OPTIONS: list[Callable[..., Any]] = [
    click.option("--good", required=True, metavar="SRC", help="The version before the changes: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
    click.option("--bad", required=True, metavar="SRC", help="The version with the changes."),
    click.option("--test", metavar="CMD", help="Shell command that runs a test in the version's tree ({tree}); new tests start from it."),
    click.option("--tests", "tests_file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", help="A file with more tests, one a line: a command, or a pytest node id."),
    click.option("--build", metavar="CMD", help="Shell command that builds the program; $CC and $CXX are set."),
    click.option("--change", "chosen", multiple=True, metavar="ID|FILE:LINE", help="A change to look at; may be repeated.  [default: all]"),
    click.option("--contracts", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help="A file of contracts: a difference that they allow is left out; may be repeated.  [default: those in the source]"),
    click.option("--input", "inputs", multiple=True, metavar="SPEC", help="An input that may change: argv, argv:N, stdin, file:GLOB, env:NAME or literals; may be repeated.  [default: those that the test names]"),
    click.option("--time", "seconds", type=Seconds(), default=60.0, show_default=True, metavar="S", help="Limit in seconds on the search for one change."),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder for the new tests.  [default: a temporary folder, which is named]"),
    click.option("--frontend", type=click.Choice(["auto", *LANGUAGES]), default="auto", show_default=True, help="The language of the program."),
    *SOURCE_OPTIONS,
    click.option("--timeout", type=Seconds(), metavar="S", help="Time limit in seconds for one build or test."),
    click.option("--memory", type=Size(), metavar="SIZE", help="Memory limit for one process, such as 2G."),
    click.option("--json", "json_file", metavar="FILE", help="Write the result document as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with each change, where its effect goes, and both outputs."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
def augment(**options: Any) -> int:
    """Make a test for each change that shows what the change changed.

    A change is exposed by a test that ends differently on the two versions.  For a change that no
    given test exposes, whence looks for inputs that reach it, and then for inputs that carry its
    effect to the output.  Each new test is run on plain builds of both versions.

    \b
    whence augment --good main --bad HEAD --build make --test "./parse in.txt" --out tests

    Exit status: 0 all changes were looked at, 1 stopped before, 2 usage or setup error.
    """
    check_writable(options["json_file"], options["html_file"])
    request = _request(options)
    if options["out"] is not None:
        prepare(options["out"])
    out = options["out"] or unused_path("whence-augment-")
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    result = augment_tests(request, out.absolute(), say)
    _report(result, options)
    return 0 if result.is_done else 1


def _request(options: dict[str, Any]) -> AugmentRequest:
    tests = [options["test"]] if options["test"] else []
    if options["tests_file"] is not None:
        lines = options["tests_file"].read_text("utf-8", "replace").split("\n")
        tests += [_command(one) for line in lines if (one := line.strip()) and one[0] != "#"]
    if not tests:
        raise UserError(
            "There is no test to start from.\n"
            'Give one with --test "COMMAND", or a file with one command a line with --tests FILE.',
            slug="no-test",
        )
    commands = BuildAndTest(
        test=tests[0],
        build=options["build"],
        asked_timeout=options["timeout"],
        memory=options["memory"],
    )
    return AugmentRequest(
        good=options["good"],
        bad=options["bad"],
        commands=commands,
        more_tests=tuple(tests[1:]),
        repo=options["repo"],
        chosen=tuple(options["chosen"]),
        contracts=tuple(options["contracts"]),
        specs=tuple(map(parse_input_spec, options["inputs"])),
        seconds=options["seconds"],
        frontend=options["frontend"],
    )


def _command(test: str) -> str:
    """Return the command of a test; a pytest node id is run with pytest."""
    is_node = _NODE.fullmatch(test) is not None
    return f"python3 -m pytest -q {shlex.quote(test)}" if is_node else test


def _report(result: AugmentResult, options: dict[str, Any]) -> None:
    write_reports(
        options,
        augment_document(result),
        lambda _: augment_text(result),
        html=lambda: augment_page(result),
    )
