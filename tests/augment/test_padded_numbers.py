"""Do numbers that are read digit by digit get room for more digits?"""

from __future__ import annotations

import sys
from pathlib import Path

from whence.augment.padded_numbers import without_zeros
from whence.inputs import InputSource, SourceKind
from whence.model import ChangeStatus
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest

PROGRAM = """import sys

print("This is the list of all that was booked, one line for each of them:")
for line in sys.stdin:
    name, amount = line.split()
    if int(amount) * 3 > 22000:
        print(name, "is too much")
    else:
        print(name, int(amount))
"""


def test_a_number_of_more_digits_is_found_in_a_line_of_words(tmp_path: Path) -> None:
    for name, text in (("good", PROGRAM), ("bad", PROGRAM.replace("> 22000", "> 22002"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.py").write_text(text)
        (tmp_path / name / "in").write_text("rent 70\ntea 5\n")
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} p.py < in"),
        seconds=300,  # far more than it takes, for a busy machine
    )
    (one,) = augment_tests(request, tmp_path / "out", lambda _: None).changes
    assert one.status is ChangeStatus.EXPOSED, one.because
    assert one.test is not None
    assert one.test.stdin is not None
    assert (tmp_path / "out" / one.test.stdin).read_bytes().count(b"7334") == 1
    assert b" 0" not in (tmp_path / "out" / one.test.stdin).read_bytes()
    # The first line is the same in both versions: the text shows the one that differs.
    assert "7334" in one.because
    assert "too much" in one.because


def test_zeros_before_numbers_are_taken_away() -> None:
    source = InputSource(SourceKind.STDIN)
    contents = {source: b"a 0070 b007 0.50 0000 00012.05\n"}
    assert without_zeros(contents, [source]) == {source: b"a 70 b007 0.50 0 12.05\n"}
    assert without_zeros(contents, []) == contents
