"""When does `whence explain` say that `whence darwin` can go on?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from whence.explain.next_command import with_next_command
from whence.explain.session import ExplainRequest
from whence.model import Explanation, Failure, Result
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


def test_a_search_that_was_stopped_says_nothing_about_the_changes() -> None:
    stopped = replace(FOUND, result=replace(FOUND.result, status="unexplained"))
    assert "no set of changes is known yet" in notes(stopped)
    assert "the changes do not explain" not in notes(stopped)


def test_another_language_or_no_front_end_has_no_hint() -> None:
    assert notes(isolated(), file="p.js") == ""
    assert notes(isolated(), replace(REQUEST, frontend="none")) == ""


def test_without_a_chain_nothing_is_said_about_what_the_changes_explain() -> None:
    assert "it is not known how the changes lead" in notes(isolated())
