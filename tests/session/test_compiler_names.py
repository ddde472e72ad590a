"""A project whose build fails only because whence sets $CC is built without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.errors import UserError
from whence.explain.session import ExplainRequest, explain_failure
from whence.search.compiler_names import NOTE, may_need_others, with_compilers_or_without
from whence.search.session import IsolateRequest, Watcher
from whence.subject.trial import BuildAndTest

MAKEFILE = """
ifeq ($(origin CC),default)
CC = g++
endif
p: p.cc
	$(CC) -g p.cc -o p
"""
PROGRAM = """
#include <iostream>
int main()
{
    int status = %s == 3;
    std::cout << status;
    return status;
}
"""
BROKEN = UserError("does not build: p.o: undefined reference to `std::cout'", slug="good-is-broken")


@pytest.fixture(autouse=True)
def no_compilers_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)


def test_a_makefile_that_chooses_a_cxx_compiler_as_cc_is_recorded(tmp_path: Path) -> None:
    for version, count in (("good", 2), ("bad", 3)):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "Makefile").write_text(MAKEFILE)
        (folder / "p.cc").write_text(PROGRAM % count)
    commands = BuildAndTest("./p", "make")
    request = IsolateRequest(str(tmp_path / "good"), str(tmp_path / "bad"), commands)
    explanation, _ = explain_failure(ExplainRequest(request), Watcher())
    assert explanation.result.status == "explained"
    assert NOTE in explanation.result.notes


@pytest.mark.parametrize(
    ("build", "slug", "message", "may"),
    [
        ("make", "good-is-broken", "p.o: undefined reference to `x'", True),
        ("make", "good-is-broken", "p.c:1: error: what", True),
        ("make", "good-is-broken", "make: *** No rule to make target", False),
        ("make", "good-fails", "p.c:1: error: what", False),
        ("$CC p.c", "good-is-broken", "p.c:1: error: what", False),
    ],
)
def test_only_complaints_of_compilers_that_the_command_does_not_name_count(
    build: str, slug: str, message: str, may: bool
) -> None:
    assert may_need_others(build, UserError(message, slug=slug)) == may


def test_compilers_that_the_user_set_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")
    assert not may_need_others("make", BROKEN)


def test_if_it_does_not_build_without_either_the_first_message_counts() -> None:
    def work(build: str | None, differs: bool) -> None:
        assert (build != "make") == differs
        raise UserError("the second", slug="good-is-broken") if differs else BROKEN

    said: list[str] = []
    with pytest.raises(UserError, match="undefined reference"):
        with_compilers_or_without("make", work, said.append)
    assert len(said) == 1
