"""Does whence find the faults of the bundled examples, and does their README show its answer?"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = CHECKOUT / "examples"
BLOCK = re.compile(r"```console\n\$ whence (.*)\n\n((?:[^`]|`(?!``))*)```")
COMMANDS = {
    found[1].split("examples/")[1].split("/")[0]: (shlex.split(found[1]), found[2])
    for found in BLOCK.finditer((EXAMPLES / "README.md").read_text("utf-8"))
}


IN_THE_MAIN_README = {"shop"}  # whence contract has no failure to explain; test_readme.py runs it


def test_every_example_is_in_the_readme() -> None:
    examples = {path.parent.name for path in EXAMPLES.glob("*/old")}
    assert COMMANDS.keys() == examples - IN_THE_MAIN_README


@pytest.mark.parametrize("example", COMMANDS)
def test_the_answer_is_the_one_that_we_planted(example: str, tmp_path: Path) -> None:
    command, answer = COMMANDS[example]
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    report, document = find(command, tmp_path)
    expected = json.loads((EXAMPLES / example / "expected.json").read_text())
    assert places(document["root"]) == expected["root"]
    assert places(document["auxiliary"]) == expected["auxiliary"]
    # If only the wording differs: .venv/bin/python examples/demo.py --write
    assert without_cost(report) == answer.strip()


def find(command: list[str], folder: Path) -> tuple[str, dict[str, Any]]:
    """Run a documented command in a folder, and return its report and its result document."""
    python = Path(sys.executable).parent
    options = ["--store", "outcomes", "--json", "answer.json", "--quiet"]
    ended = subprocess.run(
        [sys.executable, "-m", "whence", *command, *options],
        cwd=folder,
        env={**os.environ, "PATH": f"{python}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, json.loads((folder / "answer.json").read_text())


def places(changes: list[dict[str, Any]]) -> list[list[str | None]]:
    return [[change["file"], change["function"]] for change in changes]


def without_cost(report: str) -> str:
    """Return the report without the parts that depend on the machine.

    These are its last line, and the compiler's spelling of the function of a failed assertion.
    """
    first = report.strip().rpartition("\n\n")[0]
    return re.sub(r"in void (\w+)\(void\)", r"in \1", first)
