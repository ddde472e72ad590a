"""Which inputs do changed lines suggest, and may a number have more digits than in the test?"""

from __future__ import annotations

import sys
from pathlib import Path

import z3

from whence.augment.hinted_inputs import Hints
from whence.augment.wide_numbers import WideNumbers
from whence.inputs import STDIN, InputByte
from whence.model import AugmentedChange, ChangeStatus
from whence.paths.terms import Fact, NumberText, Unknowns
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest

PRICES = """import sys
FREE = {"book": 28, "maps": 14}
def price(kind, days):
    late = days - FREE[kind]
    if late > 1000:
        return late
    return 7 if late > 0 else 0
print(price(sys.argv[1], int(sys.argv[2])))
"""


def test_the_numbers_that_differ_and_the_texts_of_a_change_are_hints() -> None:
    found = Hints.of([(b'{"map": 14, "film": 7}', b'{"map": 15, "film": 7}')])
    assert found == Hints((14, 15), (b"map", b"film"))


def test_the_numbers_of_a_line_that_moved_are_hints() -> None:
    assert Hints.of([(b"if (x > 010 + 0x20)", b"if (x >= 010 + 0x20)")]).numbers == (32,)


def test_what_holds_for_all_digits_does_not_fix_the_length_of_a_number() -> None:
    unknowns = Unknowns(lambda byte: b"42 "[byte.offset])
    first, second, end = (unknowns.byte(InputByte(STDIN, at)) for at in range(3))
    number = unknowns.number(NumberText(STDIN, 0, 2), 64, 42)
    is_word = z3.And(first.term != 32, second.term != 32, end.term == 32)
    kept = [
        Fact(is_word, first.unknowns | second.unknowns | end.unknowns),
        Fact(first.term == ord("4"), first.unknowns),
    ]
    wanted = Fact(number.term > 1000, number.unknowns)
    left = WideNumbers().loosened(unknowns, kept, wanted)
    assert [fact.formula.eq(first.term == ord("4")) for fact in left] == [True]


def check_exposed(tmp_path: Path, old: str, new: str) -> AugmentedChange:
    """One change of PRICES is exposed by a test with other arguments."""
    assert old in PRICES
    for name, text in (("good", PRICES), ("bad", PRICES.replace(old, new))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "prices.py").write_text(text)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} prices.py book 3"),
    )
    [one] = augment_tests(request, tmp_path / "out", lambda _: None).changes
    assert one.status is ChangeStatus.EXPOSED, one.because
    return one


def test_a_limit_of_four_digits_is_reached_from_one_digit(tmp_path: Path) -> None:
    one = check_exposed(tmp_path, "late > 1000", "late > 1001")
    assert one.test is not None
    assert one.test.argv[-2:] == ("book", "1029")  # nothing but the number is another one
    assert one.runs <= 4


def test_a_name_in_a_changed_line_is_tried(tmp_path: Path) -> None:
    one = check_exposed(tmp_path, '"maps": 14', '"maps": 20')
    assert one.test is not None
    assert one.test.argv[-2] == "maps"
