"""Does the benchmark of Python cases measure correctly, and leave its inputs unchanged?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.explain.methods import EXPLAIN, Measured
from bench.isolate.cases import Case, load
from bench.isolate.score import Answer, Place, Row
from bench.python import run, table
from bench.python.cases import PythonCase, Shelf, python_cases
from bench.python.measure import Seen, from_json, is_in_function, judged, to_json
from bench.python.own import load_registry, write_own_cases
from bench.trace.table import text_table
from tests.bench.test_bench_isolate import SETUP, write_case

CULPRIT = Place("m.py", (10, 1), (20, 2))
CASE = PythonCase(
    Case("x", "python", Path("env"), "python t.py", None, (CULPRIT,), ()),
    frozenset({("m.py", "C.f")}),
)


def row(*, root: int = 1, hit: int = 1, seconds: float = 2.0, error: str = "") -> Seen:
    answer = Answer((CULPRIT,) * root, runs=5, seconds=seconds, error=error)
    measured = Measured(Row("x", "python", EXPLAIN, 1, root, hit, 0, answer), "explained")
    return Seen(measured, has_line=True, has_function=True)


def link(**more: Any) -> dict[str, Any]:
    return {"file": "m.py", "line": 1, "function": "g", "changes": [], "step": "value", **more}


@pytest.mark.parametrize(
    ("function", "is_there"),
    [
        ("C.f", True),
        ("C.f.<locals>.inner", True),
        ("C.f2", False),
        ("f", False),
        (None, False),
    ],
)
def test_a_link_is_in_a_function_or_in_one_defined_there(
    function: str | None, is_there: bool
) -> None:
    assert is_in_function(link(function=function), CASE.functions) is is_there
    assert not is_in_function(link(function=function, file="n.py"), CASE.functions)


def test_the_line_the_function_and_the_reason_are_read_from_the_document() -> None:
    measured = replace(row().measured, is_on_chain=True)
    by_line = judged(CASE, measured, {"chain": [link(line=21, function="C.f")], "reason": None})
    assert by_line == Seen(measured, has_line=True, has_exact_line=True, has_function=True)
    by_change = judged(CASE, measured, {"chain": [link(line=22)], "reason": "so"})
    assert by_change == Seen(measured, has_line=True, reason="so")


# --- aims --------------------------------------------------------------------------------------


def missed(rows: list[Seen]) -> list[int]:
    return [number for number, aim in enumerate(table.aims(rows)) if not aim.met]


def test_good_rows_meet_every_aim_and_one_of_ten_may_miss_a_share() -> None:
    assert missed([row()] * 10) == []
    assert missed([row()] * 9 + [row(root=2)]) == []
    assert missed([row()] * 9 + [replace(row(), has_line=False)]) == []


@pytest.mark.parametrize(
    ("number", "worse"),
    [
        (0, row(hit=0)),
        (1, row(root=2)),
        (2, replace(row(), has_line=False)),
        (3, row(seconds=11)),
    ],
)
def test_an_aim_is_missed_by_worse_rows(number: int, worse: Seen) -> None:
    assert missed([worse, worse, row()]) == [number]


def test_a_case_without_an_answer_counts_as_a_miss() -> None:
    silent = Seen(row(root=0, hit=0, error="it fell over").measured)
    assert missed([silent, *[row()] * 4]) == [0, 1, 2]
    assert "no answer: it fell over" in table.cells(silent)[-1]


def test_every_table_has_a_cell_for_each_column_and_rows_survive_the_disk() -> None:
    for each in (row(), row(error="?"), replace(row(), reason="a|b")):
        assert len(table.cells(each)) == len(table.CASES)
        assert from_json(to_json(each)) == each
    assert len(table.totals(EXPLAIN, [row()])) == len(table.TOTALS)
    assert len(table.totals("fast", [row()])) == len(table.TOTALS)
    assert "not measured: c: gone" in table.report([row()], {"c": "gone"}, text_table)
    assert table.published([row()], {}).startswith("# What was measured")


# --- cases -------------------------------------------------------------------------------------


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def described(folder: Path, setup: str = "exit 1") -> None:
    write_case(folder, setup)
    document = json.loads((folder / "case.json").read_text())
    document["culprit"][0]["function"] = "f"
    (folder / "case.json").write_text(json.dumps(document))


FAKE_WHENCE = """
import json, pathlib, subprocess, sys
options = dict(zip(sys.argv[2:], sys.argv[3:]))
bad = pathlib.Path(options["--bad"])
status = subprocess.run(options["--test"].replace("{tree}", str(bad)), shell=True).returncode
change = {"id": 0, "pieces": [0], "file": "m.py", "old": [2, 1], "new": [2, 1], "text": ""}
link = {"file": "m.py", "line": 2, "function": "f", "changes": [0], "step": "value"}
explains = sys.argv[1] == "explain"
json.dump({"status": "explained" if explains else "isolated", "reason": None, "root": [change],
           "auxiliary": [], "causes": [{}], "chain": [link] if explains else [],
           "changes": {"total": 2}, "cost": {"runs": 4 + status, "builds": 0, "cached": 0,
           "solver_calls": 0, "seconds": {}}}, open(options["--json"], "w"))
"""


def test_one_command_measures_every_method_once_and_modifies_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared, env = tmp_path / "shared", tmp_path / "env"
    described(shared / "python" / "there")
    described(shared / "python" / "fetched", SETUP)
    described(shared / "python" / "gone", "echo 'ERROR: no such version' >&2; exit 1")
    for part, value in (("good", 1), ("bad", 2)):
        (env / "there" / part).mkdir(parents=True)
        (env / "there" / part / "m.py").write_text(f"def f():\n    return {value}\n")
    (env / "there" / "deps").mkdir()
    package = tmp_path / "fake" / "whence"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(FAKE_WHENCE)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    before = snapshot(shared), snapshot(env)
    flags = ["--cases", str(shared), "--env", str(env), "--work", str(tmp_path / "work")]
    flags += ["--methods", "explain,fast", "--out", str(tmp_path / "out.md")]
    assert run.main(flags) == 0
    assert (snapshot(shared), snapshot(env)) == before
    page = (tmp_path / "out.md").read_text()
    assert "| a true culprit in the root, always | 2 of 2 (100%)" in page
    assert (
        "| there | explain | 2 | all | 1 | 1 | 0 | 0 | explained | 1 | 1 | yes | yes | yes | 5"
        in page
    )
    assert "gone: ERROR: no such version" in capsys.readouterr().out

    (package / "__main__.py").write_text("raise SystemExit('nothing is measured twice')")
    assert run.main(flags) == 0
    assert "no answer" not in capsys.readouterr().out


def test_a_case_runs_its_own_copy(tmp_path: Path) -> None:
    described(tmp_path / "shared" / "python" / "one", SETUP)
    shelf = Shelf(tmp_path / "shared", tmp_path / "none", tmp_path / "work", "python3")
    (case,) = python_cases(shelf, "", {})
    place = tmp_path / "work" / "cases" / "one"
    assert case.case.env == place
    assert str(place / "case" / "test.py") in case.case.test
    assert case.functions == {("m.py", "f")}


# --- our own cases -----------------------------------------------------------------------------


def test_every_own_case_is_written_as_a_case_that_can_be_loaded(tmp_path: Path) -> None:
    folder = write_own_cases(tmp_path / "own")
    names = [entry["name"] for entry in load_registry()]
    assert len(set(names)) == len(names) >= 25
    for name in names:
        case = load(folder / "python" / name, tmp_path / "env", "python3")
        assert case.id == name
        assert case.culprits
        compile((folder / "python" / name / "test.py").read_text("utf-8"), name, "exec")


def test_an_own_case_is_set_up_from_its_package_and_releases(tmp_path: Path) -> None:
    registry = tmp_path / "registry.toml"
    registry.write_text(
        """
[[case]]
name = "one"
package = "Shop"
good = "1.0"
bad = "1.1"
fixed = "1.2"
deps = ["six==1.16.0"]
pure = true
env = {PLAIN = "1"}
test = "import shop"
[[case.culprit]]
file = "shop.py"
function = "f"
good = [3, 0]
bad = [3, 2]
"""
    )
    folder = write_own_cases(tmp_path / "own", registry) / "python" / "one"
    setup = (folder / "setup.sh").read_text()
    assert "export PLAIN=1" in setup
    assert '"$D/good" --only-binary=:all: --platform any Shop==1.0' in setup
    assert '"$D/bad" --only-binary=:all: --platform any Shop==1.1' in setup
    assert '"$D/deps" six==1.16.0' in setup
    assert load(folder, tmp_path, "python3").culprits == (Place("shop.py", (3, 0), (3, 2)),)
