"""Does whence cope with badly behaved tests?"""

from __future__ import annotations

import time

from .prompt import TEST, User, check_found, check_refused


def test_a_test_that_prints_without_end_is_stopped(user: User) -> None:
    started = time.monotonic()
    result = user.isolate(test=f"{TEST} || yes")
    check_refused(result, "(bad) cannot be tested", "printed too much output", slug="bad-is-broken")
    assert time.monotonic() - started < 30


def test_a_test_may_print_bytes_that_are_not_text(user: User) -> None:
    noise = r"printf '\377\376 \200\0'; printf '\377[/bold]\n' >&2"
    check_found(user.isolate("--oracle", "output", test=f"{noise}; {TEST}"))


def test_a_test_gets_an_empty_standard_input(user: User) -> None:
    check_found(user.isolate(test=f'test -z "$(cat)" && {TEST}'))


def test_processes_that_a_test_leaves_behind_do_not_delay_whence(user: User) -> None:
    started = time.monotonic()
    check_found(user.isolate(test=f"sleep 50 & sleep 51 >/dev/null 2>&1 & {TEST}"))
    assert time.monotonic() - started < 45


def test_a_tree_may_lie_under_a_name_with_spaces(user: User) -> None:
    folder = user.kept / "a b 'c'"
    folder.mkdir()
    test = 'cd / && ! grep -q 44 {tree}/numbers && test -f "$WHENCE_TREE/words"'
    check_found(user.isolate(test=test, TMPDIR=str(folder)))
    assert list(folder.iterdir()) == []
