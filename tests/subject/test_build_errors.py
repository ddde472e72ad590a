"""Is the first error of a failed build found, whatever tool printed it?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.subject.build_errors import first_error

TREE = Path("/scratch/tree")
ERRORS = {
    "clang": "x.c:3:5: error: use of undeclared identifier 'y'",
    "gcc": "x.c:3:5: error: ‘y’ undeclared (first use in this function)",  # noqa: RUF001
    "a missing header": "x.c:1:10: fatal error: 'gone.h' file not found",
    "rustc": "error[E0425]: cannot find value `y` in this scope",
    "the driver": "clang: error: unknown argument: '-fno-such'",
    "ld": "/usr/bin/ld: x.o: in function `main': undefined reference to `gone'",
    "ld, a library": "/usr/bin/ld: cannot find -lgone: No such file or directory",
    "lld": "ld.lld: error: undefined symbol: gone",
    "configure": "configure: error: C compiler cannot create executables",
    "meson": "meson.build:1:0: ERROR: Dependency lookup for gone failed",
    "a missing program": "/bin/sh: 1: bison: not found",
}
BEFORE = """\
checking for error.h... yes
cc -c x.c
x.c:2:1: warning: unused variable; error: would be worse [-Wunused]
In file included from x.c:1:
"""
AFTER = """
    3 |   y = 1;
collect2: error: ld returned 1 exit status
x.c:9:1: error: a later one
make: *** [Makefile:2: x.o] Error 1
"""


@pytest.mark.parametrize("tool", ERRORS)
def test_the_first_error_is_found(tool: str) -> None:
    text = BEFORE + ERRORS[tool] + AFTER
    assert first_error(text, TREE) == ERRORS[tool]


def test_the_message_of_cmake_is_in_the_lines_below() -> None:
    text = "-- found\nCMake Error at CMakeLists.txt:3 (message):\n\n  needs a newer zlib\n\n\n"
    assert (
        first_error(text, TREE) == "CMake Error at CMakeLists.txt:3 (message): needs a newer zlib"
    )


def test_a_path_is_shown_relative_to_the_tree() -> None:
    text = f"{TREE}/src/x.c:3:5: error: no\n"
    assert first_error(text, TREE) == "src/x.c:3:5: error: no"


def test_the_complaint_of_make_is_better_than_nothing() -> None:
    rule = "make: *** No rule to make target 'y.c', needed by 'y.o'.  Stop."
    assert first_error(f"cc -c x.c\n{rule}\n", TREE) == rule
    assert first_error("cc -c x.c\n", TREE) == first_error("", TREE) == ""


@given(st.text())
def test_any_output_can_be_read(text: str) -> None:
    found = first_error(text, TREE)
    assert "\n" not in found
    assert len(found) <= 301
