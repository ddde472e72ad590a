"""Which failure does the output of a Rust, Go, Java or JavaScript program show?"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from whence.model import Failure
from whence.subject.output_text import lines_after, lines_with, masked, readable_path, steady
from whence.subject.readers.place import failure_at
from whence.subject.tracebacks import Frame, read_frame, read_frames

_RUST = re.compile(r".*?thread '([^']*)' (?:\(\d+\) )?panicked at (.*)")
_RUST_NEW = re.compile(r"(?P<file>[^:]+):(?P<line>\d{1,9}):\d+:$")
_RUST_OLD = re.compile(r"'(?P<message>.*)', (?P<file>[^:]+):(?P<line>\d{1,9}):\d+$")


def from_rust(text: str, tree: Path) -> Failure | None:
    panics: list[tuple[str, str, Frame]] = []
    for line, end in lines_with(text, " panicked at "):
        found = _RUST.match(line)
        if not found:
            continue
        if new := _RUST_NEW.match(found[2]):
            message = next(lines_after(text, end, 1), "")
            panics.append((found[1], message, read_frame(new)))
        elif old := _RUST_OLD.match(found[2]):
            panics.append((found[1], old["message"], read_frame(old)))
    if not panics:
        return None
    # Tests run in threads, so the order of panics varies: the signature has all of them, sorted.
    parts = {f"{t}: {masked(m, tree)} in {steady(f.file, tree)}" for t, m, f in panics}
    _, message, frame = min(panics, key=lambda panic: panic[0])
    kind = "assert" if message.startswith("assertion ") else "exception"
    signature = "panic " + "; ".join(sorted(parts))
    return Failure(
        kind, f"panic: {message}", signature, readable_path(frame.file, tree), frame.line
    )


_GO_FRAME = re.compile(r"\t(?P<file>[^\s:]+\.go):(?P<line>\d{1,9})")
_GO_FAILED = re.compile(r"\s*--- FAIL: (\S+)")
_GO_MESSAGE = re.compile(r"\s+(?P<file>[^\s:]+\.go):(?P<line>\d{1,9}): (?P<what>.*)")


def from_go(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "panic: "):
        below = list(lines_after(text, end, 40)) if line.startswith("panic: ") else []
        if any(x.startswith("goroutine ") for x in below):
            return failure_at(read_frames(below, _GO_FRAME), "exception", line, line, tree)
    failed = [
        (f[1], end) for line, end in lines_with(text, "--- FAIL: ") if (f := _GO_FAILED.match(line))
    ]
    if not failed:
        return None
    (first, end), *_ = failed
    detail = next(filter(None, map(_GO_MESSAGE.match, lines_after(text, end, 20))), None)
    message = f"{first}: {detail['what']}" if detail else first
    found = failure_at([read_frame(detail)] if detail else [], "assert", message, "", tree)
    names = sorted({name for name, _ in failed})
    return replace(found, signature="go test: " + "; ".join(names))


_NODE = re.compile(r"(?:Uncaught )?(\w*Error)(?: \[\w+\])?(?:: (.*))?$")
_NODE_FRAME = re.compile(
    r"    at (?:.*\()?(?:file://)?(?P<file>(?!node:)[^\s():]+):(?P<line>\d{1,9}):\d+\)?$"
)
_JAVA = re.compile(r'Exception in thread "[^"]*" ([\w.$]+)(?:: (.*))?')
_JAVA_FRAME = re.compile(r"\tat .*\((?P<file>[^\s():]+):(?P<line>\d{1,9})\)")


def from_node(text: str, tree: Path) -> Failure | None:
    errors = []
    for line, end in lines_with(text, "Error"):
        below = list(lines_after(text, end, 30)) if (error := _NODE.match(line)) else []
        if error and any(x.startswith("    at ") for x in below):
            errors.append((error, below))
    if not errors:
        return None
    error, below = errors[-1]
    return _thrown(error, read_frames(below, _NODE_FRAME), tree)


def from_java(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "Exception in thread "):
        if error := _JAVA.match(line):
            return _thrown(error, read_frames(lines_after(text, end, 50), _JAVA_FRAME), tree)
    return None


def _thrown(error: re.Match[str], frames: list[Frame], tree: Path) -> Failure:
    """Return the failure at the frame that threw the error, inside or outside the tree."""
    kind = "assert" if error[1].endswith("AssertionError") else "exception"
    message = f"{error[1]}: {error[2]}" if error[2] else error[1]
    return failure_at(frames[:1], kind, message, error[1] if kind == "assert" else message, tree)
