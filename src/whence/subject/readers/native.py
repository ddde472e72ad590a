"""Which failure does a compiled program's output, or the signal that ended it, show?"""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from pathlib import Path

from whence.model import Failure
from whence.subject.output_text import base_name, lines_after, lines_with, masked, readable_path
from whence.subject.readers.place import failure_at
from whence.subject.tracebacks import Frame, read_frame, read_frames

_C_ASSERTS = (
    re.compile(  # glibc
        r"^(?:.*?\s)?(?P<file>[^\s:]+):(?P<line>\d{1,9}): (?:(?P<function>.+): )?"
        r"Assertion [`'](?P<expression>.*)' failed"
    ),
    re.compile(  # musl
        r"Assertion failed: (?P<expression>.+)"
        r" \((?P<file>[^():]+): (?P<function>.+): (?P<line>\d{1,9})\)"
    ),
    re.compile(  # BSD
        r"Assertion failed: (?P<expression>.+?), (?:function (?P<function>.+), )?"
        r"file (?P<file>.+), line (?P<line>\d{1,9})"
    ),
)


def from_c_assert(text: str, tree: Path) -> Failure | None:
    for line, _ in lines_with(text, "Assertion "):
        found = next(filter(None, (pattern.search(line) for pattern in _C_ASSERTS)), None)
        if found:
            at, expression = read_frame(found), found["expression"]
            function = _bare(at.function or "")
            signature = f"assert in {base_name(at.file)}:{function or '?'} that {expression}"
            where = f" in {function}" if function else ""
            message = f"assertion failed{where}: {expression}"
            return Failure("assert", message, signature, readable_path(at.file, tree), at.line)
    return None


def _bare(function: str) -> str:
    """Return the name of a function: gcc prints `f` for C, others print `int f(void)`."""
    named = re.match(r"[^(]*?([\w:~]+)\(", function)
    return named[1] if named else function


_SANITIZER = re.compile(r".*(?:ERROR|WARNING): (\w+Sanitizer): (.*)")
_SANITIZER_FRAME = re.compile(
    r"\s*#\d+ (?:0x[0-9a-f]+ )?in (?P<function>.+) (?P<file>[^\s:]+):(?P<line>\d{1,9})(?::\d+)?$"
)
_UNDEFINED = re.compile(
    r"(?:.*?\s)?(?P<file>[^\s:]+):(?P<line>\d{1,9}):\d+: runtime error: (?P<what>.*)"
)
_ZIG_PANIC = re.compile(r"thread \d+ panic: (.*)")
_ZIG_FRAME = re.compile(
    r"(?P<file>[^\s:]+):(?P<line>\d{1,9}):\d+: 0x[0-9a-f]+ in (?P<function>\S+)"
)


def from_sanitizer(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "Sanitizer: "):
        if found := _SANITIZER.match(line):
            what = re.split(r" on | \(|: ", found[2])[0]
            stack: list[Frame] = []
            for below in lines_after(text, end, 200):
                if frame := _SANITIZER_FRAME.match(below):
                    stack.append(read_frame(frame))
                elif stack:
                    break
            message = f"{found[1]}: {found[2]}"
            return failure_at(stack, "crash", message, f"{found[1]}: {what}", tree)
    for line, _ in lines_with(text, " runtime error: "):
        if found := _UNDEFINED.match(line):
            message = f"UndefinedBehaviorSanitizer: {found['what']}"
            return failure_at([read_frame(found)], "crash", message, message, tree)
    for line, end in lines_with(text, " panic: "):  # the runtime of zig cc for the same checks
        if found := _ZIG_PANIC.match(line):
            stack = read_frames(lines_after(text, end, 200), _ZIG_FRAME)
            message = f"panic: {found[1]}"
            return failure_at(stack, "crash", message, message, tree)
    return None


_DEAD_PYTHON = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d{1,9}) in (?P<function>.+)$')
_WHY_ABORTED = re.compile(
    r"^(terminate called after throwing an instance of .*|\*\*\* .* \*\*\*.*"
    r"|(?:malloc|free|realloc|munmap_chunk|corrupted|double free)\b.*)$",
    re.MULTILINE,
)


def from_signal(number: int, text: str, tree: Path) -> Failure:
    try:
        name, description = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:
        name, description = f"signal {number}", None
    message = f"{(description or 'killed').lower()} ({name})"
    stack: list[Frame] = []
    for _, end in lines_with(text, "(most recent call first):"):  # Python's faulthandler
        stack = read_frames(lines_after(text, end, 100), _DEAD_PYTHON)
    crash = failure_at(stack, "crash", message, name, tree)
    if name != "SIGABRT":
        return crash
    why = _WHY_ABORTED.search(text)
    reason, masked_reason = (f": {why[1]}", f" {masked(why[1], tree)}") if why else ("", "")
    signature = crash.signature + masked_reason
    return replace(crash, kind="abort", message=message + reason, signature=signature)
