"""Which failures of Python, unittest and pytest are recognised, and by what signature?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .reading import TRACEBACK, read, run


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


def test_the_signature_of_an_assertion_has_its_source_line_but_no_values(tree: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "/t/test.py", line 4, in <module>\n'
    text += '    assert list(c) == ["a"], list(c)\n           ^^^^^^^^^^\nAssertionError: {}\n'
    a, b = read(tree, text.format("[None]")), read(tree, text.format("[1, 'a']"))
    assert a.kind == "assert"
    assert (a.file, a.line) == ("/t/test.py", 4)
    assert a.message == 'assert list(c) == ["a"], list(c): [None]'
    assert a.signature == b.signature
    assert a.signature.endswith('in test.py:<module> from assert list(c) == ["a"], list(c)')


def test_the_last_of_chained_exceptions_counts_and_ignored_ones_do_not(tree: Path) -> None:
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


def test_the_place_where_a_recursion_ends_does_not_matter(tree: Path) -> None:
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
