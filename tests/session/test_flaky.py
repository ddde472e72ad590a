"""Is the culprit of a flaky test found with --confirm, and is no false claim made without it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.projects import numbered

EVERY_SECOND = "[ $((count % 2)) -eq 0 ] && "


def test_confirm_finds_the_culprit(tmp_path: Path) -> None:
    project = numbered(tmp_path, 10, f"{EVERY_SECOND} has 6 && ends 1")
    ended = project.found("--confirm", "3")
    assert ended.culprits == {6}
    assert any("flaky" in note for note in ended.document["notes"])


@pytest.mark.parametrize("changes", [4, 5, 6])
def test_without_confirm_a_claim_is_true_or_there_is_none(tmp_path: Path, changes: int) -> None:
    project = numbered(tmp_path, changes, f"{EVERY_SECOND} has 3 && ends 1")
    ended = project.isolate()
    if ended.status == 0:
        assert 3 in ended.reverted
    else:
        assert ended.status == 1
        assert "flaky" in ended.document["reason"]
        assert "--confirm" in ended.document["reason"]


def test_confirm_is_suggested_for_a_bad_version_that_passes(tmp_path: Path) -> None:
    project = numbered(tmp_path, 4, "[ $((count % 4)) -eq 0 ] && has 3 && ends 1")
    ended = project.isolate()
    assert ended.status == 2
    assert "--confirm" in ended.stderr
    assert project.found("--confirm", "4").culprits == {3}


def test_a_good_version_that_fails_sometimes_is_reported_as_flaky(tmp_path: Path) -> None:
    project = numbered(tmp_path, 4, f"{EVERY_SECOND} ends 1; has 3 && ends 1")
    ended = project.isolate("--confirm", "3")
    assert ended.status == 2
    assert "flaky" in ended.stderr
