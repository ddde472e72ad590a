"""`git whence GOOD [BAD] -- TEST`: which changes of this repository broke the test, and how?"""

from __future__ import annotations

import glob
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from whence.cli.explain import explain
from whence.cli.main import run, settings
from whence.cli.settings import FILE
from whence.errors import UserError
from whence.service.repository import Repository, about, first_bad, here
from whence.service.test_files import NamedFiles, named_in

_SAID_OTHERWISE = ("good", "bad", "test", "repo")  # options of explain
_TESTS_GOOD = ("good-fails", "good-is-broken", "test-not-found")  # messages that it cannot


class _Command(click.Command):
    """Takes what follows `--` as the test, and defaults from the repository's whence.toml."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.obj = args[at + 1 :]
        if not {"-h", "--help"}.intersection(args[:at]):
            top = here().work_tree
            folder = Path() if FILE.exists() or top is None else top
            ctx.default_map = settings(folder)["explain"]
        return super().parse_args(ctx, args[:at])


@click.command(
    cls=_Command,
    params=[
        click.Argument(["revisions"], nargs=-1, metavar="GOOD [BAD] -- TEST..."),
        click.Option(["--bisect"], is_flag=True, help="Explain the first bad commit that git bisect has just found."),
        click.Option(["--no-keep"], is_flag=True, help="Take the files of the test itself for changes too."),
        *(param for param in explain.params if param.name not in _SAID_OTHERWISE),
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
    """Find the changes between two revisions that broke a test, and show how they did.

    BAD is the work tree if you do not name it: tracked and new files as they are now, without
    ignored ones.  GOOD..BAD is understood too.

    The test runs in the directory where you are, in copies of the two versions and of versions
    in between, and so does --build.  One word is a shell command.  Files that it names stay as in
    BAD if GOOD lacks them, or if they are called a test.

    \b
    git whence v1.4 -- pytest -x tests/test_parse.py
    git whence --build make v1.4 HEAD -- './parse < in.txt | grep -q ok'
    git bisect start HEAD v1.4 && git bisect run ./check.sh && git whence --bisect -- ./check.sh

    Defaults come from whence.toml, here or at the top of the repository.

    Exit status: 0 explained, 1 not explained (the report says why), 2 something to mend first.
    """
    repository, say = here(), _silent if options["quiet"] else _say
    good, bad = _named(repository, _bisected(revisions, say) if bisect else revisions)
    test, folder = _test(context, repository.prefix)
    changed = repository.changed(good, bad)
    named = named_in("" if no_keep else test, folder, changed)
    _check_rest(named, changed)
    if named.tests:
        say(f"the test command names {', '.join(named.tests)}: kept as in BAD (or --no-keep)")
    if context.get_parameter_source("build") is ParameterSource.COMMANDLINE:
        options["build"] = _inside(repository.prefix, options["build"])
    options["keep"] = (*options["keep"], *map(glob.escape, named.tests))
    options |= {"good": good, "bad": bad or _here_or(repository.work_tree)}
    options |= {"test": _inside(folder, test), "repo": repository.place}
    return _explained(options, named)


def main() -> None:
    """Entry point of git-whence, which git runs as `git whence`."""
    run(git_whence, "git whence", sys.argv[1:], goes_on=True)


def _say(words: str) -> None:
    click.echo(f"whence: {words}", err=True)


def _silent(words: str) -> None:
    """Say nothing."""


# -- the two versions ------------------------------------------------------------------------


def _named(repository: Repository, revisions: Sequence[str]) -> tuple[str, str | None]:
    """Return what names GOOD and BAD; None is the work tree."""
    if len(revisions) == 1 and ".." in revisions[0].replace("...", ""):
        revisions = [end or "HEAD" for end in revisions[0].split("..")]
    if not 1 <= len(revisions) <= 2:
        raise click.UsageError(
            "GOOD is missing: a revision on which the test passes."
            if not revisions
            else f"{' '.join(revisions)} is more than GOOD and BAD; the test command comes after --."
        )
    if len(revisions) == 1 and repository.work_tree is None:
        raise UserError(
            f"{repository.git_dir} has no work tree here that could be BAD.\n"
            "Name a revision for it: git whence GOOD BAD -- TEST",
            slug="no-work-tree",
        )
    good, *bad = map(repository.revision, revisions)
    return good, bad[0] if bad else None


def _bisected(revisions: Sequence[str], say: Callable[[str], None]) -> tuple[str, str]:
    """Return what names the parent of the first bad commit, and what names the commit."""
    if revisions:
        raise click.UsageError("--bisect knows GOOD and BAD; leave them out.")
    commit = first_bad()
    say(f"the first bad commit is {about(commit)}")
    return f"{commit[:12]}^", commit[:12]


def _here_or(work_tree: Path | None) -> str:
    return "." if work_tree == Path.cwd() else str(work_tree)


# -- the test --------------------------------------------------------------------------------


def _test(context: click.Context, prefix: str) -> tuple[str, str]:
    """Return the test command, and the directory of the tree that it runs in."""
    words: list[str] = context.obj
    if not words:
        default = (context.default_map or {}).get("test")
        if default is None:
            raise click.UsageError("The test command is missing: put it last, after --.")
        return default, ""
    return words[0] if len(words) == 1 else " ".join(map(_quoted, words)), prefix


def _quoted(word: str) -> str:
    """Return a word for the shell, in which {tree} can still be replaced by a quoted path."""
    return "{tree}".join(shlex.quote(p) if p else "" for p in word.split("{tree}")) or "''"


def _inside(folder: str, command: str) -> str:
    """Return a command that runs in a directory of the tree; without that, it says nothing."""
    return f"cd {shlex.quote(folder)} || exit 125; {command}" if folder else command


def _check_rest(named: NamedFiles, changed: Mapping[str, str]) -> None:
    if changed and not any(named.leaves(path) for path in changed):
        raise UserError(
            f"Only {', '.join(named.tests)} differs between GOOD and BAD, and the test command "
            "names it: that is the test itself.\n"
            "If the test came with BAD, what it finds is older: choose an older GOOD. To find out "
            "what in it makes it fail: --no-keep",
            slug="only-the-test-changed",
        )


def _explained(options: dict[str, Any], named: NamedFiles) -> int:
    assert explain.callback is not None
    try:
        return int(explain.callback(**options))
    except UserError as error:
        hints = []
        if named.tests:
            hints.append(f"This was with {', '.join(named.tests)} of BAD; --no-keep takes GOOD's.")
        if named.others:
            keep = " ".join(f"--keep {shlex.quote(path)}" for path in named.others)
            hints.append(f"If what the test command names is the test itself: {keep}")
        if error.slug not in _TESTS_GOOD or not hints:
            raise
        raise UserError("\n".join([str(error), *hints]), slug=error.slug) from error
