"""What does the user get after pressing Ctrl-C?"""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest

from .prompt import TEST, CommandResult, User, isolating

SLOW = f"sleep 0.3; {TEST}"


def interrupt(user: User, when: str, *arguments: str) -> CommandResult:
    """Press Ctrl-C soon after a line of progress that contains `when`."""
    before = user.state()
    with user.start(*isolating(SLOW), *arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        seen = ""
        for line in process.stderr:
            seen += line
            if when in line:
                break
        time.sleep(0.1)  # in the middle of the next run
        pressed = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert time.monotonic() - pressed < 50
    user.check_untouched(before)
    return CommandResult(process.returncode, out, seen + err)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_during_the_search_the_best_set_so_far_is_shown_and_kept(user: User, jobs: str) -> None:
    result = interrupt(user, "reverted: passes", "--jobs", jobs)
    assert (result.status, result.err.count("Traceback")) == (1, 0), result
    assert re.search("Not isolated: (2 changes|1 change) left of 3", result.out)
    assert "the same command continues from here" in result.out
    again = user.isolate("--json", "-", test=SLOW)
    whole = user.isolate("--json", "-", "--fresh", test=SLOW)
    assert again.status == whole.status == 0
    one, other = json.loads(again.out)["cost"], json.loads(whole.out)["cost"]
    assert one["runs"] < other["runs"]
    assert one["runs"] + one["cached"] == other["runs"]


def test_during_the_last_check_the_set_that_was_found_is_kept(user: User) -> None:
    result = interrupt(user, "checking the answer")
    assert (result.status, result.err.count("Traceback")) == (1, 0), result
    assert "Not isolated: 1 change left of 3" in result.out
    assert "the answer was not checked in a clean tree" in " ".join(result.out.split())


@pytest.mark.parametrize("when", ["good version", "bad version"])
def test_before_the_search_there_is_nothing_to_show(user: User, when: str) -> None:
    result = interrupt(user, when)
    assert (result.status, result.out, result.err.count("Traceback")) == (130, "", 0)
    assert "The same command continues" in result.err
    assert result.err.endswith("[interrupted]\n")


def test_with_json_an_interruption_still_prints_the_document(user: User) -> None:
    result = interrupt(user, "searching", "--json", "-")
    document = json.loads(result.out)
    assert document["status"] == "unexplained"
    assert document["reason"].startswith("interrupted")
