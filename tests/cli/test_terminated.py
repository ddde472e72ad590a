"""Does a terminated whence end the tests that it started?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def test_a_test_that_is_under_way_ends_with_whence(tmp_path: Path) -> None:
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(f"name = {name!r}\n")
    pid = tmp_path / "pid"
    test = f"echo $$ > {pid}; exec sleep 600"
    whence = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "whence",
            "isolate",
            "--good",
            "good",
            "--bad",
            "bad",
            "--test",
            test,
            "--store",
            "store",
        ],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    while not (pid.exists() and pid.read_text()):
        assert whence.poll() is None
        time.sleep(0.02)
    whence.send_signal(signal.SIGTERM)
    _, result = whence.communicate(timeout=60)
    assert whence.returncode == 130
    assert b"Interrupted" in result
    assert not _runs(int(pid.read_text()))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
