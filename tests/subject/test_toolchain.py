"""Which compiler builds a variant?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.frontend.c.record import record
from whence.model import ChangeId, Outcome, Run
from whence.subject.trial import BuildAndTest, RunWay, Trial

PROGRAM = """
#include <stdio.h>
int main(void) { return %d; }
"""
WHICH = "$CC -dM -E -x c - </dev/null | grep -q __clang__"
BUILD = "$CC -g -o main main.c"


def check_built(folder: Path, commands: BuildAndTest, way: RunWay = RunWay.WARM) -> Run:
    """Check that the bad version fails and the good one passes; return the failing run."""
    for name, status in (("good", 0), ("bad", 1)):
        (folder / name).mkdir()
        (folder / name / "main.c").write_text(PROGRAM % status)
    changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
    trial = Trial(folder / "work" / "trial", changes)
    bad = trial.run(frozenset(), commands, way=way)
    good = trial.run(frozenset({ChangeId(0)}), commands)
    assert (good.outcome, bad.outcome) == (Outcome.PASS, Outcome.FAIL), (good.note, bad.note)
    return bad


def test_recording_uses_the_compiler_that_variants_are_built_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "false")  # recording must replace the user's compiler
    commands = BuildAndTest("./main", f"{WHICH} && {BUILD}", as_recorded=True)
    check_built(tmp_path, commands)
    (tmp_path / "trace").mkdir()
    assert record(tmp_path / "bad", commands, tmp_path / "trace").run.outcome is Outcome.FAIL


def test_without_recording_the_users_compiler_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "echo mine >mine; true")
    check_built(tmp_path, BuildAndTest("cat mine; grep -q 'return 0' main.c", BUILD))


def test_variants_are_not_recorded_even_if_the_environment_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHENCE_MODE", "record")
    monkeypatch.setenv("WHENCE_MODULES", str(tmp_path / "modules"))
    check_built(tmp_path, BuildAndTest("./main", BUILD, as_recorded=True))
    assert not (tmp_path / "modules").exists()


def test_coverage_works_with_the_recording_compiler(tmp_path: Path) -> None:
    run = check_built(tmp_path, BuildAndTest("./main", BUILD, as_recorded=True), way=RunWay.COVERED)
    assert run.covered == {"main.c": frozenset({3})}


def test_objects_of_variants_are_not_left_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "zig"))
    commands = BuildAndTest("grep -q 'return 0' main.c", "$CC -c main.c", as_recorded=True)
    check_built(tmp_path, commands)
    assert [*(tmp_path / "zig").rglob("main.o")] == []
    (tmp_path / "trace").mkdir()
    record(tmp_path / "bad", commands, tmp_path / "trace")
    assert [*(tmp_path / "zig").rglob("main.ll")] == []


def test_the_compiler_is_part_of_the_key() -> None:
    assert BuildAndTest("t", "b", as_recorded=True).key() != BuildAndTest("t", "b").key()
