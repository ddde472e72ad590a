"""How is an explanation shown in pytest's report?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.report.explained import invoice, long_chain
from whence.cli.failing_test import page_at, page_name, short_story

from .test_request import request


def test_a_story_is_short_and_mentions_no_options_of_whence_explain(tmp_path: Path) -> None:
    story = short_story(long_chain(50), request(tmp_path))
    assert len(story.splitlines()) <= 30
    assert "more steps, in the page" in story
    assert "--" not in story


def test_the_story_has_the_changes_and_the_chain_and_colours_if_pytest_has(
    tmp_path: Path,
) -> None:
    story = short_story(invoice(), request(tmp_path))
    assert "-    return (tenths + 5) / 10;" in story
    assert "From the changes to the failure" in story
    assert "\x1b[" not in story
    assert "\x1b[" in short_story(invoice(), replace(request(tmp_path), colour=True))


def test_the_page_is_in_a_folder_that_git_ignores(tmp_path: Path) -> None:
    """An existing folder gets no .gitignore."""
    about = replace(request(tmp_path), html=str(tmp_path / "new" / "pages"))
    assert page_at(invoice(), about).endswith("new/pages/tests-test_a.py-test_b.html")
    assert (tmp_path / "new/pages/.gitignore").read_text() == "*\n"
    page_at(invoice(), replace(about, html=str(tmp_path)))
    assert (tmp_path / "tests-test_a.py-test_b.html").exists()
    assert not (tmp_path / ".gitignore").exists()


def test_a_page_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = page_at(invoice(), replace(request(tmp_path), html=str(tmp_path / "file" / "pages")))
    assert "file/pages/tests-test_a.py-test_b.html cannot be written" in result


def test_pages_of_two_tests_have_two_names() -> None:
    assert page_name("tests/test_a.py::T::test_b") == "tests-test_a.py-T-test_b"
    names = {page_name(f"a.py::test[{param}]") for param in ("a/b", "a b", "é" * 300, "é" * 301)}
    assert len(names) == 4
    assert max(len(name.encode()) for name in names) < 250
