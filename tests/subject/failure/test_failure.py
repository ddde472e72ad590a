"""How is a run without a message read, when are failures the same, and can any output be read?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiling import CC
from whence.errors import UserError
from whence.model import Failure
from whence.subject.failure import check_same_failure, read_failure, same_failure

from .reading import TRACEBACK, read, run


def test_signals_are_crashes_but_sigabrt_is_an_abort(tree: Path) -> None:
    for status in (139, -11):
        found = read(tree, status=status)
        assert found == Failure("crash", "segmentation fault (SIGSEGV)", "SIGSEGV")
    assert read(tree, status=134).kind == "abort"
    assert read(tree, status=-9999).kind == "crash"


def test_a_signal_is_not_explained_by_an_exception_that_was_caught(tree: Path) -> None:
    assert (
        read(tree, TRACEBACK.format(tree=tree, line=1, address="0x1"), status=139).kind == "crash"
    )


def test_the_message_of_an_abort_has_its_reason(tree: Path) -> None:
    found = read(tree, "terminate called after throwing an instance of 'E'\n", status=134)
    assert found.signature == "SIGABRT terminate called after throwing an instance of 'E'"


def test_a_run_that_never_ends_is_a_timeout(tree: Path) -> None:
    found = read_failure(stdout="", stderr="x", status=-9, tree=tree, timed_out=True)
    assert (found.kind, found.signature) == ("timeout", "timeout")


def test_anything_else_is_its_exit_status(tree: Path) -> None:
    found = read(tree, "well\nit broke\n\n", stdout="out", status=3)
    assert found == Failure("exit", "exit status 3: it broke", "exit status 3")
    assert read(tree, stdout="out\n").message == "exit status 1: out"


def test_the_failures_of_real_programs_are_read(tree: Path) -> None:
    (tree / "src/main.c").write_text(
        "#include <assert.h>\nint main(int c, char **v) {\n  assert(c != 1);\n"
        "  return *(volatile int *)(c - 2L);\n}\n"
    )
    subprocess.run([*CC, "-g", "-w", "src/main.c", "-o", "prog"], cwd=tree, check=True)
    asserted = run(tree, "./prog")
    assert (asserted.kind, asserted.file, asserted.line) == ("assert", "src/main.c", 3)
    assert run(tree, "./prog", "x").message == "segmentation fault (SIGSEGV)"


# Comparing


def test_failures_are_the_same_by_signature_by_pattern_or_always() -> None:
    a, b = Failure("exit", "exit status 1: no", "1"), Failure("exit", "exit status 2: yes", "2")
    assert same_failure(a, a, "exact")
    assert not same_failure(a, b, "exact")
    assert same_failure(a, b, "any")
    assert same_failure(a, b, "y.s")
    assert same_failure(a, b, "^2$")
    assert not same_failure(a, b, "no")


def test_an_invalid_pattern_is_a_user_error() -> None:
    for good in ("exact", "any", "Seg.*"):
        check_same_failure(good)
    with pytest.raises(UserError, match="unterminated") as caught:
        check_same_failure("(oops")
    assert caught.value.slug == "bad-same-failure"


LIKELY = f"""\
{TRACEBACK}
{"=" * 70}
FAIL: x
=== FAILURES ===
_ x _
E   x
E     File "x", line 1
x.py:1: E
=== short test summary info ===
FAILED x
a.c:1: f: Assertion `x' failed
ERROR: ASanitizer: x
panic: x
goroutine 1
thread '' panicked at x:1:1:
  File "x", line 99999999999999
""".split("\n")


@given(st.lists(st.sampled_from(LIKELY) | st.text()), st.text(), st.integers())
def test_any_output_can_be_read(lines: list[str], stderr: str, status: int) -> None:
    found = read(Path("no/such/tree"), stderr, stdout="\n".join(lines), status=status)
    assert found.kind
    assert found.signature
