"""Claims about reading failures: what is recognised, and what a signature may depend on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.errors import UserError
from whence.model import Failure
from whence.subject.failure import check_same_failure, read_failure, same_failure


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("pkg/core.py", "src/main.c", "src/lib.rs", "app.js", "main.go"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def read(tree: Path, stderr: str = "", *, stdout: str = "", status: int = 1) -> Failure:
    return read_failure(stdout=stdout, stderr=stderr, status=status, tree=tree)


def run(tree: Path, *command: str) -> Failure:
    """The failure of a command that is really run, in the tree."""
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return read(tree, done.stderr, stdout=done.stdout, status=done.returncode)


# Python


TRACEBACK = """\
Traceback (most recent call last):
  File "/elsewhere/test.py", line 2, in <module>
    a = core.get("2019", tz="UTC")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{tree}/pkg/core.py", line {line}, in get
    return make(*args)
           ^^^^^^^^^^^
TypeError: make() of <Maker object at {address}> takes 3 arguments in {tree}/pkg
"""


def test_a_traceback_is_the_innermost_frame_and_its_message(tree: Path) -> None:
    found = read(tree, TRACEBACK.format(tree=tree, line=262, address="0x7f00"))
    assert (found.kind, found.file, found.line) == ("exception", "pkg/core.py", 262)
    assert found.message.startswith("TypeError: make() of <Maker object at 0x7f00>")
    assert found.signature == (
        'TypeError in pkg/core.py:get from a = core.get("2019", tz="UTC")'
        " saying make() of <Maker object#> takes # arguments in pkg"
    )


def test_a_signature_stays_when_lines_addresses_and_the_tree_move(tree: Path) -> None:
    other = tree / "pkg" / "copy"
    a = read(tree, TRACEBACK.format(tree=tree, line=262, address="0x7f00"))
    b = read(other, TRACEBACK.format(tree=other, line=9, address="0x1234abcd"))
    assert a.signature == b.signature
    assert a != b


def test_an_assertion_is_told_by_its_source_line_not_by_its_values(tree: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "/t/test.py", line 4, in <module>\n'
    text += '    assert list(c) == ["a"], list(c)\n           ^^^^^^^^^^\nAssertionError: {}\n'
    a, b = read(tree, text.format("[None]")), read(tree, text.format("[1, 'a']"))
    assert a.kind == "assert"
    assert (a.file, a.line) == ("/t/test.py", 4)
    assert a.message == 'assert list(c) == ["a"], list(c): [None]'
    assert a.signature == b.signature
    assert a.signature.endswith('in test.py:<module> from assert list(c) == ["a"], list(c)')


def test_of_chained_exceptions_the_last_one_counts_and_ignored_ones_do_not(tree: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "x.py", line 1, in {}\n    {}\n{}: why\n'
    chained = text.format("a", "{}['k']", "KeyError") + "\nDuring handling of ...:\n\n"
    chained += text.format("b", "raise E", "mod.f.<locals>.E")
    ignored = "Exception ignored in: <function X.__del__>\n" + text.format("c", "c", "OSError")
    assert read(tree, chained + ignored).message == "mod.f.<locals>.E: why"


def test_a_syntax_error_has_a_file_but_no_function(tree: Path) -> None:
    text = f'  File "{tree}/pkg/core.py", line 2\n    return (\n           ^\n'
    found = read(tree, text + "SyntaxError: '(' was never closed\n")
    assert (found.file, found.line) == ("pkg/core.py", 2)
    assert found.signature.startswith("SyntaxError in pkg/core.py from")


def test_where_a_recursion_breaks_off_does_not_matter(tree: Path) -> None:
    frames = ['  File "x.py", line 1, in even\n', '  File "x.py", line 4, in odd\n']
    start = 'Traceback (most recent call last):\n  File "t.py", line 1, in <module>\n    even(0)\n'
    end = "  [Previous line repeated 996 more times]\nRecursionError: maximum depth 1000\n"
    a = read(tree, start + frames[0] + frames[1] + end)
    b = read(tree, start + frames[0] + frames[1] + frames[0] + end)
    assert a.signature == b.signature == "RecursionError from even(0) saying maximum depth #"


def test_an_exception_group_is_read_through_its_margin(tree: Path) -> None:
    text = f"""\
  + Exception Group Traceback (most recent call last):
  |   File "/t/eg.py", line 5, in <module>
  |     g()
  |   File "{tree}/pkg/core.py", line 2, in f
  |     raise ExceptionGroup("many", [ValueError("a")])
  | ExceptionGroup: many (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/t/eg.py", line 9, in deep
    | ValueError: a
    +------------------------------------
"""
    found = read(tree, text)
    assert (found.file, found.line) == ("pkg/core.py", 2)
    assert found.signature == (
        "ExceptionGroup in pkg/core.py:f from g() saying many (# sub-exception)"
    )


UNITTEST = """\
import unittest
from pkg.core import half
class T(unittest.TestCase):
    def test_half(self):
        self.assertEqual(half(4), 2)
    def test_gone(self):
        half(4).gone
    def test_fine(self):
        pass
if __name__ == "__main__":
    unittest.main()
"""


def test_unittest_failures_are_the_sorted_tests_with_their_exceptions(tree: Path) -> None:
    (tree / "pkg/core.py").write_text("def half(n):\n    return n // 2 + 1\n")
    (tree / "test_it.py").write_text(UNITTEST)
    found = run(tree, sys.executable, "-m", "unittest", "test_it")
    assert found.signature.startswith("unittest: test_gone (test_it.T")
    assert "AttributeError; test_half (test_it.T" in found.signature
    assert found.signature.endswith("AssertionError")
    assert (found.kind, found.file, found.line) == ("exception", "test_it.py", 7)
    assert "(and 1 more)" in found.message


PYTEST = """\
import pytest
from pkg.core import half
class TestHalf:
    @pytest.mark.parametrize("n", ["a - b", "c"])
    def test_half(self, n):
        assert half(4) == 2
def test_chain():
    try:
        {}["k"]
    except KeyError as error:
        raise RuntimeError("worse") from error
@pytest.fixture
def bad():
    half(4).gone
def test_bad(bad):
    pass
"""


@pytest.mark.parametrize("style", ["--tb=auto", "--tb=short", "--tb=native", "--tb=no"])
def test_pytest_failures_are_the_same_in_every_style(tree: Path, style: str) -> None:
    (tree / "pkg/core.py").write_text("def half(n):\n    return n // 2 + 1\n")
    (tree / "test_it.py").write_text(PYTEST)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--color=yes"]
    found = run(tree, *command, style, "test_it.py")
    assert found.signature == (
        "pytest: test_it.py::TestHalf::test_half[a - b] AssertionError; "
        "test_it.py::TestHalf::test_half[c] AssertionError; "
        "test_it.py::test_bad AttributeError; test_it.py::test_chain RuntimeError"
    )
    assert found.kind == "assert"
    if style != "--tb=no":
        assert (found.file, found.line) == ("test_it.py", 6)


def test_a_summary_cut_to_the_terminal_does_not_hide_the_exception(tree: Path) -> None:
    text = """\
=================================== FAILURES ===================================
__________________________________ test_boom ___________________________________

    def test_boom():
>       boom(3)

test_p.py:9: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

    def boom(d):
>       return d.frob
E       AttributeError: 'int' object has no attribute 'frob'

pkg/core.py:5: AttributeError
----------------------------- Captured stdout call -----------------------------
other.py:1: ValueError
=========================== short test summary info ============================
FAILED test_p.py::test_boom - Attrib...
1 failed in 0.58s
"""  # noqa: W291 - as pytest prints it
    found = read(tree, stdout=text)
    assert found.signature == "pytest: test_p.py::test_boom AttributeError"
    assert (found.file, found.line) == ("pkg/core.py", 5)


def test_a_module_that_pytest_cannot_import_is_a_failure_of_that_module(tree: Path) -> None:
    (tree / "test_it.py").write_text("import gone_for_good\n")
    found = run(tree, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py")
    assert found.signature == "pytest: test_it.py ModuleNotFoundError"
    assert (found.file, found.line) == ("test_it.py", 1)


# Native programs and other languages


@pytest.mark.parametrize(
    "text",
    [
        "prog: src/main.c:13: main: Assertion `c == 2' failed.",
        "some output prog: ../src/main.c:13: main: Assertion `c == 2' failed.\nAborted",
        "Assertion failed: c == 2 (src/main.c: main: 13)",
        "Assertion failed: c == 2, function main, file src/main.c, line 13.",
    ],
)
def test_a_c_assertion_is_its_file_function_and_expression(tree: Path, text: str) -> None:
    found = read(tree, text, status=134)
    assert (found.kind, found.file, found.line) == ("assert", "src/main.c", 13)
    assert found.signature == "assert in main.c:main that c == 2"
    assert "c == 2" in found.message


def test_a_cplusplus_assertion_keeps_its_whole_function(tree: Path) -> None:
    text = "p: src/main.c:13: int ns::f(int, char**): Assertion `a::b(1)' failed."
    assert "main.c:int ns::f(int, char**) that a::b(1)" in read(tree, text).signature


def test_a_sanitizer_report_is_its_first_frame_in_the_tree(tree: Path) -> None:
    text = f"""\
==130==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x5556
READ of size 1 at 0x602000000011 thread T0
    #0 0x5556f5eca365 in memcpy ../libsanitizer/memcpy.inc:58
    #1 0x5556f5eca365 in copy(char*, int) {tree}/src/main.c:3:7
    #2 0x7efcee845249 in main {tree}/src/main.c:9

freed by thread T0 here:
"""
    found = read(tree, text)
    assert (found.kind, found.file, found.line) == ("crash", "src/main.c", 3)
    assert found.signature == (
        "AddressSanitizer: heap-use-after-free in src/main.c:copy(char*, int)"
    )


def test_undefined_behaviour_is_told_without_its_values(tree: Path) -> None:
    text = "src/main.c:3:158: runtime error: signed integer overflow: 4 + 2147483647 is too much"
    found = read(tree, text)
    assert (found.kind, found.file, found.line) == ("crash", "src/main.c", 3)
    assert "overflow: # + # is too much in src/main.c" in found.signature


@pytest.mark.parametrize(
    ("text", "kind", "file", "signature"),
    [
        (
            "thread 'main' (14) panicked at src/lib.rs:1:91:\nthe len is 1 but the index is 4",
            "exception",
            "src/lib.rs",
            "panic main: the len is # but the index is # in src/lib.rs",
        ),
        (
            "thread 't::a' panicked at 'assertion failed: x', src/lib.rs:1:9",
            "assert",
            "src/lib.rs",
            "panic t::a: assertion failed: x in src/lib.rs",
        ),
        (
            "panic: index out of range [5]\n\ngoroutine 1 [running]:\nmain.f()\n"
            "\t/usr/lib/go/rt.go:7 +0x1\n\tmain.go:1 +0x1d",
            "exception",
            "main.go",
            "panic: index out of range [#] in main.go",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    main.go:1: got 3\nFAIL\n",
            "assert",
            "main.go",
            "go test: TestSum",
        ),
        (
            "\nTypeError: x 3\n    at node:internal/a:1:2\n    at go (app.js:1:7)\n\nNode.js v20",
            "exception",
            "app.js",
            "TypeError: x # in app.js",
        ),
        (
            'Exception in thread "main" java.lang.RuntimeException: bad 12\n\tat K.main(K.java:1)',
            "exception",
            "K.java",
            "java.lang.RuntimeException: bad # in K.java",
        ),
    ],
)
def test_other_languages(tree: Path, text: str, kind: str, file: str, signature: str) -> None:
    found = read(tree, text)
    assert found.kind == kind
    assert found.signature == signature
    assert (found.file, found.line) == (file, 1)


def test_which_rust_test_panics_first_does_not_matter(tree: Path) -> None:
    a = "thread 'a' panicked at src/lib.rs:1:9:\nboom\n"
    b = "thread 'b' panicked at src/lib.rs:5:9:\nbang\n"
    assert read(tree, a + b) == read(tree, b + a)


# Signals, time and exit statuses


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


def test_an_abort_says_why(tree: Path) -> None:
    found = read(tree, "terminate called after throwing an instance of 'E'\n", status=134)
    assert found.signature == "SIGABRT terminate called after throwing an instance of 'E'"


def test_a_run_that_never_ends_is_a_timeout(tree: Path) -> None:
    found = read_failure(stdout="", stderr="x", status=-9, tree=tree, timed_out=True)
    assert (found.kind, found.signature) == ("timeout", "timeout")


def test_anything_else_is_its_exit_status(tree: Path) -> None:
    found = read(tree, "well\nit broke\n\n", stdout="out", status=3)
    assert found == Failure("exit", "exit status 3: it broke", "exit status 3")
    assert read(tree, stdout="out\n").message == "exit status 1: out"


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_real_programs_fail_as_we_read_them(tree: Path) -> None:
    (tree / "src/main.c").write_text(
        "#include <assert.h>\nint main(int c, char **v) {\n  assert(c != 1);\n"
        "  return *(volatile int *)(c - 2L);\n}\n"
    )
    subprocess.run(["cc", "-g", "-w", "src/main.c", "-o", "prog"], cwd=tree, check=True)
    asserted = run(tree, "./prog")
    assert (asserted.kind, asserted.file, asserted.line) == ("assert", "src/main.c", 3)
    assert run(tree, "./prog", "x").message == "segmentation fault (SIGSEGV)"


# Comparing


def test_failures_are_the_same_exactly_or_anyhow_or_by_a_pattern() -> None:
    a, b = Failure("exit", "exit status 1: no", "1"), Failure("exit", "exit status 2: yes", "2")
    assert same_failure(a, a, "exact")
    assert not same_failure(a, b, "exact")
    assert same_failure(a, b, "any")
    assert same_failure(a, b, "y.s")
    assert same_failure(a, b, "^2$")
    assert not same_failure(a, b, "no")


def test_a_pattern_that_is_none_is_a_users_mistake() -> None:
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
