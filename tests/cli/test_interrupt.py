"""What is left of the work when the user presses Ctrl-C?"""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest

from .prompt import TEST, Said, User, isolating

SLOW = f"sleep 0.3; {TEST}"


def interrupt(user: User, when: str, *arguments: str) -> Said:
    """Press Ctrl-C soon after a line of progress that holds `when`."""
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
        assert time.monotonic() - pressed < 10
    user.check_untouched(before)
    return Said(process.returncode, out, seen + err)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_in_the_search_the_best_so_far_is_shown_and_the_rest_is_quick(
    user: User, jobs: str
) -> None:
    said = interrupt(user, "reverted: passes", "--jobs", jobs)
    assert (said.status, said.err.count("Traceback")) == (1, 0), said
    assert re.search("Not isolated: (2 changes|1 change) left of 3", said.out)
    assert "the same command continues from here" in said.out
    again = user.isolate("--json", "-", test=SLOW)
    whole = user.isolate("--json", "-", "--fresh", test=SLOW)
    assert again.status == whole.status == 0
    one, other = json.loads(again.out)["cost"], json.loads(whole.out)["cost"]
    assert one["runs"] < other["runs"]
    assert one["runs"] + one["cached"] == other["runs"]


@pytest.mark.parametrize("when", ["good version", "bad version"])
def test_before_the_search_there_is_nothing_to_show(user: User, when: str) -> None:
    said = interrupt(user, when)
    assert (said.status, said.out, said.err.count("Traceback")) == (130, "", 0)
    assert "The same command continues" in said.err
    assert said.err.endswith("[interrupted]\n")


def test_while_the_document_is_awaited_it_is_still_a_document(user: User) -> None:
    said = interrupt(user, "searching", "--json", "-")
    document = json.loads(said.out)
    assert document["status"] == "unexplained"
    assert document["reason"].startswith("interrupted")
