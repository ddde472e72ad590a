"""Does `whence explore` show every class of inputs, with a test that runs without it?"""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from whence.cli.main import cli
from whence.errors import UserError

SORTS = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n > 100)
        puts(100 / (n - 123) > 0 ? "above" : "below");
    else
        printf("%d\\n", n);
    return n == 7 ? 3 : 0;
}
"""
SILENT = "int main(int argc, char **argv) { return argc > 9; }\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "p.c").write_text(SORTS)
    return folder


def _explore(tree: Path, *more: str, test: str = "./p 5") -> Result:
    arguments = ["explore", "--source", str(tree), "--build", "$CC -g -o p p.c", "--test", test]
    return CliRunner().invoke(cli, [*arguments, "-q", *more], standalone_mode=False)


def _document(tree: Path, *more: str) -> dict[str, Any]:
    result = _explore(tree, "--json", "-", *more)
    assert result.exception is None, result.exception
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_classes_come_with_their_conditions_and_a_crash_comes_first(
    tree: Path, tmp_path: Path
) -> None:
    found = _document(tree, "--out", str(tmp_path / "out"), "--html", str(tmp_path / "page.html"))
    assert found["status"] == "complete"
    first, *others = found["tests"]
    assert first["trouble"] is not None
    assert first["test"]["argv"] == ["./p", "123"]
    assert {(one["condition"], one["result"]) for one in others} >= {
        ("n <= 100", "prints n"),
    }
    assert any(one["result"] == "prints above" for one in others)
    page = (tmp_path / "page.html").read_text()
    assert "n &lt;= 100" in page
    assert "<script" not in page


def test_each_test_prints_in_the_built_tree_what_the_result_says(
    tree: Path, tmp_path: Path
) -> None:
    found = _document(tree, "--out", str(tmp_path / "out"), "--by", "path")
    subprocess.run(["cc", "-o", "p", "p.c"], cwd=tree, check=True)
    for one in found["tests"]:
        if one["trouble"]:
            continue
        script = tmp_path / "out" / one["test"]["script"]
        ended = subprocess.run(["sh", str(script), str(tree)], capture_output=True, text=True)
        assert (ended.stdout, ended.returncode) == (one["output"], one["exit"])


def test_the_exit_status_has_classes_of_its_own(tree: Path, tmp_path: Path) -> None:
    found = _document(tree, "--at", "exit", "--out", str(tmp_path / "out"))
    assert {one["exit"] for one in found["tests"]} >= {0, 3}


def test_an_exploration_continues_where_it_stopped(tree: Path, tmp_path: Path) -> None:
    whole = _document(tree, "--out", str(tmp_path / "whole"), "--by", "path")
    parts = ["--out", str(tmp_path / "parts"), "--by", "path"]
    stopped = _document(tree, *parts, "--max-tests", "2")
    assert stopped["status"] == "stopped"
    assert len(stopped["tests"]) == 2
    assert "--max-tests" in stopped["reason"]
    continued = _document(tree, *parts)
    assert continued["status"] == "complete"
    assert _classes(continued) == _classes(whole)


def test_several_runs_at_a_time_give_the_same_tests(tree: Path, tmp_path: Path) -> None:
    one = _document(tree, "--out", str(tmp_path / "one"))
    three = _document(tree, "--out", str(tmp_path / "three"), "--jobs", "3")
    assert one["tests"] == three["tests"]
    assert one["notes"] == three["notes"]


# The first two of its three classes have the first condition in common.
SIGNED = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n > 20000)
        return 9;
    puts(n > 500 ? "far" : "near");
    return 0;
}
"""


def test_what_all_classes_share_is_said_once(tree: Path, tmp_path: Path) -> None:
    (tree / "p.c").write_text(SIGNED)
    found = _document(tree, "--out", str(tmp_path / "out"), "--max-tests", "2", "--by", "path")
    shared = set(found["tests"][0]["condition"].split(" and "))
    shared &= set(found["tests"][1]["condition"].split(" and "))
    assert len(shared) == 1
    text = _explore(tree, "--out", str(tmp_path / "out"), "--max-tests", "2", "--by", "path").stdout
    assert f"in all classes: {shared.pop()}\n" in text


def test_the_environment_is_not_written_down(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user may hand on the folder of the tests."""
    monkeypatch.setenv("A_SECRET", "nothing for others")
    _document(tree, "--out", str(tmp_path / "out"))
    kept = (tmp_path / "out" / "exploration.json").read_text()
    assert "A_SECRET" not in kept
    assert b64encode(b"nothing for others").decode() not in kept


def _classes(found: dict[str, Any]) -> list[str]:
    return sorted(one["condition"] for one in found["tests"])


def test_a_folder_of_another_exploration_is_refused(tree: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    _document(tree, "--out", out, "--max-tests", "1")
    _check_refused(_explore(tree, "--out", out, "--by", "path"), "out-not-empty")


def test_a_program_whose_inputs_decide_nothing_is_refused(tree: Path) -> None:
    (tree / "p.c").write_text(SILENT)
    _check_refused(_explore(tree), "no-input-decides")


def test_a_wrong_point_is_refused(tree: Path) -> None:
    _check_refused(_explore(tree, "--at", "nowhere"), "bad-point")
    _check_refused(_explore(tree, "--at", "return:nothing"), "no-such-function")


def test_a_program_that_prints_something_else_each_time_is_noted(tree: Path) -> None:
    (tree / "p.c").write_text(
        "#include <stdio.h>\n#include <unistd.h>\n"
        'int main(int c, char **v) { if (v[1][0] > 53) puts("x"); printf("%d\\n", getpid()); }\n'
    )
    result = _explore(tree)
    assert "prints something else when it runs again" in result.stdout


def _check_refused(result: Result, slug: str) -> None:
    assert isinstance(result.exception, UserError), result.stdout
    assert result.exception.slug == slug
