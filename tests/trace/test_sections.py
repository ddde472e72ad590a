"""Does a run that is cut into many sections give the answers of one laid out as a whole?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench.trace
from whence.causes.hidden import hidden_activations
from whence.frontend.c.record import record
from whence.frontend.c.replay import sections
from whence.languages import open_recording, open_search
from whence.program.ids import Instance, Op, Step, Stretch
from whence.subject.trial import BuildAndTest
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CThread
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.points import find
from whence.trace.queries import Part
from whence.trace.recording import Recording
from whence.trace.sections import SectionedColumn
from whence.trace.slice_at import executed_lines, slice_at
from whence.trace.slicer import slice_

PROGRAM = r"""
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell { int key; char text[12]; };
static struct cell table[16];
static int total, limit = 3;

static int order(const void *a, const void *b) {
    return ((const struct cell *)a)->key - ((const struct cell *)b)->key;
}
static int depth(int n) { return n > 0 ? depth(n - 1) + (n & 1) : limit; }
static int rounds(int from, int by) {
    int sum = from;
    for (int i = 0; i < 40; i++) { table[i & 15].key += sum & 1; sum = sum * 3 + i; }
    return sum % 7 + by;
}
static void fill(int round) {
    for (int i = 0; i < 16; i++) {
        table[i].key = (i * 7 + round) % 16;
        snprintf(table[i].text, sizeof table[i].text, "%d", table[i].key);
    }
}
int main(int argc, char **argv) {
    struct cell copy;
    int low = argc > 5 ? 1 : 2;
    for (int round = 0; round < 12; round++) {
        fill(round);
        qsort(table, 16, sizeof *table, order);
        memcpy(&copy, &table[round], sizeof copy);
        if (copy.key > 10) limit += low;
        total += depth(copy.key) + (int)strlen(copy.text);
        if (rounds(round, low) + total < 0) exit(3);
    }
    printf("%d %s\n", total, copy.text);
    assert(limit < 4);
    return 0;
}
"""


LONG_RUN = Path(bench.trace.__file__).parent / "drivers" / "long_run.c"


class Runs(NamedTuple):
    """The same recorded run, laid out as a whole and cut into sections."""

    whole: Recording
    cut: Recording


def main_thread(recording: Recording) -> CThread:
    (process,) = recording.processes
    thread = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(thread, CThread)
    return thread


def cut_again(runs: Runs, first: int, section: int) -> CThread:
    """Cut the run anew, so that nothing is laid out; return its main thread."""
    for index in runs.cut.folder.glob("*/*.index"):
        shutil.rmtree(index)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "FIRST_SECTION", first)
        patch.setattr(sections, "SECTION", section)
        patch.setattr(sections, "SAVED_PER_STEP", 0)
        return main_thread(open_recording(runs.cut.folder))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return recorded(tmp_path_factory, "-O0")


def recorded(tmp_path_factory: pytest.TempPathFactory, flags: str, text: str = PROGRAM) -> Runs:
    tree, out = (tmp_path_factory.mktemp(name) for name in ("tree", "out"))
    (tree / "program.c").write_text(text)
    build = f"$CC -g {flags} -o program program.c"
    record(tree, BuildAndTest(test="./program", build=build), out)
    cut = tmp_path_factory.mktemp("cut") / "out"
    shutil.copytree(out, cut, symlinks=True)
    return Runs(open_recording(out), open_recording(cut))


cuts = st.tuples(st.integers(1, 3000), st.integers(40, 4000))


@settings(max_examples=12, deadline=None)
@given(cuts, st.lists(st.floats(0, 1), min_size=10, max_size=10))
def test_direct_dependences_are_the_same(
    runs: Runs, cut: tuple[int, int], places: list[float]
) -> None:
    whole, other = main_thread(runs.whole), cut_again(runs, *cut)
    assert isinstance(other.stream.first, SectionedColumn)
    flows = CFlow(whole), CFlow(other)
    for place in places:
        step = Step(1 + int(place * (whole.stream.steps - 1)))
        answers = [
            (
                queries.op_of(step), queries.controlling_step(step), queries.callers(step),
                queries.incoming_branch(step), queries.side_of(step), queries.entered(step),
                *(queries.definitions(step, part) for part in Part),
                flow.node(step), flow.value(step), flow.region_of(step), flow.returned(step),
                flow.controlling_branch(step),
                flow.previous_instance(flow.instance_of(step)),
            )
            for queries, flow in zip((whole.queries, other.queries), flows, strict=True)
        ]  # fmt: skip
        assert answers[0] == answers[1]


@settings(max_examples=12, deadline=None)
@given(cuts, st.data())
def test_places_in_the_run_are_the_same(
    runs: Runs, cut: tuple[int, int], data: st.DataObject
) -> None:
    whole, other = main_thread(runs.whole), cut_again(runs, *cut)
    code, count = whole.image.code, len(whole.stream.first)
    assert np.array_equal(whole.stream.instance_counts(), other.stream.instance_counts())
    assert executed_lines(whole) == executed_lines(other)
    ran = np.flatnonzero(whole.stream.instance_counts()).tolist()
    stretch = Stretch(data.draw(st.sampled_from(ran)))
    op = Op(int(code.stretch_first_op[stretch]))
    instance = Instance(data.draw(st.integers(0, count - 1)))
    step = data.draw(st.integers(1, whole.stream.steps + 1))
    address = data.draw(st.sampled_from(whole.stream.writes[:]["addr"].tolist()))
    steps = np.sort(np.array(data.draw(st.lists(st.integers(1, whole.stream.steps))), np.uint32))
    answers: list[list[Any]] = []
    for queries in (whole.queries, other.queries):
        instances, executions = queries.instances_of(stretch), queries.executions(op)
        high = int(instances.searchsorted(np.uint32(instance)))
        low = data.draw(st.integers(0, high)) if not answers else answers[0][0]
        answers.append([
            low, high, len(instances), instances[low:high].tolist(),
            [int(instances[at]) for at in (0, -1)], len(executions), executions.before(step),
            executions[low:high].tolist(), queries.last_before_indexed(stretch, instance),
            queries.last_before(stretch, instance),
            queries.last_write(address - 3, 11, Step(step)),
            queries.instances_at(steps).tolist(),
        ])  # fmt: skip
    assert answers[0] == answers[1]


@settings(max_examples=10, deadline=None)
@given(cuts, st.integers(1, 4), st.data())
def test_execution_indexes_are_the_same(
    runs: Runs, cut: tuple[int, int], kept: int, data: st.DataObject
) -> None:
    """Operations that do not count are left out, as those are that only one version has."""
    whole, other = main_thread(runs.whole), cut_again(runs, *cut)
    indexes = [ExecutionIndexes(t.queries, lambda op: op % 4 < kept) for t in (whole, other)]
    steps = st.integers(1, whole.stream.steps)
    for step in data.draw(st.lists(steps, min_size=5, max_size=5)):
        region = indexes[0].region(Step(step))
        assert indexes[0].rank(Step(step), region) == indexes[1].rank(Step(step), region)
        op, rank = whole.queries.op_of(Step(data.draw(steps))), data.draw(st.integers(0, 3))
        for each in (region, Step(step), None):
            assert indexes[0].at(op, each, rank) == indexes[1].at(op, each, rank)


def test_hidden_activations_are_the_same(runs: Runs) -> None:
    flows = CFlow(main_thread(runs.whole)), CFlow(cut_again(runs, 500, 300))
    for trust in ((), ("depth",), ("fill", "order")):
        whole, cut = (hidden_activations(flow, trust) for flow in flows)
        assert set(whole) == set(cut)


def test_slices_are_the_same(runs: Runs) -> None:
    for at in ("assert", "program.c:33:total"):
        cut_again(runs, 500, 300)
        results = [
            slice_at(recording, at, CAnalysis(), relevant=relevant, in_order=True)
            for relevant in (False, True)
            for recording in (runs.whole, open_recording(runs.cut.folder))
        ]
        for whole, cut in (results[:2], results[2:]):
            assert (whole.statements, whole.order, whole.inputs, whole.steps) == (
                *(cut.statements, cut.order, cut.inputs, cut.steps),
            )


@settings(max_examples=25, deadline=None)
@given(cuts, st.data(), *(st.booleans() for _ in range(4)))
def test_slices_from_any_steps_are_the_same(
    runs: Runs,
    cut: tuple[int, int],
    data: st.DataObject,
    with_data: bool,
    control: bool,
    relevant: bool,
    trusting: bool,
) -> None:
    whole, other = main_thread(runs.whole), cut_again(runs, *cut)
    chosen = data.draw(st.lists(st.integers(1, whole.stream.steps), min_size=1, max_size=3))
    relevance = whole.image.relevance() if relevant else None
    trusted = None
    if trusting:
        functions = len(whole.image.code.function_ops)
        trusted = np.array(
            data.draw(st.lists(st.booleans(), min_size=functions, max_size=functions))
        )
    found = [
        slice_(
            thread.stream,
            [Step(step) for step in chosen],
            data=with_data,
            control=control,
            potential=relevance.potential if relevance else None,
            guards=relevance.guards if relevance else None,
            trusted=trusted,
        ).tolist()
        for thread in (whole, other)
    ]
    assert found[0] == found[1]


REGISTERS = """
static volatile int ticks;
static int work(int from, int n) {  /* nothing depends on its result */
    for (int i = 0; i < n; i++) ticks++;
    return from * 5;
}
int main(int argc, char **argv) {
    return argc * 3 + (work(7, 60), 1) > 4;
}
"""


def test_a_register_that_is_used_many_sections_later_is_found(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    runs = recorded(tmp_path_factory, "-O0", REGISTERS)
    whole = main_thread(runs.whole)
    steps = [Step(step) for step in range(whole.stream.steps - 3, whole.stream.steps + 1)]
    expected = [slice_(whole.stream, [step], control=False).tolist() for step in steps]
    assert 5 < max(map(len, expected)) < 40  # not the loops
    for first in range(1, 40, 5):
        stream = cut_again(runs, first, 25).stream
        assert stream.sections is not None
        assert len(stream.sections.steps) > 10
        assert [slice_(stream, [step], control=False).tolist() for step in steps] == expected


@pytest.mark.parametrize("where", ["early", "late"])
def test_a_slice_lays_out_the_sections_that_it_reaches(where: str, tmp_path: Path) -> None:
    """The failure depends on a few steps near the start of the run, or near its end."""
    (tmp_path / "out").mkdir()
    shutil.copy(LONG_RUN, tmp_path)
    build = "$CC -g -O0 -o long_run long_run.c"
    record(tmp_path, BuildAndTest(test=f"./long_run 400 {where}", build=build), tmp_path / "out")
    recording = open_recording(tmp_path / "out")
    whole = slice_at(recording, "assert", CAnalysis())
    saved = cut_again(Runs(recording, recording), 2000, 2000).replay.sections
    assert slice_at(open_recording(tmp_path / "out"), "assert", CAnalysis()).statements == (
        whole.statements
    )
    again = main_thread(open_recording(tmp_path / "out")).replay.sections
    assert len(again) == len(saved) > 50
    assert sum(map(again.is_laid_out, range(len(again)))) < 6


def test_a_section_that_cannot_be_laid_out_stops_the_slice(runs: Runs) -> None:
    thread = cut_again(runs, 500, 300)
    thread.replay.sections.rows["links"][5] += 1
    guards = np.ones(len(thread.image.code.stretch_ops), bool)  # every section has a branch
    with pytest.raises(RuntimeError, match="section 5 does not end where the next begins"):
        slice_(thread.stream, [Step(thread.stream.steps)], guards=guards)


def test_causes_are_the_same(runs: Runs) -> None:
    cut_again(runs, 2000, 500)
    found = []
    for recording in (runs.whole, open_recording(runs.cut.folder)):
        tree = open_search(recording, None, ())
        tree.grow(2)
        found.append([tree.cause(number) for number in range(len(tree))])
    assert found[0] == found[1]
    assert len(found[0]) > 2


def test_the_failure_lays_out_the_end_of_the_run(runs: Runs) -> None:
    cut_again(runs, 500, 300)
    recording = open_recording(runs.cut.folder)
    thread = main_thread(recording)
    assert find(recording, "assert").words == find(runs.whole, "assert").words
    saved = thread.replay.sections
    laid = [number for number in range(len(saved)) if saved.is_laid_out(number)]
    assert len(saved) > 20
    assert set(laid) <= {0, len(saved) - 2, len(saved) - 1}


def test_an_operation_on_a_whole_column_is_an_error(runs: Runs) -> None:
    column = cut_again(runs, 500, 300).stream.first
    with pytest.raises(TypeError, match="is no array"):
        np.unique(column)
    with pytest.raises(IndexError):
        column[len(column)]
