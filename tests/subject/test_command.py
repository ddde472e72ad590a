"""How does a shell command end?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whence.subject.command import run_command


@pytest.mark.parametrize(
    ("command", "timed_out"),
    [
        pytest.param("timeout 0.1 sleep 60", True, id="stopped by timeout"),
        pytest.param("timeout 60 true", False, id="ended before"),
        pytest.param("timeout 60 false", False, id="failed before"),
        pytest.param("exit 124", False, id="the same status without timeout"),
    ],
)
def test_a_command_may_limit_its_own_time(tmp_path: Path, command: str, timed_out: bool) -> None:
    ended = run_command(command, cwd=tmp_path, env=dict(os.environ), timeout=60)
    assert ended.timed_out is timed_out
