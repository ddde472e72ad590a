"""Which changes made a function behave differently, and how?

The failing test that is explained is a script: it makes the state in which the differing call
started, calls the function, and asserts what the good version gave.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from difflib import get_close_matches

from whence.contract.call_test import TEST_FILE, NotWritableError, call_test
from whence.contract.judging import DifferingCall, Judge
from whence.contract.session import ContractRequest, ContractSession, OpenedVersions
from whence.errors import UserError
from whence.explain.session import ExplainRequest, explain_failure
from whence.model import ContractFunction, ContractResult, Explanation
from whence.search.session import IsolateRequest, Watcher
from whence.subject.scratch import scratch_folder

_ADVICE = "Write a test that shows the difference, and explain that: whence explain --test …"


@dataclass(frozen=True, slots=True)
class ExplainedDifference:
    """What all calls show, and why a call of one function differs."""

    result: ContractResult
    explanation: Explanation
    test: str  # that was explained


def explain_difference(
    request: ContractRequest, name: str, watcher: Watcher
) -> ExplainedDifference:
    """Judge all functions, and explain the first differing call of one of them."""
    with scratch_folder() as folder:
        session = ContractSession(request, folder, watcher.phase)
        versions = session.open()
        if versions.language.parse_expression is not None:
            raise UserError(
                f"--explain {name}: calls of {versions.language.label} functions cannot be run "
                f"alone yet.\n{_ADVICE}",
                slug="call-not-repeatable",
            )
        _check_name(versions, name)
        contracts = versions.contracts(request.contracts)
        judge = session.judge(versions, session.watched(versions), contracts)
        result = session.result_of(judge)
        call = _differing(result, judge, name)
        test = _written(call, name, versions)
        for tree in (versions.good, versions.bad):
            (tree / TEST_FILE).write_text(test, "utf-8", "surrogateescape")
        explanation = _explained(request, versions, call, name, watcher)
        return ExplainedDifference(result, explanation, test)


def _check_name(versions: OpenedVersions, name: str) -> None:
    """Is a name that of one function that both versions have?"""
    found = [each for each in versions.sources.pairs if _is_called(each.file, each.name, name)]
    if len(found) == 1:
        return
    if len(found) > 1:
        places = ", ".join(f"{each.file}:{each.name}" for each in found[:4])
        raise UserError(
            f"--explain {name}: several functions are called so: {places}.\n"
            "Name one as FILE:NAME, with the path in the tree.",
            slug="no-such-function",
        )
    known = sorted({each.name for each in versions.sources.pairs})
    near = get_close_matches(name.rpartition(":")[2], known, 3)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    raise UserError(
        f"--explain {name}: both versions have no function with this name.{hint}\n"
        "Name it as the report does, such as Cart.total, or as FILE:NAME.",
        slug="no-such-function",
    )


def _is_called(file: str, function: str, name: str) -> bool:
    place, _, short = name.rpartition(":")
    return function == short and place in ("", file)


def _differing(result: ContractResult, judge: Judge, name: str) -> DifferingCall:
    found = next((f for f in result.functions if _is_called(f.file, f.function, name)), None)
    call = None if found is None else judge.differing_call(found)
    if call is not None and call.differences:
        return call
    raise UserError(
        f"--explain {name}: {_why_not(found)}.\n"
        "Name a function that the report lists as changed or broken.",
        slug="no-difference",
    )


def _why_not(function: ContractFunction | None) -> str:
    if function is None:
        return "the test does not call it"
    if not function.compared:
        return f"none of its {function.calls} calls could be compared"
    return f"all {function.compared} compared calls do what they did, or what its contract says"


def _written(call: DifferingCall, name: str, versions: OpenedVersions) -> str:
    try:
        return call_test(call.view, call.function, list(call.differences), versions.bad)
    except NotWritableError as why:
        raise UserError(
            f"--explain {name}: its first differing call cannot be run alone: {why}.\n{_ADVICE}",
            slug="call-not-repeatable",
        ) from None


def _explained(
    request: ContractRequest, versions: OpenedVersions, call: DifferingCall, name: str,
    watcher: Watcher,
) -> Explanation:  # fmt: skip
    python = next(iter(call.view.bad_process.command), "python")
    commands = replace(request.commands, test=f"{shlex.quote(python)} {TEST_FILE}")
    isolate = IsolateRequest(str(versions.good), str(versions.bad), commands, request.repo)
    try:
        return explain_failure(ExplainRequest(isolate), watcher)[0]
    except UserError as error:
        if error.slug not in ("good-fails", "bad-passes"):
            raise
        what = str(error).partition("\n")[0]
        raise UserError(
            f"--explain {name}: run alone, its first differing call does not differ in this way: "
            f"it depends on more than its recorded state.\n{what}\n{_ADVICE}",
            slug="call-not-repeatable",
        ) from None
