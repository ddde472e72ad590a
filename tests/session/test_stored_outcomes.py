"""Is a stored outcome used, and run again only if something relevant has changed?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.projects import numbered
from whence.subject.reads import ReadLog


def test_the_same_command_again_runs_nothing(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    first = project.found()
    runs = len(project.logged())
    again = project.found()
    assert first.culprits == {7}
    assert first.runs == runs
    assert again.answer == first.answer
    assert (again.runs, again.document["cost"]["builds"]) == (0, 0)
    assert again.document["cost"]["cached"] > 0
    assert len(project.logged()) == runs


def test_nothing_is_run_again_if_the_build_prints_and_output_is_compared(tmp_path: Path) -> None:
    options = ("--build", "echo building", "--oracle", "output")
    project = numbered(tmp_path, 8, "has 3 && echo wrong", *options)
    first = project.found()
    again = project.found()
    assert (again.runs, again.answer) == (0, first.answer)


def test_stored_outcomes_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    first = project.found("--jobs", "1")
    again = project.found("--jobs", "4")
    assert (again.runs, again.answer) == (0, first.answer)


def test_a_changed_test_file_is_another_test(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    first = project.found()
    project.rewrite_test("has 7 && ends 1 # as before")
    again = project.found()
    assert (again.runs, again.document["cost"]["cached"]) == (first.runs, 0)
    project.rewrite_test("has 4 && ends 1")
    assert project.found().culprits == {4}


def test_fresh_ignores_stored_outcomes(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    first = project.found()
    again = project.found("--fresh")
    assert (again.runs, again.document["cost"]["cached"]) == (first.runs, 0)
    assert again.answer == first.answer
    assert len(project.logged()) == 2 * first.runs


def test_a_changed_file_that_the_test_reads_is_another_test(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, f"has $(cat {tmp_path}/which) && ends 1")
    (tmp_path / "which").write_text("7")
    first = project.found()
    assert first.culprits == {7}
    (tmp_path / "which").write_text("4")
    again = project.found()
    assert (again.culprits, again.document["cost"]["cached"]) == ({4}, 0)
    assert f"{tmp_path}/which has changed" in " ".join(again.document["notes"])
    (tmp_path / "which").write_text("7")
    assert project.found().culprits == {7}


def test_a_changed_variable_is_another_test(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has $WHICH && ends 1")
    project.env["WHICH"] = "7"
    assert project.found().culprits == {7}
    project.env["WHICH"] = "4"
    assert project.found().culprits == {4}


def test_outcomes_are_not_kept_if_nobody_knows_what_the_test_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    monkeypatch.setattr(ReadLog, "read", lambda _: None)
    first, again = (project.result(store=tmp_path / "store") for _ in range(2))
    assert first.runs == again.runs > 0
    assert "cannot see which files the test reads" in " ".join(again.notes)


def test_fresh_outcomes_replace_the_old_ones(tmp_path: Path) -> None:
    """The test reads a file that is not part of the key: caches are no inputs."""
    project = numbered(tmp_path, 12, "has $(cat $XDG_CACHE_HOME/which) && ends 1")
    project.env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    which = tmp_path / "cache" / "which"
    which.parent.mkdir()
    which.write_text("7")
    assert project.found().culprits == {7}
    which.write_text("4")
    assert project.found("--fresh").culprits == {4}
    again = project.found()
    assert (again.runs, again.culprits) == (0, {4})


def test_another_timeout_is_another_test(tmp_path: Path) -> None:
    """A run that ended within one limit need not end within a shorter one."""
    project = numbered(tmp_path, 6, "has 2 && ends 1")
    first = project.found("--timeout", "30")
    assert project.found("--timeout", "30").runs == 0
    assert project.found("--timeout", "20").runs == first.runs


def test_versions_that_share_variants_share_their_outcomes(tmp_path: Path) -> None:
    """The key is the tree, not the changes: a copy of a version is the same version."""
    one = numbered(tmp_path / "one", 8, "has 3 && ends 1")
    first = one.found()
    other = numbered(tmp_path / "other", 8, "ends 9")
    again = one.found("--bad", str(other.folder / "bad"))
    assert (again.runs, again.answer) == (0, first.answer)


@pytest.mark.parametrize(
    "command",
    [
        f"{sys.executable} -m pytest -q -p no:cacheprovider {{folder}}/test_it.py::test_x",
        f"{sys.executable} -m pytest -q -p no:cacheprovider {{folder}}",
        f"{sys.executable} {{folder}}/reads.py --input={{folder}}/f",
    ],
    ids=["pytest id", "pytest folder", "--input="],
)
def test_an_edited_test_is_noticed_however_it_is_named(tmp_path: Path, command: str) -> None:
    """The words of issue 23: each gave the old answer with 0 runs."""
    folder = tmp_path / "given"
    folder.mkdir()
    for name, text in (("good", "1"), ("bad", "2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_text(text)
    test = "def test_x():\n    assert open('text').read() == '{}'\n"
    reads = "import sys\nwanted = open(sys.argv[1].partition('=')[2]).read()\n"
    (folder / "reads.py").write_text(f"{reads}sys.exit(open('text').read() != wanted)\n")

    def expect(text: str) -> None:
        (folder / "test_it.py").write_text(test.format(text))
        (folder / "f").write_text(text)

    def isolate() -> tuple[int, str]:
        words = ("--good", "good", "--bad", "bad", "--test", command.format(folder=folder))
        ended = subprocess.run(
            [sys.executable, "-m", "whence", "isolate", *words, "--store", "store", "-q"],
            cwd=tmp_path, capture_output=True, text=True, timeout=100,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        return ended.returncode, ended.stdout + ended.stderr

    expect("1")
    assert isolate()[0] == 0
    expect("2")  # now the good version fails
    status, said = isolate()
    assert status == 2
    assert "[good-fails]" in said
