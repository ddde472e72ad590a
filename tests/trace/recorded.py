"""Records programs of `programs/`, and checks their slices."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from whence.frontend.c.record import record
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import language_of, open_recording
from whence.model import SliceResult, Statement
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Recording
from whence.trace.slice_at import slice_at
from whence.trace.summary import summarise

PROGRAMS = Path(__file__).parent / "programs"


def recorded(folder: Path, program: str, build: str, test: str) -> Recording:
    """Record a test of a program in the new `folder`."""
    tree, out = folder / "tree", folder / "out"
    if (PROGRAMS / program).is_dir():
        shutil.copytree(PROGRAMS / program, tree)
    else:
        tree.mkdir()
        shutil.copy(PROGRAMS / program, tree)
    out.mkdir()
    record(tree, BuildAndTest(test=test, build=build, asked_timeout=60), out)
    summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
    return open_recording(out)


def line_of(recording: Recording, fragment: str) -> str:
    """Return FILE:LINE of the only source line that contains a fragment."""
    found = [
        f"{path.relative_to(recording.folder / 'source')}:{number}"
        for path in sorted((recording.folder / "source").rglob("*.*"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if fragment in line
    ]
    assert len(found) == 1, (fragment, found)
    return found[0]


def check_slice(
    recording: Recording,
    at: str,
    *,
    words: str = "",
    has: Sequence[str] = (),
    lacks: Sequence[str] = (),
    says: Mapping[str, str] | None = None,
) -> SliceResult:
    """Check that a slice has lines with some fragments, none with others, and some values."""
    result = slice_at(recording, at, language_of(recording).analysis)
    assert words in result.point
    for fragment in has:
        assert _lines(result, fragment), (fragment, [s.text for s in result.statements])
    for fragment in lacks:
        assert not _lines(result, fragment), fragment
    values = [(name, value) for s in result.statements for name, value in s.values.items()]
    for name, value in (says or {}).items():
        assert (name, value) in values, (name, value, values)
    return result


def _lines(result: SliceResult, fragment: str) -> list[Statement]:
    return [statement for statement in result.statements if fragment in statement.text]
