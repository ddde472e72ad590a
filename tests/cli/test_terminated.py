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


@pytest.mark.parametrize("test", [SLEEPER, PYTHON])
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


def _runs(pid: int) -> bool:
    """Does a process run?  One that has ended may still wait for its parent (state Z)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
