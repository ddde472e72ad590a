"""Does the interactive screen show values and sources, and harmless text only?"""

from __future__ import annotations

import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from whence.cli.editor import editor_command
from whence.cli.interactive import WhyApp
from whence.model import Influence
from whence.service.tree_session import SavedTree, TreeSession

from .fake_tree import FakeTree, Node
from .sitting import SQUARES, at_a_screen, sitting_at

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
        await user.sees("benign: this is correct")


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
        await user.sees("No cause computed so far contains 'z'")


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
def test_each_editor_gets_the_line_in_its_own_syntax(editor: str, expected: list[str]) -> None:
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
    session = TreeSession(tmp_path / "why.json", "run")
    async with sitting_at(SavedTree(FakeTree(), session, tmp_path)) as user:
        await user.press_at_once("j", "e", "tab", "up", "e")
    path = str(tmp_path / "src/shape.c")
    assert ran == [["ed", "-x", "+12", path], ["ed", "-x", "+9", path]]


@at_a_screen
async def test_a_message_says_why_no_editor_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WhyApp, "suspend", lambda _: nullcontext())
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with sitting_at(FakeTree()) as user:
        await user.press("e")
        await user.sees("src/shape.c has no source file that can be opened here")
    async with sitting_at(FakeTree(folder=tmp_path)) as user:
        await user.press("e")
        await user.sees("Set $VISUAL or $EDITOR")
        monkeypatch.setenv("EDITOR", "/no/such/editor")
        await user.press("e")
        assert "No such file or directory: '/no/such/editor'" in user.notifications[-1]


# -- text of the program -----------------------------------------------------------------------


MARKUP = ("[red]x[/red]", "[/]", "[@click=app.quit]x[/]", "a[i] = b[/c]", "$x[link=y]\\[")
CONTROLS = ("\x1b[2Jx", "a\rb", "a\nb", "\x9b31m", "\u202ex", "\udc80", "\0")


def tree_with(*texts: str) -> FakeTree:
    """Return a tree with these texts as predicates, sentences, source lines and values."""
    nodes = [Node(text, 2 + n, outcome=text, because=text) for n, text in enumerate(texts)]
    root = Node(texts[0], 1, Influence.FAILURE, nodes, outcome=texts[0])
    return FakeTree(root, source=["", *texts], values=dict(zip(texts, texts, strict=True)))


@at_a_screen
async def test_markup_in_the_program_is_only_text() -> None:
    tree = tree_with(*MARKUP)
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
    async with sitting_at(tree_with(*CONTROLS), title="".join(CONTROLS)) as user:
        for text in CONTROLS:
            await user.press("j")
            assert all(line.isprintable() for line in user.lines)
            assert f"▶ {text.encode('unicode_escape').decode()}" in user.text
        for key in "pv":  # all values of the program are among those of each statement
            await user.press(key)
            assert all(line.isprintable() for line in user.lines)
            await user.press("escape")
