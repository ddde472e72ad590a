"""Does whence contract write nowhere but in its copies, and report a log that is not whole?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whence.contract.session import ContractRequest, check_contracts
from whence.errors import UserError
from whence.subject.trial import BuildAndTest
from whence.trace.python.watched_calls import read_processes


def test_a_kept_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.mkdir()
    (users / "m.py").write_text("the user's")
    for version in ("good", "bad"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "t.py").write_text("import sub.m\nassert sub.m.f()\n")
    (tmp_path / "good" / "sub").symlink_to(users)
    (tmp_path / "bad" / "sub").mkdir()
    (tmp_path / "bad" / "sub" / "m.py").write_text("def f():\n    return 1\n")
    commands = BuildAndTest(test=f"{sys.executable} t.py")
    request = ContractRequest(
        str(tmp_path / "good"), str(tmp_path / "bad"), commands, keep=("sub/**",)
    )
    check_contracts(request, print)
    assert (users / "m.py").read_text() == "the user's"


def test_a_log_that_is_cut_is_reported(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "process.json").write_text('{"argv"')
    with pytest.raises(UserError) as error:
        read_processes(tmp_path, tmp_path)
    assert error.value.slug == "calls-not-logged"
