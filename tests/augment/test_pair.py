"""What does whence ask about a pair of runs?"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tests.augment.test_augment import BUILD, augmented, check_exposed
from whence.augment.pair import RunPair
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


def test_where_a_table_lies_is_no_difference(tmp_path: Path) -> None:
    for name, more in (("good", ""), ("bad", "volatile char more[500]; more[argc] = 1;")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.c").write_text(TABLE.replace("@", more))
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test="./p 12", build=BUILD),
        seconds=0.0,
    )
    with ExitStack() as stack:
        (tmp_path / "work").mkdir()
        session = AugmentSession(
            request, tmp_path / "work", tmp_path / "out", lambda _: None, stack
        )
        ((change,), _) = session.run()
        (opened,) = session._opened.values()
        ids = frozenset(change.change.ids)
        runs = [one.run(opened.first, ids) for one in (opened.bad, opened.good)]
        assert any(one.kind.name == "ADDRESS" for one in runs[0].conditions)
        assert RunPair(*runs).differing == ([], [])


def test_a_sign_that_is_printed_in_two_ways_is_shown_at_zero(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, SIGN, ";", "./p 5", source=TENTHS, seconds=20).changes
    check_exposed(tmp_path, one)
