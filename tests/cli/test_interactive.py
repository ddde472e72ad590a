"""Can a user walk a cause tree with the keyboard, prune it, and go on another day?"""

from __future__ import annotations

import asyncio
import functools
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Tree

from whence.cli.interactive import WhyApp, editor_command, run_interactive
from whence.errors import UserError
from whence.model import CauseTree, Influence, Mark
from whence.service.tree_session import SavedTree, TreeSession

from .fake_tree import FakeTree, Node
from .terminal import Terminal

CTRL_C = "\x03"
SQUARES = "a * a != b * b + c * c"


def at_a_screen(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        async def whole() -> None:
            await test(*arguments, **named)

        asyncio.run(whole())

    return run


class User:
    """Someone who presses keys, waits for what was asked for, and reads the screen."""

    def __init__(self, app: WhyApp, pilot: Pilot[None]) -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            self._post(key)
            await self.wait()

    async def press_at_once(self, *keys: str) -> None:
        """Press keys faster than anything can happen in between."""
        for key in keys:
            self._post(key)
        await self._settle()

    def _post(self, key: str) -> None:
        is_character = len(key) == 1
        name = _character_to_key(key) if is_character else key
        self.app.post_message(Key(name, key if is_character else None))

    async def wait(self) -> None:
        """Wait until nothing is being computed any more."""
        await self._settle()
        while self.app._background.current is not None:
            await asyncio.sleep(0.001)
            await self._settle()

    async def sees(self, text: str) -> None:
        """It is on the screen, now or in a moment: notifications take their time."""
        for _ in range(5000):
            if text in self.text:
                return
            await asyncio.sleep(0.005)
            await self._settle()
        raise AssertionError(f"no {text!r} in\n{self.text}")

    async def _settle(self) -> None:
        # Not `Pilot.press`: it waits until the processor is idle, for a tenth of a second a key.
        for _ in range(4):  # a message makes others, which refresh the screen
            await self._pilot.pause(0)

    @property
    def lines(self) -> list[str]:
        strips = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def causes(self) -> list[str]:
        """The predicates in the tree that are not folded away."""
        tree = self.app.query_one(Tree)
        nodes = [tree.get_node_at_line(line) for line in range(tree.last_line + 1)]
        return [node.data.cause.predicate.text for node in nodes if node and node.data]

    @property
    def selected(self) -> str:
        node = self.app.query_one(Tree).cursor_node
        assert node is not None
        assert node.data is not None
        return str(node.data.cause.predicate.text)

    @property
    def told(self) -> list[str]:
        """The notifications that are shown, the last one last."""
        return [each.message for each in self.app._notifications]

    def line(self, text: str) -> str:
        """The first line of the screen that has this."""
        return next(line for line in self.lines if text in line)


@asynccontextmanager
async def sitting_at(
    tree: CauseTree, size: tuple[int, int] = (100, 30), title: str = "why", ready: bool = True
) -> AsyncIterator[User]:
    app = WhyApp(tree, title=title)
    async with app.run_test(size=size, notifications=True) as pilot:
        user = User(app, pilot)
        await (user.wait() if ready else pilot.pause())
        yield user
    app.stop()


def resumed(folder: Path) -> tuple[FakeTree, SavedTree]:
    fake = FakeTree()
    return fake, SavedTree(fake, TreeSession.load(folder / "why.json", "run"))


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
async def test_the_turns_of_a_loop_are_counted() -> None:
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
        assert "The source is not at hand." in user.text


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 6)])
@at_a_screen
async def test_any_size_will_do(size: tuple[int, int]) -> None:
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
async def test_what_is_below_a_benign_cause_goes() -> None:
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
        assert SQUARES in user.causes, "unfolded as it was"


@at_a_screen
async def test_a_computation_that_became_needless_is_cancelled() -> None:
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
async def test_a_mark_counts_however_fast_it_came() -> None:
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
async def test_the_root_shows_how_the_damage_travels() -> None:
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
async def test_a_user_who_went_elsewhere_is_not_taken_back(tmp_path: Path) -> None:
    _, tree = resumed(tmp_path)
    async with sitting_at(tree) as user:
        await user.press("j", "right", "j")
    fake, tree = resumed(tmp_path)
    fake.children(0)  # known, so that only what is below waits
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
async def test_causes_are_computed_in_the_order_of_the_first_time(tmp_path: Path) -> None:
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
async def test_a_session_that_cannot_be_saved_is_said(
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


# -- looking closer ----------------------------------------------------------------------------


@at_a_screen
async def test_all_values_of_a_statement_are_shown() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("tab", "up", "v")
        await user.sees("return = 10")
        await user.press("escape")
        assert len(user.app.screen_stack) == 1


@at_a_screen
async def test_help_explains_the_keys() -> None:
    async with sitting_at(FakeTree(), (80, 24)) as user:
        await user.press("question_mark")
        await user.sees("it is as it should be")


@at_a_screen
async def test_a_search_finds_what_is_folded_away() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("j", "right", "left", "k", "slash", *"B *", "enter")
        assert user.selected == SQUARES
        await user.press("slash", *"c:6", "enter")
        assert user.selected == "a < b || b < c"
        await user.press("slash", *"z", "escape", "k")
        assert user.selected == "a == b && b == c"
        await user.press("slash", *"z", "enter")
        await user.sees("No cause computed so far has 'z'")


@at_a_screen
async def test_next_and_previous_go_around() -> None:
    async with sitting_at(FakeTree()) as user:
        await user.press("slash", *"fal", "enter", "n")
        assert user.selected == "near(area, 9.92)"
        await user.press("N")
        assert user.selected == "a < b || b < c"


# -- the editor --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        ("vi", ["vi", "+12", "/x/shape.c"]),
        ("emacs -nw", ["emacs", "-nw", "+12", "/x/shape.c"]),
        ("/opt/bin/code --wait", ["/opt/bin/code", "--wait", "-g", "/x/shape.c:12"]),
    ],
)
def test_editors_are_told_the_line_in_their_way(editor: str, expected: list[str]) -> None:
    assert editor_command(editor, Path("/x/shape.c"), 12) == expected


@at_a_screen
async def test_the_source_opens_at_the_selected_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(WhyApp, "suspend", lambda _: nullcontext())
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "ed -x")
    tree = FakeTree(folder=tmp_path)
    async with sitting_at(SavedTree(tree, TreeSession(tmp_path / "why.json", "run"))) as user:
        await user.press_at_once("j", "e", "tab", "up", "e")
    path = str(tmp_path / "src/shape.c")
    assert ran == [["ed", "-x", "+12", path], ["ed", "-x", "+9", path]]


@at_a_screen
async def test_why_no_editor_opens_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WhyApp, "suspend", lambda _: nullcontext())
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with sitting_at(FakeTree()) as user:
        await user.press("e")
        await user.sees("src/shape.c is no file that can be opened here")
    async with sitting_at(FakeTree(folder=tmp_path)) as user:
        await user.press("e")
        await user.sees("Set $VISUAL or $EDITOR")
        monkeypatch.setenv("EDITOR", "/no/such/editor")
        await user.press("e")
        assert "No such file or directory: '/no/such/editor'" in user.told[-1]


# -- text of the program -----------------------------------------------------------------------


MARKUP = ("[red]x[/red]", "[/]", "[@click=app.quit]x[/]", "a[i] = b[/c]", "$x[link=y]\\[")
CONTROLS = ("\x1b[2Jx", "a\rb", "a\nb", "\x9b31m", "\u202ex", "\udc80", "\0")


def speaking(*texts: str) -> FakeTree:
    """A tree in which the program has these texts everywhere."""
    nodes = [Node(text, 2 + n, outcome=text, because=text) for n, text in enumerate(texts)]
    root = Node(texts[0], 1, Influence.FAILURE, nodes, outcome=texts[0])
    return FakeTree(root, source=["", *texts], values=dict(zip(texts, texts, strict=True)))


@at_a_screen
async def test_markup_in_the_program_is_only_text() -> None:
    tree = speaking(*MARKUP)
    async with sitting_at(tree, title=MARKUP[0]) as user:
        assert MARKUP[0] in user.lines[0]
        tree.error = KeyError(MARKUP[0])
        for number, text in enumerate(MARKUP):
            await user.press("j", "right")
            assert f"• {text} = " in user.line(f"shape.c:{2 + number}  decided")
            assert f"▶ {text}" in user.text, "the source"
            assert user.text.count(f" {text}") >= 4, "and its sentence, and its statement"
            await user.sees(f"KeyError: {MARKUP[0]!r}")
        await user.press("p")
        await user.sees(f"• {text} = {text}   shape.c:{2 + number}")
        await user.press("escape", "v")
        for text in MARKUP:
            assert f"{text} = {text}" in re.sub(" +", " ", user.text)


@at_a_screen
async def test_control_characters_are_harmless() -> None:
    async with sitting_at(speaking(*CONTROLS), title="".join(CONTROLS)) as user:
        for text in CONTROLS:
            await user.press("j")
            assert all(line.isprintable() for line in user.lines)
            assert f"▶ {text.encode('unicode_escape').decode()}" in user.text
        for key in "pv":  # all values of the program are among those of each statement
            await user.press(key)
            assert all(line.isprintable() for line in user.lines)
            await user.press("escape")


# -- no terminal -------------------------------------------------------------------------------


def test_without_a_terminal_other_ways_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UserError, match=r"standard input is none\.\n.*--html FILE.*--depth N"):
        run_interactive(FakeTree(), title="why")


# -- a real terminal ---------------------------------------------------------------------------

WALK = """
from pathlib import Path
from tests.cli.fake_tree import FakeTree
from whence.cli.interactive import run_interactive
run_interactive(FakeTree(folder=Path("/where")), title="why")
print("bye")
"""
EDITOR = """#!/bin/sh
trap 'echo interrupted; exit' INT
echo editing "$@"
while :; do sleep 0.01; done
"""


def test_an_editor_has_the_terminal_to_itself(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    with Terminal(WALK, EDITOR=str(editor)) as terminal:
        terminal.wait_for("could have changed")
        terminal.type("je")
        terminal.wait_for("editing +12 /where/src/shape.c")
        terminal.type(CTRL_C)
        terminal.wait_for("interrupted")
        terminal.type("p")
        terminal.wait_for("How the damage travels")
        terminal.type("q" + CTRL_C)
        terminal.check_left_as_found()


def test_an_interrupt_from_elsewhere_leaves_the_terminal_as_it_was() -> None:
    with Terminal(WALK) as terminal:
        terminal.wait_for("could have changed")
        terminal.process.send_signal(signal.SIGINT)
        terminal.check_left_as_found()


def test_quitting_does_not_wait_for_a_long_computation() -> None:
    slow = "import time\nFakeTree.children = lambda *_: time.sleep(60)\nrun_interactive("
    with Terminal(WALK.replace("run_interactive(", slow)) as terminal:
        terminal.wait_for("computing")
        started = time.monotonic()
        terminal.type("q")
        terminal.check_left_as_found()
        assert time.monotonic() - started < 20
