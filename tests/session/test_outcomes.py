"""Four ways for a run to end, and what each of them means for the search."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.session.projects import Project, numbered

# Change 3 is the culprit; reverted without change 5, it makes this happen instead.
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
def test_what_is_neither_pass_nor_the_failure_is_neither(
    tmp_path: Path, instead: str, options: tuple[str, ...]
) -> None:
    project = numbered(tmp_path, 6, WITHOUT_5 % instead, *options)
    ended = project.found()
    assert (ended.culprits, ended.reverted) == ({3}, {3, 5})
    assert ended.document["failure"]["message"] == "exit status 1"


def test_a_build_that_fails_is_neither(tmp_path: Path) -> None:
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
        ("exact", {3}, {3, 5}),  # with 3 reverted it fails in another way, which does not count
        ("any", {3, 5}, {3, 5}),
        ("of (three|five)", {3, 5}, {3, 5}),
        ("of three", {3}, {3, 5}),
    ],
)
def test_same_failure_says_what_counts(
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


def test_what_is_kept_is_no_change_and_as_in_bad_everywhere(tmp_path: Path) -> None:
    good = {"code": "1\n", "more": "1\n", "tests/check": "exit 9\n"}
    bad = {"code": "2\n", "more": "2\n", "tests/check": "grep -q 1 code || exit 1\n"}
    project = Project(tmp_path, good, bad, "sh tests/check\nends $?", ("--keep", "tests/*"))
    ended = project.found()
    assert ended.document["changes"]["total"] == 2
    assert [root["file"] for root in ended.document["root"]] == ["code"]


def test_a_hog_is_stopped_by_the_limit_of_memory(tmp_path: Path) -> None:
    hog = f"{sys.executable} -c 'bytearray(2**30)' || ends 9"
    project = numbered(tmp_path, 6, WITHOUT_5 % f"{{ {hog}; ends 0; }}", "--memory", "512M")
    ended = project.found()
    assert (ended.culprits, ended.reverted) == ({3}, {3, 5})
    assert 9 in {run.status for run in project.logged()}


def test_taking_too_long_can_be_the_failure_and_all_that_was_begun_is_ended(tmp_path: Path) -> None:
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
    return state != "Z"  # ended, and nobody has looked yet
