"""When does `whence explain` say that `whence darwin` can go on?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from whence.explain.next_command import with_next_command
from whence.explain.session import ExplainRequest
from whence.model import ChangeId, ChangeKind, Explanation, Failure, Reported, Result, Span
from whence.search.session import IsolateRequest
from whence.subject.trial import BuildAndTest

REQUEST = ExplainRequest(
    IsolateRequest("v 1", "v2", BuildAndTest(test="./check 'a b'", build="make -s"))
)
FOUND = Explanation(
    Result(
        command="explain",
        status="explained",
        reason=None,
        failure=Failure("exit", "", ""),
        total=3,
        executed=None,
        root=(),
        auxiliary=(),
        alternatives=(),
        runs=1,
        builds=1,
        cached=0,
        seconds={},
    )
)


def notes(explanation: Explanation, request: ExplainRequest = REQUEST, file: str = "p.c") -> str:
    return "\n".join(with_next_command(explanation, request, [file]).result.notes)


def isolated() -> Explanation:
    return replace(FOUND, result=replace(FOUND.result, status="isolated"))


def test_an_explained_failure_has_no_hint() -> None:
    assert notes(FOUND) == ""


@pytest.mark.parametrize(
    "explanation", [isolated(), replace(FOUND, dodged="Reverting it avoids the faulty code.")]
)
def test_the_hint_is_the_whole_command(explanation: Explanation) -> None:
    command = "whence darwin --good 'v 1' --bad v2 --build 'make -s' --test"
    assert command in notes(explanation)


@pytest.mark.parametrize(("number", "is_hint"), [(4, False), (5, True)])
def test_many_changes_that_only_together_break_the_test(number: int, is_hint: bool) -> None:
    """Few of them are the fault; a short root names it."""
    line, kind = Span(1, 1), ChangeKind.EDIT
    root = tuple(
        Reported(ChangeId(n), (ChangeId(n),), "p.c", "p.c", kind, line, line, (), None)
        for n in range(number)
    )
    entangled = replace(FOUND, result=replace(FOUND.result, root=root))
    assert ("only many changes together break the test" in notes(entangled)) is is_hint


def test_a_search_that_was_stopped_says_nothing_about_the_changes() -> None:
    stopped = replace(FOUND, result=replace(FOUND.result, status="unexplained"))
    assert "no set of changes is known yet" in notes(stopped)
    assert "the changes do not explain" not in notes(stopped)


def test_the_hint_names_the_repository_of_the_revisions() -> None:
    elsewhere = replace(REQUEST, isolate=replace(REQUEST.isolate, repo=Path("the repo")))
    assert "--repo 'the repo'" in notes(isolated(), elsewhere)


def test_another_language_or_no_front_end_has_no_hint() -> None:
    assert notes(isolated(), file="p.js") == ""
    assert notes(isolated(), replace(REQUEST, frontend="none")) == ""


def test_without_a_chain_nothing_is_said_about_what_the_changes_explain() -> None:
    assert "it is not known how the changes lead" in notes(isolated())
