"""Which failure does a program compiled to machine code tell of, or the signal that ended it?"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from whence.model import Failure
from whence.subject.printed import inside, lines_after, lines_with, masked, shown, steady
from whence.subject.tracebacks import Frame

_GLIBC_ASSERT = re.compile(r"(?:.*?\s)?([^\s:]+):(\d{1,9}): (?:(.+): )?Assertion [`'](.*)' failed")
_MUSL_ASSERT = re.compile(r"Assertion failed: (.+) \(([^():]+): (.+): (\d{1,9})\)")
_BSD_ASSERT = re.compile(r"Assertion failed: (.+?), (?:function (.+), )?file (.+), line (\d{1,9})")


def from_c_assert(text: str, tree: Path) -> Failure | None:
    for line, _ in lines_with(text, "Assertion "):
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
        return Failure("assert", message, signature, shown(file, tree), int(number))
    return None


_SANITIZER = re.compile(r".*(?:ERROR|WARNING): (\w+Sanitizer): (.*)")
_SANITIZER_FRAME = re.compile(r"\s*#\d+ (?:0x[0-9a-f]+ )?in (.+) ([^\s:]+):(\d{1,9})(?::\d+)?$")
_UNDEFINED = re.compile(r"(?:.*?\s)?([^\s:]+):(\d{1,9}):\d+: runtime error: (.*)")
_ZIG_PANIC = re.compile(r"thread \d+ panic: (.*)")
_ZIG_FRAME = re.compile(r"([^\s:]+):(\d{1,9}):\d+: 0x[0-9a-f]+ in (\S+)")


def from_sanitizer(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "Sanitizer: "):
        if found := _SANITIZER.match(line):
            what = re.split(r" on | \(|: ", found[2])[0]
            stack: list[Frame] = []
            for below in lines_after(text, end, 200):
                if frame := _SANITIZER_FRAME.match(below):
                    stack.append(Frame(frame[2], int(frame[3]), frame[1]))
                elif stack:
                    break
            return _crash(f"{found[1]}: {what}", f"{found[1]}: {found[2]}", stack, tree)
    for line, _ in lines_with(text, " runtime error: "):
        if found := _UNDEFINED.match(line):
            said = f"UndefinedBehaviorSanitizer: {found[3]}"
            return _crash(said, said, [Frame(found[1], int(found[2]))], tree)
    for line, end in lines_with(text, " panic: "):  # zig cc's own runtime for the same checks
        if found := _ZIG_PANIC.match(line):
            frames = filter(None, (_ZIG_FRAME.match(x) for x in lines_after(text, end, 200)))
            stack = [Frame(f[1], int(f[2]), f[3]) for f in frames]
            return _crash(f"panic: {found[1]}", f"panic: {found[1]}", stack, tree)
    return None


def _crash(signature: str, message: str, stack: Sequence[Frame], tree: Path) -> Failure:
    """A crash at the innermost frame of the tree."""
    signature = masked(signature, tree)
    own = [frame for frame in stack if inside(frame.file, tree)] or list(stack)
    if not own:
        return Failure("crash", message, signature)
    signature += f" in {steady(own[0].file, tree)}"
    signature += f":{own[0].function}" if own[0].function else ""
    return Failure("crash", message, signature, shown(own[0].file, tree), own[0].line)


_DEAD_PYTHON = re.compile(r'  File "(.+)", line (\d{1,9}) in (.+)$')
_WHY_ABORTED = re.compile(
    r"^(terminate called after throwing an instance of .*|\*\*\* .* \*\*\*.*"
    r"|(?:malloc|free|realloc|munmap_chunk|corrupted|double free)\b.*)$",
    re.MULTILINE,
)


def from_signal(number: int, text: str, tree: Path) -> Failure:
    try:
        name, told = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:
        name, told = f"signal {number}", None
    message = f"{(told or 'killed').lower()} ({name})"
    stack = []
    for _, end in lines_with(text, "(most recent call first):"):  # Python's faulthandler
        below = filter(None, map(_DEAD_PYTHON.match, lines_after(text, end, 100)))
        stack = [Frame(f[1], int(f[2]), f[3]) for f in below]
    crash = _crash(name, message, stack, tree)
    if name != "SIGABRT":
        return crash
    why = _WHY_ABORTED.search(text)
    said, saying = (f": {why[1]}", f" {masked(why[1], tree)}") if why else ("", "")
    return Failure("abort", message + said, crash.signature + saying, crash.file, crash.line)
