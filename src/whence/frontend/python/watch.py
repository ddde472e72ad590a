"""How are the calls of a Python project watched while its test runs?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from whence.frontend.python.record import COMPARABLE, build_plain, hooked
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES
from whence.frontend.test_execution import run_in_tree
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, environment
from whence.temporary import temporary_folder


def run_watched(
    tree: Path, commands: BuildAndTest, out: Path, changed: Iterable[tuple[str, int]],
    *, max_trace: int = DEFAULT_MAX_TRACE, hash_seed: int = 0, again: bytes | None = None,
) -> Ended:  # fmt: skip
    """Run the test, and log the calls of the functions in `tree` to the empty folder `out`.

    `changed` lists file and first line of the functions of which most calls are to be logged.
    `again` has calls that are to be run again at the end, as the recorder reads them.
    """
    (out / MODULES).mkdir()
    env = environment(tree) | COMPARABLE | {"PYTHONHASHSEED": str(hash_seed)}
    if commands.build is not None:
        build_plain(commands, tree, env)
    with temporary_folder("hook") as scratch:
        listed = scratch / "changed"
        rows = [f"{file}\t{line}\n" for file, line in sorted(changed)]
        listed.write_text("".join(rows), "utf-8", "surrogateescape")
        asked = None if again is None else scratch / "again"
        if asked is not None and again is not None:
            asked.write_bytes(again)
        hook = hooked(scratch, tree, out, env, max_trace=max_trace, watched=listed, again=asked)
        return run_in_tree(hook.command(commands.test), tree, hook.environment(env), commands)
