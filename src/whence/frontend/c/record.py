"""How is a version built so that it records itself, and its test run?"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from pathlib import Path

from whence.errors import UserError
from whence.frontend.c.clang import describe_compiler
from whence.frontend.c.compile_server import compile_server
from whence.frontend.c.kept_modules import kept_modules
from whence.frontend.c.process import cut_logs
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, RUN, RecordedRun, write_run
from whence.frontend.test_execution import fixed_addresses, run_again, run_in_tree, spare_copy
from whence.frontend.warm_tree import WarmTree
from whence.model import Failure, Outcome
from whence.subject.build_errors import first_error
from whence.subject.stand_ins import with_stand_ins
from whence.subject.trial import BuildAndTest, environment, judge, was_stopped
from whence.temporary import temporary_folder

# Limit in bytes on each log of a test that did not end in time: its loop repeats itself, and the
# replay of a log takes about as long as its recording; guessed.
MAX_HANG_LOG = 16 << 20
_LACKS_COMPILER = re.compile(
    r"^whence-c\S+: (.*?) \[(no-clang|runtime-does-not-compile)\]$", re.DOTALL | re.MULTILINE
)


def record(
    tree: Path, commands: BuildAndTest, out: Path, *, max_trace: int = DEFAULT_MAX_TRACE,
    mode: str = "record", twice: bool = False, seconds: float | None = None,
    warm: WarmTree | None = None,
) -> RecordedRun:  # fmt: skip
    """Build `tree` with whence's compilers, run the test, and leave the trace in `out`.

    `tree` is built in place: it is a scratch copy.  `out` must be an empty folder.  If `twice`, run
    the test once more without recording and write to `out` how it ended.  `seconds` limits the test
    alone; the build has the limit of `commands`.  `warm` is about `tree`, if builds follow or went
    before in it.
    """
    out = out.absolute()  # the build and the test run in another folder
    modules = out / MODULES
    modules.mkdir()
    env = recording_environment(tree, modules, mode, commands.layout)
    if commands.build is not None:
        with kept_modules(warm.trace if warm else None, modules):
            build_recorded(commands, tree, env, warm)
    spare = spare_copy(tree) if twice else None
    recording = env | {"WHENCE_TRACE": str(out), "WHENCE_MAX_TRACE": str(max_trace)}
    with fixed_addresses(), temporary_folder("compilers") as compilers:
        if commands.build is None:  # the test may build the program
            recording = with_stand_ins(recording, Path(compilers))
        ended = run_in_tree(commands.test, tree, recording, commands, seconds)
    is_hang = was_stopped(ended, commands)
    if is_hang:
        cut_logs(out, MAX_HANG_LOG)
    run = judge(ended, commands, tree)
    again = run_again(tree, spare, commands, env, ended) if spare and not is_hang else None
    builders = _describe_compilers(modules, env)
    write_run(out, tree, commands, run, ended, again, frontend="c", compilers=builders)
    return RecordedRun(out, run, ended.seconds, ended.stdout, ended.stderr, ended.status)


def _describe_compilers(modules: Path, env: dict[str, str]) -> str | None:
    """Return which compilers and libraries built the recorded sources; None if there are none."""
    log = modules / "log"
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    suffixes = {Path(entry["source"]).suffix for entry in entries if "source" in entry}
    languages = sorted({suffix not in (".c", ".i") for suffix in suffixes})
    return "; ".join(dict.fromkeys(describe_compiler(plus, env) for plus in languages)) or None


def recording_environment(tree: Path, modules: Path, mode: str, layout: str = "") -> dict[str, str]:
    """Return the environment in which a build makes programs that record themselves."""
    return environment(tree, as_recorded=True, layout=layout) | {
        "WHENCE_MODE": mode,
        "WHENCE_MODULES": str(modules),
    }


def build_recorded(
    commands: BuildAndTest, tree: Path, env: dict[str, str], warm: WarmTree | None = None
) -> None:
    """Build `tree` in place; `env` comes from `recording_environment`."""
    assert commands.build is not None
    build = warm.begin_build(commands.build) if warm else commands.build
    # A compiler that is killed leaves temporary files, which go away with this folder.  zig would
    # keep the IR of every source in the user's cache, where it is never used again.
    with temporary_folder("build") as scratch:
        ours = {"TMPDIR": str(scratch), "ZIG_LOCAL_CACHE_DIR": f"{scratch}/zig"}
        env_of_build = with_stand_ins(env | ours, scratch / "compilers")
        with ExitStack() as stack:
            if commands.memory is None:  # else the limit must apply to the compiler, too
                env_of_build |= stack.enter_context(compile_server(str(scratch)))
            ended = run_in_tree(build, tree, env_of_build, commands)
    if warm:
        warm.end_build()
    if lacking := _LACKS_COMPILER.search(ended.text):
        raise UserError(lacking[1].strip(), slug=lacking[2])
    if ended.status != 0 or ended.timed_out:
        how = "took too long" if ended.timed_out else f"ended with status {ended.status}"
        error = first_error(ended.text, tree)
        last = "\n".join(ended.text.strip().splitlines()[-15:])
        raise UserError(
            f"The program does not build with whence-cc, which records it: the build {how}"
            f"{error and f': {error}'}.\n"
            f"We ran: {commands.build}   (with CC={env['CC']})\n{last}\n"
            f"We built with {describe_compiler(env['CXX'] in ended.text, env)}.\n"
            "Run the same command yourself with CC=whence-cc CXX=whence-c++ to see it fail; "
            "--timeout allows a longer build.",
            slug="recorded-build-failed",
        )


def recorded_failure(folder: Path) -> tuple[Outcome, Failure | None]:
    """Return how the recorded test ended."""
    document = json.loads((folder / RUN).read_text("utf-8"))
    failure = document["failure"]
    return Outcome(document["outcome"]), Failure(**failure) if failure else None
