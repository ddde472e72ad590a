"""What failure is this?

A run's output is read by one reader per way of failing, the most specific first; the first
that recognises something wins.  Two things hold for every reader:

1. The signature has no line numbers, addresses, values or paths of the tree, so that it stays
   the same when a variant lives elsewhere and its unrelated lines move.
2. The message and the place are for people, and keep all of these.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from whence.errors import UserError
from whence.model import Failure

LONGEST_LINE = 4000  # no message worth reading is longer; it bounds what a regex can cost


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a traceback, as printed."""

    file: str
    line: int
    function: str | None = None  # None where a syntax error points into a file
    source: str = ""  # the first line of the call, without its indentation


@dataclass(frozen=True, slots=True)
class Raised:
    """A Python exception, as a traceback or pytest prints it."""

    frames: tuple[Frame, ...]  # the outermost first
    type: str  # "" where the output does not say
    message: str  # its first line

    @property
    def is_assertion(self) -> bool:
        return self.type.rpartition(".")[2] == "AssertionError"

    @property
    def said(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


def read_failure(
    *, stdout: str, stderr: str, status: int, tree: Path, timed_out: bool = False
) -> Failure:
    """Say what failure made this run end with `status`.

    A status is a shell's (128+n for signal n) or negative for a signal.
    """
    if timed_out:
        return Failure("timeout", "the test did not end in time", "timeout")
    # Standard error comes last: it is where an uncaught exception ends.
    text = f"{plain(stdout)}\n{plain(stderr)}"
    number = _signal_number(status)
    # An interpreter that died of a signal had caught the exceptions it printed before.
    readers = _NATIVE if number else (_from_pytest, _from_unittest, _from_traceback, *_NATIVE)
    for reader in readers:
        if found := reader(text, tree):
            return found
    if number:
        return _from_signal(number, text, tree)
    last = _last_line(stderr) or _last_line(stdout)
    message = f"exit status {status}" + (f": {last}" if last else "")
    return Failure("exit", message, f"exit status {status}")


def same_failure(a: Failure, b: Failure, how: str) -> bool:
    """Is `b` the failure `a`?  `how` is "exact", "any", or a pattern that `b` must match."""
    if how == "any":
        return True
    if how == "exact":
        return a.signature == b.signature
    return bool(re.search(how, b.message) or re.search(how, b.signature))


def check_same_failure(how: str) -> None:
    """Raise a UserError unless `how` can be given to `same_failure`."""
    try:
        re.compile(how)
    except re.error as error:
        raise UserError(
            f"{how!r} does not say which failures are the same: {error}.\n"
            'Give "exact", "any", or a regular expression that the failure\'s message matches.',
            slug="bad-same-failure",
        ) from error


# Text and places


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def plain(text: str) -> str:
    """The text without terminal colours and carriage returns."""
    return _COLOUR.sub("", text).replace("\r", "")


@cache
def _roots(tree: Path) -> tuple[Path, ...]:
    """The tree's path as given and without symbolic links: programs print either."""
    return tree.absolute(), tree.resolve()


def inside(path: str, tree: Path) -> str | None:
    """The path relative to the tree, or None if it is not of the tree.

    A relative path is taken as one of the tree, or of some directory below it, as compilers
    that run there print it, if there is such a file.
    """
    try:
        normal = Path(os.path.normpath(path))
        if normal.is_absolute():
            roots = [root for root in _roots(tree) if root in normal.parents]
            return normal.relative_to(roots[0]).as_posix() if roots else None
        parts = [part for part in normal.parts if part != ".."]
        return "/".join(parts) if parts and tree.joinpath(*parts).is_file() else None
    except (OSError, ValueError):  # no file can have this name
        return None


def _shown(path: str, tree: Path) -> str:
    return inside(path, tree) or path


def _steady(path: str, tree: Path) -> str:
    """The path in a form for signatures."""
    return inside(path, tree) or path.replace("\\", "/").rpartition("/")[2]


_VALUES = re.compile(
    r" at 0x[0-9a-fA-F]+(?=>)|0x[0-9a-fA-F]+|\btmp[a-z0-9_]{8}\b|\b[0-9a-f]{12,}\b"
    r"|(?<![\w.])-?\d+(?:\.\d+)*(?:e[-+]?\d+)?"
)


def _masked(text: str, tree: Path) -> str:
    """The text without the values that differ between equal failures."""
    for root in map(str, _roots(tree)):
        text = text.replace(root + os.sep, "").replace(root, "")
    return _VALUES.sub("#", text)


def _last_line(text: str) -> str:
    lines = (line.strip() for line in reversed(plain(text[-20 * LONGEST_LINE :]).split("\n")))
    return next(filter(None, lines), "")[:LONGEST_LINE]


def _lines_with(text: str, needle: str) -> Iterator[tuple[str, int]]:
    """The lines that hold `needle`, each with the place in the text where it ends."""
    at = text.find(needle)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[start:end][:LONGEST_LINE], end
        at = text.find(needle, end)


def _lines_after(text: str, end: int, count: int) -> Iterator[str]:
    """Up to `count` lines after the one that ends at `end`."""
    while count and end < len(text):
        start, count = end + 1, count - 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end][:LONGEST_LINE]


# Python


_HEADER = re.compile(r"(  \+ )?(?:Exception Group )?Traceback \(most recent call last\):$")
_FRAME = re.compile(r'  File "(.+)", line (\d{1,9})(?:, in (.+))?$')
_EXCEPTION = re.compile(r"([A-Za-z_][\w.<>]*)(?::(?: (.*))?)?$")
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")


def read_tracebacks(text: str) -> list[Raised]:
    """The tracebacks in the text, in order; of an exception group only the group itself.

    Also syntax errors of the main program, which have no traceback.  Not those that Python
    printed and then ignored.
    """
    found: list[Raised] = []
    frames: list[Frame] | None = None  # None outside a traceback
    headed = ignored = False
    margin = previous = ""
    for line in text.split("\n"):
        line = line[:LONGEST_LINE].rstrip()
        if header := _HEADER.match(line):
            frames, headed = [], True
            margin = "  | " if header[1] else ""
            ignored = previous.startswith("Exception ignored")
        elif frames is None:
            if frame := _FRAME.match(line):
                frames, headed, ignored, margin = [_frame(frame)], False, False, ""
        elif not line.startswith(margin.rstrip()):
            frames = None
        elif frame := _FRAME.match(line := line[len(margin) :]):
            frames.append(_frame(frame))
        elif line.startswith("    "):
            if frames and not frames[-1].source:
                frames[-1] = replace(frames[-1], source=line.strip())
        elif line and not line.startswith(" "):
            said = _EXCEPTION.match(line)
            if said and not ignored and (headed or said[1] in _SYNTAX):
                found.append(Raised(tuple(frames), said[1], said[2] or ""))
            frames = None
        previous = line or previous
    return found


def _frame(match: re.Match[str]) -> Frame:
    return Frame(match[1], int(match[2]), match[3])


def _from_traceback(text: str, tree: Path) -> Failure | None:
    tracebacks = read_tracebacks(text)
    if not tracebacks:
        return None
    raised = tracebacks[-1]
    parts = [raised.type]
    # Where a runaway recursion ends is chance: any call in the circle can be one too many.
    if raised.frames and raised.type != "RecursionError":
        inner = raised.frames[-1]
        place = _steady(inner.file, tree)
        parts.append(f"in {place}:{inner.function}" if inner.function else f"in {place}")
    if source := _own_line(raised.frames):
        parts.append(f"from {source}")
    if raised.message and not raised.is_assertion:
        parts.append(f"saying {_masked(raised.message, tree)}")
    return _python_failure(raised, " ".join(parts), _asserted(raised), tree)


def _own_line(frames: Sequence[Frame]) -> str:
    """The test's own line: that of the outermost frame which is not `python -m` at work."""
    own = (f for f in frames if not f.file.startswith("<frozen") and "runpy.py" not in f.file)
    return next((frame.source for frame in own), "")


def _asserted(raised: Raised) -> str:
    if not raised.is_assertion or not raised.frames or not raised.frames[-1].source:
        return raised.said
    source = raised.frames[-1].source
    return f"{source}: {raised.message}" if raised.message else source


def _python_failure(raised: Raised, signature: str, message: str, tree: Path) -> Failure:
    kind = "assert" if raised.is_assertion else "exception"
    if not raised.frames:
        return Failure(kind, message, signature)
    inner = raised.frames[-1]
    return Failure(kind, message, signature, _shown(inner.file, tree), inner.line)


def _from_tests(runner: str, failed: dict[str, Raised], tree: Path) -> Failure | None:
    """One failure out of all the failed tests; its message and place are those of the first."""
    if not failed:
        return None
    ids = sorted(failed)
    signature = f"{runner}: " + "; ".join(f"{i} {failed[i].type}".rstrip() for i in ids)
    first = failed[ids[0]]
    message = f"{ids[0]}: {_asserted(first)}".rstrip(": ")
    if len(ids) > 1:
        message += f" (and {len(ids) - 1} more)"
    return _python_failure(first, signature, message, tree)


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_UNITTEST = re.compile(r"^={70}\n(?:FAIL|ERROR): (.+)\n", re.MULTILINE)


def _from_unittest(text: str, tree: Path) -> Failure | None:
    pieces = _UNITTEST.split(text)  # before, id, block, id, block, ...
    failed: dict[str, Raised] = {}
    for name, block in zip(pieces[1::2], pieces[2::2], strict=True):
        tracebacks = read_tracebacks(block)
        failed[_ADDRESS.sub("#", name)] = tracebacks[-1] if tracebacks else Raised((), "", "")
    return _from_tests("unittest", failed, tree)


# pytest


_PYTEST_BANNER = re.compile(r"=+ (.+?) =+$")
_PYTEST_TITLE = re.compile(r"_+ ([^_ ].*?) _+$")
_PYTEST_PLACE = re.compile(r"(\S[^:]*):(\d{1,9}):(?: in (.+)| ([A-Za-z_][\w.]*))?$")
_PYTEST_FAILED = re.compile(r"(?:FAILED|ERROR) ([^\[]+?(?:\[.*?\])?)(?: - (.*))?$")
_CONFTEST = "ImportError while loading conftest"


def read_pytest(text: str) -> list[tuple[str, Raised]]:
    """What pytest reports at length: the title of each report and what was raised there."""
    if " FAILURES =" not in text and " ERRORS =" not in text and _CONFTEST not in text:
        return []
    reports: list[tuple[str, list[str]]] = []
    reading = False
    body: list[str] = []  # of the current report; lines between reports go nowhere
    for line in text.split("\n"):
        line = line[:LONGEST_LINE].rstrip()
        if banner := _PYTEST_BANNER.match(line):
            reading, body = banner[1] in ("FAILURES", "ERRORS"), []
        elif line.startswith(_CONFTEST):
            reports.append(("conftest", body := []))
        elif reading and (title := _PYTEST_TITLE.match(line)):
            reports.append((title[1], body := []))
        else:
            body.append(line)
    return [(title, _pytest_raised(body)) for title, body in reports]


def _pytest_raised(body: list[str]) -> Raised:
    """What one report says was raised: the last exception of its chain."""
    frames: list[Frame] = []
    said: list[str] = []
    raised_type = source = ""
    was_said = was_short = False
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
            if not was_said:
                said = []
            said.append(line[1:].strip())
        was_said = line.startswith("E  ")
    native = read_tracebacks("\n".join(body))
    if native and not said:
        return native[-1]
    return _pytest_exception(frames, said, raised_type)


def _pytest_exception(frames: list[Frame], said: list[str], raised_type: str) -> Raised:
    first = said[0] if said else ""
    if syntax := _FRAME.match("  " + first):  # only a syntax error begins with a place
        frames = [*frames, Frame(syntax[1], int(syntax[2]), None, said[1] if said[1:] else "")]
        first = said[-1]
    exception = _EXCEPTION.match(first)
    if exception and raised_type in ("", exception[1], exception[1].rpartition(".")[2]):
        return Raised(tuple(frames), exception[1], exception[2] or "")
    if not raised_type and first.startswith("assert "):
        raised_type = "AssertionError"
    return Raised(tuple(frames), raised_type, first)


def _from_pytest(text: str, tree: Path) -> Failure | None:
    reports = read_pytest(text)
    by_title: dict[str, list[Raised]] = {}
    for title, raised in reports:
        name = re.sub(r"^ERROR (?:at \w+ of|collecting) ", "", title)
        by_title.setdefault(name, []).append(raised)
    failed: dict[str, Raised] = {}
    for node, reason in _pytest_summary(text):
        file, separator, test = node.partition("::")
        # The summary is cut to the terminal's width, so the report is the better witness.
        at_length = by_title.get(test.replace("::", ".") if test else file)
        raised = at_length.pop(0) if at_length else _pytest_exception([], [reason], "")
        if not raised.type and reason:
            raised = _pytest_exception(list(raised.frames), [reason], "")
        failed[_ADDRESS.sub("#", _steady(file, tree) + separator + test)] = raised
    if not failed:  # the summary can be switched off
        failed = {_ADDRESS.sub("#", title): raised for title, raised in reports}
    return _from_tests("pytest", failed, tree)


def _pytest_summary(text: str) -> Iterator[tuple[str, str]]:
    """The tests that the short summary calls failed, each with the reason that it gives."""
    for banner, end in _lines_with(text, " short test summary info ="):
        for line in _lines_after(text, end, -1) if banner.startswith("=") else ():
            if line.startswith("="):
                break
            if failed := _PYTEST_FAILED.match(line.rstrip()):
                yield failed[1], failed[2] or ""


# Programs compiled to machine code, and other languages


_GLIBC_ASSERT = re.compile(r"(?:.*?\s)?([^\s:]+):(\d{1,9}): (?:(.+): )?Assertion [`'](.*)' failed")
_MUSL_ASSERT = re.compile(r"Assertion failed: (.+) \(([^():]+): (.+): (\d{1,9})\)")
_BSD_ASSERT = re.compile(r"Assertion failed: (.+?), (?:function (.+), )?file (.+), line (\d{1,9})")


def _from_c_assert(text: str, tree: Path) -> Failure | None:
    for line, _ in _lines_with(text, "Assertion "):
        if found := _GLIBC_ASSERT.match(line):
            file, number, function, expression = found.groups()
        elif found := _MUSL_ASSERT.search(line):
            expression, file, function, number = found.groups()
        elif found := _BSD_ASSERT.search(line):
            expression, function, file, number = found.groups()
        else:
            continue
        base = re.split(r"[/\\]", file)[-1]
        signature = f"assert in {base}:{function or '?'} that {expression}"
        where = f" in {function}" if function else ""
        message = f"assertion failed{where}: {expression}"
        return Failure("assert", message, signature, _shown(file, tree), int(number))
    return None


_SANITIZER = re.compile(r".*(?:ERROR|WARNING): (\w+Sanitizer): (.*)")
_SANITIZER_FRAME = re.compile(r"\s*#\d+ (?:0x[0-9a-f]+ )?in (.+) ([^\s:]+):(\d{1,9})(?::\d+)?$")
_UNDEFINED = re.compile(r"(?:.*?\s)?([^\s:]+):(\d{1,9}):\d+: runtime error: (.*)")
_ZIG_PANIC = re.compile(r"thread \d+ panic: (.*)")
_ZIG_FRAME = re.compile(r"([^\s:]+):(\d{1,9}):\d+: 0x[0-9a-f]+ in (\S+)")


def _from_sanitizer(text: str, tree: Path) -> Failure | None:
    for line, end in _lines_with(text, "Sanitizer: "):
        if found := _SANITIZER.match(line):
            what = re.split(r" on | \(|: ", found[2])[0]
            stack: list[Frame] = []
            for below in _lines_after(text, end, 200):
                if frame := _SANITIZER_FRAME.match(below):
                    stack.append(Frame(frame[2], int(frame[3]), frame[1]))
                elif stack:
                    break
            return _crash(f"{found[1]}: {what}", f"{found[1]}: {found[2]}", stack, tree)
    for line, _ in _lines_with(text, " runtime error: "):
        if found := _UNDEFINED.match(line):
            said = f"UndefinedBehaviorSanitizer: {found[3]}"
            return _crash(said, said, [Frame(found[1], int(found[2]))], tree)
    for line, end in _lines_with(text, " panic: "):  # zig cc's own runtime for the same checks
        if found := _ZIG_PANIC.match(line):
            frames = filter(None, (_ZIG_FRAME.match(x) for x in _lines_after(text, end, 200)))
            stack = [Frame(f[1], int(f[2]), f[3]) for f in frames]
            return _crash(f"panic: {found[1]}", f"panic: {found[1]}", stack, tree)
    return None


def _crash(signature: str, message: str, stack: Sequence[Frame], tree: Path) -> Failure:
    """A crash at the innermost frame of the tree."""
    signature = _masked(signature, tree)
    own = [frame for frame in stack if inside(frame.file, tree)] or list(stack)
    if not own:
        return Failure("crash", message, signature)
    signature += f" in {_steady(own[0].file, tree)}"
    signature += f":{own[0].function}" if own[0].function else ""
    return Failure("crash", message, signature, _shown(own[0].file, tree), own[0].line)


_RUST = re.compile(r".*?thread '([^']*)' (?:\(\d+\) )?panicked at (.*)")
_RUST_NEW = re.compile(r"([^:]+):(\d{1,9}):\d+:$")
_RUST_OLD = re.compile(r"'(.*)', ([^:]+):(\d{1,9}):\d+$")


def _from_rust(text: str, tree: Path) -> Failure | None:
    panics: list[tuple[str, str, Frame]] = []
    for line, end in _lines_with(text, " panicked at "):
        found = _RUST.match(line)
        if not found:
            continue
        if new := _RUST_NEW.match(found[2]):
            message = next(_lines_after(text, end, 1), "")
            panics.append((found[1], message, Frame(new[1], int(new[2]))))
        elif old := _RUST_OLD.match(found[2]):
            panics.append((found[1], old[1], Frame(old[2], int(old[3]))))
    if not panics:
        return None
    # Tests run in threads: which of them panics first is chance.
    said = {f"{t}: {_masked(m, tree)} in {_steady(f.file, tree)}" for t, m, f in panics}
    _, message, frame = min(panics, key=lambda panic: panic[0])
    kind = "assert" if message.startswith("assertion ") else "exception"
    signature = "panic " + "; ".join(sorted(said))
    return Failure(kind, f"panic: {message}", signature, _shown(frame.file, tree), frame.line)


_GO_FRAME = re.compile(r"\t([^\s:]+\.go):(\d{1,9})")
_GO_FAILED = re.compile(r"\s*--- FAIL: (\S+)")
_GO_SAID = re.compile(r"\s+([^\s:]+\.go):(\d{1,9}): (.*)")


def _from_go(text: str, tree: Path) -> Failure | None:
    for line, end in _lines_with(text, "panic: "):
        if not line.startswith("panic: "):
            continue
        below = list(_lines_after(text, end, 40))
        if not any(x.startswith("goroutine ") for x in below):
            continue
        frames = [Frame(f[1], int(f[2])) for x in below if (f := _GO_FRAME.match(x))]
        own = [f for f in frames if inside(f.file, tree)] or frames
        return _elsewhere("exception", line, line, own[0] if own else None, tree)
    failed = [
        (f[1], end)
        for line, end in _lines_with(text, "--- FAIL: ")
        if (f := _GO_FAILED.match(line))
    ]
    if not failed:
        return None
    said = [s for x in _lines_after(text, failed[0][1], 20) if (s := _GO_SAID.match(x))]
    place = Frame(said[0][1], int(said[0][2])) if said else None
    message = f"{failed[0][0]}: {said[0][3]}" if said else failed[0][0]
    found = _elsewhere("assert", message, "", place, tree)
    signature = "go test: " + "; ".join(sorted({name for name, _ in failed}))
    return Failure(found.kind, found.message, signature, found.file, found.line)


_NODE = re.compile(r"(?:Uncaught )?(\w*Error)(?: \[\w+\])?(?:: (.*))?$")
_NODE_FRAME = re.compile(r"    at (?:.*\()?(?:file://)?((?!node:)[^\s():]+):(\d{1,9}):\d+\)?$")
_JAVA = re.compile(r'Exception in thread "[^"]*" ([\w.$]+)(?:: (.*))?')
_JAVA_FRAME = re.compile(r"\tat .*\(([^\s():]+):(\d{1,9})\)")


def _from_node(text: str, tree: Path) -> Failure | None:
    errors = []
    for line, end in _lines_with(text, "Error"):
        below = list(_lines_after(text, end, 30)) if (error := _NODE.match(line)) else []
        if error and any(x.startswith("    at ") for x in below):
            errors.append((error, below))
    if not errors:
        return None
    error, below = errors[-1]
    return _thrown(error, filter(None, map(_NODE_FRAME.match, below)), tree)


def _from_java(text: str, tree: Path) -> Failure | None:
    for line, end in _lines_with(text, "Exception in thread "):
        if error := _JAVA.match(line):
            frames = filter(None, map(_JAVA_FRAME.match, _lines_after(text, end, 50)))
            return _thrown(error, frames, tree)
    return None


def _thrown(error: re.Match[str], frames: Iterator[re.Match[str]], tree: Path) -> Failure:
    kind = "assert" if error[1].endswith("AssertionError") else "exception"
    said = f"{error[1]}: {error[2]}" if error[2] else error[1]
    frame = next((Frame(f[1], int(f[2])) for f in frames), None)
    return _elsewhere(kind, said, error[1] if kind == "assert" else said, frame, tree)


def _elsewhere(kind: str, message: str, said: str, frame: Frame | None, tree: Path) -> Failure:
    signature = _masked(said, tree)
    if frame is None:
        return Failure(kind, message, signature)
    signature += f" in {_steady(frame.file, tree)}"
    return Failure(kind, message, signature, _shown(frame.file, tree), frame.line)


_Reader = Callable[[str, Path], "Failure | None"]
_NATIVE: tuple[_Reader, ...] = (
    _from_c_assert,
    _from_sanitizer,
    _from_rust,
    _from_go,
    _from_java,
    _from_node,
)


# Signals


def _signal_number(status: int) -> int:
    """The signal that ended the run, or 0."""
    if status < 0:
        return -status
    return status - 128 if 128 < status <= 128 + 64 else 0


_DEAD_PYTHON = re.compile(r'  File "(.+)", line (\d{1,9}) in (.+)$')
_WHY_ABORTED = re.compile(
    r"^(terminate called after throwing an instance of .*|\*\*\* .* \*\*\*.*"
    r"|(?:malloc|free|realloc|munmap_chunk|corrupted|double free)\b.*)$",
    re.MULTILINE,
)


def _from_signal(number: int, text: str, tree: Path) -> Failure:
    try:
        name, told = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:
        name, told = f"signal {number}", None
    message = f"{(told or 'killed').lower()} ({name})"
    stack = []
    for _, end in _lines_with(text, "(most recent call first):"):  # Python's faulthandler
        below = filter(None, map(_DEAD_PYTHON.match, _lines_after(text, end, 100)))
        stack = [Frame(f[1], int(f[2]), f[3]) for f in below]
    crash = _crash(name, message, stack, tree)
    if name != "SIGABRT":
        return crash
    why = _WHY_ABORTED.search(text)
    said, saying = (f": {why[1]}", f" {_masked(why[1], tree)}") if why else ("", "")
    return Failure("abort", message + said, crash.signature + saying, crash.file, crash.line)
