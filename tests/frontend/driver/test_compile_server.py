"""Does a call that a compile server answers end as one that compiles itself?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from whence.frontend.c.compile_request import SERVER, ask_server
from whence.frontend.c.compile_server import compile_server

SOURCE = '#include <stdio.h>\nint main(void) { puts("hello"); return MISSING; }\n'


@dataclass(frozen=True)
class Build:
    """A folder with a source, and the environment of a recorded build in it."""

    folder: Path
    env: dict[str, str]

    def call(
        self, *arguments: str, stdin: str = "", **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "whence.frontend.c.driver", "cc", *arguments],
            cwd=self.folder, env=self.env | more, input=stdin, capture_output=True, text=True,
        )  # fmt: skip


@pytest.fixture
def build(tmp_path: Path) -> Build:
    (tmp_path / "x.c").write_text(SOURCE)
    env = {
        **os.environ,
        "WHENCE_MODE": "record",
        "WHENCE_MODULES": str(tmp_path / "modules"),
        "WHENCE_CACHE": str(tmp_path / "cache"),
        "WHENCE_CACHE_SIZE": "0",
    }
    env.pop(SERVER, None)
    return Build(tmp_path, env)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[dict[str, str]]:
    with compile_server(str(tmp_path)) as variables:
        assert variables
        yield variables


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("-c", "x.c", "-DMISSING=0", "-o", "out"), ""),
        (("-c", "x.c", "-o", "out"), ""),
        (("-S", "-DMISSING=0", "-xc", "-", "-o", "-"), SOURCE),
        (("-E", "x.c"), ""),
    ],
    ids=["object", "error", "standard streams", "preprocessed"],
)
def test_the_call_ends_the_same_way(
    build: Build, server: dict[str, str], arguments: tuple[str, ...], stdin: str
) -> None:
    out, ends = build.folder / "out", []
    for variables in ({}, server):
        out.unlink(missing_ok=True)
        done = build.call(*arguments, stdin=stdin, **variables)
        made = out.read_bytes() if out.exists() else None
        ends.append((done.returncode, done.stdout, done.stderr, made))
    assert ends[0] == ends[1]


def test_the_server_compiles(
    build: Build, server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(build.folder)
    assert ask_server(False, ["-c", "x.c", "-DMISSING=0"], build.env | server) == 0
    assert (build.folder / "x.o").exists()
    assert ask_server(False, ["-c", "no.c"], build.env | server) == 1


def test_without_a_server_the_call_compiles_itself(build: Build, tmp_path: Path) -> None:
    done = build.call("-c", "x.c", "-DMISSING=0", **{SERVER: str(tmp_path / "nobody")})
    assert done.returncode == 0, done.stderr
    assert (build.folder / "x.o").exists()


def test_a_path_that_is_too_long_for_a_socket_means_no_server(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 150)
    folder.mkdir()
    with compile_server(str(folder)) as variables:
        assert variables == {}


def test_the_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Also if that process is killed, and cannot clean up."""
    program = (
        "import subprocess, time; from whence.frontend.c import compile_server as c\n"
        "start = subprocess.Popen\n"
        "def popen(*args, **more):\n"
        "    server = start(*args, **more); print(server.pid, flush=True); return server\n"
        "subprocess.Popen = popen\n"
        f"with c.compile_server({str(tmp_path)!r}): time.sleep(1000)\n"
    )
    starter = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    while _is_running(pid):  # the suite's own limit ends a test that waits here for ever
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
