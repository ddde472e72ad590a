"""Is the faulty line the root in randomly generated programs?"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, assume, given, settings

from tests.explain.explaining import Pair, explain
from tests.explain.generator import pairs
from whence.subject.toolchain import compilers


def printed(source: Path) -> bytes:
    program = source.with_suffix("")
    subprocess.run([*shlex.split(compilers(os.environ)["CC"]), "-o", program, source], check=True)
    return subprocess.run([program], check=True, capture_output=True).stdout


def makes_a_difference(pair: Pair, folder: Path) -> bool:
    pair.write(folder)
    return printed(folder / "good" / "program.c") != printed(folder / "bad" / "program.c")


@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # shrinking a pair would take minutes
    suppress_health_check=list(HealthCheck),
)
@given(pairs())
def test_the_faulty_line_is_the_root(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair.of(text, harmless=False)
        assume(makes_a_difference(pair, Path(folder) / "plain"))
        answer = explain(Path(folder) / "answer", text, compares_output=True, harmless=False)
        assert answer.root == {"fault"}
        assert answer.result.status == "explained"
        assert "fault" in answer.links
