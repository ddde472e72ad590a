"""Which changes made a function behave differently, and how?

The failing test that is explained is "this call gives what it gave".  In Python it is a script that
makes the state in which the differing call started, calls the function, and asserts what the good
version gave.  In C and C++ it is the user's test, run with a function that checks this call.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any

from whence.contract.c_call_test import call_check
from whence.contract.c_checked_source import (
    BODY,
    CHOSEN,
    GIVEN,
    PREFIX,
    RESULT,
    THROWN,
    WATCH,
    NotCheckableError,
    checked_source,
)
from whence.contract.call_test import TEST_FILE, NotWritableError, call_test
from whence.contract.finding import HOW_TO_NAME, is_called_so, places_of, split_name
from whence.contract.judging import DifferingCall, Judge
from whence.contract.session import ContractRequest, ContractSession, OpenedVersions
from whence.errors import UserError
from whence.explain.session import ExplainRequest, explain_failure
from whence.model import ContractFunction, ContractResult, Explanation, Link
from whence.search.session import IsolateRequest, Watcher
from whence.subject.scratch import scratch_folder
from whence.subject.trial import BuildAndTest
from whence.trace.calls import CalledFunction
from whence.trace.function_pairs import FunctionSource

_ADVICE = "Write a test that shows the difference, and explain that: whence explain --test …"
_PRINTS = "the test prints what it prints on the good version\n"


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
        function = _named(versions, name)
        contracts = versions.contracts(request.contracts)
        judge = session.judge(versions, session.watched(versions), contracts)
        result = session.result_of(judge)
        call = _differing(result, judge, function, name)
        is_compiled = versions.language.is_compiled
        prepare = _checked_call if is_compiled else _written_script
        test = prepare(request.commands, call, name, versions)
        explanation = _explained(request, versions, test.commands, name, watcher)
        if test.inserted:
            explanation = _as_written(explanation, test.inserted, call.function)
        return ExplainedDifference(result, explanation, test.text)


@dataclass(frozen=True, slots=True)
class _PreparedTest:
    """A test that both versions can run: "this call gives what it gave"."""

    commands: BuildAndTest
    text: str  # for a person
    inserted: tuple[tuple[str, str], ...] = ()  # into sources: each text, and what it stands for


def _named(versions: OpenedVersions, name: str) -> FunctionSource:
    """Return the function that a name means; both versions must have it."""
    found = [each for each in versions.sources.pairs if is_called_so(each, name)]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise UserError(
            f"--explain {name}: several functions are called so: {places_of(found)}.\n"
            f"{HOW_TO_NAME}",
            slug="no-such-function",
        )
    known = sorted({each.name for each in versions.sources.pairs})
    near = get_close_matches(split_name(name)[1], known, 3)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    raise UserError(
        f"--explain {name}: both versions have no function with this name.{hint}\n"
        "Name it as the report does, such as Cart.total, or as FILE:NAME.",
        slug="no-such-function",
    )


def _differing(
    result: ContractResult, judge: Judge, function: FunctionSource, name: str
) -> DifferingCall:
    place = (function.file, function.first)
    found = next((each for each in result.functions if (each.file, each.line) == place), None)
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
    if function.compared == 1:
        return "its one compared call does what it did, or what its contract says"
    return f"all {function.compared} compared calls do what they did, or what its contract says"


def _written_script(
    commands: BuildAndTest, call: DifferingCall, name: str, versions: OpenedVersions
) -> _PreparedTest:
    """Write a script that makes the call alone."""
    try:
        test = call_test(call.view, call.function, list(call.differences), versions.bad)
    except NotWritableError as why:
        raise _not_repeatable(
            f"--explain {name}: its first differing call cannot be run alone: {why}.", _ADVICE
        ) from None
    for tree in (versions.good, versions.bad):
        (tree / TEST_FILE).write_text(test, "utf-8", "surrogateescape")
    python = next(iter(call.view.bad_process.command), "python")
    return _PreparedTest(replace(commands, test=f"{shlex.quote(python)} {TEST_FILE}"), test)


def _checked_call(
    commands: BuildAndTest, call: DifferingCall, name: str, versions: OpenedVersions
) -> _PreparedTest:
    """Have the functions of both versions check the call, if that is possible."""
    view = call.view
    good = view.good_process.functions[view.good.function]
    inserted: list[tuple[str, str]] = []
    try:
        if call.way != "aligned":
            raise NotCheckableError("no call of the good version's run starts in its state")
        check = call_check(view, call.differences)
        if check is None:
            return _PreparedTest(replace(commands, compares_output=True), _PRINTS)
        for tree, function in ((versions.good, good), (versions.bad, call.function)):
            path = tree / function.file
            found = checked_source(path.read_bytes(), function.file, function.line, check)
            path.write_bytes(found.content)
            inserted += found.inserted
    except (NotCheckableError, OSError) as why:
        raise _not_repeatable(
            f"--explain {name}: its first differing call cannot be checked: {why}.", _ADVICE
        ) from None
    return _PreparedTest(commands, check.words(call.function.name), tuple(inserted))


def _not_repeatable(*lines: str) -> UserError:
    return UserError("\n".join(lines), slug="call-not-repeatable")


def _explained(
    request: ContractRequest, versions: OpenedVersions, commands: BuildAndTest, name: str,
    watcher: Watcher,
) -> Explanation:  # fmt: skip
    isolate = IsolateRequest(str(versions.good), str(versions.bad), commands, request.repo)
    try:
        return explain_failure(ExplainRequest(isolate), watcher)[0]
    except UserError as error:
        if error.slug not in ("good-fails", "bad-passes"):
            raise
        what = str(error).partition("\n")[0]
        way = "checked" if versions.language.is_compiled else "run alone"
        raise _not_repeatable(
            f"--explain {name}: {way}, its first differing call does not differ in this way: "
            "it depends on more than its recorded state.",
            what,
            _ADVICE,
        ) from None


def _as_written(
    found: Explanation, inserted: Sequence[tuple[str, str]], function: CalledFunction
) -> Explanation:
    """Return an explanation without what was put into sources."""
    own = {
        (PREFIX, ""),
        (RESULT, "result"),
        (GIVEN, ""),
        (BODY, function.name),
        (THROWN, "exception"),
        (CHOSEN, "this call"),
    }
    longest = sorted({*inserted, *own}, key=lambda pair: -len(pair[0]))

    def shown(each: Any) -> Any:
        if isinstance(each, str):
            for text, original in longest:
                each = each.replace(text, original)
            return each
        if isinstance(each, bytes):
            return shown(each.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if isinstance(each, dict):
            return {shown(key): shown(value) for key, value in each.items()}
        if isinstance(each, tuple | list | frozenset) and not hasattr(each, "_fields"):
            return type(each)(map(shown, each))
        if is_dataclass(each) and not isinstance(each, type):
            values = {own.name: shown(getattr(each, own.name)) for own in fields(each) if own.init}
            return replace(each, **values)
        return each

    explanation: Explanation = shown(found)
    name = function.name.rpartition("::")[2]
    chain = (
        replace(link, function=name) if _is_body(link, function) else link
        for link in explanation.chain
    )
    return replace(explanation, chain=tuple(chain))


def _is_body(link: Link, function: CalledFunction) -> bool:
    """Is a link in the lambda that holds the body of a function of C++?"""
    is_ours = link.function == "operator()" or link.function.startswith((WATCH, "whence_tried"))
    return link.file == function.file and is_ours
