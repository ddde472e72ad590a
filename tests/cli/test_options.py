"""Do options do what their help says?"""

from __future__ import annotations

from .prompt import User, check_found


def test_what_is_known_is_used_unless_a_fresh_start_is_asked_for(user: User) -> None:
    check_found(user.isolate())
    again, afresh = user.isolate(), user.isolate("--fresh")
    check_found(again)
    check_found(afresh)
    assert "known from before" in again.out
    assert "known from before" not in afresh.out
