"""Is `equal` said of refactorings, and never of a change that some input shows?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from whence.augment.changed_code import ChangedCode
from whence.augment.equality import EqualityProof, prove_equal
from whence.augment.questions import QuestionAsker
from whence.augment.seen_runs import VersionRuns
from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.explain.meeting import Meeting
from whence.model import ChangeStatus
from whence.paths.c.program import open_c_program
from whence.paths.solver import Solver
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.trial import BuildAndTest

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { int low; short high; };
static int rows[] = {10, 20, 30, 40};
static char name[8];

static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int row(int n) { return n < 0 || n > 3 ? -1 : rows[n]; }
static int most(int a, int b) { return a > b ? a : b; }
static void set_name(int n) {
    name[0] = n > 7 ? 'x' : 'y';
}
static int middle(int a, int b, int c) {
    int all[3] = {a, b, c};
    qsort(all, 3, sizeof *all, compare);
    return all[1] > 100;
}
static int high(int n) {
    struct pair p;
    p.high = n;
    return p.high;
}
static int below(int n) {
    int limit = 5;
    int is_below = 0;
    if (n < limit)
        is_below = 1;
    return is_below;
}
static void note(int n) {
    if (n > 1000)
        printf("large\\n");
    printf("%d\\n", n);
}
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    set_name(a);
    note(a);
    printf("%d %d %d %d %d\\n", row(a), most(a, b), middle(a, b, 7), high(a), below(b));
    puts(name);
    return a > 90 ? 3 : 0;
}
"""
CHANGES = {
    "a table": ("{10, 20, 30, 40}", "{10, 20, 30, 41}"),
    "a type of a variable": ("    int limit = 5;", "    unsigned limit = 5;"),
    "a type of a member": ("short high", "int high"),
    "a text that a library function reads": ("n > 7 ? 'x'", "n > 8 ? 'x'"),
    "a value that code without a formula made": ("all[1] > 100", "all[1] >= 100"),
    "a condition that is removed": ("    if (n < limit)\n", "    if (n < limit || n > 700)\n"),
    "a call that is controlled": ("    if (n > 1000)", "    if (n >= 1000)"),
    "what is printed": ('"large', '"Large'),
    "an exit status": ("a > 90 ? 3", "a > 91 ? 3"),
    "an order of operands": ("a > b ? a : b", "b > a ? a : b"),
    "a statement that leaves its condition": (
        "    if (n < limit)\n        is_below",
        "    is_below",
    ),
}
REFACTORINGS = {
    "a negation": ("    if (n < limit)", "    if (!(n >= limit))"),
    "a choice as a condition": (
        "return a > b ? a : b;",
        "if (a > b)\n        return a;\n    return b;",
    ),
    "a comment": ("    struct pair p;", "    struct pair p; /* of two */"),
}


def proof(tmp_path: Path, old: str, new: str, test: str = "./p 2 3") -> EqualityProof:
    """Try to prove that two versions of the program are equal."""
    assert old in PROGRAM
    versions = []
    for name, text in (("good", PROGRAM), ("bad", PROGRAM.replace(old, new))):
        tree, kept = tmp_path / name, tmp_path / f"kept-{name}"
        tree.mkdir()
        kept.mkdir()
        (tree / "p.c").write_text(text)
        versions.append(tree)
    changes = compare_trees(read_tree(versions[0]), read_tree(versions[1]))
    meeting = Meeting(changes)
    commands = BuildAndTest(test=test, build="$CC -g -w -o p p.c")
    good, bad = (
        VersionRuns(
            open_c_program(tree, commands, tmp_path / f"kept-{tree.name}", []),
            ChangedCode(meeting, of_good=tree.name == "good"),
        )
        for tree in versions
    )
    until = time.monotonic() + 60
    return prove_equal(
        good, bad, frozenset(changes.everything), bad.program.first, QuestionAsker(Solver()),
        lambda: time.monotonic() > until,
    )  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_never_equal(what: str, tmp_path: Path) -> None:
    found = proof(tmp_path, *CHANGES[what])
    assert not found.is_proved, found.because


@pytest.mark.parametrize("what", REFACTORINGS)
def test_a_refactoring_is_equal(what: str, tmp_path: Path) -> None:
    found = proof(tmp_path, *REFACTORINGS[what])
    assert found.is_proved, found.because


BYTES = """
#include <stdio.h>
static int sum;
static int big(const unsigned char *p) { return p[0] << 8 | p[1]; }
static int mark(int c) { if (c < 'a' || c > 'z') return 1; return 2; }
static int first(int c) { printf("%d", c); return 1; }
int main(void) {
    unsigned char line[16] = {0};
    int n = (int)fread(line, 1, sizeof line, stdin);
    for (int i = 0; i + 1 < n; i++)
        sum += big(line + i) * mark(line[i]);
    return first(sum) + 2;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "is_equal"),
    [
        ("p[0] << 8 | p[1]", "256 * p[0] + p[1]", True),
        ("if (c < 'a' || c > 'z') return 1; return 2;",
         "return c >= 'a' && c <= 'z' ? 2 : 1;", True),
        ("if (c < 'a' || c > 'z')", "if (c < 'a' || c >= 'z')", False),
        ("c); return 1; }", "c); return 2; }", False),
        ("line[16] = {0}", "line[17] = {0}", False),
        ("i + 1 < n", "n > i + 1", True),
    ],
)  # fmt: skip
def test_what_is_read_byte_by_byte_is_compared_as_code(
    tmp_path: Path, old: str, new: str, *, is_equal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.augment.test_equality.PROGRAM", BYTES)
    found = proof(tmp_path, old, new, "printf abcz | ./p")
    assert found.is_proved == is_equal, found.because


@pytest.mark.slow
def test_a_refactored_file_is_equal_although_another_one_changed(tmp_path: Path) -> None:
    """Two files change; comments and blanks are no code."""
    other = "int twice(int n) { return n << 1; }\n"
    main = (
        "#include <stdio.h>\n#include <stdlib.h>\nint twice(int n);\n"
        "int main(int argc, char **argv) {\n    int n = atoi(argv[1]);\n"
        "    if (n > 100)\n        puts(\"large\");\n\n    /* to the screen */\n"
        "    printf(\"%d\\n\", twice(n));\n    return 0;\n}\n"
    )  # fmt: skip
    new_main = main.replace("> 100", ">= 100").replace("/* to the screen */", "// to   the screen")
    for name, texts in (
        ("good", (other, main)),
        ("bad", (other.replace("n << 1", "2 * n"), new_main)),
    ):
        (tmp_path / name).mkdir()
        for file, text in zip(("twice.c", "p.c"), texts, strict=True):
            (tmp_path / name / file).write_text(text)
    request = AugmentRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands=BuildAndTest(test="./p 1", build="$CC -g -w -o p p.c twice.c"),
        seconds=60,
    )
    changes = augment_tests(request, tmp_path / "out", lambda _: None).changes
    found = {(one.change.file, one.change.new.start): one.status for one in changes}
    assert found == {
        ("p.c", 6): ChangeStatus.EXPOSED,
        ("p.c", 9): ChangeStatus.EQUAL,
        ("twice.c", 1): ChangeStatus.EQUAL,
    }
