"""Build a version so that it records itself, run its test, and keep what the run wrote down."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from whence.errors import UserError
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, RUN, RecordedRun, write_run
from whence.frontend.test_execution import fixed_addresses, run_again, run_in_tree, spare_copy
from whence.model import Failure, Outcome
from whence.subject.trial import BuildAndTest, environment, judge

_LACKS_COMPILER = re.compile(
    r"^whence-c\S+: (.*?) \[(no-clang|runtime-does-not-compile)\]$", re.DOTALL | re.MULTILINE
)


def record(
    tree: Path, recipe: BuildAndTest, out: Path, *, max_trace: int = DEFAULT_MAX_TRACE,
    mode: str = "record", twice: bool = False,
) -> RecordedRun:  # fmt: skip
    """Build `tree` with whence's compilers, run the test, and leave the trace in `out`.

    `tree` is built in place: it is a workspace of ours.  `out` must be an empty folder.
    `twice` runs the test once more without recording it, and `out` tells how that ended.
    """
    out = out.absolute()  # the build and the test run elsewhere
    modules = out / MODULES
    modules.mkdir()
    env = recording_environment(tree, modules, mode)
    if recipe.build is not None:
        build_recorded(recipe, tree, env)
    spare = spare_copy(tree) if twice else None
    recording = env | {"WHENCE_TRACE": str(out), "WHENCE_MAX_TRACE": str(max_trace)}
    with fixed_addresses():
        ended = run_in_tree(recipe.test, tree, recording, recipe)
    run = judge(ended, recipe, tree)
    again = run_again(tree, spare, recipe, env, ended) if spare and not ended.timed_out else None
    write_run(out, tree, recipe, run, ended, again, frontend="c")
    return RecordedRun(out, run, ended.seconds, ended.stdout, ended.stderr, ended.status)


def recording_environment(tree: Path, modules: Path, mode: str) -> dict[str, str]:
    """The environment in which builds make programs that record themselves."""
    return environment(tree, as_recorded=True) | {
        "WHENCE_MODE": mode,
        "WHENCE_MODULES": str(modules),
    }


def build_recorded(recipe: BuildAndTest, tree: Path, env: dict[str, str]) -> None:
    """Build `tree` in place; `env` comes from `recording_environment`."""
    assert recipe.build is not None
    # A compiler that is killed leaves its own files there, and we have to clear them away; and
    # zig would keep the IR of every source in the user's cache, where nobody asks for it again.
    with tempfile.TemporaryDirectory(prefix="whence-build-") as scratch:
        ours = {"TMPDIR": scratch, "ZIG_LOCAL_CACHE_DIR": f"{scratch}/zig"}
        ended = run_in_tree(recipe.build, tree, env | ours, recipe)
    if lacking := _LACKS_COMPILER.search(ended.text):
        raise UserError(lacking[1].strip(), slug=lacking[2])
    if ended.status != 0 or ended.timed_out:
        how = "took too long" if ended.timed_out else f"ended with status {ended.status}"
        last = "\n".join(ended.text.strip().splitlines()[-15:])
        raise UserError(
            f"The build {how}, so there is no program to record.\n"
            f"We ran: {recipe.build}   (with CC={env['CC']})\n{last}\n"
            "Run the same command by hand with CC=whence-cc CXX=whence-c++ to see it fail; "
            "with --timeout a build may take longer.",
            slug="recorded-build-failed",
        )


def recorded_failure(folder: Path) -> tuple[Outcome, Failure | None]:
    """How the recorded test ended."""
    document = json.loads((folder / RUN).read_text("utf-8"))
    failure = document["failure"]
    return Outcome(document["outcome"]), Failure(**failure) if failure else None
