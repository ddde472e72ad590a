"""Is the answer still true if one run fails for no reason?  It may be larger, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.projects import numbered

CHANGES = 5


@pytest.mark.parametrize(
    ("goes_wrong", "runs"), [("ends 125", range(1, 21)), ("kill -9 $$", range(1, 21, 4))]
)
def test_the_nth_run_goes_wrong(tmp_path: Path, goes_wrong: str, runs: range) -> None:
    """The test passes if 1 and 3 are reverted, whatever else is reverted."""
    for n in runs:
        judge = f"[ $count -eq {n} ] && {goes_wrong}; has 1 && ends 1; has 3 && ends 1"
        project = numbered(tmp_path / str(n), CHANGES, judge)
        result = project.result()
        reverted = {change for found in (*result.root, *result.auxiliary) for change in found.ids}
        assert {1, 3} <= reverted, f"run {n}"
        assert result.reason or result.status == "isolated"
        if n > len(project.logged()):  # this time no run failed for no reason
            assert reverted == {1, 3}
            break
