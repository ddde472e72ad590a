"""`whence darwin`: at which branch do two versions, or two programs, treat an input differently?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.cli.options import SOURCE_OPTIONS, Seconds, Size, check_writable, with_options
from whence.cli.recording import sayer
from whence.cli.reports import as_json, write_reports
from whence.languages import LANGUAGES
from whence.model import DarwinResult
from whence.paths.input_spec import parse_input_spec
from whence.report.darwin import darwin_document, darwin_text
from whence.report.darwin_page import darwin_page, darwin_sarif
from whence.service.program_pair import DarwinRequest, compare_programs
from whence.service.recording import prepare
from whence.subject.trial import BuildAndTest
from whence.temporary import unused_path

_OPTIONS: list[Callable[..., Any]] = [
    click.option("--good", required=True, metavar="SRC", help="The version, or the other program, that treats the input correctly: a directory, an archive, a git revision of --repo, or pypi:NAME==VERSION."),
    click.option("--bad", required=True, metavar="SRC", help="The version that fails."),
    click.option("--test", required=True, metavar="CMD", help="Shell command that runs the test in the version's tree ({tree})."),
    click.option("--build", metavar="CMD", help="Shell command that builds the program; $CC and $CXX name whence's compilers."),
    click.option("--test-good", metavar="CMD", help="The test command of the good version, if it is another program.  [default: --test]"),
    click.option("--build-good", metavar="CMD", help="The build command of the good version; an empty one builds nothing.  [default: --build]"),
    click.option("--by", type=click.Choice(["slice", "path"]), default="slice", show_default=True, help="Compare what the failing output depends on, or everything that the programs did."),
    click.option("--predicates/--no-predicates", default=None, help="Compare values too, not only branches.  [default: if the branches do not tell enough]"),
    click.option("--input", "inputs", multiple=True, metavar="SPEC", help="An input that may change: argv, argv:N, stdin, file:GLOB, env:NAME or literals; may be repeated.  [default: those that the test names]"),
    click.option("--frontend", type=click.Choice(["auto", *LANGUAGES]), default="auto", show_default=True, help="The language of the programs."),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder for the tests that whence makes.  [default: a temporary folder, which is named]"),
    *SOURCE_OPTIONS,
    click.option("--timeout", type=Seconds(), metavar="S", help="Time limit in seconds for the build, and for the test."),
    click.option("--memory", type=Size(), metavar="SIZE", help="Memory limit for one process, such as 2G."),
    click.option("--json", "json_file", metavar="FILE", help="Write the result document as JSON; - prints only that."),
    click.option("--html", "html_file", metavar="FILE", help="Write a page with all suspects."),
    click.option("--sarif", "sarif_file", metavar="FILE", help="Write SARIF 2.1.0, for code scanning and editors."),
    click.option("--quiet", "-q", is_flag=True, help="Do not report progress."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]  # fmt: skip


@click.command()
@with_options(_OPTIONS)
def darwin(**options: Any) -> int:
    """Find the branch at which two versions treat the input of a failing test differently.

    whence compares what both programs demand of the input.  It looks for another input that the
    good version treats like the failing one, and the bad version does not: the branch where the bad
    version parts is a suspect.  It may lie in code that no change touches.  The good version may be
    another implementation: give --test-good and --build-good.

    Exit status: 0 a suspect found, 1 none (the report says why), 2 usage or setup error.
    """
    check_writable(options["json_file"], options["html_file"], options["sarif_file"])
    say = sayer(quiet=options["quiet"] or options["json_file"] == "-")
    request = _request(options)
    if options["out"] is not None:
        prepare(options["out"])
    out = options["out"] or unused_path("whence-darwin-")
    result = compare_programs(request, out.absolute(), say)
    _report(result, options)
    return 0 if result.suspects else 1


def _request(options: dict[str, Any]) -> DarwinRequest:
    build_good = options["build_good"]
    return DarwinRequest(
        good=options["good"],
        bad=options["bad"],
        commands_good=_commands(
            options,
            options["test_good"] or options["test"],
            options["build"] if build_good is None else build_good or None,
        ),
        commands_bad=_commands(options, options["test"], options["build"]),
        repo=options["repo"],
        inputs=tuple(map(parse_input_spec, options["inputs"])),
        by=options["by"],
        predicates=options["predicates"],
        frontend=options["frontend"],
    )


def _commands(options: dict[str, Any], test: str, build: str | None) -> BuildAndTest:
    return BuildAndTest(
        test=test, build=build, asked_timeout=options["timeout"], memory=options["memory"]
    )


def _report(result: DarwinResult, options: dict[str, Any]) -> None:
    write_reports(
        options,
        darwin_document(result),
        lambda _: darwin_text(result),
        html=lambda: darwin_page(result),
        sarif=lambda: as_json(darwin_sarif(result)),
    )
