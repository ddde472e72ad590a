"""What does each of the four outcomes of a run mean for the search?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.session.projects import Project, numbered, write_files
from whence.search.session import IsolateRequest, Watcher, run_request
from whence.subject.trial import BuildAndTest

# Change 3 is the root; if it is reverted without change 5, the command %s runs.
WITHOUT_5 = "has 3 || { has 5 && %s; }; has 3 && ends 1"


@pytest.mark.parametrize(
    ("instead", "options"),
    [
        ("ends 125", ()),
        ("ends 2", ()),
        ("kill -SEGV $$", ()),
        ("sleep 60", ("--timeout", "1")),
        ("yes $(seq 2000)", ()),
    ],
)
def test_a_run_that_cannot_be_judged_is_neither_pass_nor_failure(
    tmp_path: Path, instead: str, options: tuple[str, ...]
) -> None:
    project = numbered(tmp_path, 6, WITHOUT_5 % instead, *options)
    ended = project.found()
    assert (ended.culprits, ended.reverted) == ({3}, {3, 5})
    assert ended.document["failure"]["message"] == "exit status 1"


def test_a_failed_build_is_neither_pass_nor_failure(tmp_path: Path) -> None:
    build = "grep -q '^3 bad' numbers || ! grep -q '^5 bad' numbers"
    project = numbered(tmp_path, 7, "has 3 && ends 1", "--build", build)
    ended = project.found()
    assert (ended.culprits, ended.reverted) == ({3}, {3, 5})
    assert ended.document["cost"]["builds"] == ended.runs > len(project.logged())


TWO_FAILURES = """\
has 3 && { echo "error: of three" >&2; ends 1; }
has 5 && { echo "error: of five" >&2; ends 2; }
"""


@pytest.mark.parametrize(
    ("same", "culprits", "reverted"),
    [
        ("exact", {3}, {3, 5}),  # with 3 reverted the test fails differently
        ("any", {3, 5}, {3, 5}),
        ("of (three|five)", {3, 5}, {3, 5}),
        ("of three", {3}, {3, 5}),
    ],
)
def test_the_option_same_failure_decides_what_counts(
    tmp_path: Path, same: str, culprits: set[int], reverted: set[int]
) -> None:
    project = numbered(tmp_path, 8, TWO_FAILURES)
    ended = project.found("--same-failure", same)
    assert (ended.culprits, ended.reverted) == (culprits, reverted)


def test_another_output_is_a_failure_wherever_the_tree_is(tmp_path: Path) -> None:
    project = numbered(tmp_path, 8, "pwd; echo $WHENCE_TREE; has 6 && echo 7 || echo 6")
    ended = project.found("--oracle", "output", "--test", f"sh {project.script} {{tree}}")
    assert ended.culprits == {6}
    assert ended.document["failure"]["kind"] == "output"
    assert "(line 3): '6' became '7'" in ended.document["failure"]["message"]


def test_kept_files_are_as_in_bad_in_every_variant(tmp_path: Path) -> None:
    good = {"code": "1\n", "more": "1\n", "tests/check": "exit 9\n"}
    bad = {"code": "2\n", "more": "2\n", "tests/check": "grep -q 1 code || exit 1\n"}
    project = Project(tmp_path, good, bad, "sh tests/check\nends $?", ("--keep", "tests/*"))
    ended = project.found()
    assert ended.document["changes"]["total"] == 2
    assert [root["file"] for root in ended.document["root"]] == ["code"]


def test_the_memory_limit_stops_a_process(tmp_path: Path) -> None:
    hog = f"{sys.executable} -c 'bytearray(2**30)' || ends 9"
    project = numbered(tmp_path, 6, WITHOUT_5 % f"{{ {hog}; ends 0; }}", "--memory", "512M")
    ended = project.found()
    assert (ended.culprits, ended.reverted) == ({3}, {3, 5})
    assert 9 in {run.status for run in project.logged()}


def test_a_timeout_can_be_the_failure_and_its_processes_are_ended(tmp_path: Path) -> None:
    child = f"sh -c 'echo $$ >>{tmp_path}/children; exec sleep 60'"
    project = numbered(tmp_path, 3, f"has 1 && {{ {child} & sleep 60; }}", "--timeout", "1")
    ended = project.found()
    assert ended.culprits == {1}
    assert ended.document["failure"]["kind"] == "timeout"
    children = (tmp_path / "children").read_text().split()
    assert children
    assert not [child for child in children if is_running(child)]


def is_running(process: str) -> bool:
    try:
        state = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # a zombie has ended


@pytest.mark.parametrize(
    ("server", "kind"),
    [
        pytest.param("timeout 0.2 sleep 60", "exit", id="both versions stop it"),
        pytest.param("! grep bad numbers || timeout 0.2 sleep 60", "timeout", id="only bad"),
    ],
)
def test_a_stopped_program_is_the_failure_if_the_good_version_stops_none(
    tmp_path: Path, server: str, kind: str
) -> None:
    for version in ("good", "bad"):
        write_files(tmp_path / version, {"numbers": f"1 {version}\n"})
    command = BuildAndTest(f"{{ {server}; }} | cat; ! grep bad numbers")
    request = IsolateRequest(str(tmp_path / "good"), str(tmp_path / "bad"), command)
    result = run_request(request, Watcher())[0]
    assert result.failure.kind == kind
    assert [change.file for change in result.root] == ["numbers"]
