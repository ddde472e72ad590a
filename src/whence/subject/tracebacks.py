"""Which exceptions did Python or pytest print, and with which stack frames?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from whence.subject.output_text import MAX_LINE, lines_after, lines_with


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a printed traceback."""

    file: str
    line: int
    function: str | None = None  # None for the place of a syntax error
    source: str = ""  # the first line of the call, without indentation


def read_frame(match: re.Match[str]) -> Frame:
    """Return the frame from the groups `file`, `line` and, if present, `function`."""
    groups = match.groupdict()
    return Frame(groups["file"], int(groups["line"]), groups.get("function"))


def read_frames(lines: Iterable[str], pattern: re.Pattern[str]) -> list[Frame]:
    """Return the frames of the lines that match."""
    return [read_frame(match) for line in lines if (match := pattern.match(line))]


@dataclass(frozen=True, slots=True)
class RaisedException:
    """A Python exception, as a traceback or pytest prints it."""

    frames: tuple[Frame, ...]  # the outermost first
    type: str  # "" if the output does not show it
    message: str  # its first line

    @property
    def is_assertion(self) -> bool:
        return self.type.rpartition(".")[2] == "AssertionError"

    @property
    def summary(self) -> str:
        """The type and the message, as the last line of a traceback shows them."""
        return f"{self.type}: {self.message}" if self.message else self.type


_HEADER = re.compile(r"(  \+ )?(?:Exception Group )?Traceback \(most recent call last\):$")
_FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d{1,9})(?:, in (?P<function>.+))?$')
_EXCEPTION = re.compile(r"([A-Za-z_][\w.<>]*)(?::(?: (.*))?)?$")
SYNTAX_ERRORS = ("SyntaxError", "IndentationError", "TabError")


def read_tracebacks(text: str) -> list[RaisedException]:
    """Return the tracebacks in the text, in order; of an exception group only the group itself.

    Syntax errors of the main program, which have no traceback, are included.  Exceptions that
    Python printed as ignored are not.
    """
    found: list[RaisedException] = []
    frames: list[Frame] | None = None  # None outside a traceback
    headed = ignored = False
    margin = previous = ""
    for line in text.split("\n"):
        line = line[:MAX_LINE].rstrip()
        if header := _HEADER.match(line):
            frames, headed = [], True
            margin = "  | " if header[1] else ""
            ignored = previous.startswith("Exception ignored")
        elif frames is None:
            if frame := _FRAME.match(line):
                frames, headed, ignored, margin = [read_frame(frame)], False, False, ""
        elif not line.startswith(margin.rstrip()):
            frames = None
        elif frame := _FRAME.match(line := line[len(margin) :]):
            frames.append(read_frame(frame))
        elif line.startswith("    "):
            if frames and not frames[-1].source:
                frames[-1] = replace(frames[-1], source=line.strip())
        elif line and not line.startswith(" "):
            exception = _EXCEPTION.match(line)
            if exception and not ignored and (headed or exception[1] in SYNTAX_ERRORS):
                found.append(RaisedException(tuple(frames), exception[1], exception[2] or ""))
            frames = None
        previous = line or previous
    return found


# pytest


_PYTEST_BANNER = re.compile(r"=+ (.+?) =+$")
_PYTEST_TITLE = re.compile(r"_+ ([^_ ].*?) _+$")
_PYTEST_PLACE = re.compile(r"(\S[^:]*):(\d{1,9}):(?: in (.+)| ([A-Za-z_][\w.]*))?$")
_PYTEST_FAILED = re.compile(r"(?:FAILED|ERROR) ([^\[]+?(?:\[.*?\])?)(?: - (.*))?$")
_CONFTEST = "ImportError while loading conftest"


def read_pytest(text: str) -> list[tuple[str, RaisedException]]:
    """Return the detailed reports of pytest: the title of each, and the exception in it."""
    if " FAILURES =" not in text and " ERRORS =" not in text and _CONFTEST not in text:
        return []
    reports: list[tuple[str, list[str]]] = []
    reading = False
    body: list[str] = []  # lines of the current report; lines between reports are dropped
    for line in text.split("\n"):
        line = line[:MAX_LINE].rstrip()
        if banner := _PYTEST_BANNER.match(line):
            reading, body = banner[1] in ("FAILURES", "ERRORS"), []
        elif line.startswith(_CONFTEST):
            reports.append(("conftest", body := []))
        elif reading and (title := _PYTEST_TITLE.match(line)):
            reports.append((title[1], body := []))
        else:
            body.append(line)
    return [(title, _pytest_raised(body)) for title, body in reports]


def _pytest_raised(body: list[str]) -> RaisedException:
    """Return the exception of one report: the last one of its chain."""
    frames: list[Frame] = []
    errors: list[str] = []  # the lines marked with E, of the last group of such lines
    raised_type = source = ""
    was_error = was_short = False
    for line in body:
        if line.startswith("-") and " Captured " in line:
            break
        if line.startswith(("The above exception was", "During handling of the above")):
            frames, raised_type = [], ""
        if was_short and line.startswith("    "):
            frames[-1] = replace(frames[-1], source=line.strip())
        was_short = False
        if line.startswith(">"):
            source = line[1:].strip()
        elif place := _PYTEST_PLACE.match(line):
            frames.append(Frame(place[1], int(place[2]), place[3], source))
            raised_type, source, was_short = place[4] or raised_type, "", bool(place[3])
        if line.startswith("E  "):
            if not was_error:
                errors = []
            errors.append(line[1:].strip())
        was_error = line.startswith("E  ")
    native = read_tracebacks("\n".join(body))
    if native and not errors:
        return native[-1]
    return _pytest_exception(frames, errors, raised_type)


def _pytest_exception(frames: list[Frame], errors: list[str], raised_type: str) -> RaisedException:
    first = errors[0] if errors else ""
    if syntax := _FRAME.match("  " + first):  # only a syntax error begins with a place
        frames = [*frames, replace(read_frame(syntax), function=None, source="".join(errors[1:2]))]
        first = errors[-1]
    exception = _EXCEPTION.match(first)
    if exception and raised_type in ("", exception[1], exception[1].rpartition(".")[2]):
        return RaisedException(tuple(frames), exception[1], exception[2] or "")
    if not raised_type and first.startswith("assert "):
        raised_type = "AssertionError"
    return RaisedException(tuple(frames), raised_type, first)


def read_pytest_summary(text: str) -> Iterator[tuple[str, RaisedException]]:
    """Yield the failed tests of the short summary, each with its exception."""
    for banner, end in lines_with(text, " short test summary info ="):
        for line in lines_after(text, end, -1) if banner.startswith("=") else ():
            if line.startswith("="):
                break
            if failed := _PYTEST_FAILED.match(line.rstrip()):
                yield failed[1], _pytest_exception([], [failed[2] or ""], "")
