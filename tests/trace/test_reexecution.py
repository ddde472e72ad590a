"""Is a slice complete?  Changes outside the slice of an output must not change the output."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from tests.frontend import corpus
from tests.frontend.corpus import Program
from tests.frontend.generator import programs
from tests.trace import running
from tests.trace.reexecution import Change, Outcome, Subject
from whence.frontend.c.tables import OpCode
from whence.frontend.rerun.interventions import FlipBranch, XorBytes
from whence.program.ids import Op, Step

REGRESSIONS = Path(__file__).parent.parent / "regressions"
STORES = (OpCode.STORE, OpCode.LSTORE)


def outside(subject: Subject, row: int, choose: random.Random, most: int) -> list[Change]:
    """Return changes of up to `most` stores, and branches, that are not in an output's slice."""
    protected = np.union1d(subject.slice_of(row), subject.addressing)
    printed = int(subject.thread.stream.effects["step"][row])
    found = []
    for codes in (STORES, (OpCode.CBR,)):
        steps = np.setdiff1d(subject.steps_with(*codes), protected)
        steps = steps[steps < printed]
        chosen = choose.sample(steps.tolist(), min(most, len(steps)))
        found += subject.changes_of(chosen, choose)
    return found


def inside(subject: Subject, row: int, choose: random.Random, most: int) -> list[Change]:
    """Return changes of up to `most` stores that an output was computed from."""
    data = subject.slice_of(row, relevant=False)
    steps = np.intersect1d(subject.steps_with(*STORES), data).tolist()
    return subject.changes_of(choose.sample(steps, min(most, len(steps))), choose)


def check_outside(subject: Subject, row: int, choose: random.Random, most: int) -> None:
    """Check that changes outside the slice of an output do not change the output."""
    for change in outside(subject, row, choose, most):
        outcome = subject.outcome(row, change)
        place = subject.thread.image.place(Op(int(subject.op_of[change.step])))
        assert outcome not in (Outcome.OTHER, Outcome.MISSING), (
            f"{subject.program.source}: {change} at {place} is not in the slice of row {row}, "
            f"but {outcome.value}; see {subject.folder}"
        )


@pytest.mark.parametrize(
    "name", ["complex_numbers.c", "linkage.c", "locals.c", "potential.c", "varargs.c"]
)
def test_what_is_outside_the_slice_of_an_output_does_not_change_it(
    name: str, tmp_path: Path
) -> None:
    subject, choose = Subject(corpus.program(corpus.PROGRAMS / name), tmp_path), random.Random(1)
    rows = choose.sample(subject.outputs, min(2, len(subject.outputs)))
    for row in rows:
        check_outside(subject, row, choose, 8)
    # A change inside the slice does change the output: so changes are really made.
    changes = [(row, change) for row in rows for change in inside(subject, row, choose, 10)]
    assert any(subject.outcome(row, change) is not Outcome.SAME for row, change in changes)


@settings(max_examples=6, deadline=None, derandomize=True, phases=[Phase.generate])
@given(text=programs(by_line=True))
def test_what_is_outside_the_slice_of_a_random_output_does_not_change_it(
    text: str,
) -> None:
    with TemporaryDirectory() as folder:
        subject = Subject(running.of_text(text, Path(folder)), Path(folder))
        choose = random.Random(1)
        if subject.outputs:
            check_outside(subject, choose.choice(subject.outputs), choose, 5)


@pytest.mark.parametrize("source", sorted(REGRESSIONS.glob("*-slice-*.c")), ids=lambda s: s.stem)
def test_slices_that_were_once_incomplete_are_complete(source: Path, tmp_path: Path) -> None:
    subject = Subject(Program(source), tmp_path)
    for row in subject.outputs:
        check_outside(subject, row, random.Random(1), 1000)


def test_the_requested_step_is_changed_in_the_requested_way(tmp_path: Path) -> None:
    text = """
        #include <stdio.h>
        int main(void) {
            int sum = 0;
            for (int i = 0; i < 3; i++) sum += 10;
            if (sum > 25) puts("much");
            printf("%d\\n", sum);
        }
    """
    subject = Subject(running.of_text(text, tmp_path), tmp_path)
    assert subject.ended.stdout == b"much\n30\n"
    sums = [s for s in subject.steps_with(*STORES).tolist() if subject.value_of(s) in (10, 20, 30)]
    assert [subject.value_of(step) for step in sums] == [10, 20, 30]
    printed = [subject.changed(Change(step, XorBytes(b"\1"))).stdout for step in sums]
    assert printed == [b"much\n31\n", b"much\n31\n", b"much\n31\n"]
    branches = subject.steps_with(OpCode.CBR).tolist()
    flipped = [subject.changed(Change(step, FlipBranch())).stdout for step in branches]
    assert flipped == [b"0\n", b"10\n", b"20\n", b"much\n40\n", b"30\n"]


@pytest.mark.parametrize("name", ["callbacks.c", "floats.c", "varargs.c"])
def test_a_program_that_can_be_changed_logs_only_more_loads(name: str, tmp_path: Path) -> None:
    """Besides, the log has what variables held that a rerun may have altered."""
    program = corpus.program(corpus.PROGRAMS / name)
    threads = [
        running.run(program, running.build(program, tmp_path / mode, mode), tmp_path / f"of-{mode}")
        for mode in ("record", "patch")
    ]
    steps = threads[0][1].stream.steps
    one, other = (t.replay.window(1, steps + 1).offset.astype(np.int64) for _, t in threads)
    thread = threads[1][1]
    assert thread.stream.steps == steps
    longer = (
        np.flatnonzero(np.diff(other - one)) + 1
    )  # steps after which the logs are farther apart
    codes = thread.image.program.ops["code"]
    assert {int(codes[thread.queries.op_of(Step(step))]) for step in longer.tolist()} == {
        OpCode.LLOAD
    }
