"""Do signals have their usual effect on a recorded program, and are they noted?"""

from __future__ import annotations

import signal

import pytest

from tests.frontend.runtime import decoding as d
from tests.frontend.runtime.conftest import Record


@pytest.mark.parametrize(
    ("case", "number"),
    [("crash", signal.SIGSEGV), ("overflow", signal.SIGSEGV), ("aborts", signal.SIGABRT)],
)
def test_a_crash_is_noted_and_the_program_dies_of_it(
    record: Record, case: str, number: int
) -> None:
    run = record(case)
    assert run.status == -number
    assert run.stream.marks == [1]
    assert (run.stream.state, run.stream.crash_signal) == (d.CRASHED, number)
    if case == "crash":
        assert run.stream.crash_address == 0x1230


def test_abort_ends_as_abort_though_its_handler_returns(record: Record) -> None:
    run = record("aborts_with_handler")
    assert run.status == -signal.SIGABRT
    main, handler = run.process.streams[0], run.process.streams[1]
    assert (main.state, main.crash_signal) == (d.CRASHED, signal.SIGABRT)
    assert (handler.kind, handler.signal, handler.marks) == (2, signal.SIGABRT, [106])


def test_a_handler_that_jumps_out_gives_the_stream_back(record: Record) -> None:
    run = record("survives")
    assert run.status == 0
    main, handler = run.process.streams[0], run.process.streams[1]
    assert main.marks == [1, 2, 3]
    assert main.state == d.ENDED
    assert handler.marks == [100 + signal.SIGSEGV]
    assert handler.state == d.LEFT


def test_handlers_have_streams_of_their_own_that_nest(record: Record) -> None:
    run = record("handlers")
    assert run.status == 0
    main, outer, inner = (run.process.streams[i] for i in range(3))
    assert main.marks == [1, 2, 3]
    assert outer.marks == [100 + signal.SIGUSR1, 300 + signal.SIGUSR1]
    assert inner.marks == [200 + signal.SIGUSR2]
    assert (outer.parent, outer.parent_offset) == (0, main.size - 14)
    assert (inner.parent, inner.parent_offset) == (1, outer.size - 7)
    assert [outer.file_size, inner.file_size] == [outer.size, inner.size]
