"""Is the suite of seeded faults well formed, and does its benchmark report what was measured?"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bench.trace.table import markdown_table
from bench.why import measure, run, table, verify
from bench.why.measure import Row, Walk
from bench.why.reading import Read, breadth_first
from bench.why.suite import KINDS, PROGRAMS, BadSuiteError, Fault, Program, edited_lines, load
from bench.why.suite import Test as Input  # pytest would collect a name with Test
from bench.why.verify import Ended
from whence.model import Cause, Influence, Mark, Predicate, Statement
from whence.trace.recording import Recording

NAMES = sorted(path.parent.name for path in PROGRAMS.glob("*/faults.toml"))


# --- the suite ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_entries_of_a_program_are_well_formed(name: str) -> None:
    program = load(PROGRAMS / name)
    assert 100 <= len(program.source.splitlines()) <= 800
    assert len(program.faults) >= 8
    assert len({fault.kind for fault in program.faults}) >= 5, "mistakes of many kinds"
    assert all(fault.lines for fault in program.faults)


def test_all_kinds_of_mistakes_are_in_the_suite() -> None:
    assert {fault.kind for name in NAMES for fault in load(PROGRAMS / name).faults} == set(KINDS)


SOURCE = "int f(int x)\n{\n    x++;\n    x = 2;\n\n    return x;\n}\n"
ENTRY = """
[tests.one]
stdin = "1"
[[fault]]
name = "it"
kind = "operator"
old = "x++"
new = "x--"
tests = ["one"]
"""


def written(folder: Path, entry: str) -> Program:
    home = folder / "small"
    home.mkdir()
    (home / "small.c").write_text(SOURCE)
    (home / "faults.toml").write_text(entry)
    return load(home)


def test_a_fault_knows_its_lines_and_its_tests(tmp_path: Path) -> None:
    (fault,) = written(tmp_path, ENTRY).faults
    assert fault.lines == {3}
    assert fault.faulty == SOURCE.replace("x++", "x--")
    assert [test.stdin for test in fault.tests] == [b"1"]


def test_a_fault_is_also_found_at_the_lines_that_its_entry_names(tmp_path: Path) -> None:
    (fault,) = written(tmp_path, ENTRY + 'found_at = ["return x;"]').faults
    assert fault.lines == {3, 6}


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('"x++"', '"x"', "occurs 4 times"),
        ('"x++"', '"y"', "occurs 0 times"),
        ('"operator"', '"typo"', "kind 'typo'"),
        ('["one"]', '["one", "two"]', "no test ['two']"),
        ('["one"]', '["one"]\nfound_at = ["y"]', "0 lines"),
        ('new = "x--"', "", "['new'] missing"),
        ('new = "x--"', 'new = "x++"', "nothing of the program"),
        ("stdin", "input", "['input']"),
    ],
)
def test_an_entry_without_meaning_is_refused(
    right: str, wrong: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(BadSuiteError) as caught:
        written(tmp_path, ENTRY.replace(right, wrong))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("    x = 2;\n", "    x = 3;\n    x++;\n", {4, 5}),
        ("    x = 2;\n", "", {3, 5}),  # the blank line is skipped
        ("    return x;\n", "", {4}),  # the function ends after it
        ("    x++;\n", "", {3}),
        ("    x++;\n", "    *p = 1;\n", {3}),
        ("    x++;\n", "    **p = 1;\n    * goes on */\n", {3}),
        ("    x = 2;\n", "     * goes on\n     */\n     **\n", {3, 8}),
    ],
)
def test_where_code_is_missing_the_lines_beside_the_gap_are_faulty(
    old: str, new: str, lines: set[int]
) -> None:
    assert edited_lines(SOURCE.splitlines(), SOURCE.replace(old, new).splitlines()) == lines


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (Ended(-6, b"as it sho"), "crash"),
        (Ended(139, b""), "crash"),
        (Ended(1, b"as it SHO"), "output:6"),
        (Ended(0, b"as it should!"), "output:12"),
        (Ended(0, b"as it"), "short"),
        (Ended(1, b"as it should"), "exit"),
    ],
)
def test_the_failure_of_a_run(seen: Ended, words: str) -> None:
    assert verify.failure(seen, Ended(0, b"as it should")) == words


def test_a_run_that_passes_is_no_failure() -> None:
    with pytest.raises(BadSuiteError):
        verify.failure(Ended(0, b"as it should"), Ended(0, b"as it should"))


PRINTS = """
#include <stdio.h>
int main(void)
{
    int c = getchar();
    if (c == 'x')
        c = 'y';
    putchar(c);
    return 0;
}
"""


def test_a_fault_that_does_not_fail_is_reported(tmp_path: Path) -> None:
    test, useless = Input("x", (), b"x"), Input("z", (), b"z")
    fault = Fault("p", "f", "constant", PRINTS, PRINTS.replace("'x'", "'z'"), (test, useless))
    same = dataclasses.replace(fault, name="g", faulty=PRINTS.replace("int c =", "int  c ="))
    program = Program("p", PRINTS, (test, useless), (fault, same))
    assert list(verify.complaints(program, tmp_path / "work")) == [
        "p/g on x: the test passes",
        "p/g on z: the test passes",
    ]


# --- reading -----------------------------------------------------------------------------------


class Fake:
    """Return a tree of five causes; cause n shows line 10n and has two instructions."""

    below = {0: (1, 2), 1: (3,), 2: (3, 4), 3: (), 4: ()}  # noqa: RUF012  nobody changes it

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.marks: dict[int, Mark] = {}

    def cause(self, number: int, /) -> Cause:
        statement = Statement("p.c", 10 * number, "f", "")
        predicate = Predicate("p.c", 10 * number + 1, "f", "x", "true")
        level = (0, 1, 1, 2, 2)[number]
        parent = (None, 0, 0, 1, 2)[number]
        return Cause(number, "", parent, level, Influence.DIRECT, predicate, "", (statement,), 2)

    def children(self, number: int, /) -> tuple[int, ...]:
        self.asked.append(number)
        return self.below[number]

    def steps(
        self, number: int, lines: Collection[tuple[str, int]] | None = None
    ) -> npt.NDArray[np.uint32]:
        read = 2 if lines is None else len(lines)  # a step for each line
        return np.array([number, number + 1][:read], np.uint32)

    def cancel(self) -> None: ...

    def mark(self, number: int, mark: Mark | None, /) -> None: ...

    def source(self, _: str, /) -> list[str]:
        return []


def fault_at(line: int) -> Fault:
    lines = "\n" * (line - 1)
    return Fault("p", "f", "constant", f"{lines}1", f"{lines}2", ())


def test_causes_are_read_level_by_level_and_each_once() -> None:
    assert list(breadth_first(Fake())) == [0, 1, 2, 3, 4]


def test_children_are_not_computed_before_they_are_read() -> None:
    tree = Fake()
    for number in breadth_first(tree):
        if number == 3:
            break
    assert tree.asked == [0, 1]


def test_a_user_reads_until_a_cause_has_the_faulty_line() -> None:
    found = measure.walk(Fake, fault_at(20))
    assert found.level == 1
    assert found.causes == 3
    assert (found.read.found, found.read.lines, found.read.steps) == (True, 6, 4)
    assert (found.all_causes, found.is_whole) == (5, True)


def test_a_user_who_prunes_reads_only_what_leads_to_the_fault() -> None:
    way = measure.walk(Fake, fault_at(40)).way
    assert way is not None
    assert (way.lines, way.steps) == (8, 6), "causes 0, 2 and 4, and the predicates of 1 and 3"


def test_the_line_of_a_predicate_counts() -> None:
    assert measure.walk(Fake, fault_at(41)).level == 2


def test_a_fault_that_is_nowhere_is_not_found_and_everything_was_read() -> None:
    found = measure.walk(Fake, fault_at(99))
    assert (found.level, found.causes, found.read.found) == (None, 5, False)
    assert (found.read.lines, found.read.steps) == (10, 6)


def test_a_large_tree_is_not_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "MOST_CAUSES", 2)
    found = measure.walk(Fake, fault_at(20))
    assert (found.level, found.all_causes, found.is_whole) == (None, 2, False)


# --- tables ------------------------------------------------------------------------------------

READ = Read(found=True, steps=20, lines=8, seconds=0.5)
WALK = Walk(READ, READ, level=1, causes=3, all_causes=9, all_seconds=2.0, is_whole=True)
ROW = Row("p", "f", "constant", "t", "the failure", 1000, 50, READ, READ, WALK)


def test_all_aims_are_met_by_a_row_that_is_good_enough() -> None:
    assert all(aim.met for aim in table.aims([ROW]))


@pytest.mark.parametrize(
    ("number", "worse"),
    [
        (0, dataclasses.replace(WALK, level=None, read=dataclasses.replace(READ, found=False))),
        (0, None),
        (1, dataclasses.replace(WALK, read=dataclasses.replace(READ, steps=200))),
        (2, dataclasses.replace(WALK, read=dataclasses.replace(READ, lines=13))),
    ],
)
def test_an_aim_is_missed_by_a_worse_row(number: int, worse: Walk | None) -> None:
    rows = [ROW, dataclasses.replace(ROW, tree=worse)]
    missed = [n for n, aim in enumerate(table.aims(rows)) if not aim.met]
    assert missed == [number]


def test_every_table_has_a_cell_for_each_column() -> None:
    lost = dataclasses.replace(ROW, program="q", tree=None, error="it was refused\nfor a reason")
    assert len(table.summary("all", [ROW, lost])) == len(table.PROGRAMS)
    assert len(table.detail(ROW)) == len(table.detail(lost)) == len(table.FAULTS)
    shown = table.report([ROW, lost], {"p/g/t": "it took too long"}, markdown_table)
    assert "| f | constant | t | 1000 | 1 | 2.0% | 8 | 3 | 0.50 | 9 | 2.00 | 2.0% | 8 |" in shown
    assert "it was refused |" in shown
    assert "not measured: p/g/t: it took too long" in shown


# --- all of it ---------------------------------------------------------------------------------


def test_a_chosen_fault_is_run_on_each_of_its_tests() -> None:
    programs = [load(PROGRAMS / "scanner")]
    chosen = run.chosen(programs, "scanner/brace-never-closed")
    assert [run.name_of(each).rpartition("/")[2] for each in chosen] == ["keywords", "comments"]
    assert len(run.chosen(programs, "scanner")) == len(run.chosen(programs, ""))
    assert not run.chosen(programs, "scan")


@pytest.mark.parametrize("name", ["skipped-not-summed", "depth-of-comments"])
def test_a_faulty_run_is_recorded_sliced_and_read(name: str, tmp_path: Path) -> None:
    """Once with a failed assertion, once with a wrong byte."""
    (fault,) = [each for each in load(PROGRAMS / "scanner").faults if each.name == name]
    expected = []

    def open_tree(recording: Recording, expect: bytes | None) -> Fake:
        assert recording.processes
        expected.append(expect)
        return Fake()

    row = measure.measure(fault, fault.tests[0], tmp_path / "work", open_tree)
    assert 1000 < row.steps < 60_000
    assert row.dynamic.found
    assert row.relevant.found
    assert 0 < row.dynamic.steps <= row.relevant.steps < row.steps
    assert row.tree is not None
    assert not row.tree.read.found, "the fake tree is of another program"
    is_output = name == "depth-of-comments"
    assert row.point.startswith("byte" if is_output else "the failed assertion")
    assert (expected[0] is not None) == is_output
