"""Can a user go on with a cause tree another day?"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from whence.model import Mark
from whence.service.tree_session import SavedTree, TreeSession

from .fake_tree import FakeTree, Node
from .sitting import SQUARES, at_a_screen, resumed, sitting_at

# -- another day -------------------------------------------------------------------------------


@at_a_screen
async def test_marks_and_what_was_unfolded_are_there_again(tmp_path: Path) -> None:
    _, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        await user.press("j", "right", "j", "r", "escape", "right", "j", "j", "j", "b", "k", "k")
        causes, selected = user.causes, user.selected
        assert len(causes) == 6
        await user.press("q")
    fake, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        assert (user.causes, user.selected) == (causes, selected)
        assert "◆ root" in user.line(f"✓ {SQUARES}")
        assert "benign" in user.line("✗ a < b || b < c")
        assert fake.number("a < b || b < c") not in fake.asked


@at_a_screen
async def test_nothing_is_lost_if_whence_is_killed(tmp_path: Path) -> None:
    _, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        await user.press("j", "right", "b")
        killed = TreeSession.load(tmp_path / "why.json", "run")
        assert killed.marks == {tree.cause(1).key: Mark.BENIGN}
        assert killed.expanded == {tree.cause(0).key, tree.cause(1).key}


@at_a_screen
async def test_the_old_position_is_not_restored_after_the_user_moved(tmp_path: Path) -> None:
    _, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        await user.press("j", "right", "j")
    fake, tree = resumed(tmp_path)
    fake.children(0)  # computed, so that only the causes below wait for the gate
    fake.gate = threading.Event()
    async with sitting_at(tree, ready=False) as user:
        await user.press_at_once("j", "j")
        fake.gate.set()
        await user.wait()
        assert SQUARES in user.causes
        assert user.selected == "a < b || b < c"


@at_a_screen
async def test_what_was_folded_stays_folded(tmp_path: Path) -> None:
    _, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        await user.press("left")
    fake, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        assert user.causes == ["near(area, 9.92)"]
        await user.press("right")
        assert len(user.causes) == 3
        assert fake.asked == [0]


@at_a_screen
async def test_causes_are_computed_in_the_order_of_the_earlier_session(tmp_path: Path) -> None:
    shared = Node("shared", 4)
    root = Node("root", 18, below=[Node("one", 6, below=[shared]), Node("two", 8, below=[shared])])

    def tree() -> SavedTree:
        return SavedTree(FakeTree(root), TreeSession.load(tmp_path / "why.json", "run"))

    async with sitting_at(tree()) as user:
        await user.press("j", "j", "right", "left", "k", "right")
        assert user.causes == ["root", "one", "two"]
    async with sitting_at(tree()) as user:
        assert user.causes == ["root", "one", "two"]
        await user.press("j", "right")
        assert user.causes == ["root", "one", "two", "shared"], "it is below the second again"


@at_a_screen
async def test_an_error_in_saving_the_session_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        with monkeypatch.context() as patch:
            patch.setattr("os.replace", _fail)
            await user.press("j", "b")
        await user.sees("cannot be written: no room")
        assert fake.marks == {1: Mark.BENIGN}


def _fail(*_: object) -> None:
    raise OSError("no room")
