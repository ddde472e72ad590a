"""Does replay.c replay a run as the oracle in plain Python does?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.frontend.python.programs import PROGRAMS
from tests.trace.python.generator import Writer
from tests.trace.python.replayed import differences
from whence.frontend.python.record import record
from whence.languages import open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.python.recording import PythonRecording

SEEDS = range(20, 28)  # other programs than those of test_random_programs


def recorded(folder: Path, text: str) -> PythonRecording:
    """Record a program and open its trace."""
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "p.py").write_text(text, "utf-8")
    record(tree, BuildAndTest(f"{sys.executable} p.py"), out)
    opened = open_recording(out)
    assert isinstance(opened, PythonRecording)
    return opened


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_constructs_of_python_are_replayed_as_by_the_oracle(name: str, tmp_path: Path) -> None:
    recording = recorded(tmp_path, PROGRAMS[name])
    assert recording.processes
    assert differences(recording) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_is_replayed_as_by_the_oracle(seed: int, tmp_path: Path) -> None:
    recording = recorded(tmp_path, Writer(seed).text)
    assert recording.processes
    assert differences(recording) == []
