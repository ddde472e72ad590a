"""Whichever run goes wrong for no reason, the answer is never wrong, only less small or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.projects import numbered

CHANGES = 6


@pytest.mark.parametrize(
    ("goes_wrong", "runs"), [("ends 125", range(1, 21)), ("kill -9 $$", range(1, 21, 4))]
)
def test_the_nth_run_goes_wrong(tmp_path: Path, goes_wrong: str, runs: range) -> None:
    """The test passes if 2 and 5 are reverted, whatever else is."""
    for n in runs:
        judge = f"[ $count -eq {n} ] && {goes_wrong}; has 2 && ends 1; has 5 && ends 1"
        project = numbered(tmp_path / str(n), CHANGES, judge)
        result = project.result()
        said = {change for found in (*result.root, *result.auxiliary) for change in found.ids}
        assert {2, 5} <= said, f"run {n}"
        assert said == {2, 5} or n <= len(project.logged())
        assert result.reason or result.status == "isolated"
