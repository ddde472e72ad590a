"""How is the test of a recorded tree run, and run again to see whether it ends the same way?"""

from __future__ import annotations

import ctypes
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.file_trees import copy_tree
from whence.frontend.recorded_run import SecondRun
from whence.subject.beneath import delete_tree
from whence.subject.command import Ended, run_command
from whence.subject.layouts import run_variables
from whence.subject.reads import ReadLog
from whence.subject.trial import BuildAndTest, judge

# Arguments of personality(2): turn address randomisation off; read the present value.
ADDR_NO_RANDOMIZE = 0x0040000
CURRENT = 0xFFFFFFFF


def run_in_tree(
    command: str, tree: Path, env: dict[str, str], commands: BuildAndTest,
    seconds: float | None = None, reads: ReadLog | None = None,
) -> Ended:  # fmt: skip
    """Run a command in a tree; `seconds` is a limit other than that of `commands`."""
    if command == commands.test:
        env = env | run_variables(commands.layout)
    return run_command(
        command.replace("{tree}", shlex.quote(str(tree))), cwd=tree, env=env,
        timeout=seconds or commands.timeout or commands.asked_timeout, memory=commands.memory,
        stop=None, reads=reads,
    )  # fmt: skip


def spare_copy(tree: Path) -> Path | None:
    """Return a copy of the tree beside it; None if it cannot be made (no space)."""
    copy = tree.with_name(f"{tree.name}.copy")
    try:
        copy_tree(tree, copy)
    except OSError:
        delete_tree(copy)
        return None
    return copy


def run_again(
    tree: Path, spare: Path, commands: BuildAndTest, env: dict[str, str], first: Ended
) -> SecondRun:
    """Run the test again in `spare`, a copy of the tree from before the first run.

    The copy takes the tree's place, because programs contain the path where they were built.
    """
    tree.rename(tree.with_name(f"{tree.name}.used"))
    spare.rename(tree)
    reads = ReadLog(tree.with_name(f"{tree.name}.reads"), tree, ours=(tree.parent,))
    ended = run_in_tree(commands.test, tree, env, commands, reads=reads)
    run = judge(ended, commands, tree)
    return SecondRun(run.outcome, run.failure, ended.stdout == first.stdout, reads.read())


@contextmanager
def fixed_addresses() -> Iterator[None]:
    """Make programs that are started within load at the same addresses each time, if allowed."""
    try:
        personality = ctypes.CDLL(None).personality
    except (OSError, AttributeError):
        yield
        return
    before = personality(ctypes.c_ulong(CURRENT))
    personality(ctypes.c_ulong(before | ADDR_NO_RANDOMIZE))
    try:
        yield
    finally:
        personality(ctypes.c_ulong(before))
