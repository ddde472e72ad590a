"""Which tests does `whence augment` make for changes of small C programs?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.model import AugmentedChange, AugmentResult, ChangeStatus
from whence.report.augment import augment_document, augment_page, augment_text
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.command import run_command
from whence.subject.trial import BuildAndTest, environment

# The shape of the thesis' motivating example: the effect stops at a branch unless x is 3.
LEVELS = """
#include <stdio.h>
#include <stdlib.h>
static int level(int x) {
    int y, out;
    if (x > 0) {
        y = 3;
        if (x - y > 0)
            out = 1;
        else
            out = 0;
    } else
        out = -1;
    return out;
}
int main(int argc, char **argv) {
    printf("%d\\n", level(atoi(argv[1])));
    return 0;
}
"""
BUILD = "$CC -g -w -o p p.c"


def augmented(
    tmp_path: Path, old: str, new: str, test: str, *, source: str = LEVELS, seconds: float = 120
) -> AugmentResult:
    """Augment the tests of a program in which `new` replaced `old`."""
    for name, text in (("good", source), ("bad", source.replace(old, new))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.c").write_text(text)
    assert old in source
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=test, build=BUILD),
        seconds=seconds,
    )
    return augment_tests(request, tmp_path / "out", lambda _: None)


def check_exposed(tmp_path: Path, one: AugmentedChange) -> None:
    """The test of an exposed change ends differently on both versions, without whence."""
    assert one.status is ChangeStatus.EXPOSED, one.because
    assert one.test is not None
    printed = []
    for version in ("good", "bad"):
        tree = tmp_path / version
        for command in (BUILD, one.test.command):
            ended = run_command(command, cwd=tree, env=environment(tree), timeout=60)
        printed.append((ended.stdout, ended.status))
    assert printed[0] != printed[1]


def test_a_change_is_reached_and_its_effect_is_carried_to_the_output(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, "y = 3;", "y = 2;", "./p -1").changes
    check_exposed(tmp_path, one)
    assert one.is_made
    assert one.test is not None
    assert one.test.argv == ("./p", "3")  # the only input that shows it


def test_nothing_is_made_for_a_change_that_a_given_test_exposes(tmp_path: Path) -> None:
    result = augmented(tmp_path, "out = -1;", "out = -2;", "./p -1")
    check_exposed(tmp_path, result.changes[0])
    assert not result.changes[0].is_made
    assert result.changes[0].runs == 0


def test_a_refactoring_is_equal(tmp_path: Path) -> None:
    """x is positive there, so the difference does not overflow: the solver has to see that."""
    (one,) = augmented(tmp_path, "if (x - y > 0)", "if (!(x <= y))", "./p 1").changes
    assert one.status is ChangeStatus.EQUAL, one.because


def test_a_change_of_one_value_among_all_numbers_is_not_equal(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, "if (x > 0) {", "if (x > 0 && x != 70001) {", "./p 5").changes
    check_exposed(tmp_path, one)
    assert one.test is not None
    assert one.test.argv == ("./p", "70001")


def test_code_that_nothing_calls_is_not_reached(tmp_path: Path) -> None:
    source = LEVELS.replace("int main", "int unused(void) { return 1; }\nint main")
    (one,) = augmented(tmp_path, "return 1;", "return 2;", "./p 1", source=source).changes
    assert one.status is ChangeStatus.UNREACHED


def test_reports_show_the_change_the_test_and_both_outputs(tmp_path: Path) -> None:
    result = augmented(tmp_path, "y = 3;", "y = 2;", "./p -1")
    text, page = augment_text(result).plain, augment_page(result)
    assert "exposed  p.c:7" in text
    assert "./p 3" in text
    assert "good version" in page
    assert "\u240a" not in page  # a diff and an output have lines
    document = augment_document(result)["changes"][0]
    assert document["outputs"] == {"good": "0\n", "bad": "1\n"}
    assert document["test"]["command"] == "./p 3"
    assert document["effect"]


def test_a_test_that_varies_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="ends differently each time") as error:
        augmented(tmp_path, "y = 3;", "y = 2;", "date +%N")
    assert error.value.slug == "test-varies"


def test_a_version_that_does_not_build_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="bad version does not build") as error:
        augmented(tmp_path, "y = 3;", "y = ;", "./p 1")
    assert error.value.slug == "version-does-not-build"


def test_an_input_gets_longer_if_the_change_needs_it(tmp_path: Path) -> None:
    source = """
#include <stdio.h>
int main(int argc, char **argv) {
    int n = 0;
    while (argv[1][n] == 'a')
        n++;
    if (n > 3)
        puts("many");
    return 0;
}
"""
    (one,) = augmented(tmp_path, '"many"', '"lots"', "./p aab", source=source).changes
    check_exposed(tmp_path, one)


TARIFF = """import sys

def price(count):
    if count >= 50:
        return count * 3
    return count * 4

print(price(int(sys.argv[1])))
"""
WORDS = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    puts(strlen(argv[1]) > 3 ? "long" : "short");
    return 0;
}
"""


def test_a_changed_bound_of_a_python_program_is_never_equal(tmp_path: Path) -> None:
    """The test has a number of one digit; only a longer one shows the difference."""
    for name, text in (("good", TARIFF), ("bad", TARIFF.replace(">= 50", "> 50"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.py").write_text(text)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} p.py 7"),
        seconds=20,
    )
    result = augment_tests(request, tmp_path / "out", lambda _: None)
    [change] = result.changes
    assert change.status is not ChangeStatus.EQUAL


def test_a_changed_bound_on_the_length_of_an_input_is_never_equal(tmp_path: Path) -> None:
    result = augmented(tmp_path, "> 3", "> 4", "./p ab", source=WORDS, seconds=30)
    [change] = result.changes
    assert change.status is not ChangeStatus.EQUAL


MODES = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    int mode = 0;
    if (strcmp(argv[1], "left") == 0)
        mode = 1;
    else if (strcmp(argv[1], "center") == 0)
        mode = 2;
    if (mode == 2)
        puts("in the middle");
    return 0;
}
"""
LINES = """import sys

for number, line in enumerate(sys.stdin, 1):
    words = line.split()
    if words[0] == "close":
        print(number, "closed", words[1])
    else:
        print(number)
"""
RECORD = """
#include <stdio.h>
static unsigned char in[64];
int main(void) {
    int size = fread(in, 1, sizeof in, stdin), n = in[0], sum = 0, i;
    if (size < 2 || n + 2 > size)
        return 1;
    for (i = 0; i < n; i++)
        sum += in[1 + i];
    if ((sum & 255) != in[1 + n])
        return 2;
    if (n % 3 == 0)
        puts("threes");
    return 0;
}
"""


def test_a_text_of_another_length_that_input_is_compared_with_is_tried(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, "the middle", "the center", "./p left", source=MODES).changes
    check_exposed(tmp_path, one)
    assert one.test is not None
    assert one.test.argv == ("./p", "center")


def test_a_count_is_changed_although_a_loop_and_a_checksum_depend_on_it(tmp_path: Path) -> None:
    test = r"printf '\2ab\303' | ./p"
    (one,) = augmented(tmp_path, "n % 3 == 0", "n % 3 == 1", test, source=RECORD).changes
    check_exposed(tmp_path, one)


def test_lines_that_enumerate_numbers_are_inputs(tmp_path: Path) -> None:
    """`close` is longer than `show`, so no solver finds it."""
    for name, text in (("good", LINES), ("bad", LINES.replace('"closed"', '"shut"'))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.py").write_text(text)
        (tmp_path / name / "input").write_text("show a\nshow b\n")
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test=f"{sys.executable} p.py < input"),
    )
    [change] = augment_tests(request, tmp_path / "out", lambda _: None).changes
    assert change.status is ChangeStatus.EXPOSED
    assert change.outputs is not None
    assert "closed" in change.outputs[0]


# A larger limit lets a run go on, but what it then does shows in none of the first runs.
GATES = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rate = atoi(argv[1]), range = atoi(argv[2]), apart = atoi(argv[3]), mode = atoi(argv[4]);
    int height = atoi(argv[5]), advice = 0;
    if (abs(rate) <= 6000 && mode > 0)
        if (range < 300 && apart < 40 && height > 900)
            advice = 1;
    printf("%d\\n", advice);
    return 0;
}
"""


def test_a_run_with_an_effect_is_followed_before_runs_without_one(tmp_path: Path) -> None:
    (one,) = augmented(tmp_path, "<= 6000", "<= 7000", "./p 0 90000 5000 1 0", source=GATES).changes
    check_exposed(tmp_path, one)
    assert one.runs <= 8
