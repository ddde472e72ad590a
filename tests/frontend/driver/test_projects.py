"""Do whole projects build with whence-cc as their compiler, whatever build system they use?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.frontend.driver.toolchain import Toolchain

MAIN = '#include <stdio.h>\n#include "lib.h"\nint main(void) { printf("%d\\n", one() + two()); }\n'
LIBRARY = {
    "main_c": MAIN,
    "one_c": '#include "lib.h"\nint one(void) { return ONE; }\n',
    "two_c": '#include "lib.h"\nint two(void) { return 2; }\n',
    "lib_h": "#define ONE 1\nint one(void);\nint two(void);\n",
}
MAKEFILE = """
CFLAGS = -O2 -Wall -MMD -MP
prog: main.o libboth.a
\t$(CC) $(CFLAGS) main.o libboth.a -o $@
libboth.a: one.o two.o
\t$(AR) rcs $@ one.o two.o
-include main.d one.d two.d
"""
CMAKE = """
cmake_minimum_required(VERSION 3.10)
project(demo C)
include(CheckFunctionExists)
check_function_exists(printf HAS_PRINTF)
add_library(one STATIC one.c)
add_library(two SHARED two.c)
add_executable(prog main.c)
target_link_libraries(prog one two)
"""
CONFIGURE = """#!/bin/sh
set -e
tries() { cat > conftest.c; $CC conftest.c -o conftest $1 2>> config.log && ./conftest; }
echo 'int main(void) { return sizeof(void *) != 8; }' | tries
if echo 'int main(void) { return no_such_function(); }' | tries; then exit 1; fi
if echo 'int main(void) { return 0; }' | tries -lno_such_library; then exit 1; fi
$CC -E conftest.c > conftest.i
echo "CC = $CC" > config.mk
rm -f conftest*
"""


def test_make_in_parallel(tools: Toolchain) -> None:
    tools.write(**LIBRARY)
    (tools.tree / "Makefile").write_text(MAKEFILE)
    assert tools.sh("make -j2").status == 0
    assert tools.sh("./prog", SHOW="1").out == "registered\n" * 3 + "3\n"
    assert len(tools.journal()) == 4  # no line is mixed with another
    assert tools.sh("make -q").status == 0
    tools.write(lib_h=LIBRARY["lib_h"].replace("ONE 1", "ONE 5"))
    assert tools.sh("make -j2").status == 0
    assert tools.sh("./prog").out == "7\n"


def test_plain_make_records_nothing(tools: Toolchain) -> None:
    tools.write(**LIBRARY)
    (tools.tree / "Makefile").write_text(MAKEFILE)
    assert tools.sh("make", mode="plain").status == 0
    assert tools.sh("./prog", SHOW="1").out == "3\n"
    assert not (tools.home / "modules").exists()


def test_a_second_tree_compiles_only_what_differs(tools: Toolchain, tmp_path: Path) -> None:
    other = tools.elsewhere(tmp_path / "other")
    for place in (tools, other):
        place.write(**LIBRARY)
        (place.tree / "Makefile").write_text(MAKEFILE)
    other.write(two_c='#include "lib.h"\nint two(void) { return 3; }\n')
    assert tools.sh("make", WHENCE_TREE=str(tools.tree)).status == 0
    assert other.sh("make", WHENCE_TREE=str(other.tree)).status == 0
    assert other.compiled() == {"main.c": True, "one.c": True, "two.c": False}
    assert other.sh("./prog").out == "4\n"


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="no cmake here")
def test_cmake_and_ninja(tools: Toolchain) -> None:
    tools.write(**LIBRARY)
    (tools.tree / "CMakeLists.txt").write_text(CMAKE)
    done = tools.sh("cmake -G Ninja -S . -B build && ninja -C build")
    assert done.status == 0, done.out + done.err
    assert "HAS_PRINTF" in (tools.tree / "build" / "CMakeCache.txt").read_text()
    assert tools.sh("build/prog", SHOW="1").out == "registered\n" * 3 + "3\n"
    assert set(tools.compiled()) == {"main.c", "one.c", "two.c"}  # but no probe


def test_a_configure_script(tools: Toolchain) -> None:
    tools.write(**LIBRARY)
    (tools.tree / "configure").write_text(CONFIGURE)
    (tools.tree / "Makefile").write_text("include config.mk\n" + MAKEFILE)
    done = tools.sh("sh ./configure && make")
    assert done.status == 0, done.err
    assert "no_such_function" in (tools.tree / "config.log").read_text()
    assert set(tools.compiled()) == {"main.c", "one.c", "two.c"}
    assert tools.sh("./prog").out == "3\n"


DEPENDENCY_OPTIONS = [
    "-MD", "-MMD", "-MMD -MF x.d", "-MD -MFx.d -MP", "-MMD -MT target -MF x.d", "-MMD -MQ a$b",
    "-MD -o sub/one.o", "-MMD -MP -MF sub/x.d -o sub/one.o", "-Wp,-MMD,x.d",
]  # fmt: skip


@pytest.mark.parametrize("options", DEPENDENCY_OPTIONS)
def test_dependencies_are_written_as_by_the_plain_compiler(tools: Toolchain, options: str) -> None:
    tools.write(**LIBRARY)
    written = {}
    for mode in ("plain", "record"):
        tools.sh("rm -rf sub *.d; mkdir sub")
        assert tools.cc("-c", *options.split(), "one.c", mode=mode).status == 0
        written[mode] = {path.name: path.read_text() for path in tools.tree.rglob("*.d")}
    assert "lib.h" in "".join(written["plain"].values())
    assert written["record"] == written["plain"]


def test_a_precompiled_header(tools: Toolchain) -> None:
    tools.write(**LIBRARY)
    build = """
$CC -O2 -x c-header lib.h -o lib.h.pch && $CC -O2 -include lib.h -c one.c two.c &&
$CC -O2 main.c one.o two.o -o prog
"""
    done = tools.sh(build)
    assert done.status == 0, done.err
    assert tools.sh("./prog", SHOW="1").out == "registered\n" * 3 + "3\n"
    tools.write(lib_h=LIBRARY["lib_h"].replace("ONE 1", "ONE 5"))
    assert tools.sh(build).status == 0
    # the header is not in the preprocessed text, so the cache is not used
    assert tools.sh("./prog").out == "7\n"
