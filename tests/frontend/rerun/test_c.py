"""Does a rerun do what its interventions say, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.frontend.c.tables import OpCode
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.rerun.c import CRerunner
from whence.frontend.rerun.interventions import (
    MAX_INTERVENTIONS,
    FlipBranch,
    Intervention,
    KeepAddress,
    PatchedProcess,
    PokeKept,
    RunPoint,
    SetBytes,
    WatchOperation,
    XorBytes,
    encode_interventions,
)
from whence.languages import open_recording
from whence.model import Outcome
from whence.program.ids import Step
from whence.subject.trial import BuildAndTest
from whence.trace.c.recording import CThread
from whence.trace.c.run_points import run_point

PROGRAM = """
#include <stdio.h>
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += 10;
    if (sum > 25)
        puts("much");
    printf("%d\\n", sum);
    FILE *count = fopen("count", "a+");
    fputs("x", count);
    printf("run %ld\\n", ftell(count));
    return sum != 30;
}
"""
COMMANDS = BuildAndTest("./program", build="$CC -o program program.c")


@pytest.fixture(scope="module")
def rerunner(tmp_path_factory: pytest.TempPathFactory) -> CRerunner:
    tree, folder = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("kept")
    (tree / "program.c").write_text(PROGRAM)
    return CRerunner(tree, COMMANDS, folder)


@pytest.fixture(scope="module")
def thread(rerunner: CRerunner, tmp_path_factory: pytest.TempPathFactory) -> CThread:
    trace = tmp_path_factory.mktemp("trace")
    assert rerunner.run(record_into=trace).run.outcome is Outcome.PASS
    recording = open_recording(trace)
    (process,) = recording.processes
    found = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(found, CThread)
    return found


def points_of(thread: CThread, *codes: OpCode, line: int) -> list[RunPoint]:
    """Return the points of the steps that execute one of the codes on a line."""
    return [run_point(thread, step) for step in steps_of(thread, *codes, line=line)]


def steps_of(thread: CThread, *codes: OpCode, line: int) -> list[Step]:
    """Return the steps that execute one of the codes on a line."""
    ops = thread.image.program.ops["code"]
    return [
        step
        for step in thread.stream.every_step
        if ops[op := thread.queries.op_of(step)] in codes
        and (place := thread.image.place(op)) is not None
        and place.line == line
    ]


def stores_of_sum(thread: CThread) -> list[RunPoint]:
    return points_of(thread, OpCode.STORE, OpCode.LSTORE, line=6)


def test_without_interventions_the_test_runs_as_it_is(rerunner: CRerunner) -> None:
    for _ in range(2):  # and what one run writes into the tree the next does not see
        rerun = rerunner.run()
        assert rerun.ended.stdout == b"much\n30\nrun 1\n"
        assert (rerun.reached, rerun.missed) == ((), ())


def test_a_branch_goes_the_other_way(rerunner: CRerunner, thread: CThread) -> None:
    (point,) = points_of(thread, OpCode.CBR, line=7)
    rerun = rerunner.run([Intervention(point, FlipBranch())])
    assert rerun.ended.stdout == b"30\nrun 1\n"
    assert rerun.run.outcome is Outcome.PASS


def test_a_store_leaves_other_bytes(rerunner: CRerunner, thread: CThread) -> None:
    last = stores_of_sum(thread)[-1]
    rerun = rerunner.run([Intervention(last, SetBytes((7).to_bytes(4, "little")))])
    assert rerun.ended.stdout == b"7\nrun 1\n"
    assert rerun.run.outcome is not Outcome.PASS


def test_several_points_are_changed_in_one_run(rerunner: CRerunner, thread: CThread) -> None:
    first, _, last = stores_of_sum(thread)
    (branch,) = points_of(thread, OpCode.CBR, line=7)
    wanted = (
        Intervention(first, XorBytes(b"\1")),  # 10 becomes 11, so that 31 is printed in the end
        Intervention(last, XorBytes(b"\0\1")),  # and 256 more
        Intervention(branch, FlipBranch()),
    )
    rerun = rerunner.run(wanted)
    assert rerun.ended.stdout == b"287\nrun 1\n"
    assert (rerun.reached, rerun.missed) == (wanted, ())


def test_a_point_that_is_not_reached_is_reported(rerunner: CRerunner, thread: CThread) -> None:
    (branch,) = points_of(thread, OpCode.CBR, line=7)
    elsewhere = RunPoint(branch.thread, branch.offset + 1, branch.operation)
    real, missed = (Intervention(point, FlipBranch()) for point in (branch, elsewhere))
    rerun = rerunner.run([missed, real])
    assert (rerun.reached, rerun.missed) == ((real,), (missed,))


def test_a_rerun_can_be_recorded(rerunner: CRerunner, thread: CThread, tmp_path: Path) -> None:
    (branch,) = points_of(thread, OpCode.CBR, line=7)
    rerunner.run([Intervention(branch, FlipBranch())], record_into=tmp_path)
    recording = open_recording(tmp_path)
    (process,) = recording.processes
    changed = recording.thread(recording.image(process), process.logs[0])
    assert changed.stream.steps < thread.stream.steps  # it does not print "much"


def test_a_recorded_rerun_has_the_values_that_were_set(
    rerunner: CRerunner, thread: CThread, tmp_path: Path
) -> None:
    """No other code can reach the sum, so a replay would compute it from the stores alone."""
    last = stores_of_sum(thread)[-1]
    rerunner.run([Intervention(last, SetBytes((26).to_bytes(4, "little")))], record_into=tmp_path)
    recording = open_recording(tmp_path)
    (process,) = recording.processes
    changed = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(changed, CThread)
    (read,) = steps_of(changed, OpCode.LLOAD, line=7)
    assert changed.replay.window(read, read + 1).value[0] == 26


def test_memory_is_set_at_a_point_after_its_definition(
    rerunner: CRerunner, thread: CThread
) -> None:
    """The sum is set at the branch that reads it: the loop before it has seen the old value."""
    *_, last = stores_of_sum(thread)
    (branch,) = points_of(thread, OpCode.CBR, line=7)
    seven = (7).to_bytes(4, "little")
    wanted = (
        Intervention(last, KeepAddress(0)),
        Intervention(branch, PokeKept(0, 0, seven)),
        Intervention(RunPoint(branch.thread, 0, last.operation), WatchOperation()),
    )
    rerun = rerunner.run(wanted)
    assert rerun.ended.stdout == b"much\n7\nrun 1\n"
    assert rerun.missed == ()
    assert [int.from_bytes(each.content, "little") for each in rerun.watched[2]] == [10, 20, 30]
    assert rerun.watched[2][-1].offset == last.offset


def test_a_cell_is_not_set_before_its_address_is_known(
    rerunner: CRerunner, thread: CThread
) -> None:
    (branch,) = points_of(thread, OpCode.CBR, line=7)
    early = Intervention(branch, PokeKept(3, 0, b"\1"))
    assert rerunner.run([early]).missed == (early,)


FORKING = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int level;
int main(int argc, char **argv) {
    if (argc > 1) {
        switch (argv[1][0]) {
        case 'a': level = 1; break;
        case 'b': level = 2; break;
        default: level = 3;
        }
        printf("%s %d\\n", argv[1], level);
        return 0;
    }
    return 1;
}
"""


def test_one_process_is_changed_and_no_other(tmp_path: Path) -> None:
    tree, folder, trace = (tmp_path / name for name in ("tree", "kept", "trace"))
    for each in (tree, folder, trace):
        each.mkdir()
    (tree / "program.c").write_text(FORKING)
    commands = BuildAndTest("./program a && ./program a", build="$CC -o program program.c")
    rerunner = CRerunner(tree, commands, folder)
    rerunner.run(record_into=trace)
    recording = open_recording(trace)
    process = recording.processes[0]
    found = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(found, CThread)
    (point,) = points_of(found, OpCode.SWITCH, line=8)
    other = Intervention(point, SetBytes(b"b"))
    printed = [
        rerunner.run([other], process=PatchedProcess("program", number)).ended.stdout
        for number in range(3)
    ]
    assert printed == [b"a 2\na 1\n", b"a 1\na 2\n", b"a 1\na 1\n"]


def test_more_interventions_than_the_runtime_holds_are_refused() -> None:
    one = Intervention(RunPoint(0, 1, 2), FlipBranch())
    encode_interventions([one] * MAX_INTERVENTIONS)
    with pytest.raises(ValueError, match="too many"):
        encode_interventions([one] * (MAX_INTERVENTIONS + 1))


def test_a_built_tree_is_restored(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "folder").mkdir(parents=True)
    (tree / "file").write_text("old")
    (tree / "folder" / "inner").write_text("inner")
    (tree / "link").symlink_to("file")
    (tree / "gone").write_text("gone")
    built = BuiltTree(tree, tmp_path / "copy")

    (tree / "file").write_text("new")
    (tree / "gone").unlink()
    (tree / "link").unlink()
    (tree / "link").mkdir()
    (tree / "folder" / "inner").unlink()
    (tree / "folder").rmdir()
    (tree / "folder").write_text("a file now")
    (tree / "added" / "deep").mkdir(parents=True)
    for _ in range(2):
        built.restore()
        assert (tree / "file").read_text() == "old"
        assert (tree / "gone").read_text() == "gone"
        assert (tree / "link").readlink() == Path("file")
        assert (tree / "folder" / "inner").read_text() == "inner"
        assert not (tree / "added").exists()
