"""Do the benchmarks run from the checkout alone, and ask for the cases that are not in it?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import CHECKOUT
from bench.case_folder import VARIABLE

NEED_CASES = ("isolate.run", "explain.run", "python.slowdown")
COMMANDS = (*NEED_CASES, "python.run", "python.differential", "python.variants", "trace.run",
            "why.run", "why.real", "why.speed", "real.run")  # fmt: skip


def bench(command: str, *flags: str, cases: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {
        name: value for name, value in os.environ.items() if name not in (VARIABLE, "PYTHONPATH")
    }
    if cases is not None:
        env[VARIABLE] = cases
    words = [sys.executable, "-m", f"bench.{command}", *flags]
    return subprocess.run(words, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_benchmark_starts_from_the_checkout(command: str) -> None:
    ended = bench(command, "--help")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("command", NEED_CASES)
def test_cases_that_are_not_named_are_asked_for(command: str) -> None:
    ended = bench(command)
    assert ended.returncode == 2
    assert "needs a folder with real cases" in ended.stderr
    assert f"--cases DIR or ${VARIABLE}" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("flags", "cases"), [(("--cases", "{}"), None), ((), "{}")])
def test_a_folder_without_cases_is_named(
    flags: Sequence[str], cases: str | None, tmp_path: Path
) -> None:
    given = [flag.format(tmp_path) for flag in flags]
    ended = bench("isolate.run", *given, cases=cases and cases.format(tmp_path))
    assert ended.returncode == 2
    assert f"{tmp_path} has no folder `python` or `c`" in ended.stderr


def test_no_benchmark_changes_the_path_or_looks_beside_the_checkout() -> None:
    own = Path(__file__)
    for path in (*CHECKOUT.glob("bench/**/*.py"), *CHECKOUT.glob("tests/**/*.py")):
        if path != own and "programs" not in path.parts:
            text = path.read_text("utf-8")
            assert "sys.path.insert" not in text, path
            assert not re.search(r"CHECKOUT\.parent|shared. / .bench", text), path
