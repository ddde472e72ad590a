"""Which failure does a program in Rust, Go, Java or JavaScript tell of?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from whence.model import Failure
from whence.subject.printed import inside, lines_after, lines_with, masked, shown, steady
from whence.subject.tracebacks import Frame

_RUST = re.compile(r".*?thread '([^']*)' (?:\(\d+\) )?panicked at (.*)")
_RUST_NEW = re.compile(r"([^:]+):(\d{1,9}):\d+:$")
_RUST_OLD = re.compile(r"'(.*)', ([^:]+):(\d{1,9}):\d+$")


def from_rust(text: str, tree: Path) -> Failure | None:
    panics: list[tuple[str, str, Frame]] = []
    for line, end in lines_with(text, " panicked at "):
        found = _RUST.match(line)
        if not found:
            continue
        if new := _RUST_NEW.match(found[2]):
            message = next(lines_after(text, end, 1), "")
            panics.append((found[1], message, Frame(new[1], int(new[2]))))
        elif old := _RUST_OLD.match(found[2]):
            panics.append((found[1], old[1], Frame(old[2], int(old[3]))))
    if not panics:
        return None
    # Tests run in threads: which of them panics first is chance.
    said = {f"{t}: {masked(m, tree)} in {steady(f.file, tree)}" for t, m, f in panics}
    _, message, frame = min(panics, key=lambda panic: panic[0])
    kind = "assert" if message.startswith("assertion ") else "exception"
    signature = "panic " + "; ".join(sorted(said))
    return Failure(kind, f"panic: {message}", signature, shown(frame.file, tree), frame.line)


_GO_FRAME = re.compile(r"\t([^\s:]+\.go):(\d{1,9})")
_GO_FAILED = re.compile(r"\s*--- FAIL: (\S+)")
_GO_SAID = re.compile(r"\s+([^\s:]+\.go):(\d{1,9}): (.*)")


def from_go(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "panic: "):
        if not line.startswith("panic: "):
            continue
        below = list(lines_after(text, end, 40))
        if not any(x.startswith("goroutine ") for x in below):
            continue
        frames = [Frame(f[1], int(f[2])) for x in below if (f := _GO_FRAME.match(x))]
        own = [f for f in frames if inside(f.file, tree)] or frames
        return _elsewhere("exception", line, line, own[0] if own else None, tree)
    failed = [
        (f[1], end) for line, end in lines_with(text, "--- FAIL: ") if (f := _GO_FAILED.match(line))
    ]
    if not failed:
        return None
    said = [s for x in lines_after(text, failed[0][1], 20) if (s := _GO_SAID.match(x))]
    place = Frame(said[0][1], int(said[0][2])) if said else None
    message = f"{failed[0][0]}: {said[0][3]}" if said else failed[0][0]
    found = _elsewhere("assert", message, "", place, tree)
    signature = "go test: " + "; ".join(sorted({name for name, _ in failed}))
    return Failure(found.kind, found.message, signature, found.file, found.line)


_NODE = re.compile(r"(?:Uncaught )?(\w*Error)(?: \[\w+\])?(?:: (.*))?$")
_NODE_FRAME = re.compile(r"    at (?:.*\()?(?:file://)?((?!node:)[^\s():]+):(\d{1,9}):\d+\)?$")
_JAVA = re.compile(r'Exception in thread "[^"]*" ([\w.$]+)(?:: (.*))?')
_JAVA_FRAME = re.compile(r"\tat .*\(([^\s():]+):(\d{1,9})\)")


def from_node(text: str, tree: Path) -> Failure | None:
    errors = []
    for line, end in lines_with(text, "Error"):
        below = list(lines_after(text, end, 30)) if (error := _NODE.match(line)) else []
        if error and any(x.startswith("    at ") for x in below):
            errors.append((error, below))
    if not errors:
        return None
    error, below = errors[-1]
    return _thrown(error, filter(None, map(_NODE_FRAME.match, below)), tree)


def from_java(text: str, tree: Path) -> Failure | None:
    for line, end in lines_with(text, "Exception in thread "):
        if error := _JAVA.match(line):
            frames = filter(None, map(_JAVA_FRAME.match, lines_after(text, end, 50)))
            return _thrown(error, frames, tree)
    return None


def _thrown(error: re.Match[str], frames: Iterator[re.Match[str]], tree: Path) -> Failure:
    kind = "assert" if error[1].endswith("AssertionError") else "exception"
    said = f"{error[1]}: {error[2]}" if error[2] else error[1]
    frame = next((Frame(f[1], int(f[2])) for f in frames), None)
    return _elsewhere(kind, said, error[1] if kind == "assert" else said, frame, tree)


def _elsewhere(kind: str, message: str, said: str, frame: Frame | None, tree: Path) -> Failure:
    signature = masked(said, tree)
    if frame is None:
        return Failure(kind, message, signature)
    signature += f" in {steady(frame.file, tree)}"
    return Failure(kind, message, signature, shown(frame.file, tree), frame.line)
