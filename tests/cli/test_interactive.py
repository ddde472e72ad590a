"""Can a user walk a cause tree with the keyboard, and prune it?"""

from __future__ import annotations

import threading

import pytest

from whence.errors import UserError
from whence.model import Mark

from .fake_tree import FakeTree
from .sitting import SQUARES, at_a_screen, sitting_at

# -- walking -----------------------------------------------------------------------------------


@at_a_screen
async def test_the_first_level_is_there_at_once() -> None:
    async with sitting_at(FakeTree()) as user:
        assert user.causes == ["near(area, 9.92)", "class == RIGHT", "a < b || b < c"]
        assert "✗ near(area, 9.92)" in user.text
        line = user.line("a < b || b < c")
        assert "shape.c:6" in line
        assert "could have changed" in line


@at_a_screen
async def test_a_cause_is_computed_when_it_is_unfolded() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("down", "right")
        assert tree.asked == [0, tree.number("class == RIGHT")]
        assert user.causes[2:4] == [SQUARES, "a == b && b == c"]
        await user.press("left")
        assert SQUARES not in user.causes
        await user.press("enter")
        assert SQUARES in user.causes
        assert len(tree.asked) == 2


@at_a_screen
async def test_keys_go_down_up_in_and_out() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("j", "j", "k", "right", "right")
        assert user.selected == SQUARES
        await user.press("left")
        assert user.selected == "class == RIGHT"


@at_a_screen
async def test_the_iterations_of_a_loop_are_counted() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("j", "right", "right", "right")
        line = user.line("✗ a < b  ")
        assert "x3" in line
        assert "premise" in line


@at_a_screen
async def test_a_cause_is_shown_with_its_sentence_statements_and_source() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("j")
        assert "`class == RIGHT` was true because of what line 9 set" in user.text
        assert "shape.c:9 " in user.line("class = RIGHT;")
        assert "12 ▶     if (class == RIGHT)" in user.text
        assert " 9 │         class = RIGHT;" in user.text
        await user.press("tab", "up")
        assert " 9 ▶         class = RIGHT;" in user.text


@at_a_screen
async def test_a_cause_without_source_is_shown_too() -> None:
    tree = FakeTree()
    tree.sources.clear()
    async with sitting_at(tree) as user:
        assert "The source is not available." in user.text


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 6)])
@at_a_screen
async def test_the_screen_works_in_any_size(size: tuple[int, int]) -> None:
    async with sitting_at(FakeTree(), size) as user:
        await user.press("j", "right", "j", "r", "escape", "b", "b", "v", "escape", "?", "escape")
        assert len(user.lines) == size[1]
        assert user.selected == SQUARES
        if size[0] >= 80:
            for shown in ("✓ class == RIGHT", "shape.c:12", " 8 ▶", "decided", "q Quit"):
                assert shown in user.text


# -- computing in the background ---------------------------------------------------------------


@at_a_screen
async def test_the_user_goes_on_while_a_cause_is_computed() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        tree.gate = threading.Event()
        await user.press_at_once("j", "right")
        assert "computing …" in user.line("✓ class == RIGHT")
        await user.press_at_once("j", "right")
        assert user.selected == "a < b || b < c"
        assert "waiting …" in user.line("✗ a < b || b < c")
        assert len(tree.asked) == 2, "one at a time"
        tree.gate.set()
        await user.wait()
        assert SQUARES in user.causes
        assert "…" not in user.text


@at_a_screen
async def test_what_is_folded_again_is_not_computed() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        tree.gate = threading.Event()
        await user.press_at_once("j", "right", "j", "right", "left")
        tree.gate.set()
        await user.wait()
        assert tree.asked == [0, 1]


@at_a_screen
async def test_an_error_is_shown_and_the_user_goes_on() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        tree.error = UserError("The solver is gone.\nInstall it.", slug="x")
        await user.press("j", "right")
        await user.sees("The solver is gone.")
        tree.error = KeyError("a")
        await user.press("right")
        await user.sees("KeyError: 'a'")
        tree.error = None
        await user.press("right")
        assert SQUARES in user.causes


# -- marks -------------------------------------------------------------------------------------


@at_a_screen
async def test_causes_below_a_benign_one_are_removed() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("j", "right", "b")
        assert user.causes == ["near(area, 9.92)", "class == RIGHT", "a < b || b < c"]
        assert "benign" in user.line("✓ class == RIGHT")
        assert tree.marks == {1: Mark.BENIGN}
        asked = list(tree.asked)
        await user.press("right", "enter", "space")
        assert tree.asked == asked
        assert user.selected == "class == RIGHT"
        await user.press("b")
        assert tree.marks == {}
        assert SQUARES in user.causes, "unfolded as before"


@at_a_screen
async def test_a_computation_below_a_benign_cause_is_cancelled() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        tree.gate = threading.Event()
        await user.press_at_once("j", "right")
        await user.press_at_once("b")
        assert tree.cancelled == 1
        tree.error = RuntimeError("cancelled")
        tree.gate.set()
        await user.wait()
        assert "cancelled" not in user.text
        assert user.causes == ["near(area, 9.92)", "class == RIGHT", "a < b || b < c"]


@at_a_screen
async def test_what_waits_below_a_benign_cause_is_never_computed() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("j", "right")
        tree.gate = threading.Event()
        for keys in (["j", "right"], ["j", "right"], ["k", "k", "b"]):
            await user.press_at_once(*keys)
        tree.gate.set()
        await user.wait()
        assert tree.asked == [0, 1, tree.number(SQUARES)], "that was under way"


@at_a_screen
async def test_a_mark_set_before_computation_starts_prevents_it() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("j", "right")
        await user.press_at_once("j", "right", "j", "right", "k", "k", "b")
        await user.wait()
        assert tree.asked == [0, 1]


@at_a_screen
async def test_the_failure_cannot_be_benign() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("b")
        await user.sees("cannot be benign")
        assert tree.marks == {}


@at_a_screen
async def test_marking_the_root_shows_the_path_to_the_failure() -> None:
    tree = FakeTree()
    async with sitting_at(tree) as user:
        await user.press("j", "right", "j", "r")
        assert tree.marks == {tree.number(SQUARES): Mark.ROOT}
        path = (f"✓ {SQUARES}   shape", "✓ class == RIGHT   shape", "✗ near(area, 9.92)   shape")
        shown = [next(n for n, line in enumerate(user.lines) if step in line) for step in path]
        assert shown == sorted(shown)
        await user.press("escape")
        assert "◆ root" in user.line(f"✓ {SQUARES}")
        await user.press("r")
        assert tree.marks == {}
