"""What does whence ask about a pair of runs?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.augment.test_augment import BUILD, augmented, check_exposed
from whence.augment.pair import Aim, RunPair
from whence.augment.questions import QuestionAsker
from whence.inputs import InputSource, SourceKind
from whence.paths.conditions import ConditionKind
from whence.paths.solver import Solver
from whence.service.augmenting import AugmentRequest, AugmentSession
from whence.subject.trial import BuildAndTest

# The table lies on the stack, and the input decides which element is read.
TABLE = """
#include <stdio.h>
int main(int argc, char **argv) {
    @
    int counts[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    counts[argv[1][0] & 7] += 2;
    if (counts[argv[1][1] & 7] > 7)
        puts("many");
    puts("done");
    return 0;
}
"""
# Below zero, both versions print the same unless the part before the point is zero.
TENTHS = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int tenths = -(atoi(argv[1]) * 7919 & 0x7fff ^ 4660) - 1;
    if (tenths < 0)
        putchar('-'), tenths = -tenths;
    printf("%d.%d\\n", tenths / 10, abs(tenths % 10));
    return 0;
}
"""
SIGN = "putchar('-'), tenths = -tenths;"


# The given test stops at the second comparison; what the change adds stands behind it.
DEPTHS = """
#include <stdio.h>
int main(int argc, char **argv) {
    int depth = argv[1][0] - '0';
    if (depth != 1 && depth != 8@)
        puts("bad depth");
    return 0;
}
"""


@contextmanager
def first_pair(folder: Path, good: str, bad: str, test: str) -> Iterator[RunPair]:
    """Return the runs of a given test in two versions."""
    for name, text in (("good", good), ("bad", bad)):
        (folder / name).mkdir()
        (folder / name / "p.c").write_text(text)
    (folder / "work").mkdir()
    request = AugmentRequest(
        good=str(folder / "good"),
        bad=str(folder / "bad"),
        commands=BuildAndTest(test=test, build=BUILD),
        seconds=0.0,
    )
    with ExitStack() as stack:
        session = AugmentSession(request, folder / "work", folder / "out", lambda _: None, stack)
        ((change,), _) = session.run()
        (opened,) = session._opened.values()
        ids = frozenset(change.change.ids)
        yield RunPair(*(one.run(opened.first, ids) for one in (opened.bad, opened.good)))


def test_where_a_table_lies_is_no_difference(tmp_path: Path) -> None:
    more = "volatile char more[500]; more[argc] = 1;"
    good, bad = TABLE.replace("@", ""), TABLE.replace("@", more)
    with first_pair(tmp_path, good, bad, "./p 12") as pair:
        assert any(one.kind is ConditionKind.ADDRESS for one in pair.bad.conditions)
        assert pair.differing == ([], [])


def test_the_branches_of_the_changed_code_are_turned(tmp_path: Path) -> None:
    good, bad = DEPTHS.replace("@", ""), DEPTHS.replace("@", " && depth != 6")
    with first_pair(tmp_path, good, bad, "./p 8") as pair:
        asker = QuestionAsker(Solver())
        asked = [one.question for one in pair.questions() if one.aim is Aim.TURN]
        answers = [asker.ask(question).contents for question in asked]
        argument = InputSource(SourceKind.ARGUMENT, number=1)
        first = {one[argument][:1] for one in answers if one is not None}
    assert any(one not in b"18" for one in first)  # it goes on to the comparison with 6


def test_a_sign_that_is_printed_in_two_ways_is_shown_at_zero(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, SIGN, ";", "./p 5", source=TENTHS, seconds=20).changes
    check_exposed(tmp_path, one)
