"""Is the good C function run with the recorded state put in at its aligned call?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.contract.session import ContractRequest, check_contracts
from whence.model import ContractResult
from whence.subject.trial import BuildAndTest
from whence.trace.c import calls_again

from .two_versions import origins, verdict_on

GOOD = r"""
#include <stdio.h>
struct order { int count; short price; struct order *next; };
static struct order spare;
static void fill(struct order *order, int count) {
    order->count = count;
    order->price = 5;
    order->next = 0;
}
static int scaled(int n) { return n * 3; }
static int cost(const struct order *order) { return order->count * order->price; }
static int limited(long n, unsigned char limit) { return n > limit ? limit : n; }
static int follow(const struct order *order) { return order->next ? 1 : 0; }
static int same(int n) { return n + 1; }
int main(void) {
    struct order one, two;
    fill(&one, 3);
    printf("%d\n", cost(&one));
    printf("%d %d\n", limited(scaled(4), 10), same(scaled(5)));
    two = one;
    two.next = &spare;
    printf("%d\n", follow(scaled(2) > 6 ? &two : &one));
    return 0;
}
"""
BAD = (
    GOOD.replace("= count;", "= count + 1;")
    .replace("n * 3", "n * 4")
    .replace("count * order->price", "count * order->price + 1")
    .replace("? limit : n", "? n : limit")
    .replace("next ? 1 : 0", "next ? 2 : 0")
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ContractResult:
    return compared(tmp_path_factory.mktemp("c"))


def compared(folder: Path) -> ContractResult:
    for version, text in (("good", GOOD), ("bad", BAD)):
        (folder / version).mkdir()
        (folder / version / "program.c").write_text(text)
    commands = BuildAndTest(test="./program", build="$CC -g -o program program.c")
    request = ContractRequest(str(folder / "good"), str(folder / "bad"), commands)
    return check_contracts(request, lambda _: None)


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [("cost", "returns 20", "returns 21"), ("limited", "returns 10", "returns 16")],
)
def test_a_fault_behind_a_change_is_found(
    result: ContractResult, function: str, good: str, bad: str
) -> None:
    """`cost` reads other memory than in the good run, `limited` gets another number."""
    found = verdict_on(result, function)
    assert found.first is not None
    assert (found.first.way, found.first.good, found.first.bad) == ("rerun", good, bad)


def test_a_function_that_was_not_changed_is_the_same(result: ContractResult) -> None:
    found = verdict_on(result, "same")
    assert (found.compared, found.rerun, found.differing) == (1, 1, 0)
    assert set(origins(result)) == {"fill", "scaled", "cost", "limited"}


def test_a_pointer_to_another_object_is_not_put_in(result: ContractResult) -> None:
    assert verdict_on(result, "follow").compared == 0
    assert "leads to another object (1)" in result.notes[-1]


def test_long_runs_are_not_repeated_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls_again, "_MAX_STEPS", 20)
    monkeypatch.delattr(calls_again, "CRerunner")  # nor is the program built for them
    result = compared(tmp_path)
    assert verdict_on(result, "cost").compared == 0
    assert "steps, and at most 20 are run again in C" in result.notes[-1]
