"""Does the benchmark of explaining measure correctly?"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.explain import run, table
from bench.explain.cases import Regression, hidden_case, sample
from bench.explain.methods import EXPLAIN, Limits, Measured, measured
from bench.isolate.cases import Case
from bench.isolate.methods import Ended
from bench.isolate.score import Answer, Place, Row
from bench.trace.table import text_table
from bench.why.suite import PROGRAMS, load

CULPRIT = Place("a.c", (10, 1), (20, 1))
CASE = Regression(Case("x", "hidden-50", Path("env"), "./a", None, (CULPRIT,), ()), "output")
LIMITS = Limits(100, 60.0)


def change(id_: int, old: list[int], new: list[int]) -> dict[str, Any]:
    return {"id": id_, "pieces": [id_], "file": "a.c", "old": old, "new": new}


def document(*chain: dict[str, Any], **more: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "status": "explained",
        "reason": None,
        "changes": {"total": 53, "executed": 9},
        "root": [change(4, [10, 1], [20, 1])],
        "auxiliary": [],
        "causes": [{}, {}],
        "chain": list(chain),
        "cost": {"runs": 6, "builds": 5, "solver_calls": 7, "seconds": {"trace": 1.5}},
    }
    return document | more


def seen(
    document: dict[str, Any] | None, *, stopped: bool = False, store: Path = Path()
) -> Measured:
    ended = Ended(0, "Error: no luck", 61.0 if stopped else 2.5, stopped, 0)
    return measured(CASE, EXPLAIN, document, ended, LIMITS, store)


def test_the_result_document_of_explain_is_measured() -> None:
    got = seen(document({"file": "a.c", "line": 20, "changes": []}))
    assert got.row.finds_all
    assert (got.row.root, got.row.true, got.causes, got.chain) == (1, 1, 2, 1)
    assert (got.row.answer.runs, got.row.answer.builds, got.solver_calls) == (6, 5, 7)
    assert got.phases is not None
    assert (got.phases["trace"], got.phases["solver"]) == (1.5, 0.0)


@pytest.mark.parametrize(
    ("link", "shows"),
    [
        ({"file": "a.c", "line": 20, "changes": []}, True),
        ({"file": "a.c", "line": 21, "changes": []}, False),
        ({"file": "b.c", "line": 20, "changes": []}, False),
        ({"file": "a.c", "line": 90, "changes": [4]}, True),
        ({"file": "a.c", "line": 90, "changes": [5]}, False),
        ({"file": "a.c", "line": 10, "changes": [], "step": "missing"}, True),
        ({"file": "a.c", "line": 20, "changes": [], "step": "missing"}, False),
    ],
)
def test_a_chain_shows_the_culprit_by_its_line_or_by_its_change(
    link: dict[str, Any], shows: bool
) -> None:
    assert seen(document(link)).is_on_chain is shows


def test_a_stopped_search_is_measured_by_its_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with sqlite3.connect(store) as connection:
        connection.execute("CREATE TABLE run (key BLOB)")
        connection.executemany("INSERT INTO run VALUES (?)", [(b"1",), (b"2",)])
    got = seen(None, stopped=True, store=store)
    assert (got.row.answer.runs, got.row.answer.cut) == (2, True)
    assert ">2" in table.cells(got)
    got = seen(document(), stopped=True)
    assert (got.row.answer.runs, got.row.answer.cut) == (6, True)


def test_a_missing_answer_is_shown_with_its_reason() -> None:
    assert seen(None).row.answer.error == "Error: no luck"
    assert table.cells(seen(None))[-1] == "no answer: Error: no luck"


# --- tables ------------------------------------------------------------------------------------


def row(case: str, method: str, runs: int, *, root: int = 1, cut: bool = False) -> Measured:
    answer = Answer((CULPRIT,) * root, runs=runs, builds=runs, seconds=runs / 10, cut=cut)
    return Measured(Row(case, "hidden-50", method, 1, root, min(1, root), 0, answer), "explained")


ROWS = [row("x", EXPLAIN, 5), row("x", "dd", 120), row("y", EXPLAIN, 10), row("y", "dd", 50)]


def test_ratios_are_over_cases_that_both_answered() -> None:
    ratio = table.ratio([*ROWS, row("z", "dd", 999)], "dd", "runs")
    assert ratio is not None
    assert (ratio.cases, ratio.is_more) == (2, False)
    assert ratio.mean == pytest.approx((24 * 5) ** 0.5)
    assert ratio.total == pytest.approx(170 / 15)
    cut = table.ratio([*ROWS[:3], row("y", "dd", 50, cut=True)], "dd", "runs")
    assert cut is not None
    assert cut.is_more
    assert table.ratio(ROWS, "add", "runs") is None


def test_all_aims_are_met_by_rows_that_are_good_enough() -> None:
    assert all(aim.met for aim in table.aims(ROWS))


@pytest.mark.parametrize(
    ("number", "worse"),
    [
        (0, replace(ROWS[0], row=replace(ROWS[0].row, hit=0))),
        (1, row("x", EXPLAIN, 5, root=2)),
        (2, row("x", EXPLAIN, 8)),
    ],
)
def test_an_aim_is_missed_by_a_worse_row(number: int, worse: Measured) -> None:
    missed = [n for n, aim in enumerate(table.aims([worse, *ROWS[1:]])) if not aim.met]
    assert missed == [number]


def test_every_table_has_a_cell_for_each_column_and_rows_survive_the_disk() -> None:
    for each in [*ROWS, seen(None), seen(document())]:
        assert len(table.cells(each)) == len(table.CASES)
        assert table.from_json(table.to_json(each)) == each
    assert len(table.totals("all", "dd", ROWS)) == len(table.TOTALS)
    assert len(table.totals("all", "add", ROWS)) == len(table.TOTALS)
    shown = table.report(ROWS, {"c": "gone"}, text_table)
    assert "not measured: c: gone" in shown
    assert table.published(ROWS, {}).startswith("# What was measured")


# --- cases -------------------------------------------------------------------------------------


def test_a_sample_takes_other_faults_for_each_size() -> None:
    program = load(PROGRAMS / "scanner")
    plans = sample([program], [50, 150, 500], 2)
    assert len({plan.fault.name for plan in plans}) == 6
    assert [plan.size for plan in plans] == [50, 50, 150, 150, 500, 500]
    assert plans == sample([program], [50, 150, 500], 2)
    assert {plan.tangled for plan in plans} == {True, False}


FAKE_WHENCE = """
import json, sys, pathlib
options = dict(zip(sys.argv[2:], sys.argv[3:]))
assert options["--oracle"] == "output"
tree = pathlib.Path(options["--bad"])
assert (tree / "stdin").exists()
runs = {"explain": 4}.get(sys.argv[1], 300)
change = {"id": 0, "pieces": [0], "file": "nothing.c", "old": [2, 1], "new": [2, 1], "text": ""}
json.dump({"status": "isolated", "reason": None, "root": [change], "auxiliary": [], "causes": [],
           "changes": {"total": 2}, "cost": {"runs": runs, "builds": 0, "cached": 0,
           "solver_calls": 0, "seconds": {}}}, open(options["--json"], "w"))
"""


def test_one_command_measures_every_method_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "fake" / "whence"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(FAKE_WHENCE)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    flags = ["--group", "hidden", "--only", "scanner", "--sizes", "12", "--methods", "explain,dd"]
    flags += ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out.md")]
    assert run.main(flags) == 1, "the culprit is not found"
    (kept,) = (tmp_path / "work" / "runs").glob("*/dd.json")
    assert json.loads(kept.read_text())["row"]["answer"]["runs"] == 300
    assert "| 75.0 |" in (tmp_path / "out.md").read_text()
    (package / "__main__.py").write_text("raise SystemExit('nothing is measured twice')")
    capsys.readouterr()
    assert run.main(flags) == 1
    assert "no answer" not in capsys.readouterr().out


def test_a_hidden_case_is_made_once(tmp_path: Path) -> None:
    _, plan = sample([load(PROGRAMS / "listset")], [12], 2)
    made = hidden_case(plan, tmp_path)
    (tmp_path / plan.id / "good" / "mark").touch()
    assert hidden_case(plan, tmp_path) == made
    assert (tmp_path / plan.id / "good" / "mark").exists()
    assert made.case.culprits[0].file == "listset.c"
