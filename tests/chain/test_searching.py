"""Does the search find a passing run, keep what it learned, and tell apart what it sees?"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.chain.chaining import chain_of, check_chain, lines_of
from whence.chain.causality import KeptOutcomes, RerunOutcome
from whence.errors import UserError
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.model import ChainResult, Outcome
from whence.service import chain_session
from whence.subject.command import Ended
from whence.trace.rerunning import Came

RERUN = "whence.frontend.rerun.c"  # the module that runs programs with other values

# A wrong bound does its damage twice: to mend it once is not enough.
TWICE = """\
#include <stdio.h>
static int fee(int amount) {
    if (amount < 2) // 1
        return 0;
    return 7; // 2
}
int main(void) {
    int total = 0, i;
    for (i = 1; i < 4; i++)
        total += fee(i * 2); // 3
    printf("%d of %d\\n", total, i); // 4
    return 0;
}
"""
FREE = "0 of 4\n"
TWICE_PYTHON = """\
def fee(amount):
    if amount < 2:  # 1
        return 0
    return 7

total = 0
for i in range(1, 4):
    total += fee(i * 2)  # 3
print(total, "of", i + 1)  # 4
"""


@pytest.mark.parametrize("text", [TWICE, TWICE_PYTHON], ids=["c", "python"])
def test_a_branch_is_forced_each_time_if_once_is_not_enough(tmp_path: Path, text: str) -> None:
    result = chain_of(tmp_path, text, expect=FREE)
    assert result.passing is not None
    assert "each time" in result.passing.words
    check_chain(result, text)


def test_a_branch_that_is_forced_into_an_endless_loop_does_not_stop_the_search(
    tmp_path: Path,
) -> None:
    text = """\
#include <stdio.h>
int main(void) {
    int n = 2, wide = 1;
    while (n > 0) {
        if (n != 5)
            n--;
    }
    if (wide)
        n = 3;
    printf("%d\\n", n);
    return 0;
}
"""
    result = chain_of(tmp_path, text, expect="0\n")
    assert result.status == "explained"
    assert "if (wide)" in [link.text for link in result.chain]


def test_several_jobs_find_the_same_chain(tmp_path: Path) -> None:
    one = chain_of(tmp_path, TWICE, expect=FREE)
    two = chain_of(tmp_path, TWICE, expect=FREE, jobs=2)
    assert one.chain == two.chain


def test_the_values_of_another_test_are_put_in(tmp_path: Path) -> None:
    text = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 0; // 1
    int room = size * 2; // 2
    if (room > 10) // 3
        return 1; // 4
    return 0;
} // 5
"""
    result = chain_of(tmp_path, text, test="./program 9", passing_test="./program 2")
    assert result.passing is not None
    assert result.passing.by == "test"
    check_chain(result, text, {"1": "size = 9 (passing: 2)", "2": "room = 18 (passing: 4)"})


def test_the_chain_of_a_cxx_program_passes_through_virtual_calls(tmp_path: Path) -> None:
    text = """\
#include <cstdio>
#include <memory>
struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};
struct Box : Shape {
    Box(int wide, int high) : wide_(wide), high_(high) {} // 2
    int area() const override { return wide_ * high_; }
    int wide_, high_;
};
struct Square : Box {
    explicit Square(int side) : Box(side, side + 1) {} // 1
};
int main() {
    std::unique_ptr<Shape> shape = std::make_unique<Square>(4);
    int area = shape->area(); // 3
    std::printf("%d\\n", area); // 4
    return 0;
}
"""
    result = chain_of(tmp_path, text, text.replace("side + 1", "side"), expect="16\n")
    check_chain(result, text, {"2": "high_ = 5 (passing: 4)", "3": "area = 20 (passing: 16)"})


# The passing run has one object more.  Its address means nothing in the failing run, so the
# pointer is put right by what it comes from.
LIST = """\
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *push(struct node *head, int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = head; // 3
    return made;
}
int main(void) {
    struct node *head = NULL;
    for (int i = 1; i <= 3; i++)
        if (i > 1) // 1
            head = push(head, i); // 2
    int sum = 0;
    for (struct node *at = head; at; at = at->next) // 4
        sum += at->value;
    printf("%d\\n", sum); // 5
    return 0;
}
"""


def test_a_pointer_to_an_object_of_the_passing_run_is_put_right_before(tmp_path: Path) -> None:
    result = chain_of(tmp_path, LIST, LIST.replace("i > 1", "i >= 1"), expect="6\n")
    check_chain(result, LIST)


SUFFIX = """\
#include <stdio.h>
#include <string.h>
int main(void) {
    char path[] = "a.tar.gz";
    const char *dot = strchr(path, '.'); // 1
    int is_gz = 0;
    if (strcmp(dot, ".gz") == 0) // 2
        is_gz = 1;
    printf("%d\\n", is_gz); // 3
    return 0;
}
"""


def test_an_address_in_an_object_that_a_library_call_was_given_is_mapped(tmp_path: Path) -> None:
    result = chain_of(tmp_path, SUFFIX, SUFFIX.replace("strchr", "strrchr"), expect="1\n")
    check_chain(result, SUFFIX)


@pytest.mark.parametrize("moves", ["start", "randomly"])
def test_addresses_are_mapped_wherever_the_memory_of_a_rerun_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: str
) -> None:
    """The address of a local variable is another one in each run."""
    sizes = itertools.count(1)

    def elsewhere(command: str, tree: Path, env: dict[str, str], *rest: Any) -> Ended:
        longer = "x" * 48 * next(sizes) if moves == "start" else ""
        return run_in_tree(command, tree, env | {"WHENCE_LONGER": longer}, *rest)

    monkeypatch.setattr(f"{RERUN}.run_in_tree", elsewhere)
    if moves == "randomly":
        monkeypatch.setattr(f"{RERUN}.fixed_addresses", contextlib.nullcontext)
    result = chain_of(tmp_path, SUFFIX, SUFFIX.replace("strchr", "strrchr"), expect="1\n")
    check_chain(result, SUFFIX)


def test_ten_searches_find_the_same_chain_wherever_memory_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a stack lay a few bytes elsewhere, and an address of the recorded run was put in.

    The program is built once and searched again and again: in each run the environment has
    another size, and in half of them the system places memory at random.
    """
    chance = random.Random(1)

    def elsewhere(command: str, tree: Path, env: dict[str, str], *rest: Any) -> Ended:
        longer = {"WHENCE_LONGER": "x" * chance.randrange(9000)}
        with contextlib.nullcontext() if chance.random() < 0.5 else fixed_addresses():
            return run_in_tree(command, tree, env | longer, *rest)

    searched: Any = chain_session._Session._searched
    found: list[ChainResult] = []

    def again(session: Any, *given: Any) -> ChainResult:
        for _ in range(10):
            session._kept = KeptOutcomes(None)
            found.append(searched(session, *given))
        return found[-1]

    monkeypatch.setattr(f"{RERUN}.run_in_tree", elsewhere)
    monkeypatch.setattr(f"{RERUN}.fixed_addresses", contextlib.nullcontext)
    monkeypatch.setattr(chain_session._Session, "_searched", again)
    chain_of(tmp_path, SUFFIX, SUFFIX.replace("strchr", "strrchr"), expect="1\n")
    assert len(found) == 10
    for result in found:
        check_chain(result, SUFFIX)


# The counterpart of a heap object is a place in the heap; of a static one, a place in the program.
OBJECTS = """\
#include <stdio.h>
#include <stdlib.h>
struct account { int number; };
static struct account ours = {1};
int main(void) {
    struct account *theirs = malloc(sizeof *theirs);
    theirs->number = 2;
    int is_own = 0; // 1
    struct account *payer = is_own ? &ours : theirs;
    struct account *payee = is_own ? theirs : &ours; // 2
    int from = payer->number;
    int to = payee->number; // 3
    printf("%d\\n", to); // 4
    printf("%d\\n", from);
    return 0;
}
"""


def test_addresses_of_heap_and_static_objects_are_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{RERUN}.fixed_addresses", contextlib.nullcontext)
    good = OBJECTS.replace("is_own = 0", "is_own = 1")
    result = chain_of(tmp_path, OBJECTS, good, expect="2\n1\n")
    check_chain(result, OBJECTS, {"3": "to = 1 (passing: 2)"})


# The failing run never sets `longest`: forced into the branch, it would add a wrong value.  The
# library call that zeroed the structure is no place where a value can be set: its memory is.
UNSET = """\
#include <stdio.h>
#include <string.h>
struct seen { int last, longest; };
static int points(const struct seen *seen) {
    int sum = 10;
    if (seen->longest > 60) // 3
        sum += seen->longest / 60;
    return sum;
}
int main(void) {
    int times[] = {5, 70, 240}, total = 0;
    struct seen seen;
    memset(&seen, 0, sizeof seen);
    seen.last = -1; // 1
    for (int i = 0; i < 3; i++) {
        if (seen.last >= 0 && times[i] - seen.last > seen.longest) // 2
            seen.longest = times[i] - seen.last;
        ; // set
    }
    total += points(&seen); // 4
    printf("%d\\n", total); // 5
    return 0;
}
"""


def test_a_value_that_was_never_set_is_put_in_where_it_would_lie(tmp_path: Path) -> None:
    good = UNSET.replace("; // set", "seen.last = times[i]; // set")
    result = chain_of(tmp_path, UNSET, good, expect="12\n")
    check_chain(result, UNSET, {"1": "seen.last = -1 (passing: 70)"})


YIELDED = """\
known = {"a": 1}
limit = 2
for name in ["b", "c", "d"]:
    if len(name) < limit - 1:  # 1
        known[name] = 0
missing = sum(1 for each in "abcd" if each in known)  # 2
print(missing)  # 3
"""


def test_what_a_generator_did_not_yield_is_on_the_chain(tmp_path: Path) -> None:
    """And the object that `known` names is not: what it was made as is the same in both runs."""
    good = YIELDED.replace("limit - 1", "limit")
    result = chain_of(tmp_path, YIELDED, good, expect="4\n")
    check_chain(result, YIELDED, {"2": "missing = 1 (passing: 4)"})


RECURSION = """\
#include <stdio.h>
static int depth(int n) {
    if (n <= 1) // 1
        return 0; // 2
    int below = depth(n - 1); // 3
    return below + 1; // 4
}
int main(void) {
    int d = depth(3); // 5
    printf("%d\\n", d); // 6
    return 0;
}
"""


def test_the_same_statement_in_another_call_is_not_the_same_step(tmp_path: Path) -> None:
    """With the branch forced, `return 0` runs once, too: one call deeper."""
    result = chain_of(tmp_path, RECURSION, RECURSION.replace("n <= 1", "n <= 0"), expect="3\n")
    check_chain(result, RECURSION)


def test_only_the_first_wrong_line_is_the_failure(tmp_path: Path) -> None:
    """With `net` put right just before it is printed, the total stays wrong."""
    text = """\
#include <stdio.h>
int main(void) {
    int net = 3; // 1
    int tax = net * 2;
    printf("%d\\n", net); // 2
    printf("%d\\n", net + tax);
    return 0;
}
"""
    result = chain_of(tmp_path, text, text.replace("net = 3", "net = 5"), expect="5\n15\n")
    check_chain(result, text)


PROCESSES = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int size = atoi(argv[1]);
    int room = size + 3; // 1
    if (room > 8) // 2
        size = 0; // 3
    printf("%d\\n", size); // 4
    return 0;
}
"""


def test_values_are_put_into_the_process_that_fails_and_into_no_other(tmp_path: Path) -> None:
    """The second of three runs of the program prints 0 instead of 6."""
    test = "./program 9; ./program 6; ./program 9"
    good = PROCESSES.replace("size + 3", "size + 1")
    result = chain_of(tmp_path, PROCESSES, good, test=test, expect="0\n6\n0\n")
    check_chain(result, PROCESSES, {"1": "room = 9 (passing: 7)"})


def test_a_switch_goes_to_the_case_of_the_passing_run(tmp_path: Path) -> None:
    text = """\
#include <stdio.h>
static int price(int kind) {
    switch (kind) { // 3
    case 0:
        return 4;
    case 1:
        return 6;
    default:
        return 9; // 4
    }
}
int main(void) {
    int kind = 5; // 1
    int paid = price(kind); // 2
    printf("%d\\n", paid); // 5
    return 0;
}
"""
    result = chain_of(tmp_path, text, text.replace("kind = 5", "kind = 1"), expect="6\n")
    check_chain(result, text)


# --- what is kept --------------------------------------------------------------------------------


def test_a_search_that_was_stopped_goes_on_from_what_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole = chain_of(tmp_path, TWICE, expect=FREE)
    part = chain_of(tmp_path, TWICE, expect=FREE, max_runs=2)
    assert (part.runs, len(part.chain)) == (2, 0)
    rest = chain_of(tmp_path, TWICE, expect=FREE, forgets=False)
    assert rest.chain == whole.chain
    assert rest.cached >= 2
    assert rest.runs <= whole.runs - 2


def test_another_good_version_makes_other_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bad = "limit = 3\nroom = limit * 2\nassert room > 7\n"
    chain_of(tmp_path, bad, bad.replace("3", "4"), forgets=False)
    again = chain_of(tmp_path, bad, bad.replace("3", "5"), forgets=False)
    assert again.cached == 0


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    kept = KeptOutcomes(file)
    known = RerunOutcome(Outcome.PASS, True, Came.NOT, 1, True)
    kept.put("one", known)
    with file.open("a") as out:
        out.write('["two", "fai')
    again = KeptOutcomes(file)
    assert again.get("one") == known
    assert again.get("two") is None


# --- what cannot be explained --------------------------------------------------------------------


def test_a_test_that_passes_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        chain_of(tmp_path, "print(1)\n", "print(1)\n")
    assert error.value.slug == "nothing-fails"


def test_a_good_version_that_fails_is_no_passing_run(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        chain_of(tmp_path, "assert 1 > 2\n", "assert 1 > 3\n")
    assert error.value.slug == "no-passing-run"
    assert "does not pass on the good version" in str(error.value)


def test_a_passing_test_that_fails_is_no_passing_run(tmp_path: Path) -> None:
    python = sys.executable
    with pytest.raises(UserError) as error:
        chain_of(tmp_path, "assert 1 > 2\n", passing_test=f"{python} program.py again")
    assert error.value.slug == "no-passing-run"
    assert "program.py again" in str(error.value)


def test_a_failure_that_comes_and_goes_is_refused(tmp_path: Path) -> None:
    text = """\
import os
seen = os.path.exists("{0}")
open("{0}", "w").close()
assert seen
"""
    with pytest.raises(UserError) as error:
        chain_of(tmp_path, text.format(tmp_path / "mark"), "pass\n")
    assert error.value.slug == "failure-varies"


def test_if_neither_a_branch_nor_a_value_helps_the_reason_is_told(tmp_path: Path) -> None:
    text = "value = 3\nfor way in (value, value + 1):\n    print(way)\n"
    result = chain_of(tmp_path, text, expect="1\n1\n")
    assert result.status == "unexplained"
    assert result.reason is not None
    assert f"no passing run was found: the test passes in none of {result.runs} " in result.reason
    assert lines_of(result) == []


def test_a_crash_of_another_kind_is_no_proof(tmp_path: Path) -> None:
    """Forced, the branch makes the program read a null pointer: that is not a pass."""
    text = """\
#include <stdio.h>
int main(void) {
    const char *name = NULL;
    int is_known = 0;
    if (is_known)
        printf("%c\\n", name[0]);
    else
        puts("unknown");
    return 0;
}
"""
    result = chain_of(tmp_path, text, expect="x\n")
    assert result.status == "unexplained"
