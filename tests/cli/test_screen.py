"""What is printed to which stream, and when in colour?"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from typing import Any

import click
import pytest

from whence.cli.main import cli

from .prompt import TEST, User, check_found, check_refused, command, isolating

COLOUR = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3|4|9|10)\d[;m]")


def on_a_terminal(user: User, *arguments: str, **env: str) -> str:
    """Return what a user of a terminal sees."""
    ours, theirs = pty.openpty()
    environment = user.environment(TERM="xterm", **env)
    with subprocess.Popen(
        command(*arguments), cwd=user.here, env=environment, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        seen = b""
        try:
            while some := os.read(ours, 4096):
                seen += some
        except OSError:  # Linux: the other end was closed
            pass
    os.close(ours)
    return seen.decode()


def test_progress_is_plain_lines_on_standard_error(user: User) -> None:
    result = user.isolate()
    check_found(result)
    lines = result.err.splitlines()
    assert "whence: 3 changes in 2 files" in lines
    assert any("reverted: passes; smallest passing set so far: " in line for line in lines)
    numbers = [
        int(found[1]) for line in lines if (found := re.match(r"whence: variant (\d+): ", line))
    ]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
    assert all(line.startswith("whence: ") for line in lines)
    assert "\x1b" not in result.err + result.out


def test_progress_is_one_live_line_in_a_terminal(user: User) -> None:
    # Slow enough to see each phase: the line is redrawn a few times a second.
    seen = on_a_terminal(user, *isolating(f"sleep 0.2; {TEST}"))
    assert "running the test on the good version" in seen
    assert "\r\x1b[2K" in seen, "the line is overwritten"
    assert "whence: " not in seen
    assert "1 change of 3 broke the test." in seen
    assert seen.rindex("\x1b[?25h") < seen.index("1 change of 3"), "the cursor is back"


def test_a_terminal_has_colours_unless_no_color_is_set(user: User) -> None:
    assert COLOUR.search(on_a_terminal(user, *isolating()))
    assert not COLOUR.search(on_a_terminal(user, *isolating(), NO_COLOR="1"))
    assert not COLOUR.search(on_a_terminal(user, *isolating("false"), NO_COLOR="1"))


def test_quiet_prints_no_progress(user: User) -> None:
    for option in ("--quiet", "-q"):
        result = user.isolate(option)
        check_found(result)
        assert result.err == ""


def test_debug_shows_where_a_message_comes_from(user: User) -> None:
    result = user.isolate("--debug", test="false")
    assert result.status == 2
    assert "Traceback" in result.err
    assert "session.py" in result.err
    assert result.err.endswith("[good-fails]\n")


def test_a_name_that_is_not_text_is_shown(user: User) -> None:
    for version in ("good", "bad"):
        os.rename(user.here / version / "numbers", os.fsencode(user.here / version) + b"/\xff")
    result = user.isolate(test="! grep -q 44 *", PYTHONIOENCODING="utf-8:strict")
    assert result.status == 0, result
    assert "⟨xFF⟩:4" in result.out


# -- the document ----------------------------------------------------------------------------


def same_shape(value: Any, shape: Any) -> bool:
    """Does the value have all keys, each with the right type?  More keys are allowed."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            key in value and same_shape(value[key], shape[key]) for key in shape
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(same_shape(item, shape[0]) for item in value)
    return isinstance(value, shape)


CHANGE = {"id": int, "file": str, "old": [int], "new": [int], "text": str}
DOCUMENT = {
    "whence": int,
    "command": str,
    "status": str,
    "reason": str | None,
    "failure": {"kind": str, "message": str, "file": str | None, "line": int | None},
    "changes": {"total": int, "executed": int | None},
    "root": [CHANGE],
    "auxiliary": [CHANGE],
    "alternatives": [[int]],
    "causes": [dict],
    "cost": {
        "runs": int,
        "builds": int,
        "cached": int,
        "solver_calls": int,
        "trace_events": int,
        "seconds": {"search": float, "total": float},
    },
}


def test_a_wrong_shape_is_detected() -> None:
    assert same_shape({"a": [1, 2], "b": None}, {"a": [int]})
    assert not same_shape({"a": [1, "2"]}, {"a": [int]})
    assert not same_shape({}, {"a": [int]})


def test_only_the_document_is_printed(user: User) -> None:
    result = user.isolate("--json", "-", "--all")
    document = json.loads(result.out)
    assert same_shape(document, DOCUMENT)
    assert (document["whence"], document["command"]) == (1, "isolate")
    assert (document["status"], document["reason"]) == ("isolated", None)
    assert document["changes"]["total"] == 3
    (root,) = document["root"]
    assert (root["file"], root["old"], root["new"]) == ("numbers", [4, 1], [4, 1])
    assert root["text"] == "@@ -4,1 +4,1 @@\n-4\n+44"


def test_the_document_is_written_beside_the_report(user: User) -> None:
    result = user.isolate("--json", user.kept / "report.json")
    check_found(result)
    assert same_shape(json.loads((user.kept / "report.json").read_text()), DOCUMENT)


# -- help and completion ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, *cli.commands])
def test_help_mentions_every_option(user: User, name: str | None) -> None:
    result = user.whence(*([name] if name else []), "--help")
    assert (result.status, result.err) == (0, "")
    shown = cli.commands[name] if name else cli
    options = [o for p in shown.params if isinstance(p, click.Option) for o in p.opts]
    for option in (*options, "--help"):
        assert re.search(rf"(?m)^  .*{re.escape(option)}\b", result.out), option


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_for_every_shell(user: User, shell: str) -> None:
    result = user.whence("completion", shell)
    assert (result.status, result.err) == (0, "")
    assert "_WHENCE_COMPLETE" in result.out


def test_there_is_no_completion_for_other_shells(user: User) -> None:
    check_refused(user.whence("completion", "tcsh"), "'tcsh'", "fish")


def completions(user: User, *words: str) -> list[str]:
    """Return what bash completes for the last word, with our completion script."""
    launcher = user.kept / "whence"
    launcher.write_text('#!/bin/sh\nexec "$PYTHON" -m whence "$@"\n')
    launcher.chmod(0o755)
    script = """
        eval "$(whence completion bash)"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
        _whence_completion whence "${@: -1}" "${@: -2:1}"
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    env = user.environment(PYTHON=command()[0])
    env["PATH"] = f"{user.kept}{os.pathsep}{env['PATH']}"
    bash = ["bash", "--norc", "-c", script, "bash", "whence", *words]
    return subprocess.check_output(bash, env=env, cwd=user.here, text=True).split()


def test_bash_completes_commands_options_and_choices(user: User) -> None:
    assert completions(user, "iso") == ["isolate"]
    assert set(completions(user, "isolate", "--me")) == {"--memory", "--method"}
    assert completions(user, "isolate", "--method", "ddm") == ["ddmin"]
