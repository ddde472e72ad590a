"""What does a user see if `whence trace` or `whence slice` cannot do what was requested?

One message that says what to do, status 2, and nothing in the folder that --out names.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .prompt import SOURCES, CommandResult, User, check_refused, command

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3, sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    printf("%d\\n", sum);
    fflush(stdout);
    while (n == 77)
        usleep(10000);
    return sum > 100;
}
"""
BUILD = "$CC -o sums sums.c"


class Recorder(User):
    """A user with a C program in `project`, who records it into `out`."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.out = self.kept / "out"
        # The real cache, with files of the compiler that take a quarter of a minute to make.
        self.cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        (self.here / "project").mkdir()
        self.write("project/sums.c", PROGRAM)

    def tracing(self, test: str, build: str | None = BUILD) -> tuple[str, ...]:
        building = () if build is None else ("--build", build)
        where = ("--source", "project", "--out", str(self.out))
        return ("trace", *where, "--test", test, *building)

    def trace(
        self, test: str, *arguments: object, build: str | None = BUILD, **env: str
    ) -> CommandResult:
        return self.whence(*self.tracing(test, build), "-q", *arguments, **env)

    def slice(self, at: str, *arguments: object) -> CommandResult:
        return self.whence("slice", str(self.out), "--at", at, "-q", *arguments)


@pytest.fixture
def user(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path)


@pytest.fixture
def traced(user: Recorder) -> Recorder:
    """A user who has recorded the program."""
    result = user.trace("./sums 5")
    assert (result.status, result.err) == (0, ""), result
    return user


def check_not_recorded(
    user: Recorder, result: CommandResult, *claims: str, slug: str | None = None
) -> None:
    """Check that the command was refused and left no trace."""
    check_refused(result, *claims, slug=slug)
    assert not user.out.exists() or os.listdir(user.out) == []


def test_without_a_mistake_the_recording_is_summarised(user: Recorder) -> None:
    result = user.trace("./sums 5", "--json", user.kept / "seen.json")
    assert (result.status, result.err) == (0, "")
    assert "1 function ran; the program is built from 1 file (sums.c)" in result.out
    assert "exit status 0\nThe test passes.\n" in result.out
    document = json.loads((user.kept / "seen.json").read_text())
    assert document["processes"][0]["instructions"] == document["instructions"] > 0
    assert os.path.isabs(document["out"]) == os.path.isabs(user.out)


def test_out_may_be_relative(user: Recorder) -> None:
    before = user.state()
    with user.start(*user.tracing("./sums"), "--out", "../kept/run", "-q") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "depends on with: whence slice ../kept/run --at" in out
    user.check_untouched(before)


# --- the build and the test --------------------------------------------------------------------


def test_the_source_does_not_compile(user: Recorder) -> None:
    user.write("project/sums.c", "int main( {")
    result = user.trace("./sums")
    claims = (
        "does not build with whence-cc",
        "ended with status 1: ",
        "sums.c:1:",
        "error: expected",
        f"We ran: {BUILD}",
    )
    check_not_recorded(user, result, *claims, slug="recorded-build-failed")


def test_the_build_takes_too_long(user: Recorder) -> None:
    result = user.trace("./sums", "--timeout", "0.5", build="sleep 50")
    check_not_recorded(user, result, "took too long", "--timeout", slug="recorded-build-failed")


NOTHING = "Nothing was recorded, because "


@pytest.mark.parametrize(
    ("build", "test", "claims"),
    [
        (None, "true", ("there was no --build", "Give the command")),
        ("cp sums.c other", "true", ("never called the compiler", 'CC="$CC"', "make clean")),
        (BUILD, "true", ("never ran the program that the build made (sums)", "We ran: true")),
        ("$CC -c sums.c", "true", ("never ran the program", "(only libraries)")),
    ],
)
def test_nothing_was_recorded(
    user: Recorder, build: str | None, test: str, claims: tuple[str, ...]
) -> None:
    result = user.trace(test, build=build)
    check_not_recorded(user, result, NOTHING, *claims, slug="nothing-recorded")


@pytest.mark.parametrize("test", ["no-such-command --flag", "./gone"])
def test_the_test_cannot_be_started(user: Recorder, test: str) -> None:
    result = user.trace(test)
    claims = (NOTHING, "not found", f"We ran: {test}", "absolute path")
    check_not_recorded(user, result, *claims, slug="test-not-found")


def test_there_is_no_compiler(user: Recorder) -> None:
    (user.kept / "ziglang.py").write_text("raise ModuleNotFoundError(__name__)")
    path = user.kept / "path"
    path.mkdir()
    for tool in ("sh", "git", "cp"):
        found = shutil.which(tool)
        assert found is not None
        (path / tool).symlink_to(found)
    shadowed = f"{user.kept}{os.pathsep}{SOURCES}"
    result = user.trace("./sums", PYTHONPATH=shadowed, PATH=str(path))
    check_not_recorded(user, result, "no clang", "pip install 'whence-explain[c]'", slug="no-clang")


def test_debug_information_is_kept_whatever_the_build_does(user: Recorder) -> None:
    build = f"{BUILD} -g0; strip sums || true"
    assert user.trace("./sums 5", build=build).status == 0
    result = user.slice("sums.c:7")
    assert result.status == 0
    assert "sum += i;" in result.out


def test_the_test_is_killed_for_taking_too_long(user: Recorder) -> None:
    """The trace ends there, and slices of it work."""
    result = user.trace("exec ./sums 77 </dev/null", "--timeout", "2")
    assert result.status == 0, result
    assert "killed\nThe test fails: the test did not end in time" in result.out
    result = user.slice("sums.c:11")
    assert result.status == 0
    assert "note: the program was killed; the trace ends there" in result.out
    result = user.slice("exit")
    assert result.out.startswith("What SIGKILL in usleep at sums.c:11 depends on"), result


# --- the folder --------------------------------------------------------------------------------


def test_the_trace_is_longer_than_allowed(user: Recorder) -> None:
    result = user.trace("./sums 2000000", "--max-trace", "1M")
    claims = ("(./sums 2000000) logged more than --max-trace allows, 1 MiB",)
    check_not_recorded(user, result, *claims, slug="trace-too-long")


def test_the_disk_becomes_full(user: Recorder) -> None:
    user.out.mkdir()
    script = 'mount -t tmpfs -o size=3m tmpfs "$OUT" && "$@"; s=$?; ls -A "$OUT"; exit $s'
    mounting = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    done = subprocess.run(
        [*mounting, *command(*user.tracing("./sums 5000000"), "-q")],
        cwd=user.here,
        env=user.environment(OUT=str(user.out)),
        capture_output=True,
        text=True,
    )
    if "unshare" in done.stderr or "mount: " in done.stderr:
        pytest.skip("this machine cannot mount a small disk")
    result = CommandResult(done.returncode, done.stdout, done.stderr)
    check_refused(result, "The disk became full", "--out", slug="disk-full-recording")


def test_out_is_not_empty(user: Recorder) -> None:
    user.out.mkdir()
    (user.out / "mine").touch()
    result = user.trace("./sums")
    check_refused(result, f"--out {user.out} is not empty", slug="out-not-empty")
    assert os.listdir(user.out) == ["mine"]


@pytest.mark.parametrize("out", ["/proc/new", "project/sums.c/out"])
def test_out_cannot_be_made(user: Recorder, out: str) -> None:
    result = user.trace("./sums", "--out", out)
    check_refused(result, f"--out {out} cannot be written", slug="cannot-write")


@pytest.mark.parametrize(
    ("options", "claims"),
    [
        (("--out", "project/sums.c"), ("'--out'", "is a file")),
        (("--max-trace", "lots"), ("'--max-trace'", "512M")),
        (("--json", "gone/seen"), ("gone/seen cannot be written",)),
        (("--source", "gone"), ("'gone'", "Check the path")),
    ],
)
def test_an_option_is_wrong(
    user: Recorder, options: tuple[str, ...], claims: tuple[str, ...]
) -> None:
    check_not_recorded(user, user.trace("./sums", *options), *claims)


def test_an_interrupted_recording_leaves_nothing(user: Recorder) -> None:
    before = user.state()
    test = f"touch {user.kept}/begun; ./sums 77"
    with user.start(*user.tracing(test)) as process:
        while not (user.kept / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err.endswith(
        "Interrupted; nothing was kept.\n"
        "The same command starts again from the beginning.\n[interrupted]\n"
    )
    user.check_untouched(before)
    assert os.listdir(user.out) == []


# --- slices ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "claims", "slug"),
    [
        (("cras",), ("'cras' is no point", "FILE:LINE"), "bad-point"),
        (("crash",), ("No recorded process crashed",), "no-such-end"),
        (("output:9",), ("is 3 bytes",), "no-such-byte"),
        (("gone.c:1",), ("Its files are: sums.c",), "no-such-file"),
        (("sums.c:11",), ("was not executed", "10, 12"), "line-not-executed"),
        (("sums.c:7:gone",), ("'gone'", "sum"), "unknown-variable"),
        (("exit", "--process", "x"), ("'x'", "-0"), "no-such-process"),
        (("exit", "--trust", "gone"), ("--trust gone",), "no-such-function"),
        (("exit", "--json", "gone/x"), ("gone/x cannot be written",), "cannot-write"),
    ],
)
def test_a_question_is_wrong(
    asked: Callable[..., CommandResult],
    arguments: tuple[str, ...],
    claims: tuple[str, ...],
    slug: str,
) -> None:
    check_refused(asked(*arguments), *claims, slug=slug)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CommandResult]:
    """Slices one trace."""
    user = Recorder(tmp_path_factory.mktemp("asked"))
    assert user.trace("./sums 5").status == 0
    return user.slice


def _cut(process: Path) -> None:
    log = process / "0.log"
    os.truncate(log, log.stat().st_size - 20)


def _cut_in_its_header(process: Path) -> None:
    os.truncate(process / "0.log", 100)


def _scribble(process: Path) -> None:
    with (process / "0.log").open("r+b") as log:
        log.seek(-40, os.SEEK_END)
        log.write(b"z" * 40)


def _lose_modules(process: Path) -> None:
    shutil.rmtree(process.parent / "modules")


def _cut_modules(process: Path) -> None:
    for path in (process.parent / "modules").glob("*.npz"):
        path.write_bytes(path.read_bytes()[:1000])


def _add_a_process(process: Path) -> None:
    shutil.copytree(process, process.with_name("99-0"))


def _lose_checksums(process: Path) -> None:
    (process.parent / "checksums.json").unlink()


def _forge_checksums(process: Path) -> None:
    (process.parent / "checksums.json").write_text('{"../../other": [1, 2]}')


def _lose_the_run(process: Path) -> None:
    (process.parent / "run.json").unlink()


def _damage_the_run(process: Path) -> None:
    (process.parent / "run.json").write_text("{")


def _record_with_another_version(process: Path) -> None:
    path = process.parent / "run.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"format": document["format"] - 1}))


@pytest.mark.parametrize(
    ("harm", "claims", "slug"),
    [
        (_cut, ("0.log has", "bytes instead of", "Record the run again"), "damaged-trace"),
        (_cut_in_its_header, ("0.log has", "bytes instead of"), "damaged-trace"),
        (_scribble, ("0.log has other contents", "Record the run again"), "damaged-trace"),
        (_lose_modules, ("is missing", "Record the run again"), "damaged-trace"),
        (_cut_modules, (".npz has 1,000 bytes instead of",), "damaged-trace"),
        (_add_a_process, ("99-0/0.log was added",), "damaged-trace"),
        (_lose_checksums, ("checksums.json is missing",), "damaged-trace"),
        (_forge_checksums, ("checksums.json names files outside",), "damaged-trace"),
        (_lose_the_run, ("is no trace", "whence trace"), "not-a-trace"),
        (_damage_the_run, ("run.json cannot be read",), "not-a-trace"),
        (_record_with_another_version, ("another version of whence recorded it",), "not-a-trace"),
    ],
)
def test_a_trace_is_damaged(
    traced: Recorder, harm: Callable[[Path], None], claims: tuple[str, ...], slug: str
) -> None:
    (process,) = traced.out.glob("*-0")
    shutil.rmtree(process / "0.index")
    harm(process)
    check_refused(traced.slice("exit"), *claims, slug=slug)


def test_a_damaged_index_is_made_again(traced: Recorder) -> None:
    (index,) = traced.out.glob("*-0/0.index")
    result = traced.slice("exit")
    (index / "first.u32").unlink()
    assert traced.slice("exit").out == result.out
    (index / "meta.json").write_text("{")
    assert traced.slice("exit").out == result.out


# --- settings ----------------------------------------------------------------------------------


def test_settings_are_used(user: Recorder) -> None:
    user.write(
        "whence.toml",
        f'''
        quiet = true
        test = "./sums 5"
        [trace]
        source = "project"
        build = "{BUILD}"
        out = "{user.out}"
        max-trace = "1G"
        [slice]
        at = "output:0"
        trust = ["main"]
        ''',
    )
    result = user.whence("trace")
    assert (result.status, result.err) == (0, "")
    result = user.whence("slice", str(user.out))
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("What byte 0 of the output, printed at sums.c:8 depends on:")


def test_help_names_both_commands(user: Recorder) -> None:
    result = user.whence("--help")
    assert "whence trace --source . --build make" in result.out
    assert "whence slice run --at crash" in result.out


def test_options_are_completed(user: Recorder) -> None:
    words = {"COMP_WORDS": "whence slice x --re", "COMP_CWORD": "3"}
    result = user.whence(_WHENCE_COMPLETE="bash_complete", **words)
    assert "--relevant" in result.out
