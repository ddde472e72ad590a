"""Does a recorded program behave as the plain one, and is a recording checked when it is opened?"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.environment.log import (
    Handling,
    ProgramStart,
    RunLog,
    SystemCall,
    read_run_log,
    write_run_log,
)
from whence.environment.plan import Planner, subjects_of
from whence.environment.recording import EnvironmentRecording, now, open_recording_file, save
from whence.environment.tracing import Setting, run_traced
from whence.errors import UserError

PYTHON_PROGRAM = (
    "import os, subprocess, threading, json\n"
    "print(sorted(os.listdir('.')), open('data').read(), os.path.exists('none'))\n"
    "t = threading.Thread(target=lambda: print(open('data').read())); t.start(); t.join()\n"
    "print(subprocess.run(['cat', 'data', 'none'], capture_output=True))\n"
    "raise SystemExit(3)\n"
)
COMMANDS = [
    ["cat", "data"], ["ls", "-l"], ["sh", "-c", "cat data | wc -l; (exit 4); echo $?; exit 5"],
    ["sort", "-r", "data"], ["sh", "-c", "tar cf - data | cksum"], ["sh", "-c", "kill -9 $$"],
    [sys.executable, "-c", PYTHON_PROGRAM], ["sh", "-c", "mkdir d && touch d/f && ls d && rm -r d"],
    ["find", ".", "-newer", "data"], ["sh", "-c", "trap 'echo got' USR1; kill -USR1 $$; echo end"],
    ["sh", "-c", "sleep 0.1 & wait; echo done"], ["git", "--version"], ["false"],
    ["no-such-file/x"],
]  # fmt: skip


def recorded(command: Sequence[str], folder: Path, out: Path) -> EnvironmentRecording:
    clock = now()
    run = run_traced(command, out.parent / f"{out.name}.run", Setting(cwd=str(folder)))
    return save(run, command, out, clock=clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    (made / "data").write_text("one\ntwo\nthree\n")
    return made


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command)[:30])
def test_a_recorded_program_prints_what_the_plain_one_prints(
    command: list[str], folder: Path, tmp_path: Path
) -> None:
    traced = run_traced(command, tmp_path / "run", Setting(cwd=str(folder)))
    try:
        plain = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    except OSError:
        assert traced.ended.status == 127
        return
    assert traced.ended.output == plain.stdout
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    assert traced.ended.status == status


@pytest.mark.parametrize("command", COMMANDS[:-2], ids=lambda command: " ".join(command)[:30])
def test_a_full_replay_in_the_same_environment_prints_the_same(
    command: list[str], folder: Path, tmp_path: Path
) -> None:
    recording = recorded(command, folder, tmp_path / "good.rec")
    plan = tmp_path / "plan"
    Planner(recording, tmp_path / "contents").write(plan, subjects_of(recording))
    again = run_traced(command, tmp_path / "again", Setting(cwd=str(folder)), plan=plan)
    first = run_traced(command, tmp_path / "first", Setting(cwd=str(folder)))
    assert (again.ended.status, again.ended.output) == (first.ended.status, first.ended.output)


def test_the_recording_has_the_content_that_was_read(folder: Path, tmp_path: Path) -> None:
    recording = recorded(["cat", "data"], folder, tmp_path / "good.rec")
    [call] = [call for call in recording.log.calls if call.name == "{cwd}/data" and call.opens]
    checksum = recording.content_of(call)
    assert checksum is not None
    assert recording.read_content(checksum) == b"one\ntwo\nthree\n"


def test_the_clock_can_be_set_for_one_run(tmp_path: Path) -> None:
    offset = 1_590_000_000 * 10**9 - now()
    options = [f"clock={offset}"]
    run = run_traced(["date", "-u", "+%Y-%m-%d"], tmp_path / "run", Setting(), options=options)
    assert run.ended.output == b"2020-05-20\n"


def test_a_redacted_content_and_variable_are_not_in_the_file(folder: Path, tmp_path: Path) -> None:
    command = ["sh", "-c", "cat data"]
    env = {"PATH": "/usr/bin:/bin", "MY_TOKEN": "geheim"}
    run = run_traced(command, tmp_path / "run", Setting(cwd=str(folder), env=env))
    out = tmp_path / "good.rec"
    save(run, command, out, clock=now(), redact=["*_TOKEN", "*/data"])
    with zipfile.ZipFile(out) as archive:
        everything = b"".join(map(archive.read, archive.namelist()))
    assert b"geheim" not in everything
    assert b"one\ntwo" not in everything


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_recording_is_refused(part: float, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "good.rec"
    recorded(["cat", "data"], folder, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(UserError) as caught:
        open_recording_file(path)
    assert caught.value.slug == "damaged-recording"


def test_a_damaged_recording_is_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "good.rec"
    recorded(["cat", "data"], folder, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        open_recording_file(path)
    assert caught.value.slug == "damaged-recording"


CALLS = st.builds(
    SystemCall, st.integers(0, 9), st.integers(0, 400),
    st.sampled_from([Handling(0), Handling.REPLACED]),
    st.integers(-(2**63), 2**63 - 1), st.tuples(*[st.integers(0, 2**64 - 1)] * 6),
    st.sampled_from(["open", "stat"]), st.sampled_from(["/a", "{cwd}/b\udcff"]),
    st.lists(st.binary(max_size=20), max_size=3).map(tuple),
)  # fmt: skip


@given(st.lists(CALLS, max_size=5), st.integers(0, 2**31))
def test_a_log_is_read_as_it_was_written(calls: list[SystemCall], status: int) -> None:
    start = ProgramStart(0, "/bin/x", b"x\0", b"A=1\0", b"", b"", "/")
    log = RunLog({0: "0"}, [start], calls, [], {0: status}, status, 7)
    assert read_run_log(write_run_log(log)) == log
