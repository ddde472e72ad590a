"""Whichever run goes wrong for no reason, the answer is never wrong, only less small or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.projects import numbered

CHANGES = 5


@pytest.mark.parametrize(
    ("goes_wrong", "runs"), [("ends 125", range(1, 21)), ("kill -9 $$", range(1, 21, 4))]
)
def test_the_nth_run_goes_wrong(tmp_path: Path, goes_wrong: str, runs: range) -> None:
    """The test passes if 1 and 3 are reverted, whatever else is."""
    for n in runs:
        judge = f"[ $count -eq {n} ] && {goes_wrong}; has 1 && ends 1; has 3 && ends 1"
        project = numbered(tmp_path / str(n), CHANGES, judge)
        result = project.result()
        said = {change for found in (*result.root, *result.auxiliary) for change in found.ids}
        assert {1, 3} <= said, f"run {n}"
        assert result.reason or result.status == "isolated"
        if n > len(project.logged()):  # this time none went wrong
            assert said == {1, 3}
            break
