"""Does a patch change one store or one branch, at the one point of the run that it names?"""

from __future__ import annotations

import pytest

from tests.frontend.runtime.conftest import Record

STORE, BRANCH = 0x1000005, 0x1000007


@pytest.mark.parametrize(
    ("point", "action", "total"),
    [
        (STORE, "set=07000000", 0 + 1 + 7 + 3 + 4 + 300),  # 7 is odd
        (STORE, "xor=0101", 0 + 1 + 259 + 3 + 4 + 300),
        (BRANCH, "flip", 0 + 1 + 2 + 3 + 4 + 300),
        (STORE, "flip", 0 + 1 + 2 + 3 + 4 + 200),  # there is no branch there
        (STORE + 1, "set=07000000", 0 + 1 + 2 + 3 + 4 + 200),
    ],
)
def test_the_third_iteration_is_changed(
    record: Record, point: int, action: str, total: int
) -> None:
    plain = record("patches")
    assert plain.output == b"210\n"
    third = plain.stream.size - 2 * 7  # when mark(2) had been logged
    patched = record("patches", env={"WHENCE_PATCH": f"0:{third}:{point}:{action}"})
    assert patched.output == f"{total}\n".encode()
