"""Does `whence augment` leave out what contracts allow?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.errors import UserError
from whence.model import AugmentedChange, ChangeStatus
from whence.report.augment import augment_text
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest

from .test_augment import BUILD, LEVELS

CONTRACT = "function p.c:level\nchanged_behavior\n  requires x <= 0\n  ensures \\result == -2\n"


def augmented(folder: Path, new: str, contract: str = CONTRACT) -> AugmentedChange:
    """Augment the test of a change that the given test shows, with a contract."""
    for name, text in (("good", LEVELS), ("bad", LEVELS.replace("out = -1;", new))):
        (folder / name).mkdir()
        (folder / name / "p.c").write_text(text)
    (folder / "accepted").write_text(contract)
    request = AugmentRequest(
        good=str(folder / "good"), bad=str(folder / "bad"),
        commands=BuildAndTest(test="./p -1", build=BUILD), seconds=60,
        contracts=(folder / "accepted",),
    )  # fmt: skip
    result = augment_tests(request, folder / "out", lambda _: None)
    assert augment_text(result).plain
    (one,) = result.changes
    return one


def test_a_difference_that_a_contract_allows_is_meant(tmp_path: Path) -> None:
    one = augmented(tmp_path, "out = -2;")
    assert one.status is ChangeStatus.MEANT, one.because
    assert not one.is_made


def test_a_test_is_made_that_shows_what_no_contract_allows(tmp_path: Path) -> None:
    one = augmented(tmp_path, "out = x < -5 ? -9 : -2;")
    assert one.status is ChangeStatus.EXPOSED, one.because
    assert one.is_made
    assert one.test is not None
    assert int(one.test.argv[1]) < -5


def test_a_mistake_in_a_contract_is_said_before_the_search(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'y' is unknown here"):
        augmented(tmp_path, "out = -2;", CONTRACT.replace("x <= 0", "y <= 0"))
