"""How is the test of a Python project recorded?"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from whence.errors import UserError
from whence.frontend.cache_folder import cache_directory
from whence.frontend.python.test_modules import named_test_modules
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, SOURCES, RecordedRun, write_run
from whence.frontend.test_execution import fixed_addresses, run_again, run_in_tree, spare_copy
from whence.subject.build_errors import first_error
from whence.subject.python_hook import PythonHook
from whence.subject.trial import BuildAndTest, environment, judge, was_stopped
from whence.temporary import temporary_folder

HOOK = Path(__file__).with_name("hook")
RECORDER = "whence_recorder"
COMMAND = "<string>"  # the file name that Python gives to the text of -c
MAX_CACHE = 512 * 2**20  # limit on the bytes of cached instrumented code; guessed
DAY = 24 * 3600  # seconds
_FILE = re.compile(rb'\{"file":("(?:[^"\\]|\\.)*")')  # the description of a module begins so
_MAX_HEAD = 8192  # bytes that a description may have before the end of the file's name; guessed
COMPARABLE = {
    "PYTHONDONTWRITEBYTECODE": "1",  # plain and instrumented code must not replace each other
    "PYTHONHASHSEED": "0",
}


def record(
    tree: Path, commands: BuildAndTest, out: Path, *, max_trace: int = DEFAULT_MAX_TRACE,
    twice: bool = False, also: Sequence[Path] = (), seconds: float | None = None,
) -> RecordedRun:  # fmt: skip
    """Run the test, record the modules of `tree`, and write the trace to `out`.

    `out` must be an empty folder.  `also` lists further files and folders whose modules are
    recorded.  The script that the test runs is always recorded, and so are test modules that its
    command names.  With `twice` the test runs once
    more without the recorder, and the trace contains the outcome of that run too.  `seconds` limits
    the test alone, which is known not to end.
    """
    out = out.absolute()
    (out / MODULES).mkdir()
    env = environment(tree) | COMPARABLE
    if commands.build is not None:
        build_plain(commands, tree, env)
    spare = spare_copy(tree) if twice else None
    with temporary_folder("hook") as scratch:
        also = (*also, *named_test_modules(commands.test, tree))
        is_hang = seconds is not None
        hook = hooked(
            Path(scratch), tree, out, env, max_trace=max_trace, also=also, is_hang=is_hang
        )
        with fixed_addresses():
            command, variables = hook.command(commands.test), hook.environment(env)
            ended = run_in_tree(command, tree, variables, commands, seconds)
    run = judge(ended, commands, tree)
    keep_sources(tree, out)
    has_hung = was_stopped(ended, commands)
    again = run_again(tree, spare, commands, env, ended) if spare and not has_hung else None
    write_run(out, tree, commands, run, ended, again, frontend="python")
    return RecordedRun(out, run, ended.seconds, ended.stdout, ended.stderr, ended.status)


def build_plain(commands: BuildAndTest, tree: Path, env: dict[str, str]) -> None:
    """Build `tree` in place, as it is built without whence."""
    assert commands.build is not None
    ended = run_in_tree(commands.build, tree, env, commands)
    if ended.status != 0 or ended.timed_out:
        how = "took too long" if ended.timed_out else f"ended with status {ended.status}"
        error = first_error(ended.text, tree)
        last = "\n".join(ended.text.strip().splitlines()[-15:])
        raise UserError(
            f"The program does not build: the build {how}{error and f': {error}'}.\n"
            f"We ran: {commands.build}\n{last}\n"
            "Run the same command by hand to see the failure, or allow more time with --timeout.",
            slug="recorded-build-failed",
        )


def hooked(
    scratch: Path, tree: Path, out: Path, env: dict[str, str], *,
    max_trace: int = DEFAULT_MAX_TRACE, also: Sequence[Path] = (), alterations: Path | None = None,
    watched: Path | None = None, again: Path | None = None, is_hang: bool = False,
) -> PythonHook:  # fmt: skip
    """Return a hook, in the empty folder `scratch`, that records modules of `tree` into `out`.

    `alterations` is a file that says which values a rerun alters.  With `watched`, a file that
    lists changed functions, only calls are recorded; `again` is a file with calls that are to be
    run again at the end.  With `is_hang` events are written soon, because the program is killed.
    The recorder gets its settings from a file, because programs can see environment variables.
    """
    cache = Path(cache_directory(env)) / "python"
    code = _installed(cache)
    cached_code = cache / "code"
    cached_code.mkdir(parents=True, exist_ok=True)
    _trim(cached_code)
    settings = {
        "code": str(code),
        "version": code.name,
        "cache": str(cached_code),
        "tree": str(tree.absolute()),
        "trace": str(out.absolute()),
        "max_trace": str(max_trace),
        "also": os.pathsep.join(str(path.absolute()) for path in also),
        "alterations": "" if alterations is None else str(alterations.absolute()),
        "forked": "",
        "watched": str(watched.absolute()) if watched else "",
        "again": str(again.absolute()) if again else "",
        "hang": "yes" if is_hang else "",
    }
    folder = scratch / "python"
    folder.mkdir()
    shutil.copy(HOOK / "sitecustomize.py", folder)
    text = "".join(f"{name}={value}\n" for name, value in settings.items())
    (folder / "settings").write_text(text, "utf-8")
    return PythonHook(folder, scratch / "bin")


def set_forked(hook: PythonHook, is_forked: bool) -> None:
    """Say whether the processes that start with a hook are fork servers, which run nothing yet."""
    file = hook.folder / "settings"
    text, now = file.read_text("utf-8"), "yes" if is_forked else ""
    file.write_text(re.sub("^forked=.*$", f"forked={now}", text, flags=re.MULTILINE), "utf-8")


def _trim(cache: Path) -> None:
    """Once a day, remove the least recently used files of a cache that is too large."""
    checked = cache.with_name("looked")
    if checked.exists() and time.time() - checked.stat().st_mtime < DAY:
        return
    checked.touch()
    files = [(file.stat(), file) for file in cache.iterdir()]
    files.sort(key=lambda file: max(file[0].st_atime, file[0].st_mtime), reverse=True)
    size = 0
    for status, file in files:
        size += status.st_size
        if size > MAX_CACHE:
            file.unlink(missing_ok=True)


def _installed(cache: Path) -> Path:
    """Return the folder of a copy of the recorder, beside which Python can write compiled code."""
    files = sorted((HOOK / RECORDER).glob("*.py"))
    digest = blake2b(b"\0".join(file.read_bytes() for file in files), digest_size=12).hexdigest()
    folder = cache / digest
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as part:
            copy = Path(part) / "copy"
            (copy / RECORDER).mkdir(parents=True)
            for file in files:
                shutil.copy(file, copy / RECORDER)
            try:
                copy.rename(folder)
            except OSError:  # another recording was quicker
                if not folder.exists():
                    raise
    return folder


def keep_sources(tree: Path, out: Path) -> None:
    """Copy the sources of all recorded modules: the tree may no longer exist when they are read."""
    for description in sorted((out / MODULES).glob("*.json")):
        file = _described_file(description)
        path = tree.absolute() / file
        if file == COMMAND:
            source: str = json.loads(description.read_text("utf-8"))["source"]
            content = source.encode("utf-8", "surrogateescape")
        elif path.is_file():
            content = path.read_bytes()
        else:
            continue
        target = out / SOURCES / Path(file.lstrip("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _described_file(description: Path) -> str:
    """Return the file that a description is of.  Reading the rest of it takes far longer."""
    with description.open("rb") as text:
        head = _FILE.match(text.read(_MAX_HEAD))
    if head is None:
        found: str = json.loads(description.read_bytes())["file"]
    else:
        found = json.loads(head[1])
    return found
