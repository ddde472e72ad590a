"""Recorded programs behave as plain ones do, and reading their logs gives what really happened."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings

from tests.frontend import corpus
from tests.frontend.corpus import Program, check_recorded, unrecorded
from tests.frontend.generator import programs
from whence.frontend.c.replay import Status

# What cannot be recorded, and is left as it was: functions that jump into the middle of assembly,
# naked ones, those that run before the program is ready, and those that must leave no frame.
LEFT_ALONE = {
    "assembly": {"main", "naked"},
    "resolving": {"choose"},
    "tail_calls": {"grow", "ping", "pong", "shrink"},
}
# In mode "record" too: one of each kind, and all that do not end by returning from main.
RECORDED_TOO = {"exceptions", "files", "forking", "signals", "threads"}


def by_name(program: Program) -> str:
    return program.source.name


@pytest.mark.parametrize("program", corpus.programs(), ids=by_name)
def test_every_value_that_replaying_computes_is_the_real_one(
    program: Program, tmp_path: Path
) -> None:
    check_recorded(program, "check", tmp_path)
    assert unrecorded(tmp_path) == LEFT_ALONE.get(program.name, set())


@pytest.mark.parametrize(
    "program",
    [p for p in corpus.programs() if p.status or p.name in RECORDED_TOO],
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
