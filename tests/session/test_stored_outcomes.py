"""What was once found out is not run again, unless something that matters has changed."""

from __future__ import annotations

from pathlib import Path

from tests.session.projects import numbered


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


def test_so_it_is_if_the_build_prints_and_the_output_counts(tmp_path: Path) -> None:
    options = ("--build", "echo building", "--oracle", "output")
    project = numbered(tmp_path, 8, "has 3 && echo wrong", *options)
    first = project.found()
    again = project.found()
    assert (again.runs, again.answer) == (0, first.answer)


def test_the_number_of_jobs_does_not_matter_to_what_is_known(tmp_path: Path) -> None:
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


def test_fresh_believes_nothing(tmp_path: Path) -> None:
    project = numbered(tmp_path, 12, "has 7 && ends 1")
    first = project.found()
    again = project.found("--fresh")
    assert (again.runs, again.document["cost"]["cached"]) == (first.runs, 0)
    assert again.answer == first.answer
    assert len(project.logged()) == 2 * first.runs


def test_fresh_outcomes_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    """The test reads something that no key can know of."""
    project = numbered(tmp_path, 12, f"has $(cat {tmp_path}/which) && ends 1")
    (tmp_path / "which").write_text("7")
    assert project.found().culprits == {7}
    (tmp_path / "which").write_text("4")
    assert project.found("--fresh").culprits == {4}
    again = project.found()
    assert (again.runs, again.culprits) == (0, {4})


def test_another_limit_of_time_is_another_test(tmp_path: Path) -> None:
    """What ended under one limit says nothing of a shorter one."""
    project = numbered(tmp_path, 6, "has 2 && ends 1")
    first = project.found("--timeout", "30")
    assert project.found("--timeout", "30").runs == 0
    assert project.found("--timeout", "20").runs == first.runs


def test_versions_that_share_variants_share_their_outcomes(tmp_path: Path) -> None:
    """The store knows trees, not changes: a copy of a version elsewhere is the same version."""
    one = numbered(tmp_path / "one", 8, "has 3 && ends 1")
    first = one.found()
    other = numbered(tmp_path / "other", 8, "ends 9")
    again = one.found("--bad", str(other.folder / "bad"))
    assert (again.runs, again.answer) == (0, first.answer)
