"""What does `whence darwin` print, write and refuse?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.darwin.test_papers import ORDERED, WRONG
from whence.cli.main import cli
from whence.errors import UserError


@pytest.fixture
def versions(tmp_path: Path) -> list[str]:
    """Write two versions; return the options that name them."""
    for name, text in (("good", ORDERED), ("bad", WRONG)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.c").write_text(text)
    good, bad = str(tmp_path / "good"), str(tmp_path / "bad")
    return ["darwin", "-q", "--good", good, "--bad", bad, "--build", "$CC -g -o p p.c"]


def run(arguments: list[str]) -> Result:
    return CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False)


def test_text_json_page_and_sarif_name_the_same_line(versions: list[str], tmp_path: Path) -> None:
    files = {name: tmp_path / f"answer.{name}" for name in ("json", "html", "sarif")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    out = tmp_path / "tests"
    ended = run([*versions, "--test", "./p 5 5", *options, "--out", str(out)])
    assert ended.return_value == 0
    assert "p.c:9 in main" in ended.stdout
    document = json.loads(files["json"].read_text())
    (suspect,) = document["suspects"]
    assert document["status"] == "explained"
    assert (suspect["file"], suspect["line"], suspect["version"]) == ("p.c", 9, "bad")
    assert suspect["validated"]
    assert suspect["changed"]
    assert suspect["outcomes"]["good"] == suspect["outcomes"]["bad"]
    assert (out / suspect["test"]["script"]).exists()
    page = files["html"].read_text()
    assert "x - y &gt;= 1" in page
    assert "<script" not in page
    (result,) = json.loads(files["sarif"].read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "p.c"
    assert place["region"]["startLine"] == 9


def test_two_versions_that_do_the_same_are_a_mistake(versions: list[str]) -> None:
    with pytest.raises(UserError, match="both versions do the same") as caught:
        run([*versions, "--test", "./p 1 1"])
    assert caught.value.slug == "programs-agree"


def test_an_input_that_does_not_exist_is_a_mistake(versions: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        run([*versions, "--test", "./p 5 5", "--input", "argv:7"])
    assert caught.value.slug == "no-such-input"


def test_two_programs_in_different_languages_are_a_mistake(
    versions: list[str], tmp_path: Path
) -> None:
    (tmp_path / "good" / "p.py").write_text("import sys\nprint(int(sys.argv[1]) < 8)\n")
    other = ["--build-good", "", "--test-good", "python3 p.py 5"]
    (tmp_path / "good" / "p.c").unlink()
    with pytest.raises(UserError) as caught:
        run([*versions, "--test", "./p 5 5", *other])
    assert caught.value.slug == "two-languages"


def test_the_reference_may_be_another_program(versions: list[str], tmp_path: Path) -> None:
    (tmp_path / "good" / "p.c").rename(tmp_path / "good" / "other.c")
    more = ["--build-good", "$CC -g -o other other.c", "--test-good", "./other 5 5"]
    ended = run([*versions, "--test", "./p 5 5", *more, "--json", "-"])
    (suspect,) = json.loads(ended.stdout)["suspects"]
    assert suspect["line"] == 9
