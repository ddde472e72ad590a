"""Which error does the user see if a reference run has an unexpected outcome?"""

from __future__ import annotations

import re

from whence.errors import UserError
from whence.model import Outcome, Run
from whence.subject.trial import BuildAndTest

_NETWORK = re.compile(
    r"gaierror|URLError|NewConnectionError|MaxRetryError|ConnectionRefusedError|"
    r"\bConnect(?:ion|ionError|Error|Timeout|TimeoutError)\b: |Network is unreachable|"
    r"No route to host|Name or service not known|failure in name resolution|Could not resolve host"
)


def good_fails(good: str, commands: BuildAndTest, run: Run) -> UserError:
    """Return the error for a good version that does not pass."""
    if run.outcome is Outcome.BROKEN:
        return UserError(
            f"The good version ({good}) {_what_broke(commands, run)}\n"
            "The good version must build and pass before anything can be compared.",
            slug="good-is-broken",
        )
    assert run.failure is not None
    if run.failure.kind == "timeout":
        return UserError(
            f"The test did not end within {commands.timeout:g} s on the good version ({good}).\n"
            f"We ran: {commands.test}\n{_indented(run.note)}\n"
            "Allow more time with --timeout, or check whether the test waits for something.",
            slug="good-is-slow",
        )
    if run.failure.signature == "exit status 127":  # the shell did not find the command
        return UserError(
            f"The test command was not found: {commands.test}\n{_indented(run.note)}\n"
            "/bin/sh runs it in the tree of the version; {tree} stands for the path of that tree. "
            "Give paths outside the tree as absolute paths.",
            slug="test-not-found",
        )
    if _NETWORK.search(run.failure.message):
        return UserError(
            f"The test seems to need the network, and fails on the good version ({good}) already: "
            f"{run.failure.message}\n"
            f"We ran: {commands.test}\n{_indented(run.note)}\n"
            "Run whence where the network can be reached, or let the test use a stored answer.",
            slug="needs-network",
        )
    how = "is flaky: it passes, then fails" if run.flaky else "fails"
    return UserError(
        f"The test {how} on the good version ({good}) already: {run.failure.message}\n"
        f"We ran: {commands.test}\n{_indented(run.note)}\n"
        "Choose an older version as --good, or correct the test command.",
        slug="good-fails",
    )


def bad_does_not_fail(bad: str, commands: BuildAndTest, run: Run) -> UserError:
    """Return the error for a bad version that does not fail."""
    if run.outcome is Outcome.BROKEN:
        return UserError(
            f"The bad version ({bad}) {_what_broke(commands, run)}\n"
            + (
                "To find out what broke the build, give the build as --test and leave --build out."
                if _broke_in_build(commands, run)
                else "On the bad version it must end, with a status other than 0 (pass) and 125 "
                "(cannot be judged)."
            ),
            slug="bad-is-broken",
        )
    return UserError(
        f"The test passes on the bad version ({bad}), so there is no failure to explain.\n"
        f"We ran: {commands.test}  ({_how_it_passes(commands)})\n"
        "If the versions are swapped, swap --good and --bad. If the test fails only sometimes, "
        "--confirm N runs it up to N times. If it fails only after other tests, let the command "
        "run those too.",
        slug="bad-passes",
    )


def _how_it_passes(commands: BuildAndTest) -> str:
    same_output = ", and the output of the good version" if commands.expected is not None else ""
    return f"exit status {commands.expected_status}{same_output}"


def _what_broke(commands: BuildAndTest, run: Run) -> str:
    reason, _, printed = run.note.partition("\n")
    in_build = _broke_in_build(commands, run)
    command = commands.build if in_build else commands.test
    problem = "does not build" if in_build else "cannot be tested"
    if in_build and commands.as_recorded:
        problem += " with whence-cc, which records it"
    return f"{problem}: {reason}.\nWe ran: {command}\n{_indented(printed)}"


def _broke_in_build(commands: BuildAndTest, run: Run) -> bool:
    return commands.build is not None and not run.built


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines()) or "    (it printed nothing)"
