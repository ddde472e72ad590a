"""Which cases are there, and how are their two versions written to disk?"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.isolate.score import Place


@dataclass(frozen=True, slots=True)
class Case:
    """A real regression, or a generated one.

    `env` holds the trees good/ and bad/.  The commands run in the variant's tree; {tree} in them
    stands for its path.
    """

    id: str
    group: str  # python, c or synthetic
    env: Path
    test: str
    build: str | None
    culprits: tuple[Place, ...]
    supporting: tuple[Place, ...]


class NotInstallableError(Exception):
    """A case or a rival that this machine cannot install; the message says why."""


def load(folder: Path, env: Path, python: str) -> Case:
    """Return the case that a folder with a case.json describes; nothing is installed yet."""
    description = json.loads((folder / "case.json").read_text())
    if description["language"] == "c":
        here = shlex.quote(str(folder))
        build, test = (
            description[key].replace("<case>", here) for key in ("build", "test_command")
        )
    else:
        build = None
        script = folder / description.get("test", "test.py")
        test = (
            f"PYTHONPATH={{tree}}:{shlex.quote(str(env / 'deps'))} "
            f"{shlex.quote(python)} {shlex.quote(str(script))}"
        )
    return Case(
        description["id"],
        description["language"],
        env,
        test,
        build,
        tuple(_place(entry) for entry in description["culprit"]),
        tuple(_place(entry) for entry in description["supporting_hunks"]),
    )


def _place(entry: dict[str, Any]) -> Place:
    return Place(
        entry["file"],
        (entry["good_lines"][0], entry["removed"]),
        (entry["bad_lines"][0], entry["added"]),
    )


def install(folder: Path, env: Path, python: str) -> None:
    """Run the case's setup.sh, unless an earlier run of the same script succeeded."""
    script = folder / "setup.sh"
    # Beside the trees, not in them: they must hold only what the registry gave.
    done = env.with_name(env.name + ".ready")
    if done.exists() and done.read_bytes() == script.read_bytes():
        return
    shutil.rmtree(env, ignore_errors=True)
    env.parent.mkdir(parents=True, exist_ok=True)
    # The first line of the script names its shell.
    first = script.read_text().splitlines()[0]
    shell = shlex.split(first[2:]) if first.startswith("#!") else ["sh"]
    setup = subprocess.run(
        [*shell, str(script), str(env)],
        env={**os.environ, "PYTHON": python},
        capture_output=True,
        text=True,
        check=False,
    )
    if setup.returncode:
        raise NotInstallableError(last_words(setup.stderr) or f"exit status {setup.returncode}")
    for tree in ("good", "bad"):
        if not (env / tree).is_dir():
            raise NotInstallableError(f"setup.sh made no folder {tree}")
    done.write_bytes(script.read_bytes())


def last_words(text: str) -> str:
    """Return the last line with an error, or else the last line; short enough for a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [""])[-1][:200]


def python_for_cases() -> str:
    """Return a Python 3.11, for which the cases were verified, or else our own Python.

    The real path is used: a version manager's wrapper script would cost more than the test.
    """
    wrapper = shutil.which("python3.11")
    if wrapper is None:
        return sys.executable
    asked = subprocess.run(
        [wrapper, "-c", "import sys; print(sys.executable)"],
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() if asked.returncode == 0 else sys.executable
