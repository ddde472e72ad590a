"""Are inputs made that are close to others, the same ones each time, and is news recognised?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whence.augment.hinted_inputs import Hints
from whence.augment.nearby import NearbyInputs, Vocabulary
from whence.inputs import STDIN, argument
from whence.model import ChangeStatus
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest

SOURCE = b"""if (!strcmp(word, "wake")) run(3, '@'); /* 77 */"""


def ended(stdout: bytes, status: int = 0) -> Ended:
    return Ended(status, stdout, b"", 0.01)


def made(count: int) -> list[bytes]:
    nearby = NearbyInputs(Vocabulary.of(Hints((5,)), [SOURCE]), [STDIN])
    nearby.add_best({STDIN: b"add a 2\nrun 1\n"})
    found = [nearby.next() for _ in range(count)]
    return [one[STDIN] for one in found if one is not None]


def test_the_constants_of_the_program_and_of_the_changed_lines_are_its_vocabulary() -> None:
    found = Vocabulary.of(Hints((5,), (b"on",)), [SOURCE])
    assert found == Vocabulary((b"on", b"wake", b"@"), (5, 4, 6, 3, 77), (5, 4, 6))


def test_the_same_inputs_are_made_each_time() -> None:
    assert made(100) == made(100)


def test_numbers_words_and_lines_are_changed() -> None:
    found = set(made(400))
    assert b"add a 5\nrun 1\n" in found
    assert b"add a 2\nrun 1\nrun 1\n" in found
    assert any(b"wake" in one for one in found)


def test_an_argument_gets_no_zero_byte() -> None:
    nearby = NearbyInputs(Vocabulary(), [argument(1)])
    nearby.add_best({argument(1): b"\x01\x02\xff\x80"})
    found = [nearby.next() for _ in range(200)]
    assert not any(b"\0" in one[argument(1)] for one in found if one is not None)


def test_nothing_is_made_without_a_start() -> None:
    assert NearbyInputs(Vocabulary(), [STDIN]).next() is None


def test_other_numbers_and_words_of_the_input_are_no_news() -> None:
    nearby = NearbyInputs(Vocabulary(), [STDIN])
    assert nearby.is_new({STDIN: b"a 1"}, ended(b"a has 1\n"))
    assert not nearby.is_new({STDIN: b"b 2"}, ended(b"b has 2\n"))
    assert nearby.is_new({STDIN: b"b 2"}, ended(b"b is full\n"))
    assert nearby.is_new({STDIN: b"b 2"}, ended(b"b has 2\n", 3))


@pytest.mark.slow
def test_a_change_that_needs_another_line_is_exposed(tmp_path: Path) -> None:
    """No condition over the bytes of one line leads to a state that a second line makes."""
    program = (
        "import sys\n"
        "open_now = set()\n"
        "for line in sys.stdin:\n"
        "    word, name = line.split()\n"
        "    if word == 'close' and name in open_now:\n"
        "        open_now.discard(name)\n"
        "        print('bye')\n"
        "    elif word == 'open':\n"
        "        open_now.add(name)\n"
        "print(len(open_now))\n"
    )
    for name, text in (("good", program), ("bad", program.replace("'bye'", "'BYE'"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.py").write_text(text)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"echo 'open a' | {sys.executable} p.py"),
        seconds=60,
    )
    (one,) = augment_tests(request, tmp_path / "out", lambda _: None).changes
    assert one.status is ChangeStatus.EXPOSED, one.because
