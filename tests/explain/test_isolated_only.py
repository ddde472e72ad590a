"""Are the changes isolated, with a reason, if the failing run cannot be recorded?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.explain.explaining import GCC, ExplainedPair, explain

SHELL = """
    == run.sh
     #!/bin/sh
     who=world
    -greeting=hello  # good
    +greeting=hallo  # bad
     echo "$greeting $who"
    == notes.txt
    -one
    +two
"""
PROGRAM = """
     #include <assert.h>
     static int twice(int x) {
    -    return 2 * x;  // [fault]
    +    return 3 * x;  // [fault]
     }
     int main(void) {
         assert(twice(4) == 8);  // [fails]
         return 0;
     }
"""


def isolated(answer: ExplainedPair, *words: str) -> None:
    """Check that there is a root, no chain without a gap, and a reason with these words."""
    assert answer.result.status == "isolated"
    assert not answer.chain or any(link.gap for link in answer.chain)
    assert answer.result.reason is not None
    for word in words:
        assert word in answer.result.reason


def test_a_project_without_c_is_isolated(tmp_path: Path) -> None:
    answer = explain(
        tmp_path, SHELL, 'test "$(sh run.sh)" = "hello world"', build=None, harmless=False
    )
    isolated(answer, "neither C or C++ nor Python")
    assert answer.root == {"run.sh:3"}


def test_without_a_front_end_it_only_isolates(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, frontend="none")
    isolated(answer, "--frontend none")
    assert answer.root == {"fault"}


needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="needs a compiler called cc")


@needs_cc
def test_a_build_that_calls_another_compiler_by_its_path_is_isolated(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, build=f"{shutil.which('cc')} -g -w -o program program.c")
    isolated(answer, "record")
    assert answer.root == {"fault"}


@needs_cc
@pytest.mark.parametrize(
    ("build", "test"),
    [
        ("cc -g -w -o program program.c", "./program"),
        # the linker has a variable of its own in many Makefiles
        ("$CC -g -w -c program.c && cc -o program program.o", "./program"),
        (None, "cc -g -w -o program program.c && ./program"),
    ],
)
def test_a_build_that_names_its_compiler_is_explained(
    tmp_path: Path, build: str | None, test: str
) -> None:
    answer = explain(tmp_path, PROGRAM, test, build=build)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.links == ["fault", "fails"]


def test_a_program_that_the_test_does_not_build_or_run_is_isolated(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, "grep -q '2 . x' program.c", build=None)
    isolated(answer, "record")
    assert answer.root == {"fault"}


def test_a_build_without_debug_information_is_explained(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, build=GCC.replace("-g ", ""))
    assert answer.result.status == "explained"
    assert answer.links == ["fault", "fails"]


def test_an_optimised_build_is_explained(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, build=GCC.replace("-g ", "-g -O2 "))
    assert answer.result.status == "explained"
    assert answer.links == ["fault", "fails"]


DATA = """
    == settings
     [limits]
    -most = 7
    +most = 5
     least = 2
    == names
    -a
    +b
"""
OUTSIDE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[80];
    int most = 0;
    FILE *file = fopen(argv[1], "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "most = ", 7) == 0)
            most = atoi(line + 7);
    if (most < 7)
        return 1;
    return 0;
}
"""


@pytest.mark.parametrize("frontend", ["auto", "c"])
def test_a_c_program_outside_the_tree_that_reads_it_is_isolated(
    tmp_path: Path, frontend: str
) -> None:
    (tmp_path / "reads.c").write_text(OUTSIDE)
    answer = explain(
        tmp_path,
        DATA,
        "./reads settings",
        build=f"$CC -g -w -o reads {tmp_path}/reads.c",
        harmless=False,
        frontend=frontend,
    )
    isolated(answer)
    assert answer.root == {"settings:2"}
