"""Places outside of the tree are named shortly in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.report.lines import shown_place


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        pytest.param("src/shape.c", "src/shape.c:7", id="in the tree"),
        pytest.param("{here}/tests/test_x.py", "tests/test_x.py:7", id="below the current folder"),
        pytest.param("/elsewhere/deep/tests/test_x.py", "…/tests/test_x.py:7", id="elsewhere"),
    ],
)
def test_a_place_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_place(file.format(here=tmp_path), 7) == shown
