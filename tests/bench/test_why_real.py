"""Are the real failures of bench/why described completely, and is the reading counted correctly?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.trace.projects import UnavailableError
from bench.why import real
from bench.why.real import Case, SourceLine
from whence.frontend.recorded_run import RecordedRun
from whence.model import Outcome, Run

A_CASE = Case(
    name="crashes", program="p 1.0", release="pypi:p==1.0", sha256="", build="", test="",
    failure="crash", told="", fix="", fixed=(SourceLine("p.c", 2, "*at = 0;"),),
)  # fmt: skip


def ended(status: int, stdout: bytes = b"") -> RecordedRun:
    return RecordedRun(Path(), Run(Outcome.FAIL), 0.0, stdout, b"", status)


@pytest.mark.parametrize("case", real.cases(), ids=lambda case: case.name)
def test_a_case_has_all_fields(case: Case) -> None:
    assert re.fullmatch(r"pypi:[\w.-]+==[\w.]+|npm:[\w.-]+@[\w.]+", case.release)
    assert re.fullmatch("[0-9a-f]{64}", case.sha256)
    assert case.failure in ("crash", "exit", "output")
    assert (case.expect is not None) == (case.failure == "output")
    assert case.told
    assert case.fix
    assert case.fixed
    assert not case.driver or (real.DRIVERS / case.driver).is_file()


def test_names_of_cases_differ() -> None:
    names = [case.name for case in real.cases()]
    assert len(set(names)) == len(names) >= 5


def test_a_failure_is_the_described_one() -> None:
    assert real.fails_as_told(A_CASE, ended(-11))
    assert real.fails_as_told(A_CASE, ended(139))
    assert not real.fails_as_told(A_CASE, ended(1))
    assert not real.fails_as_told(A_CASE, ended(0))


def test_a_line_that_is_not_there_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = tmp_path / "released"
    released.mkdir()
    monkeypatch.setattr(real, "fetched", lambda _: released)
    (released / "p.c").write_text("char *at;\n  *at = 0;\n")
    real.prepared(A_CASE, tmp_path / "tree")
    (released / "p.c").write_text("char *at;\n")
    with pytest.raises(UnavailableError, match=r"p\.c:2 is not"):
        real.prepared(A_CASE, tmp_path / "other")


def test_slow_code_is_interrupted() -> None:
    def spin() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match=r"after 0\.05 s"), real.patience(0.05):
        spin()
