"""Does a terminated or killed whence end the tests that it started?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLEEPER = "echo $$ > {pid}; exec sleep 600"
PYTHON = "{python} sleeper.py"  # the fork server runs it
# A daemon leaves the session of the test, and its parent ends.
DAEMON = "(setsid sh -c 'echo $$ > {pid}; exec sleep 600' &) ; sleep 600"
PYTHON_DAEMON = "{python} daemon.py"


DAEMON_OF_PYTHON = """\
import os, time, code
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        open({pid!r}, "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""


LEAVES = """\
import os, time, code
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        with open({pids!r}, "a") as file:
            file.write(str(os.getpid()) + "\\n")
        os.write(write, b"1")
        time.sleep(600)
    os._exit(0)
os.read(read, 1)
raise SystemExit(code.name == "bad")
"""


def under_way(folder: Path, test: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start whence; return it and the process of its test, which sleeps."""
    pid = folder / "pid"
    for name in ("good", "bad"):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(f"name = {name!r}\n")
        (folder / name / "sleeper.py").write_text(
            f"import os, time, code\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n"
            "time.sleep(600)\n"
        )
        (folder / name / "daemon.py").write_text(DAEMON_OF_PYTHON.format(pid=str(pid)))
    test = test.format(pid=pid, python=sys.executable)
    whence = subprocess.Popen(
        [
            *(sys.executable, "-m", "whence", "isolate", "--good", "good", "--bad", "bad"),
            *("--test", test, "--store", "store"),
        ],
        cwd=folder,
        stderr=subprocess.PIPE,
    )
    while not (pid.exists() and pid.read_text()):
        assert whence.poll() is None
        time.sleep(0.02)
    return whence, int(pid.read_text())


def test_a_test_that_is_under_way_ends_with_whence(tmp_path: Path) -> None:
    whence, pid = under_way(tmp_path, SLEEPER)
    whence.send_signal(signal.SIGTERM)
    _, result = whence.communicate(timeout=60)
    assert whence.returncode == 130
    assert b"Interrupted" in result
    assert not _runs(pid)


@pytest.mark.parametrize("test", [SLEEPER, PYTHON, DAEMON, PYTHON_DAEMON])
def test_a_test_that_is_under_way_ends_if_whence_is_killed(tmp_path: Path, test: str) -> None:
    whence, pid = under_way(tmp_path, test)
    whence.kill()
    whence.wait()
    for _ in range(1000):  # the guardian needs a moment
        if not _runs(pid):
            return
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the test outlived whence")


_LEAVE = "echo $$ >> {pids}; touch ready; exec /bin/sleep 600"
_WAIT = "while [ ! -e ready ]; do sleep 0.01; done; grep good code.py"


@pytest.mark.parametrize(
    "test",
    [
        f"(setsid sh -c '{_LEAVE}' &); {_WAIT}",
        f"(setsid env -i sh -c '{_LEAVE}' &); {_WAIT}",
        "{python} leaves.py",
    ],
    ids=["shell", "without environment", "python"],
)
def test_a_daemon_of_a_test_ends_with_the_test(tmp_path: Path, test: str) -> None:
    pids = tmp_path / "pids"
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(f"name = {name!r}\n")
        (tmp_path / name / "leaves.py").write_text(LEAVES.format(pids=str(pids)))
    test = test.format(pids=pids, python=sys.executable)
    words = ("isolate", "--good", "good", "--bad", "bad", "--test", test, "--store", "store")
    ended = subprocess.run([sys.executable, "-m", "whence", *words], cwd=tmp_path, timeout=100)
    assert ended.returncode == 0
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) >= 2
    left = [pid for pid in started if _runs(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _runs(pid: int) -> bool:
    """Does a process run?  One that has ended may still wait for its parent (state Z)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
