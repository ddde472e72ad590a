"""Which failure does the output of Python, unittest or pytest show?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whence.model import Failure
from whence.subject.output_text import masked, readable_path, steady
from whence.subject.readers.place import place_text
from whence.subject.tracebacks import (
    Frame,
    RaisedException,
    read_pytest,
    read_pytest_summary,
    read_tracebacks,
)


def from_traceback(text: str, tree: Path) -> Failure | None:
    tracebacks = read_tracebacks(text)
    if not tracebacks:
        return None
    raised = tracebacks[-1]
    parts = [raised.type]
    # The place where an endless recursion ends varies: any call of the cycle can be the last.
    if raised.frames and raised.type != "RecursionError":
        parts.append(f"in {place_text(raised.frames[-1], tree)}")
    if source := _own_line(raised.frames):
        parts.append(f"from {source}")
    if raised.message and not raised.is_assertion:
        parts.append(f"saying {masked(raised.message, tree)}")
    return _python_failure(raised, " ".join(parts), _asserted(raised), tree)


def _own_line(frames: Sequence[Frame]) -> str:
    """Return the line of the test: that of the outermost frame outside `python -m`."""
    own = (f for f in frames if not f.file.startswith("<frozen") and "runpy.py" not in f.file)
    return next((frame.source for frame in own), "")


def _asserted(raised: RaisedException) -> str:
    """Return the exception's summary; for an assertion, its source line."""
    source = raised.frames[-1].source if raised.is_assertion and raised.frames else ""
    return ": ".join(filter(None, [source, raised.message])) if source else raised.summary


def _python_failure(raised: RaisedException, signature: str, message: str, tree: Path) -> Failure:
    kind = "assert" if raised.is_assertion else "exception"
    if not raised.frames:
        return Failure(kind, message, signature)
    inner = raised.frames[-1]
    return Failure(kind, message, signature, readable_path(inner.file, tree), inner.line)


def _from_tests(runner: str, failed: dict[str, RaisedException], tree: Path) -> Failure | None:
    """Return one failure for all failed tests, with the message and place of the first."""
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


def from_unittest(text: str, tree: Path) -> Failure | None:
    pieces = _UNITTEST.split(text)  # before, id, block, id, block, ...
    failed: dict[str, RaisedException] = {}
    for name, block in zip(pieces[1::2], pieces[2::2], strict=True):
        tracebacks = read_tracebacks(block)
        failed[_ADDRESS.sub("#", name)] = (
            tracebacks[-1] if tracebacks else RaisedException((), "", "")
        )
    return _from_tests("unittest", failed, tree)


def from_pytest(text: str, tree: Path) -> Failure | None:
    reports = read_pytest(text)
    by_title: dict[str, list[RaisedException]] = {}
    for title, raised in reports:
        name = re.sub(r"^ERROR (?:at \w+ of|collecting) ", "", title)
        by_title.setdefault(name, []).append(raised)
    failed: dict[str, RaisedException] = {}
    for node, brief in read_pytest_summary(text):
        file, separator, test = node.partition("::")
        # The summary is cut to the terminal's width, so prefer the detailed report.
        at_length = by_title.get(test.replace("::", ".") if test else file)
        raised = at_length.pop(0) if at_length else brief
        if not raised.type and brief.summary:
            raised = replace(brief, frames=raised.frames + brief.frames)
        failed[_ADDRESS.sub("#", steady(file, tree) + separator + test)] = raised
    if not failed:  # the summary can be switched off
        failed = {_ADDRESS.sub("#", title): raised for title, raised in reports}
    return _from_tests("pytest", failed, tree)
