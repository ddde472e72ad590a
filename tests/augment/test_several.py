"""What does `whence augment` say of several changes, with several tests?"""

from __future__ import annotations

from pathlib import Path

from tests.augment.test_augment import BUILD
from whence.model import ChangeStatus
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static int capped(int n)
{
    return n > 500 ? 500 : n;
}
int main(int argc, char **argv)
{
    if (argc < 2)
        return puts("usage: p N"), 2;
    int n = atoi(argv[1]);
    if (n > 70)
        n += 5;
    printf("%d\\n", capped(n));
    return 0;
}
"""
CHANGES = {
    "n > 500 ? 500 : n": "n < 500 ? n : 500",  # changes nothing
    "usage: p N": "use: p N",  # only the test without an argument shows it
    "n > 70": "n >= 70",
}


def test_each_change_has_its_answer_and_only_what_shows_one_is_kept(tmp_path: Path) -> None:
    changed = PROGRAM
    for old, new in CHANGES.items():
        changed = changed.replace(old, new)
    for name, text in (("good", PROGRAM), ("bad", changed)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.c").write_text(text)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test="./p 7", build=BUILD),
        more_tests=("./p",),
        seconds=10,
    )
    result = augment_tests(request, tmp_path / "out", lambda _: None)
    same, usage, limit = result.changes
    assert (same.status, same.because.partition(",")[0]) == (ChangeStatus.EQUAL, "Without it")
    assert (usage.status, usage.is_made) == (ChangeStatus.EXPOSED, False)
    assert usage.test is not None
    assert usage.test.command == "./p"
    assert (limit.status, limit.is_made) == (ChangeStatus.EXPOSED, True)
    assert [one.name for one in (tmp_path / "out").iterdir()] == [f"change-{limit.change.id}.sh"]
    assert any("no test is made from it" in note for note in result.notes)
