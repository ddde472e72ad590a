"""What does `whence augment` make of what a user gives it?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from whence.cli.augment import augment
from whence.errors import UserError
from whence.model import AugmentResult, ChangeStatus
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest


def requested(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> AugmentRequest:
    """Return what the command line asks for."""
    requests: list[AugmentRequest] = []

    def noted(request: AugmentRequest, out: Path, say: object) -> AugmentResult:  # noqa: ARG001
        requests.append(request)
        raise UserError("That is all.", slug="no-test")

    monkeypatch.setattr("whence.cli.augment.augment_tests", noted)
    CliRunner().invoke(augment, ["--good", "a", "--bad", "b", *arguments])
    return requests[0]


def test_a_file_has_one_test_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pytest node id is a test, too; lines that begin with # are comments."""
    tests = tmp_path / "tests.txt"
    tests.write_text("# two tests\n./p 1 2\n\ntests/test_p.py::test_it[a b]\n")
    found = requested(monkeypatch, "--test", "./p", "--tests", str(tests))
    assert found.commands.test == "./p"
    node = "python3 -m pytest -q 'tests/test_p.py::test_it[a b]'"
    assert found.more_tests == ("./p 1 2", node)


def test_without_a_test_there_is_one_message(tmp_path: Path) -> None:
    empty = tmp_path / "tests.txt"
    empty.write_text("# none yet\n")
    ended = CliRunner().invoke(augment, ["--good", "a", "--bad", "b", "--tests", str(empty)])
    assert isinstance(ended.exception, UserError)
    assert ended.exception.slug == "no-test"


@pytest.mark.slow
def test_changes_of_a_text_a_table_and_an_added_function_each_have_their_answer(
    tmp_path: Path,
) -> None:
    program = (
        "import sys\n"
        "PRICES = {'tea': 3, 'cake': 5}\n"
        "def total(name, count):\n"
        "    return PRICES[name] * count\n"
        "\n\n"
        "cents = total(sys.argv[1], int(sys.argv[2]))\n"
        "print('to pay:', cents)\n"
    )
    changed = (
        program.replace("'cake': 5", "'cake': 6")
        .replace("\n\n\ncents", "\n\n\ndef rebate(n):\n    return 2 if n > 20 else 0\n\n\ncents")
        .replace("print('to pay:', cents)", "print('to pay:', cents - rebate(cents))")
    )
    for name, text in (("good", program), ("bad", changed)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.py").write_text(text)
        (tmp_path / name / "notes.txt").write_text(name)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} p.py tea 2"),
        seconds=60,
    )
    changes = augment_tests(request, tmp_path / "out", lambda _: None).changes
    found = {one.status for one in changes if one.change.file == "p.py"}
    assert found == {ChangeStatus.EXPOSED}
    (notes,) = [one for one in changes if one.change.file == "notes.txt"]
    assert notes.status is ChangeStatus.UNKNOWN
    assert "no source file" in notes.because
