"""Do slices of a recorded C program contain the right lines, and no others?"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from whence.errors import UserError
from whence.frontend.c.record import record
from whence.frontend.c.replay import Replay
from whence.languages import open_recording
from whence.program.ids import Step
from whence.subject.trial import BuildAndTest
from whence.trace.c import relevance as relevance_module
from whence.trace.c.analysis import CAnalysis
from whence.trace.columns import BRANCH
from whence.trace.points import Point, find
from whence.trace.recording import Recording
from whence.trace.slice_at import steps_of

# The comments are names of lines for the tests below.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct three { long left, middle, right; };

struct three make(long a, long b) {
    struct three made;
    made.left = a;                              // left
    made.middle = 0;                            // middle
    made.right = b;                             // right
    return made;
}

int deep(int n) {
    int result = n;                             // result
    if (n > 100) result = 1;                    // branch
    if (n > 0) deep(n - 1);
    return result;
}

int main(void) {
    char from[4], *to, text[40], again[40];
    long x = 3;                                 // x
    long y = 4;                                 // y
    struct three p = make(x, y);
    struct three q = p;
    from[0] = 'a';                              // a
    from[1] = 'b';                              // b
    from[2] = 0;
    to = strdup(from);
    to = realloc(to, 100);
    sprintf(text, "%ld %ld", q.left, q.right);
    memcpy(again, text, sizeof again);
    putchar(to[1]);
    putchar(again[2]);
    return deep(3);
}
"""
NAMES = ("left", "middle", "right", "a", "b", "x", "y")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    tree, out = (tmp_path_factory.mktemp(name) for name in ("tree", "out"))
    (tree / "program.c").write_text(PROGRAM)
    record(tree, BuildAndTest(test="./program || true", build="$CC -g -o program program.c"), out)
    return open_recording(out)


def line_of(name: str) -> int:
    return next(n for n, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith(f"// {name}"))


def named_lines(point: Point) -> set[str]:
    queries, rows = point.thread.queries, point.thread.image.rows
    lines = {int(rows[queries.op_of(Step(step))]) for step in steps_of(point, CAnalysis()).tolist()}
    return {name for name in NAMES if line_of(name) in lines}


def branches(point: Point, line: int) -> int:
    """Return the number of branches of a line in the relevant slice."""
    queries, image = point.thread.queries, point.thread.image
    ops = [
        queries.op_of(Step(step)) for step in steps_of(point, CAnalysis(), relevant=True).tolist()
    ]
    return sum(image.rows[op] == line and image.code.kind[op] == BRANCH for op in ops)


def test_a_byte_copied_by_strdup_and_realloc_comes_from_one_byte(recording: Recording) -> None:
    assert named_lines(find(recording, "output:0")) == {"b"}


def test_a_printed_field_of_a_copied_struct_comes_from_that_field(recording: Recording) -> None:
    """The digit of q.right passes through a returned struct, its copy, sprintf and memcpy."""
    assert named_lines(find(recording, "output:1")) == {"right", "y"}


def test_a_local_variable_is_not_redefined_by_other_activations(recording: Recording) -> None:
    """Each of the four activations of deep ran the branch, but only one returned the status."""
    assert branches(find(recording, "exit"), line_of("branch")) == 1


def test_a_program_is_analysed_once(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    image = find(recording, "exit").thread.image
    made = image.relevance()
    (kept,) = recording.folder.glob("relevance-*.npz")
    with monkeypatch.context() as patch:
        patch.delattr(relevance_module, "MayDefine")
        again = image.relevance()
    assert np.array_equal(made.guards, again.guards)
    assert np.array_equal(made.potential.class_edge, again.potential.class_edge)
    for damaged in (b"", kept.read_bytes()[:-100], b"PK\x03\x04" + bytes(100)):
        kept.write_bytes(damaged)
        assert np.array_equal(image.relevance().potential.class_edge, made.potential.class_edge)


def test_the_analysis_needs_no_writable_folder(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = find(recording, "exit").thread.image
    monkeypatch.setattr(image, "folder", Path(tmp_path, "gone"))
    assert len(image.relevance().guards)


def test_the_branches_of_a_private_load_are_those_of_its_activation(recording: Recording) -> None:
    """The table of the analysis marks the load of `result` as private."""
    point = find(recording, "exit")
    image, potential = point.thread.image, point.thread.image.relevance().potential
    loads = (potential.class_of_op != 0xFFFFFFFF) & (image.rows == line_of("result") + 3)
    assert potential.is_private[loads].all()
    assert loads.any()


def test_a_thread_is_opened_once(recording: Recording) -> None:
    process = recording.processes[0]
    image = recording.image(process)
    assert recording.image(process) is image
    assert recording.thread(image, process.logs[0]) is recording.thread(image, process.logs[0])


def test_a_run_beyond_the_limits_is_refused_with_its_length(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = recording.processes[0]
    log = process.logs[0]
    shutil.rmtree(log.path.with_suffix(".index"))
    opened = Replay.open
    monkeypatch.setattr(Replay, "open", partial(opened, memory=1))
    again = open_recording(recording.folder)
    with pytest.raises(
        UserError, match=r"too long: about [\d,]+ instructions(?s:.*)out of memory"
    ) as at:
        again.thread(again.image(again.processes[0]), again.processes[0].logs[0])
    assert at.value.slug == "run-too-long"
