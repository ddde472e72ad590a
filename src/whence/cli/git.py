"""`git whence GOOD [BAD] -- TEST`: which changes of this repository broke the test, and how?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from whence.cli.console import visible_lines
from whence.cli.explain import explain
from whence.cli.main import run, settings
from whence.cli.settings import FILE
from whence.errors import UserError
from whence.service.git_request import request_for, revisions_of
from whence.service.repository import commit_title, current_repository, first_bad
from whence.service.shell_commands import quoted, run_in

# Options of `whence explain` that `git whence` has as arguments, or finds out itself.
_NOT_OPTIONS = ("good", "bad", "test", "repo")


class _Command(click.Command):
    """A command whose test follows `--`, with defaults from the repository's whence.toml."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.obj = args[end + 1 :]
        if not {"-h", "--help"}.intersection(args[:end]):
            top = current_repository().work_tree
            folder = Path() if FILE.exists() or top is None else top
            ctx.default_map = settings(folder)["explain"]
        return super().parse_args(ctx, args[:end])


@click.command(
    cls=_Command,
    params=[
        click.Argument(["revisions"], nargs=-1, metavar="GOOD [BAD] -- TEST..."),
        click.Option(["--bisect"], is_flag=True, help="Explain the first bad commit that git bisect has just found."),
        click.Option(["--no-keep"], is_flag=True, help="Treat the test's own files as changes too."),
        *(param for param in explain.params if param.name not in _NOT_OPTIONS),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@click.pass_context
def git_whence(
    context: click.Context,
    /,
    revisions: tuple[str, ...],
    bisect: bool,
    no_keep: bool,
    **options: Any,
) -> int:
    """Find the changes between two revisions that broke a test, and show how they broke it.

    If you do not name BAD, it is the work tree: tracked and new files as they are now, without
    ignored ones.  You may also write GOOD..BAD.

    The test and --build run in copies of the two versions and of versions in between, in the
    directory that corresponds to your current one.  A test of one word is a shell command.  Files
    that the test command names stay as in BAD if GOOD lacks them, or if their name says test.

    \b
    git whence v1.4 -- pytest -x tests/test_parse.py
    git whence --build make v1.4 HEAD -- './parse < in.txt | grep -q ok'
    git bisect start HEAD v1.4 && git bisect run ./check.sh && git whence --bisect -- ./check.sh

    Defaults come from whence.toml in the current directory or at the top of the repository.

    Exit status: 0 explained, 1 not explained (the report says why), 2 usage or setup error.
    """
    repository, say = current_repository(), _silent if options["quiet"] else _say
    versions = _bisected(revisions, say) if bisect else _two_revisions(revisions)
    test, folder = _test(context, repository.prefix)
    request = request_for(repository, versions, test, folder=folder, keep_tests=not no_keep)
    if request.named.tests:
        files = ", ".join(request.named.tests)
        say(f"the test command names {files}: kept as in BAD (unless --no-keep)")
    if context.get_parameter_source("build") is ParameterSource.COMMANDLINE:
        options["build"] = run_in(repository.prefix, options["build"])
    options["keep"] = (*options["keep"], *request.keep)
    options |= {"good": request.good, "bad": request.bad}
    options |= {"test": request.test, "repo": request.repo}
    assert explain.callback is not None
    try:
        return int(explain.callback(**options))
    except UserError as error:
        raise request.with_hints(error) from error


def main() -> None:
    """Run git-whence, which git starts as `git whence`."""
    run(git_whence, "git whence", sys.argv[1:], goes_on=True)


def _say(words: str) -> None:
    click.echo(f"whence: {visible_lines(words)}", err=True)


def _silent(words: str) -> None:
    """Report nothing."""


def _two_revisions(words: Sequence[str]) -> Sequence[str]:
    """Return GOOD, or GOOD and BAD."""
    revisions = revisions_of(words)
    if not 1 <= len(revisions) <= 2:
        raise click.UsageError(
            "GOOD is missing: a revision on which the test passes."
            if not revisions
            else f"{' '.join(revisions)} is more than GOOD and BAD; the test command comes after --."
        )
    return revisions


def _bisected(revisions: Sequence[str], say: Callable[[str], None]) -> tuple[str, str]:
    """Return the names of the first bad commit's parent and of the commit."""
    if revisions:
        raise click.UsageError("--bisect finds GOOD and BAD itself; leave them out.")
    commit = first_bad()
    say(f"the first bad commit is {commit_title(commit)}")
    return f"{commit[:12]}^", commit[:12]


def _test(context: click.Context, prefix: str) -> tuple[str, str]:
    """Return the test command, and the folder of the tree that it runs in."""
    words: list[str] = context.obj
    if not words:
        default = (context.default_map or {}).get("test")
        if default is None:
            raise click.UsageError("The test command is missing: put it last, after --.")
        return default, ""
    return words[0] if len(words) == 1 else " ".join(map(quoted, words)), prefix
