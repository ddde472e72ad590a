"""`whence`: which commands are there, and how does a command line end?"""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, NoReturn

import click
from click.shell_completion import get_completion_class
from rich.text import Text

from whence import __version__
from whence.cli.augment import augment
from whence.cli.chain import chain
from whence.cli.console import open_console, visible_lines
from whence.cli.contract import contract_command
from whence.cli.darwin import darwin
from whence.cli.environment import environment_group
from whence.cli.explain import explain
from whence.cli.explore import explore_command
from whence.cli.isolate import isolate
from whence.cli.settings import read_settings
from whence.cli.slice import slice_command
from whence.cli.startup import usable_cache
from whence.cli.trace import trace
from whence.cli.why import why
from whence.errors import UserError

USER_ERROR = 2
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What a system answers whose disk, permissions or limits are the problem.
_REFUSALS = (
    errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EAGAIN, errno.ENOMEM, errno.EMFILE,
    errno.ENFILE, errno.ENODEV, errno.ESTALE,
)  # fmt: skip


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="whence")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find the changes that broke a test, and show how they broke it.

    A test passed on the old version and fails on the new one.  whence explain finds the changes
    that broke it.  For C, C++ and Python it also shows the chain from the changes to the failure.
    In a git repository, git whence is a shorter way to run it (git whence -h).

    The parts of whence explain are commands too.  whence isolate finds the smallest set of changes
    by running the test on versions in between, in any language.  whence why shows what caused the
    failure of one run of a C, C++ or Python program, as a tree to browse and prune.  whence trace
    records such a run, and whence slice shows what a crash, an output byte or a variable depends on.

    whence explore needs no failure: it finds the classes of inputs that a program tells apart, and
    writes a test of each.

    whence chain proves how the damage travels to the failure: it puts values of a passing run into the
    failing run, and runs it again.

    whence darwin goes on where the fault is in no change, or the reference is another program: it names
    the branch at which the two treat the input differently.

    whence contract needs no failing test: it compares every call of every function that both
    versions have, and names the functions that behave differently although no contract says so.

    whence environment needs no second version: it finds out why a command passes on one machine and
    fails on another.

    \b
    whence explain --good v1.4 --bad HEAD --build make --test ./check.sh
    whence explain --good ../old --bad . --build make --test "./parse in.txt" --html why.html
    git whence v1.4 -- pytest -x tests/test_parse.py
    whence isolate --good pypi:click==8.2.0 --bad pypi:click==8.2.1 \\
                   --test "PYTHONPATH={tree} python $PWD/test.py"
    whence why --source . --build make --test ./check.sh --interactive
    whence trace --source . --build make --test ./check.sh --out run
    whence slice run --at crash
    whence explore --source . --build make --test "./triangle 3 4 5"
    whence contract --good v1.4 --bad HEAD --test "pytest -q"
    whence environment record --out good.rec -- ./server --check

    The file whence.toml in the current directory can set defaults for all options.
    """
    context.default_map = settings(Path())


def settings(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the defaults that whence.toml in `folder` gives, by command."""
    return read_settings({name: cmd.params for name, cmd in cli.commands.items()}, folder)


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes whence commands in a shell.

    \b
    bash:  eval "$(whence completion bash)"      in ~/.bashrc
    zsh:   eval "$(whence completion zsh)"       in ~/.zshrc
    fish:  whence completion fish | source       in config.fish
    """
    shell_class = get_completion_class(shell)
    assert shell_class is not None
    click.echo(shell_class(cli, {}, "whence", "_WHENCE_COMPLETE").source())


cli.add_command(explain)
cli.add_command(isolate)
cli.add_command(trace)
cli.add_command(slice_command)
cli.add_command(why)
cli.add_command(explore_command)
cli.add_command(augment)
cli.add_command(darwin)
cli.add_command(chain)
cli.add_command(environment_group)
cli.add_command(contract_command)


def main() -> None:
    """Run the `whence` command line."""
    goes_on = sys.argv[1:2] in (["chain"], ["explain"], ["explore"], ["isolate"], ["why"])
    run(cli, "whence", sys.argv[1:], goes_on=goes_on)


def run(command: click.Command, name: str, arguments: list[str], *, goes_on: bool) -> NoReturn:
    """Run a command line and exit; a user's mistake ends with one message and status 2.

    `goes_on`: after an interruption, the same command line continues with what is known.
    """
    debug = "--debug" in arguments
    if threading.current_thread() is threading.main_thread():
        # After `kill` or `timeout`, the tests that we started must end too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names and lines may contain bytes that are not text.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with usable_cache() as note:
            if note is not None:
                _complain(f"Note: {note}", slug="temporary-cache")
            status = command.main(arguments, name, standalone_mode=False)
    except UserError as error:
        if debug:
            traceback.print_exc()
        _complain(str(error), slug=error.slug)
        sys.exit(USER_ERROR)
    except OSError as error:
        if debug or not _is_refusal(error):
            raise
        _complain_about_system(error)
        sys.exit(USER_ERROR)
    except MemoryError as error:
        if debug:
            traceback.print_exc()
        _complain(
            f"There is not enough memory{f': {error}' if str(error) else ''}.\n"
            "Give whence more (ulimit -v, or the limit of the container), or use fewer --jobs.",
            slug="no-memory",
        )
        sys.exit(USER_ERROR)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(visible_lines(shown.getvalue()), err=True, nl=False)
        sys.exit(USER_ERROR)
    except (click.Abort, KeyboardInterrupt):
        _complain(
            "Interrupted, before anything was found.\n"
            "The same command continues with what is known so far."
            if goes_on
            else "Interrupted; nothing was kept.\nThe same command starts again from the beginning.",
            slug="interrupted",
        )
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)


def _is_refusal(error: OSError) -> bool:
    """Did the system refuse what whence asked of it?  Anything else is a bug of whence."""
    return isinstance(error, shutil.Error) or error.errno in (*_NO_SPACE, *_REFUSALS)


def _complain_about_system(error: OSError) -> None:
    text = str(error)
    if error.errno in _NO_SPACE or os.strerror(errno.ENOSPC) in text:
        _complain(
            f"The disk is full: {error.filename or error.strerror or text}.\n"
            "Free some space, or set TMPDIR to a directory with more space, and run the same command "
            "again: it continues with what is known so far.",
            slug="disk-full",
        )
    else:
        _complain(
            f"The system did not do what whence needs: {text}.\n"
            "Check permissions, limits (ulimit -a) and the disk, and run the same command again: it "
            "continues with what is known so far.",
            slug="system-refused",
        )


def _complain(message: str, *, slug: str) -> None:
    console = open_console(stderr=True)
    first, _, rest = message.partition("\n")
    console.print(Text.assemble(("whence: ", "bold red"), first))
    if rest:
        console.print(Text(rest))
    console.print(Text(f"[{slug}]", style="dim"))
