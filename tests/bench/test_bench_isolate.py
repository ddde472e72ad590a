"""Does the benchmark of isolating measure correctly?  Scores, methods, generated projects."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from bench.isolate import methods, run, synthetic, table
from bench.isolate.cases import NotInstallableError, install, load
from bench.isolate.score import Answer, Place, Row, hits, score, summarise
from tests.compiling import CC

CULPRIT = Place("a.py", (10, 2), (20, 3))


def place(*, old: tuple[int, int] = (500, 1), new: tuple[int, int] = (500, 1)) -> Place:
    return Place("a.py", old, new)


@pytest.mark.parametrize(
    "change",
    [
        CULPRIT,
        place(new=(22, 9)),  # overlaps its last line
        place(new=(23, 1)),  # begins right after it
        place(new=(19, 1)),  # ends right before it
        place(new=(19, 0)),  # a deletion in the gap above it
        place(old=(11, 1)),  # the same lines in the good version
        place(old=(11, 0)),
    ],
)
def test_a_change_hits_what_it_overlaps_or_touches_on_either_side(change: Place) -> None:
    assert hits(change, CULPRIT)
    assert hits(CULPRIT, change)


@pytest.mark.parametrize(
    "change",
    [
        Place("b.py", CULPRIT.old, CULPRIT.new),
        place(new=(24, 1)),  # one line between
        place(new=(18, 1)),
        place(new=(18, 0)),
        place(old=(12, 0), new=(300, 1)),
    ],
)
def test_a_change_with_a_line_between_is_another_change(change: Place) -> None:
    assert not hits(change, CULPRIT)
    assert not hits(CULPRIT, change)


def row(case: str, method: str, answer: Answer, culprits: tuple[Place, ...] = (CULPRIT,)) -> Row:
    return score(case, "python", method, culprits, (), answer)


def test_a_score_tells_hits_from_support_and_from_noise() -> None:
    other, support, noise = (Place("b.py", (n, 1), (n, 1)) for n in (10, 20, 30))
    answer = Answer(root=(CULPRIT, support, noise))
    scored = score("x", "python", "fast", (CULPRIT, other), (support,), answer)
    assert (scored.true, scored.root, scored.hit, scored.extra) == (2, 3, 1, 1)
    assert scored.finds_any
    assert not scored.finds_all
    assert scored.is_small  # three changes for two culprits


def test_an_empty_answer_is_not_a_small_one() -> None:
    assert not row("x", "fast", Answer()).is_small


def test_a_cut_search_counts_as_more_runs_than_it_made() -> None:
    rows = [
        row("w", "fast", Answer(runs=5)),
        row("w", "dd", Answer(root=(CULPRIT,), runs=9)),
        row("x", "fast", Answer(runs=9)),
        row("x", "dd", Answer(runs=9, cut=True)),
        row("y", "fast", Answer(runs=7)),
        row("y", "dd", Answer(runs=7)),
        row("z", "fast", Answer(runs=7, cut=True)),
        row("z", "dd", Answer(runs=99)),
    ]
    fast, dd = summarise(rows)
    assert (dd.compared, dd.fast_fewer, dd.fast_fewer_or_equal) == (4, 2, 3)
    assert (dd.found, dd.fast_fewer_or_equal_of_found) == (1, 1)
    assert (fast.cases, fast.median_runs, fast.total_runs, fast.cut) == (4, 7, 28, 1)


def test_a_case_without_an_answer_stays_in_the_count() -> None:
    rows = [row("x", "fast", Answer(root=(CULPRIT,), runs=5)), row("y", "fast", Answer(error="?"))]
    (summary,) = summarise(rows)
    assert (summary.cases, summary.answered, summary.found_all) == (2, 1, 1)
    assert "no answer: ?" in table.markdown(rows, {})


# ---- the adapters


def write_case(folder: Path, setup: str) -> None:
    folder.mkdir(parents=True)
    culprit = {"file": "m.py", "good_lines": [2, 2], "bad_lines": [2, 2], "removed": 1, "added": 1}
    document = {
        "id": folder.name,
        "language": "python",
        "culprit": [culprit],
        "supporting_hunks": [],
    }
    (folder / "case.json").write_text(json.dumps(document))
    (folder / "setup.sh").write_text(f"#!/bin/sh\n{setup}\n")
    (folder / "test.py").write_text("import m\nassert m.f() == 1\n")


SETUP = r"""
mkdir -p "$1/good" "$1/bad" "$1/deps"
printf 'def f():\n    return 1\n\n\nX = 1\n' > "$1/good/m.py"
printf 'def f():\n    return 2\n\n\nX = 2\n' > "$1/bad/m.py"
"""

FAKE_WHENCE = """
import json, sys
options = dict(zip(sys.argv[2:], sys.argv[3:]))
assert sys.argv[1] == "isolate" and "{tree}" in options["--test"]
change = {"id": 0, "file": "m.py", "old": [2, 1], "new": [2, 1], "text": ""}
cut = options["--method"] == "dd"
if options["--method"] == "add":
    sys.exit("Error: it fell over")
json.dump({"status": "unexplained" if cut else "isolated", "reason": None, "root": [change],
           "auxiliary": [change], "changes": {"total": 2}, "cost": {"runs": 300 if cut else 4,
           "builds": 0, "cached": 0}}, open(options["--json"], "w"))
"""


def test_one_command_runs_every_method_and_drops_no_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_case(tmp_path / "cases" / "python" / "fine", SETUP)
    write_case(tmp_path / "cases" / "python" / "gone", "echo 'ERROR: no such version' >&2; exit 1")
    package = tmp_path / "fake" / "whence"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(FAKE_WHENCE)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setenv("WHENCE_BENCH_CASES", str(tmp_path / "cases"))
    out = tmp_path / "out.json"
    flags = ["--methods", "fast,dd,add", "--language", "python", "--work", str(tmp_path / "work")]
    assert run.main([*flags, "--json", str(out)]) == 0

    document = json.loads(out.read_text())
    assert [(r["case"], r["method"], r["finds_all"]) for r in document["rows"]] == [
        ("fine", "fast", True),
        ("fine", "dd", True),
        ("fine", "add", False),
    ]
    assert document["rows"][0]["answer"]["runs"] == 4
    assert [r["answer"]["cut"] for r in document["rows"]] == [False, True, False]
    assert document["rows"][2]["answer"]["error"] == "Error: it fell over"
    assert document["not_installable"] == {"gone": "ERROR: no such version"}
    shown = capsys.readouterr().out
    assert ">300" in shown
    assert "not installable: gone: ERROR: no such version" in shown


def test_a_case_is_installed_once_until_its_setup_changes(tmp_path: Path) -> None:
    folder, env = tmp_path / "case", tmp_path / "env"
    write_case(folder, f"{SETUP}\ndate +%N >> {tmp_path}/log")
    for _ in range(2):
        install(folder, env, sys.executable)
    assert len((tmp_path / "log").read_text().splitlines()) == 1
    (folder / "setup.sh").write_text("exit 3")
    with pytest.raises(NotInstallableError, match="exit status 3"):
        install(folder, env, sys.executable)


def test_the_rivals_changes_are_found_in_the_bad_trees_lines(tmp_path: Path) -> None:
    for name, text in (("good", "a\nb\nc\n"), ("bad", "new\na\nb\nC\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x y.c").write_text(text)
    (tmp_path / "bad" / "added.c").write_text("1\n2\n")
    methods.make_repository(tmp_path / "good", tmp_path / "bad", tmp_path / "repo")
    minimal = [
        {"path": "x y.c", "hunk_index": 2, "changed_lines": 2},
        {"path": "added.c", "hunk_index": 1, "changed_lines": 2},
    ]
    document = {
        "minimal": minimal,
        "stats": {"trials": 9, "cache_hits": 2, "input_hunks": 3},
    }
    ended = methods.Ended(0, "", 1.5, False, 0)
    answer = methods.read_rival(document, methods.changes_of(tmp_path / "repo"), ended, "make")
    assert answer.root == (
        Place("x y.c", (3, 1), (4, 1)),
        Place("added.c", (0, 0), (1, 2)),
    )
    assert (answer.runs, answer.builds, answer.changes) == (7, 7, 3)


def test_runs_are_counted_from_the_log_of_a_rival_that_was_stopped() -> None:
    log = dedent("""\
        verify HEAD is GOOD
          [1] HEAD {} PASS exit 0 (0.10s)
          [2] working-tree {a#1, b#1} FAIL exit 1 (0.11s)
        ddmin |d|=2 n=2 subsets=2
          [3] file-subset {a#1} PASS (cache)
        """)
    assert methods.logged_runs(log) == 2


def test_a_command_is_stopped_when_its_time_is_up(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    log = tmp_path / "log"
    ended = methods.run_limited(sleeper, cwd=tmp_path, log=log, env={}, seconds=0.3)
    assert ended.stopped
    assert ended.seconds < 30
    assert ended.peak_kib > 1000


# ---- the generated projects


def changes_between(good: Path, bad: Path) -> list[Place]:
    found: list[Place] = []
    for file in sorted(path.relative_to(good) for path in good.rglob("*") if path.is_file()):
        old, new = ((tree / file).read_text().splitlines() for tree in (good, bad))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, i, j, k, m in matcher.get_opcodes():
            if tag != "equal":
                found.append(Place(str(file), (i + 1, j - i), (k + 1, m - k)))
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_c_project_has_a_hundred_changes_and_two_culprits(tmp_path: Path, seed: int) -> None:
    case = synthetic.write_c_project(tmp_path, "either", seed)
    changes = changes_between(tmp_path / "good", tmp_path / "bad")
    assert len(changes) == 100
    assert len(list((tmp_path / "bad").glob("*.c"))) == 13
    assert set(case.culprits) <= set(changes)
    assert len({culprit.file for culprit in case.culprits}) == 2


@pytest.mark.parametrize(("variant", "one_reverted"), [("either", 0), ("both", 1)])
def test_the_c_project_fails_as_designed(tmp_path: Path, variant: str, one_reverted: int) -> None:
    case = synthetic.write_c_project(tmp_path, variant)
    assert status(tmp_path / "good") == 0
    assert status(tmp_path / "bad") == 1
    for culprit in case.culprits:
        tree = tmp_path / culprit.file
        shutil.copytree(tmp_path / "bad", tree)
        revert_line(tmp_path / "good", tree, culprit)
        assert status(tree) == one_reverted
    for culprit in case.culprits:
        revert_line(tmp_path / "good", tree, culprit)
    assert status(tree) == 0


def status(tree: Path) -> int:
    """Return how the program of a tree ends; all files are compiled at once, which is faster."""
    sources = sorted(path.name for path in tree.glob("*.c"))
    subprocess.run([*CC, "-O0", "-w", *sources, "-o", "app"], cwd=tree, check=True)
    return subprocess.run(["./app"], cwd=tree, capture_output=True, check=False).returncode


def revert_line(good: Path, tree: Path, change: Place) -> None:
    old, new = ((where / change.file).read_text().splitlines() for where in (good, tree))
    new[change.new[0] - 1] = old[change.old[0] - 1]
    (tree / change.file).write_text("\n".join(new) + "\n")


def test_the_scale_project_has_one_culprit_that_its_test_notices(tmp_path: Path) -> None:
    case = synthetic.write_scale_project(tmp_path, sys.executable, files=3, per_file=6)
    changes = changes_between(tmp_path / "good", tmp_path / "bad")
    assert len(changes) == 18
    assert set(case.culprits) <= set(changes)
    for tree, ends in (("good", 0), ("bad", 1)):
        command = case.test.replace("{tree}", str(tmp_path / tree))
        done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
        assert done.returncode == ends


def test_a_python_case_runs_its_test_against_the_variants_tree(tmp_path: Path) -> None:
    write_case(tmp_path / "case", SETUP)
    case = load(tmp_path / "case", tmp_path / "env", "python3")
    assert case.test.startswith(f"PYTHONPATH={{tree}}:{tmp_path}/env/deps python3 ")
    assert case.culprits == (Place("m.py", (2, 1), (2, 1)),)
