"""Is a test command a single Python program, and which?

Such a command consists of words only.  A command that needs a shell (pipes, lists, globs,
redirections, substitutions) is not a single program.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whence.subject.python_hook import PYTHON

_SAFE = r"[\w@%+=:,./^-]"
_PIECE = re.compile(
    rf"""(?P<space>[ \t]+) | (?P<plain>{_SAFE}+) | '(?P<single>[^']*)' | \\(?P<escaped>[^\n])
    | "(?P<double>(?:[^"\\$`] | \\[^\n] | \$\w+ | \$\{{\w+\}})*)"
    | \$(?P<name>[A-Za-z_]\w*) | \$\{{(?P<braced>[A-Za-z_]\w*)\}}""",
    re.VERBOSE,
)
_IN_QUOTES = re.compile(r'\\(?P<escaped>[$`"\\])|\$(?P<name>\w+)|\$\{(?P<braced>\w+)\}')
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_FLAGS = re.compile(r"-[bBEIOPqsSu]+")


@dataclass(frozen=True)
class PythonCommand:
    """A Python program, as given to an interpreter on its command line."""

    interpreter: tuple[str, ...]  # with its options
    kind: str  # script, module or text
    target: str  # the path, the module or the text
    arguments: tuple[str, ...]
    env: Mapping[str, str]

    @property
    def after_interpreter(self) -> tuple[str, ...]:
        """The words after the interpreter: the program and its arguments."""
        how = {"script": (), "module": ("-m",), "text": ("-c",)}[self.kind]
        return (*how, self.target, *self.arguments)

    @property
    def but_arguments(self) -> tuple[object, ...]:
        """All of the command but its arguments."""
        return self.interpreter, self.kind, self.target, dict(self.env)


def read_program(command: str, cwd: Path, env: Mapping[str, str]) -> PythonCommand | None:
    """Return the program that a shell command runs; None if it is not a single program."""
    words = _words(command.strip(), env)
    if words is None:
        return None
    env = dict(env)
    while words and words[0][1] and (assigned := _ASSIGNMENT.fullmatch(words[0][0])):
        env[assigned[1]] = assigned[2]
        del words[0]
    return _program([word for word, _ in words], cwd, env) if words else None


def _program(words: list[str], cwd: Path, env: dict[str, str]) -> PythonCommand | None:
    if not PYTHON.fullmatch(os.path.basename(words[0])):
        started = _interpreter_of(words[0], cwd, env.get("PATH", os.defpath))
        return _program([*started, *words[1:]], cwd, env) if started else None
    at = 1
    while at < len(words) and (_FLAGS.fullmatch(words[at]) or words[at].startswith("-W")):
        at += 2 if words[at] == "-W" else 1
    interpreter, rest = tuple(words[:at]), words[at:]
    if len(rest) > 1 and rest[0] in ("-m", "-c"):
        kind = "module" if rest[0] == "-m" else "text"
        return PythonCommand(interpreter, kind, rest[1], tuple(rest[2:]), env)
    if rest and not rest[0].startswith("-"):
        return PythonCommand(interpreter, "script", rest[0], tuple(rest[1:]), env)
    return None


def _interpreter_of(name: str, cwd: Path, path: str) -> list[str] | None:
    """Return the words that start a script such as `pytest`; None if it is not Python."""
    script = name if "/" in name else shutil.which(name, path=path)
    if script is None:
        return None
    try:
        with (cwd / script).open("rb") as file:
            first = os.fsdecode(file.readline(1000))
    except OSError:
        return None
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        del words[0]
    if not words or not PYTHON.fullmatch(os.path.basename(words[0])):
        return None
    return [*words, script]


def _words(command: str, env: Mapping[str, str]) -> list[tuple[str, bool]] | None:
    """Split a command as a shell does; each word comes with "can be an assignment".

    Return None if the command has more than words, or a variable whose value a shell would split.
    """
    words: list[tuple[str, bool]] = []
    at, in_word = 0, False
    while at < len(command):
        piece = _PIECE.match(command, at)
        text = _text(piece, env) if piece else None
        if piece is None or text is None:
            return None
        at = piece.end()
        if piece["space"]:
            in_word = False
        elif in_word:
            words[-1] = (words[-1][0] + text, words[-1][1])
        else:
            words.append((text, piece["plain"] is not None and "=" in text))
            in_word = True
    return words


def _text(piece: re.Match[str], env: Mapping[str, str]) -> str | None:
    """Return the value of a piece of a word; None if a shell would split the value."""
    if (name := piece["name"] or piece["braced"]) is not None:
        value = env.get(name, "")
        return value if re.fullmatch(f"{_SAFE}+", value) else None
    if (quoted := piece["double"]) is not None:
        return _IN_QUOTES.sub(
            lambda m: m["escaped"] or env.get(m["name"] or m["braced"], ""), quoted
        )
    return next(filter(None, piece.group("space", "plain", "single", "escaped")), "")
