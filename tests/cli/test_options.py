"""Do the options of `whence isolate` do what their help says?"""

from __future__ import annotations

import pytest

from whence.search.isolate import METHODS

from .prompt import User, check_found


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_only_change(user: User, method: str) -> None:
    user.write("bad/words", "a\nb\n")
    user.write("bad/numbers", "1\n2\n3\n44\n5\n")
    result = user.isolate("--method", method)
    assert (result.status, result.err.count("Traceback")) == (0, 0), result
    assert result.out.startswith("1 change of 1 broke the test.")


def test_stored_outcomes_are_used_unless_fresh_is_given(user: User) -> None:
    check_found(user.isolate())
    again, afresh = user.isolate(), user.isolate("--fresh")
    check_found(again)
    check_found(afresh)
    assert "known from earlier runs" in again.out
    assert "known from earlier runs" not in afresh.out


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e400", "0"])
@pytest.mark.parametrize("option", ["--timeout", "--max-time"])
def test_a_time_is_a_number_of_seconds(user: User, option: str, seconds: str) -> None:
    result = user.isolate(option, seconds)
    assert (result.status, result.err.count("Traceback")) == (2, 0), result
    assert f"Invalid value for '{option}'" in result.err
