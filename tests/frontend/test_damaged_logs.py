"""A log that was cut or changed is used up to the damage, and no further."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend import corpus
from tests.frontend.corpus import Log, check_recorded
from tests.trace.running import opened
from whence.errors import UserError
from whence.frontend.c.replay import HEADER, Replay, Status
from whence.trace.c.analysis import CAnalysis
from whence.trace.slice_at import slice_at

PROGRAM = "records"
Rewrite = Callable[[bytearray], None]

MEMORY = 1 << 28  # bytes of shadow memory: a damaged length may ask for any amount


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Log:
    """Return an undamaged log."""
    program = corpus.program(corpus.PROGRAMS / f"{PROGRAM}.c")
    (log,) = check_recorded(program, "record", tmp_path_factory.mktemp("recorded"))
    assert log.replay.meta.status is Status.OK
    return log


def check_used_up_to(recorded: Log, place: int, damaged: bytes) -> None:
    """Claim that a damaged log gives what the whole log gives, up to the damage at `place`."""
    whole = recorded.replay
    with TemporaryDirectory() as folder:
        found = Replay.open(whole.program, damaged, Path(folder), memory=MEMORY)
        # A step has read all its bytes when the next one begins.
        offsets = whole.window(1, whole.meta.steps + 1).offset
        unharmed = max(int(np.searchsorted(offsets, place, "right")) - 1, 0)
        assert found.meta.steps >= unharmed
        first = whole.column("first.u32")
        instances = max(int(np.searchsorted(first, unharmed, "right")) - 1, 0)
        for name in ("stretch.u32", "first.u32", "activation.u32", "control.u32"):
            actual, expected = found.column(name), whole.column(name)
            assert np.array_equal(actual[:instances], expected[:instances]), name
        ops = whole.program.stretches["n_links"][whole.column("stretch.u32")[:instances]]
        links = int(ops.sum())
        assert np.array_equal(found.column("links.u32")[:links], whole.column("links.u32")[:links])
        if unharmed > 0:
            actual, expected = (r.window(1, unharmed + 1).value for r in (found, whole))
            assert np.array_equal(actual[:-1], expected[:-1])
        if len(damaged) == place:  # it was cut: no steps are invented
            assert found.meta.steps <= whole.meta.steps
            stretches = whole.column("stretch.u32")[: found.meta.instances]
            assert np.array_equal(found.column("stretch.u32"), stretches)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_log_is_used_up_to_where_it_was_cut(recorded: Log, data: st.DataObject) -> None:
    whole = recorded.replay.stream
    place = data.draw(st.integers(HEADER, whole.end - 1))
    check_used_up_to(recorded, place, whole.data[:place].tobytes())


@settings(max_examples=100, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_log_is_used_up_to_where_it_was_changed(recorded: Log, data: st.DataObject) -> None:
    whole = recorded.replay.stream
    log = bytearray(whole.data.tobytes())
    places = data.draw(st.lists(st.integers(HEADER, whole.end - 1), min_size=1, max_size=4))
    for place in places:
        log[place] ^= data.draw(st.integers(1, 255))
    if log != whole.data.tobytes():
        check_used_up_to(recorded, min(places), bytes(log))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(place=st.integers(0, 127), byte=st.integers(0, 255))
def test_a_damaged_header_does_no_harm(recorded: Log, place: int, byte: int) -> None:
    log = bytearray(recorded.replay.stream.data.tobytes())
    log[place] = byte
    with TemporaryDirectory() as folder:
        if bytes(log[16:24]) != b"WHENCE01":
            with pytest.raises(UserError, match="not the log"):
                Replay.open(recorded.replay.program, bytes(log), Path(folder), memory=MEMORY)
            return
        found = Replay.open(recorded.replay.program, bytes(log), Path(folder), memory=MEMORY)
        assert found.meta.steps <= recorded.replay.meta.steps


@pytest.mark.parametrize(
    ("rewrite", "note"),
    [
        (lambda log: log.__delitem__(slice(-200, None)), "200 bytes of the log are missing"),
        (lambda log: log.__setitem__(slice(-200, -100), b"\xff" * 100), "the log is damaged"),
    ],
    ids=["cut", "changed"],
)
def test_a_slice_of_a_damaged_trace_notes_the_damage(
    recorded: Log, rewrite: Rewrite, note: str, tmp_path: Path
) -> None:
    folder = recorded.process.folder
    shutil.copytree(folder, tmp_path / folder.name)
    path = tmp_path / folder.name / "0.log"
    log = bytearray(path.read_bytes())
    rewrite(log)
    path.write_bytes(log)
    thread = opened(tmp_path, folder.parents[1] / "modules")
    found = slice_at(thread.recording, "output:0", CAnalysis())
    assert any(note in text for text in found.notes), found.notes
