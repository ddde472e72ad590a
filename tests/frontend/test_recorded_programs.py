"""Recorded programs behave like plain ones, and their logs give the values that really occurred."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings

from tests.frontend import corpus
from tests.frontend.corpus import Program, check_recorded, unrecorded
from tests.frontend.generator import programs
from whence.frontend.c.replay import Status

# Functions that cannot be recorded and are left unchanged: those that jump into the middle of
# assembly, naked ones, those that run before the program is ready, and those that must leave no
# frame.
UNRECORDED = {
    "assembly": {"main", "naked"},
    "resolving": {"choose"},
    "tail_calls": {"grow", "ping", "pong", "shrink"},
}
# Also tested in mode "record": one of each kind, and all that do not end by returning from main.
ALSO_RECORD = {"exceptions", "files", "forking", "signals", "threads"}


def by_name(program: Program) -> str:
    return program.source.name


@pytest.mark.parametrize("program", corpus.programs(), ids=by_name)
def test_every_computed_value_equals_the_logged_one(program: Program, tmp_path: Path) -> None:
    check_recorded(program, "check", tmp_path)
    assert unrecorded(tmp_path) == UNRECORDED.get(program.name, set())


@pytest.mark.parametrize(
    "program",
    [p for p in corpus.programs() if p.status or p.name in ALSO_RECORD],
    ids=by_name,
)
def test_a_recorded_program_behaves_as_the_plain_one(program: Program, tmp_path: Path) -> None:
    check_recorded(program, "record", tmp_path)


@settings(max_examples=10, deadline=None, derandomize=True, phases=[Phase.generate])
@given(text=programs())
def test_generated_programs_are_recorded_as_they_run(text: str) -> None:
    with TemporaryDirectory() as folder:
        source = Path(folder, "generated.c")
        source.write_text(text)
        (log,) = check_recorded(Program(source), "check", Path(folder))
        assert log.replay.meta.status is Status.OK
        assert log.replay.meta.log_bytes == log.replay.stream.end
