"""Does the interactive screen leave the terminal as it was?"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from whence.cli.interactive import run_interactive
from whence.errors import UserError

from .fake_tree import FakeTree
from .terminal import Terminal

CTRL_C = "\x03"

# -- no terminal -------------------------------------------------------------------------------


def test_without_a_terminal_other_ways_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UserError, match=r"standard input is not one\.\n.*--html FILE.*--depth N"):
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
        terminal.wait_for("From this cause to the failure")
        terminal.type("q" + CTRL_C)
        terminal.check_left_as_found()


def test_an_interrupt_from_another_process_leaves_the_terminal_as_it_was() -> None:
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
