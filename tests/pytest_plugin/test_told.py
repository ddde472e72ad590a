"""How is an explanation told in pytest's report?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.report.explained import invoice, long_chain
from whence.cli.failing_test import page_at, page_name, short_story

from .test_order import asked


def test_a_story_is_short_and_speaks_of_no_options_of_another_command(tmp_path: Path) -> None:
    story = short_story(long_chain(50), asked(tmp_path))
    assert len(story.splitlines()) <= 30
    assert "more steps, in the page" in story
    assert "--" not in story


def test_it_tells_the_changes_and_the_chain_and_has_colours_where_pytest_has(
    tmp_path: Path,
) -> None:
    story = short_story(invoice(), asked(tmp_path))
    assert "-    return (tenths + 5) / 10;" in story
    assert "From the changes to the failure" in story
    assert "\x1b[" not in story
    assert "\x1b[" in short_story(invoice(), replace(asked(tmp_path), colour=True))


def test_the_page_is_where_it_says(tmp_path: Path) -> None:
    """In a folder of its own, which git ignores; others are left as they are."""
    about = replace(asked(tmp_path), html=str(tmp_path / "new" / "pages"))
    assert page_at(invoice(), about).endswith("new/pages/tests-test_a.py-test_b.html")
    assert (tmp_path / "new/pages/.gitignore").read_text() == "*\n"
    page_at(invoice(), replace(about, html=str(tmp_path)))
    assert (tmp_path / "tests-test_a.py-test_b.html").exists()
    assert not (tmp_path / ".gitignore").exists()


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = page_at(invoice(), replace(asked(tmp_path), html=str(tmp_path / "file" / "pages")))
    assert "file/pages/tests-test_a.py-test_b.html cannot be written" in said


def test_pages_of_two_tests_have_two_names() -> None:
    assert page_name("tests/test_a.py::T::test_b") == "tests-test_a.py-T-test_b"
    names = {page_name(f"a.py::test[{param}]") for param in ("a/b", "a b", "é" * 300, "é" * 301)}
    assert len(names) == 4
    assert max(len(name.encode()) for name in names) < 250
