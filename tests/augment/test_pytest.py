"""Do pytest tests show changes, and are the new ones ready to be kept?"""

from __future__ import annotations

import sys
from pathlib import Path

from whence.augment.plain_builds import without_durations
from whence.model import ChangeStatus
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.command import run_command
from whence.subject.trial import BuildAndTest, environment

MODULE = """def label(count):
    if count > 20:
        return "many"
    return str(count)
"""
TESTS = """from counts import label


def test_label():
    assert label(5) == "5"
"""


def test_a_new_test_passes_before_the_change_and_fails_after_it(tmp_path: Path) -> None:
    for name, text in (("good", MODULE), ("bad", MODULE.replace("> 20", "> 30"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "counts.py").write_text(text)
        (tmp_path / name / "test_counts.py").write_text(TESTS)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} -m pytest -q test_counts.py::test_label"),
    )
    [one] = augment_tests(request, tmp_path / "out", lambda _: None).changes
    assert one.status is ChangeStatus.EXPOSED
    assert one.is_made  # the time that pytest prints is no difference
    assert one.test is not None
    assert one.test.module is not None
    text = (tmp_path / "out" / one.test.module).read_text()
    assert text.startswith("# Shows the change at counts.py:2")
    assert "== 'many'" in text
    ends = []
    for name in ("good", "bad"):
        tree = tmp_path / name
        ended = run_command(one.test.command, cwd=tree, env=environment(tree), timeout=60)
        ends.append(ended.status)
    assert ends == [0, 1]


def test_times_and_the_place_of_the_tree_are_no_difference(tmp_path: Path) -> None:
    printed = f"rootdir: {tmp_path}\n=== 1 failed, 2 passed in 0.12s ===\nit took 3.50s\n".encode()
    shown = without_durations(printed, tmp_path)
    assert shown == b"rootdir: {tree}\n=== 1 failed, 2 passed ===\nit took 3.50s\n"
    assert without_durations(b"3 passed in 1.02s\n", tmp_path) == b"3 passed\n"
