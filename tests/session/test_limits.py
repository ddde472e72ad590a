"""What does a search return at its limit on runs, and does a large search stay within bounds?"""

from __future__ import annotations

import json
import os
import resource
import shlex
import sys
from pathlib import Path

import pytest

from tests.session.projects import Project, numbered
from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.search.suspicion import Evidence, executed, weigh_by_kind

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


def test_max_time_stops_with_the_smallest_set_known_and_the_next_session_continues(
    tmp_path: Path,
) -> None:
    """Every run takes 0.4 s, so there is no time for the runs that three causes need."""
    project = numbered(
        tmp_path, 100, "sleep 0.4; if has 7 || has 50 || has 91; then ends 1; else ends 0; fi"
    )
    ended = project.isolate("--max-time", "3")
    assert ended.status == 1
    assert ended.document["status"] == "unexplained"
    assert "stopped after 3 s, as --max-time requires" in ended.document["reason"]
    assert "perhaps not minimal" in ended.document["reason"]
    assert {7, 50, 91} <= ended.reverted
    assert ended.document["cost"]["seconds"]["total"] < 12  # on a busy machine
    again = project.found()
    assert again.culprits == {7, 50, 91}
    assert again.document["cost"]["cached"] >= ended.runs - 1  # it continues from there


def test_the_two_versions_are_run_although_the_time_is_up(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "sleep 0.1; has 7 && ends 1")
    ended = project.isolate("--max-time", "0.01")
    assert (ended.status, ended.runs, ended.reverted) == (1, 2, set(range(12)))


def test_a_stopped_search_shows_the_most_suspicious_changes_first(tmp_path: Path) -> None:
    """`.cvsignore` and the documentation come first by name, are read, and never run."""
    good = {".cvsignore": "a\n", "DOCS": "a\n", "run.py": "def f():\n    return 1\n\n\n\ng = 2\n"}
    bad = {".cvsignore": "b\n", "DOCS": "b\n", "run.py": good["run.py"].replace("1", "3")}
    project = Project(tmp_path, good, bad, "")
    program = shlex.join([sys.executable, "-c", "import run; assert run.f() == 1"])
    test = f"cat .cvsignore DOCS; PYTHONPATH={{tree}} {program}"
    ended = project.isolate("--max-runs", "2", "--test", test)
    assert ended.document["status"] == "unexplained"
    assert [root["file"] for root in ended.document["root"]] == ["run.py", ".cvsignore", "DOCS"]


def test_source_code_is_more_suspicious_than_documents_before_any_run(tmp_path: Path) -> None:
    for name, number in (("good", 1), ("bad", 2)):
        (tmp_path / name).mkdir()
        for file in ("README", "run.py", "notes.md", "page.js"):
            (tmp_path / name / file).write_text(f"value = {number}\n")
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    weights = weigh_by_kind(changes)
    code = {weights[c.id] for c in changes.changes if c.file in ("run.py", "page.js")}
    others = {weights[c.id] for c in changes.changes if c.file in ("README", "notes.md")}
    assert min(code) > max(others)


def test_a_function_on_one_line_is_executed_if_its_line_is(tmp_path: Path) -> None:
    for name, number in (("good", 1), ("bad", 2)):
        (tmp_path / name).mkdir()
        text = f"int f(void) {{ return {number}; }}\nint g(void) {{ return {number}; }}\n"
        (tmp_path / name / "a.c").write_text(text)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    ran = executed(changes, Evidence(bad={"a.c": frozenset({2})}))
    assert ran is not None
    assert {changes.changes[change].new.start for change in ran} == {2}


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
    # The kernel counts what the starting process held before the program was loaded.
    of_this_process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    seconds = document["cost"]["seconds"]
    print(f"{megabytes} MB, {document['cost']['runs']} runs, {seconds}")
    assert document["changes"]["total"] == 10_000
    assert [root["id"] for root in document["root"]] == [CULPRIT]
    assert megabytes < 2048 or megabytes <= of_this_process


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
