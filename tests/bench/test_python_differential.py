"""Does the comparison of plain and recorded runs notice differences, and measure the slowdown?"""

from __future__ import annotations

import marshal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.isolate.cases import NotInstallableError
from bench.python import comparing, differential, recorded, slowdown
from bench.python.comparing import Compared, Outcome, compare
from bench.python.slowdown import Slowdown
from bench.python.suites import (
    INSIDE,
    Library,
    Package,
    Prepared,
    prepare_library,
    suites,
)
from bench.trace.table import text_table
from whence.frontend.python import record


def outcome(**ended: str) -> Outcome:
    return Outcome(ended, {}, 1.0)


def test_every_test_that_ends_differently_is_a_difference() -> None:
    row = Compared("x", outcome(a="ok", b="ok", c="ok"), outcome(a="ok", b="fail", d="ok"))
    assert row.differences == {"b": ("ok", "fail"), "c": ("ok", "-"), "d": ("-", "ok")}


def test_a_known_difference_is_shown_and_does_not_count() -> None:
    name = "test.test_exceptions.PEP626Tests.test_lineno_in_try"
    row = Compared("x", Outcome({name: "ok"}, {}, 1), Outcome({name: "fail"}, {}, 1), modules=1)
    assert row.is_same
    assert name in differential.report([row], {}, text_table)
    assert not Compared("x", outcome(a="ok"), outcome(a="fail"), modules=1).is_same


def test_unsteady_tests_do_not_count_and_nothing_recorded_is_not_the_same() -> None:
    plain, recorded_ = outcome(a="ok", b="ok"), outcome(a="ok", b="fail")
    assert Compared("x", plain, recorded_, frozenset({"b"}), modules=1).is_same
    assert not Compared("x", plain, plain, modules=0).is_same
    assert not Compared("x", outcome(), outcome(), modules=1).is_same


TESTS = """
import builtins, unittest

class Mine(unittest.TestCase):
    def test_fine(self):
        pass

    def test_spoilt(self):
        self.assertFalse(hasattr(builtins, "spoilt"))

    def test_parts(self):
        for n in range(2):
            with self.subTest(n=n):
                self.assertEqual(n, 0)

    @unittest.skip("no")
    def test_skipped(self):
        pass
"""

HOOK = """
import builtins, pathlib
builtins.spoilt = True
settings = pathlib.Path(__file__).with_name("settings").read_text().splitlines()
trace = dict(line.split("=", 1) for line in settings)["trace"]
modules = pathlib.Path(trace) / "modules"
(modules / "1.json").write_text('{"file": "a.py"}')
(modules / "2.json").write_text('{"file": "b.py", "skipped": "odd"}')
"""


def test_a_recorder_that_disturbs_a_test_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("test.support", reason="this interpreter has no `test` package")
    tree, hook = tmp_path / "tree", tmp_path / "hook"
    for folder, name, text in ((tree, "mine.py", TESTS), (hook, "sitecustomize.py", HOOK)):
        folder.mkdir()
        (folder / name).write_text(text)
    (hook / "whence_recorder").mkdir()
    monkeypatch.setattr(record, "HOOK", hook)
    command = (sys.executable, "-m", "bench_unittest", "OUT", "mine")
    prepared = Prepared(tree, command, (str(tree), str(INSIDE)))
    row = compare("mine", prepared, tmp_path / "work", 60)
    assert row.plain.ended == {
        "mine.Mine.test_fine": "ok",
        "mine.Mine.test_parts (n=1)": "fail",
        "mine.Mine.test_skipped": "skip",
        "mine.Mine.test_spoilt": "ok",
    }
    assert row.differences == {"mine.Mine.test_spoilt": ("ok", "fail")}
    assert (row.modules, row.left_plain) == (1, {"b.py": "odd"})
    assert "True is not false" in row.recorded.told["mine.Mine.test_spoilt"]
    assert comparing.from_json(comparing.to_json(row)) == row
    kept = tmp_path / "kept" / "3.x" / "bisect"
    kept.mkdir(parents=True)
    (kept / differential.KEPT).write_text(comparing.to_json(row))
    page = differential.published(tmp_path / "kept")
    assert "## Python 3.x\n\n0 of 1 suites are the same; 1 of 4 tests differ." in page
    assert "not compared: y: gone" in differential.report([row], {"y": "gone"}, text_table)
    assert len(differential.cells(row)) == len(differential.COLUMNS)


def test_a_suite_without_results_shows_its_exit_status(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "raise SystemExit('it fell over')")
    ended = comparing.run(Prepared(tmp_path, command, ()), tmp_path / "run", {}, 60)
    assert ended.ended == {"the whole suite": "exit status 1 without results"}
    assert "it fell over" in ended.told["the whole suite"]


def test_there_are_as_many_suites_as_we_promise() -> None:
    every = suites()
    assert sum(isinstance(suite, Library) and bool(suite.modules) for suite in every) >= 15
    assert sum(isinstance(suite, Package) for suite in every) >= 5
    assert len({suite.name for suite in every}) == len(every)


def test_a_module_and_its_tests_are_copied_into_the_tree(tmp_path: Path) -> None:
    pytest.importorskip("test.support", reason="this interpreter has no `test` package")
    suite = Library("mine", ("test_bisect", "test_not_there"), ("bisect", "not_there"))
    prepared = prepare_library(suite, sys.executable, tmp_path / "place")
    assert {path.name for path in prepared.tree.iterdir()} == {"bisect.py", "test"}
    assert prepared.command[-1] == "test.test_bisect"
    with pytest.raises(NotInstallableError):
        prepare_library(Library("none", ("test_not_there",)), sys.executable, tmp_path / "other")


# --- slowdown ----------------------------------------------------------------------------------


def test_a_slowdown_is_shown_with_and_without_the_start_of_the_interpreter() -> None:
    row = Slowdown("x", 0.01, 0.02, 0.11, 0.2, 100, 800, is_same=True)
    assert row.whole == pytest.approx(5.5)
    assert row.net == pytest.approx(10)
    assert len(slowdown.cells(row)) == len(slowdown.COLUMNS)
    line = "without start-up 10.0x, of the test alone 0.0x (aim: 20x or less: met)"
    assert line in slowdown.report([row], text_table)
    assert not slowdown.is_met([replace(row, recorded=0.31)])
    assert not slowdown.is_met([replace(row, plain_again=0.001, recorded_again=0.021)])


def test_a_test_alone_is_run_many_times(tmp_path: Path) -> None:
    script = tmp_path / "test.py"
    script.write_text("import time\ntime.sleep(0.001)\nsum(range(100_000))\nassert False\n")
    env = recorded.plain_environment((str(INSIDE),))
    assert 0.0001 < slowdown._again(sys.executable, script, env, tmp_path) < 0.1
    script.write_text("import os\nos._exit(3)\n")
    assert slowdown._again(sys.executable, script, env, tmp_path) == 0


def test_events_are_counted_over_all_chunks_of_all_processes(tmp_path: Path) -> None:
    for process, chunks in (("0-1", [2, 3]), ("1-2", [4])):
        (tmp_path / process).mkdir()
        data = [marshal.dumps(([7] * count, [None] * count)) for count in chunks]
        text = b"".join(len(chunk).to_bytes(8, "little") + chunk for chunk in data)
        (tmp_path / process / "1.log").write_bytes(text)
    events, size = recorded.logged(tmp_path)
    assert events == 9
    assert size == sum(file.stat().st_size for file in tmp_path.glob("*/*.log"))
