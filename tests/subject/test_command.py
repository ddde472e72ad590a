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


@pytest.mark.parametrize(
    ("command", "stopped"),
    [
        pytest.param("timeout 0.1 sleep 60 | cat", True, id="pipeline"),
        pytest.param('test "$(timeout 0.1 sleep 60; echo end)" = x', True, id="substitution"),
        pytest.param("set -e; timeout 0.1 sleep 60 || true", True, id="tolerated"),
        pytest.param("timeout 60 true | cat", False, id="ended before"),
        pytest.param("timeout 60 sh -c 'exit 7' | cat", False, id="failed before"),
    ],
)
def test_a_program_is_seen_that_a_command_stops_on_its_way(
    tmp_path: Path, command: str, stopped: bool
) -> None:
    ended = run_command(command, cwd=tmp_path, env=dict(os.environ), timeout=60)
    assert ended.stopped_a_part is stopped
    assert not ended.timed_out


def test_no_file_with_a_name_is_made_while_a_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a file would be left behind when whence is killed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = run_command(
        f"timeout 60 ls {tmp_path}", cwd=Path("/"), env=dict(os.environ), timeout=60
    )
    assert ended.status == 0
    assert not ended.stdout


@pytest.mark.parametrize(
    ("command", "status"),
    [
        pytest.param("timeout 60 sh -c 'exit 7'", 7, id="status"),
        pytest.param("set -e; timeout 60 false; exit 5", 1, id="set -e"),
        pytest.param("timeout 60 sleep 60 & kill $!; wait $!", 143, id="background"),
        pytest.param("set -- a; timeout 60 true; test $1 = a", 0, id="arguments"),
        pytest.param("NAME=a timeout 60 sh -c 'test \"$NAME\" = a'", 0, id="variable"),
    ],
)
def test_to_look_for_stopped_programs_changes_nothing(
    tmp_path: Path, command: str, status: int
) -> None:
    assert run_command(command, cwd=tmp_path, env=dict(os.environ), timeout=60).status == status
