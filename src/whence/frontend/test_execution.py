"""How is the test of a recorded tree run, and run once more to see whether it ends alike?"""

from __future__ import annotations

import ctypes
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.frontend.recorded_run import SecondRun
from whence.subject.command import Ended, run_command
from whence.subject.trial import BuildAndTest, judge

ADDR_NO_RANDOMIZE = 0x0040000
CURRENT = 0xFFFFFFFF


def run_in_tree(command: str, tree: Path, env: dict[str, str], recipe: BuildAndTest) -> Ended:
    return run_command(
        command.replace("{tree}", shlex.quote(str(tree))), cwd=tree, env=env,
        timeout=recipe.timeout or recipe.asked_timeout, memory=recipe.memory, stop=None,
    )  # fmt: skip


def spare_copy(tree: Path) -> Path | None:
    """A copy of the tree beside it; None if that cannot be, as for want of space."""
    copy = tree.with_name(f"{tree.name}.copy")
    try:
        return Path(shutil.copytree(tree, copy, symlinks=True))
    except OSError:
        shutil.rmtree(copy, ignore_errors=True)
        return None


def run_again(
    tree: Path, spare: Path, recipe: BuildAndTest, env: dict[str, str], first: Ended
) -> SecondRun:
    """Run the test once more in `spare`, the tree without what the first run left in it.

    It takes the tree's place, as programs know where they were built.
    """
    tree.rename(tree.with_name(f"{tree.name}.used"))
    spare.rename(tree)
    ended = run_in_tree(recipe.test, tree, env, recipe)
    run = judge(ended, recipe, tree)
    return SecondRun(run.outcome, run.failure, ended.stdout == first.stdout)


@contextmanager
def fixed_addresses() -> Iterator[None]:
    """Have programs started within load at the same addresses each time, where that is allowed."""
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
