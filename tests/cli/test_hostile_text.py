"""Can text from a program, a file name or a message act on the user's terminal?"""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from whence.cli.console import VisibleConsole

from .prompt import User

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08"
ACTING = ("\x1b", "\x07", "\x9b", "\r", "\x08")


def check_harmless(text: str) -> None:
    """No character of the text acts on a terminal."""
    assert not [char for char in ACTING if char in text]


@given(st.text())
def test_text_that_is_printed_holds_no_acting_character(text: str) -> None:
    out = io.StringIO()
    console = VisibleConsole(file=out, width=200, soft_wrap=True, color_system=None)
    console.print(Text(text))
    shown = out.getvalue()
    assert not [char for char in shown if ord(char) < 0x20 and char not in "\n\t"]
    check_harmless(shown)


def test_colours_of_our_own_stay() -> None:
    out = io.StringIO()
    console = VisibleConsole(file=out, force_terminal=True, color_system="standard", width=80)
    console.print(Text("red", style="red"))
    assert "\x1b[31m" in out.getvalue()


def test_a_hostile_file_cannot_act_through_isolate(user: User) -> None:
    user.write("good/words", "a\n")
    user.write("bad/words", f"2{ESCAPES}\n")
    done = user.whence(
        *("isolate", "--good", "good", "--bad", "bad"),
        *("--test", f"printf '%s' '{ESCAPES}' >&2; ! grep -q 2 words"),
    )
    assert done.status == 0
    assert "words:1" in done.out
    check_harmless(done.out)
    check_harmless(done.err)


def test_a_hostile_name_cannot_act_through_a_message(user: User) -> None:
    done = user.whence("isolate", "--good", f"x{ESCAPES}", "--bad", "bad", "--test", "true")
    assert done.status == 2
    check_harmless(done.err)
    done = user.whence("isolate", f"--x{ESCAPES}")
    assert done.status == 2
    check_harmless(done.err)
