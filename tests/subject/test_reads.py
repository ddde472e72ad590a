"""Is it noticed when a file changes that a run read outside of its tree?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from whence.subject.command import Ended, run_command
from whence.subject.reads import ReadLog, changed_since, digest_of

Reads = dict[str, str]


def watched(command: str, folder: Path, env: dict[str, str] | None = None) -> tuple[Ended, Reads]:
    """Run a command in `folder/tree`; return how it ended and what it read outside of the tree."""
    tree = folder / "ours" / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    log = ReadLog(folder / "ours" / f"log-{time.monotonic_ns()}", tree, ours=(folder / "ours",))
    ended = run_command(command, cwd=tree, env=env or dict(os.environ), timeout=60, reads=log)
    reads = log.read()
    assert reads is not None
    return ended, reads


def in_folder(reads: Reads, folder: Path) -> set[str]:
    return {os.path.relpath(path, folder) for path in reads if path.startswith(str(folder))}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "given" / "t.sh"
    path.parent.mkdir()
    path.write_text("true\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        "sh {}; exit $?",
        "(sh {})",
        "sh {}>/dev/null",
        "T={}; sh $T",
        "sh -c 'sh {}'",
        ". {}",
        "cat <{}",
        "dd --version >/dev/null; dd if={} status=none",
        "cd /; sh .{}",
        "sh {} & wait",
        "exec sh {}",
        "timeout 50 sh {}",
        "python3 -c 'open(\"{}\").read()'",
        "python3 -c 'import threading as t; r = t.Thread(target=open, args=[\"{}\"]); r.start()'",
    ],
)
def test_an_edited_file_is_noticed_however_a_command_names_it(
    command: str, script: Path, tmp_path: Path
) -> None:
    ended, reads = watched(command.replace("{}", str(script)), tmp_path)
    assert ended.status == 0, ended.stderr
    assert str(script) in reads
    assert changed_since(reads) is None
    script.write_text("false\n")
    assert changed_since(reads) == str(script)


def test_a_file_of_the_tree_or_of_whence_is_not_noted(tmp_path: Path) -> None:
    (tmp_path / "ours" / "tree").mkdir(parents=True)
    (tmp_path / "ours" / "tree" / "inside").write_text("")
    (tmp_path / "ours" / "hook").write_text("")
    _, reads = watched("cat inside ../hook", tmp_path)
    assert not in_folder(reads, tmp_path)


def test_a_file_that_the_run_wrote_is_not_noted(tmp_path: Path) -> None:
    _, reads = watched("echo 1 >../../made; cat ../../made; mv ../../made ../../moved", tmp_path)
    assert in_folder(reads, tmp_path) <= {"made"}  # which is absent now
    assert changed_since(reads) is None


def test_a_file_that_was_missing_is_noticed_when_it_is_there(tmp_path: Path) -> None:
    _, reads = watched("cat ../../settings 2>/dev/null; true", tmp_path)
    assert in_folder(reads, tmp_path) == {"settings"}
    (tmp_path / "settings").write_text("")
    assert changed_since(reads) == str(tmp_path / "settings")


def test_a_new_file_in_a_listed_folder_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    _, reads = watched("ls ../../tests", tmp_path)
    (tmp_path / "tests" / "__pycache__").mkdir()
    assert changed_since(reads) is None
    (tmp_path / "tests" / "test_new.py").write_text("")
    assert changed_since(reads) == str(tmp_path / "tests")


def test_the_target_of_a_link_is_noticed(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("a")
    _, reads = watched("cat ../../link", tmp_path)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("b")
    assert changed_since(reads) == str(tmp_path / "link")


@pytest.mark.parametrize(
    ("command", "edit"),
    [
        ("test -e {}/flag", "touch {}/flag"),
        ("test -d {}/folder", "rmdir {}/folder"),
        ("test -x {}/text", "chmod +x {}/text"),
        ("stat -c %s {}/text", "echo more >>{}/text"),
        ("readlink {}/link", "ln -sfn folder {}/link"),
        ("test -e {}/dangling", "touch {}/nowhere"),
        ("test -e {}/loop", "ln -sfn text {}/loop"),
        ("test {}/text -nt {}/old", "touch -d 2001-01-01 {}/old"),
        ("cd {}; test -f flag", "touch {}/flag"),
        ("python3 -c 'import os; os.access(\"{}/flag\", 0)'", "touch {}/flag"),
    ],
)
def test_the_answer_to_a_question_about_a_file_is_noticed(
    command: str, edit: str, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    (asked / "folder").mkdir(parents=True)
    (asked / "text").write_text("")
    (asked / "old").write_text("")
    for name, target in (("link", "text"), ("dangling", "nowhere"), ("loop", "loop")):
        (asked / name).symlink_to(target)
    _, reads = watched(command.replace("{}", str(asked)), tmp_path)
    assert changed_since(reads) is None
    subprocess.run(edit.replace("{}", str(asked)), shell=True, check=True)
    changed = changed_since(reads)
    assert changed is not None
    assert os.path.dirname(changed) == str(asked)


def test_a_folder_that_a_run_only_asks_about_may_get_new_files(tmp_path: Path) -> None:
    _, reads = watched(f"test -d {tmp_path}", tmp_path)
    (tmp_path / "new").write_text("")
    assert changed_since(reads) is None


def test_the_source_of_a_compiled_module_is_noticed(tmp_path: Path) -> None:
    """Python reads only the compiled file if the source has not changed."""
    module = tmp_path / "helper.py"
    module.write_text("x = 1\n")
    command = f"{sys.executable} -c 'import sys; sys.path.append(\"{tmp_path}\"); import helper'"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    watched(command, tmp_path, env)
    _, reads = watched(command, tmp_path, env)
    assert "helper.py" in in_folder(reads, tmp_path)
    module.write_text("x = 2\n")
    assert changed_since(reads) == str(module)


def test_a_program_is_noticed(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    _, reads = watched("../../program", tmp_path)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert changed_since(reads) == str(program)


def test_a_variable_is_noticed_unless_every_terminal_sets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SETTING", "1")
    _, reads = watched("true", tmp_path)
    monkeypatch.setenv("COLUMNS", "77")
    monkeypatch.setenv("SSH_CLIENT", "other")
    assert changed_since(reads) is None
    monkeypatch.setenv("SOME_SETTING", "2")
    assert changed_since(reads) == "$SOME_SETTING"
    monkeypatch.delenv("SOME_SETTING")
    assert changed_since(reads) == "$SOME_SETTING"


def test_a_digest_differs_if_one_file_does(script: Path, tmp_path: Path) -> None:
    _, before = watched(f"sh {script}", tmp_path)
    _, same = watched(f"sh {script}", tmp_path)
    assert digest_of(before) == digest_of(same)
    script.write_text("# other\n")
    _, after = watched(f"sh {script}", tmp_path)
    assert digest_of(before) != digest_of(after)


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 7", 7), ("kill -9 $$", 128 + signal.SIGKILL), ("kill -TERM $$", 128 + signal.SIGTERM)],
)
def test_a_watched_command_ends_as_it_would(command: str, status: int, tmp_path: Path) -> None:
    ended, _ = watched(f"echo out; echo err >&2; {command}", tmp_path)
    assert (ended.status, ended.stdout, ended.stderr) == (status, b"out\n", b"err\n")


def test_signals_stops_and_children_work_as_always(tmp_path: Path) -> None:
    command = """
        trap 'echo caught' USR1
        kill -USR1 $$
        sleep 30 & child=$!
        kill -STOP $child; kill -CONT $child; kill -TERM $child
        wait $child; echo $?
        (exit 3); echo $?
        kill 0 2>/dev/null
    """
    ended, _ = watched(command, tmp_path)
    assert ended.stdout.split() == [b"caught", b"143", b"3"]
    assert ended.status == 128 + signal.SIGTERM  # `kill 0` reaches the command and not whence


def test_processes_that_a_command_leaves_are_killed(tmp_path: Path) -> None:
    ended, _ = watched("setsid sleep 300 >/dev/null 2>&1 & echo $!", tmp_path)
    process = Path(f"/proc/{int(ended.stdout)}/stat")
    deadline = time.monotonic() + 30
    while process.exists() and process.read_text().rpartition(")")[2].split()[0] not in "ZX":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_a_run_read_is_unknown_if_it_cannot_be_traced(tmp_path: Path) -> None:
    """A process that is traced already, or that another filter holds, cannot be traced."""
    log = ReadLog(tmp_path / "log", tmp_path)
    assert log.read() is None
    *start, noted, command = log.command("echo done; exit 4")
    text = (
        Path(start[-1])
        .read_text()
        .replace('"x86_64": (', '"none": (')
        .replace('"aarch64": (', '"neither": (')
    )
    (tmp_path / "tracer.py").write_text(text)
    ran = subprocess.run(
        [*start[:-1], str(tmp_path / "tracer.py"), noted, command], capture_output=True
    )
    assert (ran.returncode, ran.stdout) == (4, b"done\n")
    assert log.read() is None
