"""Is the difference of the environment located that makes a command fail?"""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.compiling import CC

WHENCE = [sys.executable, "-m", "whence", "environment"]


class Place:
    """A folder in which a command is recorded, damaged and located."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.file = folder / "good.rec"

    def whence(
        self, *words: str, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*WHENCE, *words], cwd=self.folder, env={**os.environ, **(env or {})},
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def record(self, *command: str, env: dict[str, str] | None = None) -> None:
        done = self.whence("record", "--out", str(self.file), "--", *command, env=env)
        assert done.returncode == 0, done.stderr

    def locate(self, *command: str, env: dict[str, str] | None = None) -> dict[str, Any]:
        done = self.whence("locate", "--json", "-", str(self.file), "--", *command, env=env)
        assert done.stdout, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (0 if document["answers"] else 1)
        return document

    def refusal(self, *words: str) -> str:
        done = self.whence(*words)
        assert done.returncode == 2, done
        return done.stderr.strip().splitlines()[-1]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_line_of_a_file_is_located(place: Place) -> None:
    lines = [f"option{i} = {i}\n" for i in range(60)]
    (place.folder / "app.ini").write_text("".join(lines))
    command = ("sh", "-c", "grep -q '^option40 = 40$' app.ini")
    place.record(*command)
    lines[40], lines[3] = "option40 = none\n", "option3 = 4\n"
    (place.folder / "app.ini").write_text("".join(lines))
    [answer] = place.locate(*command)["answers"]
    assert (answer["path"], answer["line"]) == (str(place.folder / "app.ini"), 41)
    assert (answer["good"], answer["bad"]) == ("option40 = 40", "option40 = none")
    assert answer["verified"]


def test_the_line_of_a_python_program_that_asked_is_named(place: Place) -> None:
    program = "def load():\n    return open('n').read()\n\nint(load())\n"
    (place.folder / "p.py").write_text(program)
    (place.folder / "n").write_text("1\n")
    place.record(sys.executable, "p.py")
    (place.folder / "n").write_text("one\n")
    [answer] = place.locate(sys.executable, "p.py")["answers"]
    assert answer["called_from"] == f"{place.folder / 'p.py'}:2 in load"


@pytest.mark.skipif(not shutil.which("addr2line"), reason="no addr2line (binutils)")
def test_the_line_of_a_compiled_program_that_asked_is_named(place: Place) -> None:
    source = (
        "#include <stdio.h>\n"
        "static int load(void) {\n"
        '    FILE *f = fopen("n", "r");\n'
        "    return f ? fgetc(f) : 'x';\n"
        "}\n"
        "int main(void) { return load() != '1'; }\n"
    )
    (place.folder / "p.c").write_text(source)
    (place.folder / "n").write_text("1\n")
    built = subprocess.run([*CC, "-g", "-O0", "-o", "p", "p.c"], cwd=place.folder)
    assert built.returncode == 0
    place.record("./p")
    (place.folder / "n").write_text("2\n")
    [answer] = place.locate("./p")["answers"]
    assert answer["called_from"].endswith("p.c:3 in load")


def test_a_limit_that_cannot_be_raised_is_said(place: Place) -> None:
    command = (sys.executable, "-c", "f = [open('/dev/null') for _ in range(100)]")
    place.record(*command)
    words = shlex.join([*WHENCE, "locate", "--json", "-", str(place.file), "--", *command])
    done = subprocess.run(["sh", "-c", f"ulimit -n 60; {words}"], cwd=place.folder,
                          capture_output=True, text=True, check=False)  # fmt: skip
    document = json.loads(done.stdout)
    said = [*document["notes"], *(answer["difference"] for answer in document["answers"])]
    assert any('the limit "open files" is' in text for text in said)


def test_two_answers_that_are_needed_together_are_both_located(place: Place) -> None:
    for name in ("a", "b", "c"):
        (place.folder / name).write_text("1\n")
    command = ("sh", "-c", "read x < a; read y < b; read z < c; test $x$y = 11")
    place.record(*command)
    for name in ("a", "b", "c"):
        (place.folder / name).write_text("2\n")
    answers = place.locate(*command)["answers"]
    assert [Path(answer["path"]).name for answer in answers] == ["a", "b"]


def test_a_missing_folder_is_located_and_not_made(place: Place) -> None:
    (place.folder / "run").mkdir()
    command = ("sh", "-c", "echo 1 > run/pid")
    place.record(*command)
    (place.folder / "run" / "pid").unlink()
    (place.folder / "run").rmdir()
    [answer] = place.locate(*command)["answers"]
    assert answer["path"].endswith("run/pid")
    assert "ENOENT" in answer["bad"]
    assert not (place.folder / "run").exists()


def test_a_stale_lock_is_located_and_stays(place: Place) -> None:
    command = (sys.executable, "-c", "open('lock', 'x').close(); import os; os.unlink('lock')")
    place.record(*command)
    (place.folder / "lock").write_text("mine")
    [answer] = place.locate(*command)["answers"]
    assert answer["path"].endswith("/lock")
    assert (place.folder / "lock").read_text() == "mine"


def test_a_variable_is_located(place: Place) -> None:
    command = ("sh", "-c", 'test "$KIND" = good')
    place.record(*command, env={"KIND": "good", "OTHER": "1"})
    document = place.locate(*command, env={"KIND": "bad", "MORE": "2"})
    assert [answer["variable"] for answer in document["answers"]] == ["KIND"]


def test_two_environments_on_one_machine_need_no_file(place: Place) -> None:
    words = (
        "--good-prefix",
        "env KIND=good",
        "--json",
        "-",
        "--",
        "sh",
        "-c",
        'test "$KIND" = good',
    )
    done = place.whence("locate", *words)
    [answer] = json.loads(done.stdout)["answers"]
    assert (answer["variable"], answer["good"], answer["bad"]) == ("KIND", "good", "not set")


def test_a_taken_port_is_located(place: Place) -> None:
    import socket

    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
    code = f"import socket; s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen()"
    place.record(sys.executable, "-c", code)
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()
        [answer] = place.locate(sys.executable, "-c", code)["answers"]
    assert answer["call"] == "bind"
    assert "EADDRINUSE" in answer["bad"]


def test_what_is_not_in_the_recording_is_not_explained(place: Place) -> None:
    place.record("sh", "-c", "exit $(cat /dev/null | wc -c)")
    (place.folder / "false").write_text("")
    document = place.locate("sh", "-c", "exit 1")
    # The arguments differ, and they are what makes the difference.
    assert [answer["call"] for answer in document["answers"]] == ["arguments"]


def test_two_recordings_are_compared_without_running(place: Place) -> None:
    (place.folder / "f").write_text("a\nb\n")
    place.record("cat", "f")
    (place.folder / "f").write_text("a\nc\n")
    other = str(place.file.with_name("bad.rec"))
    place.whence("record", "--out", other, "--", "cat", "f")
    done = place.whence("diff", "--json", "-", str(place.file), other)
    [answer] = [one for one in json.loads(done.stdout)["answers"] if one["path"]]
    assert (answer["line"], answer["good"], answer["bad"]) == (2, "b", "c")


def test_a_command_that_passes_here_too_is_refused(place: Place) -> None:
    place.record("true")
    assert place.refusal("locate", str(place.file), "--", "true") == "[passes-here]"


def test_a_recording_of_a_failing_run_is_refused(place: Place) -> None:
    place.whence("record", "--out", str(place.file), "--", "false")
    assert place.refusal("locate", str(place.file), "--", "false") == "[fails-there]"


def test_a_recording_of_another_architecture_is_refused(place: Place) -> None:
    place.record("true")
    with zipfile.ZipFile(place.file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert platform.machine() != "s390x"
    members["meta.json"] = json.dumps(
        json.loads(members["meta.json"]) | {"machine": "s390x"}
    ).encode()
    with zipfile.ZipFile(place.file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    assert place.refusal("locate", str(place.file), "--", "false") == "[other-architecture]"


def test_a_missing_file_and_a_missing_command_are_refused(place: Place) -> None:
    assert place.refusal("locate", "none.rec", "--", "true") == "[no-environment-recording]"
    out = str(place.file)
    assert place.refusal("record", "--out", out, "--", "no-such-command") == "[no-such-command]"
    assert not place.file.exists()


def test_a_command_that_is_not_deterministic_is_refused(place: Place) -> None:
    command = ("sh", "-c", "test -e f || { touch f; exit 1; }")
    (place.folder / "f").write_text("")
    place.record(*command)
    (place.folder / "f").unlink()
    assert place.refusal("locate", str(place.file), "--", *command) == "[not-deterministic]"
