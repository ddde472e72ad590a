"""Can GitHub run the example workflows, and can no fork misuse them?"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "github-actions"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
TRUSTED = {"actions", "github"}  # trusted owners of actions


def read(name: str) -> dict[Any, Any]:
    yaml = pytest.importorskip("yaml")
    document: dict[Any, Any] = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    return document


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_workflow_that_runs_unreviewed_code_may_only_read() -> None:
    workflow = read("whence.yml")
    assert workflow[True] == "pull_request"  # YAML reads the key `on` as True
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    assert "secrets." not in (FOLDER / "whence.yml").read_text()


def test_the_workflow_that_may_write_runs_only_reviewed_code() -> None:
    workflow = read("whence-comment.yml")
    assert workflow[True] == {"workflow_run": {"workflows": ["whence"], "types": ["completed"]}}
    assert read("whence.yml")["name"] == "whence"
    assert workflow["permissions"] == {}
    (checkout,) = (s for s in steps(workflow) if "actions/checkout" in s.get("uses", ""))
    assert "ref" not in checkout["with"]  # the default branch


@pytest.mark.parametrize("name", [path.name for path in WORKFLOWS])
def test_no_text_of_a_pull_request_is_put_into_a_script(name: str) -> None:
    for step in steps(read(name)):
        assert "${{" not in step.get("run", ""), step
        assert step.get("uses", "actions/").split("/")[0] in TRUSTED
        if "actions/checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("name", [path.name for path in WORKFLOWS])
def test_the_scripts_are_scripts(name: str) -> None:
    for step in steps(read(name)):
        if "run" in step:
            subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)


def test_the_script_uses_options_that_exist() -> None:
    from whence.cli.explain import explain

    (script,) = (
        s["run"] for s in steps(read("whence.yml")) if "whence explain" in s.get("run", "")
    )
    known = {name for param in explain.params for name in param.opts}
    used = set(re.findall(r"(?<=\s)--[a-z]+", script.partition("whence explain")[2]))
    assert {"--good", "--bad", "--json", "--sarif"} <= used <= known


def test_all_files_that_the_page_names_are_there() -> None:
    page = (FOLDER.parents[1] / "docs" / "ci.md").read_text("utf-8")
    named = re.findall(r"^\| `([\w.-]+)`", page, re.MULTILINE)
    assert sorted(named) == sorted(p.name for p in FOLDER.iterdir() if p.suffix in (".yml", ".py"))


# -- the comment itself, with a fake `gh` that only logs its arguments ----------------------------

GH = """#!/bin/sh
echo "$@" >>asked
case "$*" in *--paginate*) cat old 2>/dev/null || : ;; esac
"""


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("found", [False, True])
def test_there_is_one_comment_and_it_is_up_to_date(
    tmp_path: Path, was_there: bool, found: bool
) -> None:
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "whence").mkdir()
    script = tmp_path / ".github" / "whence" / "comment.py"
    script.parent.mkdir(parents=True)
    script.write_text("import sys; print('<!-- whence -->', sys.argv[-1])\n")
    if was_there:
        (tmp_path / "old").write_text("77\n78\n")
    if found:
        (tmp_path / "whence" / "explanation.json").write_text("{}")
    (step,) = (s for s in steps(read("whence-comment.yml")) if "comment.md" in s.get("run", ""))
    names = ("REPOSITORY", "NUMBER", "SHA", "RUN", "BLOB")
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path)}
    env |= {"GITHUB_WORKSPACE": str(tmp_path)} | {name: name.lower() for name in names}
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], env=env, check=True)
    asked = (tmp_path / "asked").read_text().splitlines()[-1]
    if was_there:
        assert "--method PATCH repos/repository/issues/comments/77 " in asked
    elif found:
        assert "--method POST repos/repository/issues/number/comments " in asked
    else:
        assert "--method" not in asked
    if was_there or found:
        text = (tmp_path / "comment.md").read_text()
        assert text.startswith("<!-- whence -->")
        assert ("explanation.json" in text) is found
