"""Does a recorded program behave as the plain one, and does its log follow its description?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.python.programs import NEWER, PROGRAMS
from tests.frontend.python.raising import program
from tests.frontend.python.recorded import check, pythons, run_both

ANY_VERSION = {**PROGRAMS, "tracebacks": program()}
ALL = {**{name: (10, text) for name, text in ANY_VERSION.items()}, **NEWER}


@pytest.mark.parametrize("version", pythons())
@pytest.mark.parametrize("name", ALL)
def test_a_recorded_program_behaves_as_the_plain_one(
    name: str, version: str, tmp_path: Path
) -> None:
    since, text = ALL[name]
    if int(version.partition(".")[2]) < since:
        pytest.skip("the program needs a newer Python")
    both = run_both(tmp_path, {"program.py": text}, pythons()[version], "program.py", "a")
    assert both.recorded == both.plain
    assert check(both.trace) > 0
