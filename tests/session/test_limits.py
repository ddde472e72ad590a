"""What does a search return at its limit on runs, and does a large search stay within bounds?"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.session.projects import Project, numbered

CULPRIT = 5_432


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_max_runs_stops_with_the_smallest_set_known(tmp_path: Path, jobs: str) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    for limit in (2, 4):
        project.forget()
        ended = project.isolate("--fresh", "--max-runs", str(limit), "--jobs", jobs)
        assert ended.status == 1
        assert ended.document["status"] == "unexplained"
        assert f"stopped after {limit} runs" in ended.document["reason"]
        assert 7 in ended.reverted
        assert ended.runs == limit
        assert sum(run.status is not None for run in project.logged()) >= limit


def test_the_next_session_continues_after_max_runs(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    whole = project.found()
    project.forget()
    (tmp_path / "store").unlink()
    project.isolate("--max-runs", "5")
    ended = project.found()
    assert ended.answer == whole.answer
    assert ended.runs == whole.runs - 5
    assert len(project.logged()) == whole.runs


def test_max_runs_leaves_room_for_the_two_versions(tmp_path: Path) -> None:
    """Coverage changes the PATH.  If that makes the test fail, it is run without coverage."""
    project = numbered(tmp_path, 6, "case $PATH in *whence-of-*) ends 3;; esac; has 2 && ends 1")
    assert project.found("--fresh").culprits == {2}
    ended = project.isolate("--fresh", "--max-runs", "2")
    assert (ended.status, ended.reverted) == (1, set(range(6)))


def test_ten_thousand_changes(tmp_path: Path) -> None:
    project = a_hundred_modules(tmp_path)
    process = project.start()
    assert process.stdout
    document = json.loads(process.stdout.read())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    megabytes = used.ru_maxrss // 1024
    seconds = document["cost"]["seconds"]
    print(f"{megabytes} MB, {document['cost']['runs']} runs, {seconds}")
    assert document["changes"]["total"] == 10_000
    assert [root["id"] for root in document["root"]] == [CULPRIT]
    assert megabytes < 2048


def a_hundred_modules(folder: Path) -> Project:
    """Make a hundred files of a hundred functions, each changed in one line."""
    good, bad = (
        {
            f"m{i:02}.py": "".join(
                f"def f{j}():\n    return {i * 100 + j} {sign} 0\n\n\n" for j in range(100)
            )
            for i in range(100)
        }
        for sign in "+-"
    )
    module, function = divmod(CULPRIT, 100)
    wrong = f"return {CULPRIT} - 1"
    bad[f"m{module}.py"] = bad[f"m{module}.py"].replace(f"return {CULPRIT} - 0", wrong)
    check = f"from m{module} import f{function} as f; assert f() == {CULPRIT}"
    return Project(folder, good, bad, f"{sys.executable} -c '{check}' || ends 1")
