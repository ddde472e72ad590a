"""Which steps of two runs correspond?

The second run is of the same program, of one that is written differently, or of one that does
something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.causes.explaining import built
from whence import languages
from whence.program.ids import Step
from whence.trace.alignment import Alignment
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.flow import Flow
from whence.trace.recording import Recording

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
static int calls;
static int worth(int coin) {
    calls++;
    switch (coin) {
    case 1: return 10;
    case 2: return 25;
    default: return coin > 5 ? 100 : 1;
    }
}
static int depth_of(int level) {
    if (level <= 0)
        return 0;
    int below = depth_of(level - 2);
    return below + 1;
}
static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
int main(int argc, char **argv) {
    int limit = argc > 1 ? atoi(argv[1]) : 7;
    int coins[] = {3, 1, 2, 6, 2}, sum = 0;
    qsort(coins, 5, sizeof coins[0], by_size);
    for (int i = 0; i < 5; i++) {
        if (coins[i] > limit)
            break;
        if (coins[i] == 3)
            continue;
        sum += worth(coins[i]);
    }
    while (sum > 40 && calls > 0) {
        sum -= 7;
        calls--;
    }
    sum += depth_of(limit);
    printf("%d\\n", sum);
    return 0;
}
"""


def flow_of(recording: Recording) -> Flow:
    (process,) = recording.processes
    return languages.flow_of(recording.thread(recording.image(process), process.logs[0]))


def aligned(folder: Path, good: str, *args: str) -> Alignment:
    """Align the program's run with the run of another text, or with other arguments."""
    failing = flow_of(built(PROGRAM, folder / "bad").run())
    passing = flow_of(built(good, folder / "good").run(*args))
    return Alignment(failing, passing)


def steps_of(flow: Flow) -> Sequence[Step]:
    return flow.thread.stream.every_step


def check_inverse(alignment: Alignment) -> int:
    """Check that both directions agree, and return the number of pairs."""
    to_passing = {
        step: found
        for step in steps_of(alignment.failing)
        if (found := alignment.passing_counterpart(step)) is not None
    }
    to_failing = {
        step: found
        for step in steps_of(alignment.passing)
        if (found := alignment.failing_counterpart(step)) is not None
    }
    assert to_failing == {passing: failing for failing, passing in to_passing.items()}
    return len(to_passing)


def check_same(alignment: Alignment) -> None:
    """Check that step n of one run corresponds to step n of the other."""
    steps = steps_of(alignment.failing)
    counterparts = [alignment.passing_counterpart(step) for step in steps]
    assert counterparts == list(steps_of(alignment.passing))


LOOPS = """
#include <stdio.h>
static int table[64], total;
static void twice(int n) { for (int i = 0; i < n; i++) table[i & 63] += i; }
static int down(int n) {
    int sum = 0;
    for (int i = 0; i < 30; i++) { if (i == 11 && n > 0) sum += down(n - 1); sum += i; }
    return sum;
}
int main(void) {
    for (int i = 0; i < COUNT; i++) {
        if (i % 16 == 0) twice(i);
        if (i == 50) total += down(2);
        total += table[i & 63];
    }
    int left = COUNT;
    while (left > 0 && total > -1) { left--; if (left == 3) break; }
    printf("%d\\n", total);
    return 0;
}
"""


@pytest.mark.parametrize("count", [90, 100, 110])
def test_iterations_looked_up_at_once_are_those_followed_one_by_one(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = flow_of(built(LOOPS.replace("COUNT", "100"), tmp_path / "bad").run())
    passing = flow_of(built(LOOPS.replace("COUNT", str(count)), tmp_path / "good").run())
    steps = steps_of(failing)[::7]
    found = []
    for few, kept, near in ((2, 4, 3), (8, 1 << 12, 64), (len(steps_of(failing)), 1, 1)):
        monkeypatch.setattr(f"{Alignment.__module__}._FEW", few)
        monkeypatch.setattr(f"{Alignment.__module__}._KEPT", kept)
        monkeypatch.setattr(f"{Alignment.__module__}._NEAR", near)
        for order in (steps, steps[::-1]):
            aligned_runs = Alignment(failing, passing)
            pairs = {step: aligned_runs.passing_counterpart(step) for step in order}
            found.append([pairs[step] for step in steps])
    assert all(each == found[-1] for each in found)
    assert sum(step is not None for step in found[0]) > len(steps) // 2


def test_a_run_and_the_same_run_once_more_are_the_same(tmp_path: Path) -> None:
    check_same(aligned(tmp_path, PROGRAM))


def renamed(text: str) -> str:
    names = r"\b(coins?|sum|limit|below|level|calls|worth|depth_of|by_size)\b"
    return re.sub(names, r"the_\1", text)


def with_comments(text: str) -> str:
    return "".join(f"{line}\n/* about that */\n" for line in text.splitlines())


def reordered(text: str) -> str:
    start, worth, depth, rest = re.split(
        r"(?=^static int (?:worth|depth_of|by_size))", text, flags=re.M
    )
    return start + depth + worth + rest


@pytest.mark.parametrize("rewrite", [renamed, with_comments, reordered])
def test_another_way_to_write_it_changes_nothing(tmp_path: Path, rewrite: object) -> None:
    assert callable(rewrite)
    other = rewrite(PROGRAM)
    assert other != PROGRAM
    check_same(aligned(tmp_path, other))


CHANGES = {
    "another constant": ("sum > 40", "sum > 60"),
    "another condition": ("coins[i] == 3", "coins[i] == 2"),
    "a statement more": ("        sum -= 7;\n", "        sum -= 7;\n        sum -= 1;\n"),
    "a statement less": ("    calls++;\n", ""),
    "a branch more": ("    calls++;\n", "    if (coin > 1)\n        calls++;\n"),
    "a branch less": ("        if (coins[i] == 3)\n            continue;\n", ""),
    "a call less": ("    sum += depth_of(limit);\n", ""),
    "a jump less": ("        if (coins[i] > limit)\n            break;\n", ""),
    "a loop around it": ("    calls++;\n", "    for (int k = 0; k < 2; k++)\n        calls++;\n"),
    "another order": ("sum -= 7;\n        calls--;\n", "calls--;\n        sum -= 7;\n"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_both_directions_are_inverse(tmp_path: Path, change: str) -> None:
    old, new = CHANGES[change]
    assert PROGRAM.count(old) == 1
    alignment = aligned(tmp_path, PROGRAM.replace(old, new))
    found = check_inverse(alignment)
    assert found > len(steps_of(alignment.failing)) / 3


def test_a_call_with_another_argument_is_the_same_call(tmp_path: Path) -> None:
    good = PROGRAM.replace("depth_of(int level)", "depth_of(int level, int start)")
    good = good.replace("depth_of(level - 2)", "depth_of(level - 2, start)")
    good = good.replace("depth_of(limit)", "depth_of(limit, 0)")
    alignment = aligned(tmp_path, good)
    check_inverse(alignment)
    image = alignment.failing.thread.image
    in_function = [
        step
        for step in steps_of(alignment.failing)
        if (place := image.place(alignment.failing.op_of(step))) and place.function == "depth_of"
    ]
    assert in_function
    paired = [step for step in in_function if alignment.passing_counterpart(step) is not None]
    assert len(paired) > len(in_function) / 2


_KEEPS = """\
static int kept[4];
%s
int main(int argc, char **argv) {
    int count = argc + 4;
    int *to = kept;
    %s;
    return kept[0] - kept[0];
}
"""


def test_a_pointer_does_not_correspond_to_a_number(tmp_path: Path) -> None:
    """Both lines load two variables, but in another order."""
    bad = _KEEPS % ("static void put(int *at, int value) { *at = value; }", "put(to, count)")
    good = _KEEPS % ("static int low(int value) { return value; }", "to[0] = low(count)")
    failing = flow_of(built(bad, tmp_path / "bad").run())
    passing = flow_of(built(good, tmp_path / "good").run())
    alignment = Alignment(failing, passing)
    pairs = [(step, alignment.passing_counterpart(step)) for step in steps_of(failing)]
    kinds = [(failing.compared_as(a), passing.compared_as(b)) for a, b in pairs if b is not None]
    assert len(kinds) > 5
    assert all(own is other for own, other in kinds)


def test_what_both_versions_do_before_they_differ_corresponds(tmp_path: Path) -> None:
    alignment = aligned(tmp_path, PROGRAM.replace("sum > 40", "sum > 60"))
    row = PROGRAM.splitlines().index("    while (sum > 40 && calls > 0) {") + 1
    flow = alignment.failing
    rows = flow.thread.image.rows
    first = next(step for step in steps_of(flow) if rows[flow.op_of(step)] == row)
    assert all(alignment.passing_counterpart(s) == s for s in steps_of(flow)[: first - 1])


def test_two_runs_of_one_program_correspond_by_their_execution_index(tmp_path: Path) -> None:
    alignment = aligned(tmp_path, PROGRAM, "2")
    check_inverse(alignment)
    failing, passing = ExecutionIndexes(alignment.failing), ExecutionIndexes(alignment.passing)
    for step in steps_of(alignment.failing):
        assert alignment.passing_counterpart(step) == passing.step_at(failing.index_of(step))
