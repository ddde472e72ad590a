"""Do CMake, meson, autoconf and make get the answers and the programs that they ask whence-cc for?

The projects are small, and each uses what real projects use: checks of functions, headers, types
and options, static and shared libraries, a version script, dependency files, C and C++ together.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from pathlib import Path

import pytest

from tests.frontend.driver.toolchain import Done, Toolchain

TOOLS = Path(sys.executable).parent  # pip installs cmake, meson and ninja here
PATH = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
SOURCES = {
    "main.c": """
#include <math.h>
#include <stdio.h>
#include "config.h"
#include "lib.h"
int main(int argc, char **argv) {
    printf("%d %d %g %s\\n", one(), two(), sqrt(argc * 4.0), CONFIGURED);
    return 0;
}
""",
    "lib.h": """
#ifdef __cplusplus
extern "C" {
#endif
int one(void);
int two(void);
#ifdef __cplusplus
}
#endif
""",
    "one.c": '#include "lib.h"\nint one(void) { return 1; }\nint hidden(void) { return 9; }\n',
    "two.cc": '#include <string>\n#include "lib.h"\n'
    'int two(void) { return (int)std::string("ab").size(); }\n',
    "two.c": '#include "lib.h"\nint two(void) { return 2; }\n',
    "one.map": "V1 { global: one; local: *; };\n",
}
CMAKE = """
cmake_minimum_required(VERSION 3.15)
project(demo C CXX)
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckFunctionExists)
include(CheckIncludeFile)
include(CheckSymbolExists)
include(CheckTypeSize)
check_function_exists(printf HAS_PRINTF)
check_function_exists(no_such_function HAS_NOTHING)
check_symbol_exists(EOF stdio.h HAS_EOF)
check_include_file(no_such_header.h HAS_NO_HEADER)
check_type_size("long" SIZE_OF_LONG)
check_c_compiler_flag(-Wall HAS_WALL)
check_c_compiler_flag(-fno-such-flag HAS_NO_SUCH_FLAG)
check_c_source_compiles("int main(void) { return bad bad; }" HAS_BAD)
find_package(Threads REQUIRED)
set(found "${HAS_PRINTF}${HAS_EOF}${HAS_WALL} ${SIZE_OF_LONG}")
file(WRITE config.h "#define CONFIGURED \\"${found}\\"\\n")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(one SHARED one.c)
target_link_options(one PRIVATE "LINKER:--version-script=${CMAKE_SOURCE_DIR}/one.map")
add_library(two STATIC two.cc)
add_executable(prog main.c)
target_include_directories(prog PRIVATE .)
target_link_libraries(prog one two m Threads::Threads)
"""
MESON = """
project('demo', 'c', 'cpp', default_options: ['warning_level=2', 'c_std=c99'])
cc = meson.get_compiler('c')
assert(cc.get_id() == 'clang')
assert(cc.has_function('printf'))
assert(not cc.has_function('no_such_function'))
assert(cc.has_header('stdio.h') and not cc.has_header('no_such_header.h'))
assert(cc.has_header_symbol('stdio.h', 'EOF'))
assert(cc.has_member('struct stat', 'st_size', prefix: '#include <sys/stat.h>'))
assert(not cc.compiles('int main(void) { return bad bad; }'))
assert(cc.links('int main(void) { return 0; }'))
assert(cc.has_argument('-Wall') and not cc.has_argument('-fno-such-flag'))
assert(cc.has_link_argument('-Wl,--as-needed'))
assert(cc.get_define('__STDC__') == '1')
conf = configuration_data()
conf.set_quoted('CONFIGURED', '111 @0@'.format(cc.sizeof('long')))
configure_file(output: 'config.h', configuration: conf)
script = meson.current_source_dir() / 'one.map'
one = shared_library('one', 'one.c', link_args: '-Wl,--version-script=' + script)
two = static_library('two', 'two.cc')
executable('prog', 'main.c', link_with: [one, two], dependencies: [
    cc.find_library('m'), dependency('threads')])
"""
CONFIGURE_AC = """
AC_INIT([demo], [1])
AC_PROG_CC
AC_PROG_RANLIB
AC_CHECK_HEADERS([stdio.h no_such_header.h])
AC_CHECK_FUNCS([printf no_such_function])
AC_SEARCH_LIBS([sqrt], [m])
AC_CHECK_SIZEOF([long])
AC_C_CONST
AC_C_INLINE
AC_C_BIGENDIAN
AC_TYPE_SIZE_T
AC_CHECK_DECLS([EOF, no_such_name], [], [], [[#include <stdio.h>]])
AC_COMPILE_IFELSE([AC_LANG_SOURCE([int main(void) { return bad bad; }])], [AC_MSG_ERROR([bad])])
test "$ac_cv_func_printf,$ac_cv_func_no_such_function" = yes,no || AC_MSG_ERROR([functions])
test "$ac_cv_header_stdio_h,$ac_cv_header_no_such_header_h" = yes,no || AC_MSG_ERROR([headers])
test "$ac_cv_have_decl_EOF,$ac_cv_have_decl_no_such_name" = yes,no || AC_MSG_ERROR([names])
test "$ac_cv_c_bigendian" = no || AC_MSG_ERROR([endian])
AC_DEFINE_UNQUOTED([CONFIGURED], ["111 $ac_cv_sizeof_long"], [configured])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
# The probes of a configure script that autoconf writes, for machines without autoconf.
CONFIGURE = r"""#!/bin/sh
set -e
fails() { echo "configure: error: $1" >&2; exit 1; }
try() { cat > conftest.c; eval "$1" >> config.log 2>&1; }
$CC --version > config.log
$CC -v >> config.log 2>&1
if $CC -V >> config.log 2>&1; then fails "-V"; fi
echo 'int main(void) { return 0; }' | try '$CC conftest.c'
test -f a.out || fails "no a.out"
./a.out
$CC -o conftest conftest.c && ./conftest
$CC -c conftest.c && test -f conftest.o
echo '#include <no_such_header.h>' | try '$CC -E conftest.c' && fails headers
echo '#include <stdio.h>' | try '$CC -E conftest.c' || fails headers
echo 'char no_such_function(void); int main(void) { return no_such_function(); }' |
    try '$CC -o conftest conftest.c' && fails functions
echo 'char printf(void); int main(void) { return printf(); }' |
    try '$CC -o conftest conftest.c' || fails functions
echo 'char sqrt(void); int main(void) { return sqrt(); }' |
    try '$CC -o conftest conftest.c -lm' || fails libraries
echo 'int main(void) { static int test[1 - 2 * !(sizeof(long) == 8)]; return test[0]; }' |
    try '$CC -c conftest.c' && size=8 || size=4
echo 'int main(void) { return bad bad; }' | try '$CC -c conftest.c' && fails bad
rm -f conftest* a.out
echo "#define CONFIGURED \"111 $size\"" > config.h
sed -e "s|@CC@|$CC|; s|@LIBS@|-lm|; s|@CFLAGS@|-g -O2|; s|@RANLIB@|:|" Makefile.in > Makefile
"""
MAKEFILE_IN = """
CC = @CC@
CFLAGS = @CFLAGS@ -MMD -MP -MF $*.dep -MQ $@
.c.o:
\t$(CC) $(CFLAGS) -I. -c $< -o $@
prog: main.o libboth.a
\t$(CC) $(CFLAGS) -o $@ main.o -Wl,--start-group libboth.a -Wl,--end-group @LIBS@
libboth.a: one.o two.o
\t$(AR) cr $@ one.o two.o
\t@RANLIB@ $@
-include main.dep one.dep two.dep
"""


@pytest.fixture(params=["plain", "record"])
def mode(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


def write(tools: Toolchain, **more: str) -> None:
    for name, text in {**SOURCES, **more}.items():
        (tools.tree / name).write_text(text)


def built(tools: Toolchain, script: str, mode: str) -> Done:
    done = tools.sh(script, mode=mode, PATH=PATH)
    assert done.status == 0, done.out + done.err
    return done


def check_program(tools: Toolchain, program: str, mode: str, sources: set[str]) -> None:
    """The program prints what it should, and exactly these sources of it are recorded."""
    assert tools.sh(program).out == "1 2 2 111 8\n"
    assert set(tools.compiled()) == (sources if mode == "record" else set())


def test_cmake(tools: Toolchain, mode: str) -> None:
    write(tools, **{"CMakeLists.txt": CMAKE})
    # -v shows every call; Debug, because a recorded C++ library is large otherwise
    built(tools, "cmake -G Ninja -S . -B b -DCMAKE_BUILD_TYPE=Debug && cmake --build b -v", mode)
    cache = (tools.tree / "b" / "CMakeCache.txt").read_text()
    for name in ("HAS_NOTHING", "HAS_NO_HEADER", "HAS_NO_SUCH_FLAG", "HAS_BAD"):
        assert re.search(rf"^{name}:INTERNAL=$", cache, re.M), name
    check_program(tools, "b/prog", mode, {"main.c", "one.c", "two.cc"})
    assert "hidden" not in tools.sh("nm -D b/libone.so").out  # the version script was used


def test_meson(tools: Toolchain, mode: str) -> None:
    write(tools, **{"meson.build": MESON})
    built(tools, "meson setup b && ninja -C b", mode)
    check_program(tools, "b/prog", mode, {"main.c", "one.c", "two.cc"})


@pytest.mark.parametrize("generated", [True, False])
def test_a_configure_script(tools: Toolchain, mode: str, generated: bool) -> None:
    if generated and not (shutil.which("autoconf") and shutil.which("autoheader")):
        pytest.skip("no autoconf here; the other script has the same probes")
    script = {"configure.ac": CONFIGURE_AC} if generated else {"configure": CONFIGURE}
    write(tools, **{"Makefile.in": MAKEFILE_IN}, **script)
    if generated:
        built(tools, "autoheader -f && autoconf -f", "plain")
    built(tools, "sh ./configure && make", mode)
    check_program(tools, "./prog", mode, {"main.c", "one.c", "two.c"})
    assert "lib.h" in (tools.tree / "main.dep").read_text()
    (tools.tree / "lib.h").touch()
    assert "one.c" in built(tools, "make", mode).out  # make knows the dependency


# -- single questions ------------------------------------------------------------------------------

LINES = SOURCES["one.c"]
# What is asked, and a pattern of the answer on standard output or standard error.
QUESTIONS = {
    "echo | $CC -E -dM -": r"#define __clang_major__ \d+",
    "echo | $CXX -x c++ -E -dM -": r"#define __cplusplus ",
    "echo YES | $CC -E -": r"^YES$",
    "$CC -E -x c /dev/null": r"",
    "$CC --version": r"clang version \d+",
    "$CC -dumpmachine": r"-linux-gnu",
    "$CC -dumpversion": r"^\d+",
    "$CC -print-search-dirs": r"libraries: =",
    "$CC -print-file-name=libm.so": r"libm\.so",
    "$CC -### -c one.c": r"-cc1",
    "$CC -v -c one.c": r"clang version",
    "$CC one.c -shared -fPIC -o libone.so -Wl,-soname,libone.so.1 && readelf -d libone.so":
        r"libone\.so\.1",
    "$CC -c one.c -o /dev/null && $CC -fsyntax-only one.c && echo fine": r"fine",
    "$CC -c -x c /dev/null -o empty.o && test -f empty.o && echo fine": r"fine",
    "$CC -flto -O2 -c one.c two.c && $CC -flto one.o two.o -shared -o l.so && echo fine": r"fine",
    "$CC -fsanitize=address --coverage -fopenmp one.c two.c -shared -fPIC -o s.so && echo fine":
        r"fine",
    "$CC -M one.c": r"one\.o: .*lib\.h",
    "$CC -MD -MF d -MQ 'a$b' -c one.c && cat d": r"a\$\$b: one\.c lib\.h",
    "echo '-c one.c -o r.o' > args && $CC @args && test -f r.o && echo fine": r"fine",
    "echo '.globl f\nf: ret' > f.s && cp f.s g.S && $CC -c f.s g.S && ls": r"f\.o\n(.*\n)*g\.o",
    "$CC -x c-header lib.h -o lib.h.gch && $CC -include lib.h -c one.c && echo fine": r"fine",
    "$CC -c one.c && $AR cr l.a one.o && $AR t l.a": r"one\.o",
}  # fmt: skip
REFUSED = [
    "$CC -E no-such-file.c", "$CC -c no-such-file.c", "$CC", "$CC -V", "$CC -qversion",
    "$CC one.c -lno_such_library -shared -o x.so", "$CC -fno-such-flag -c one.c -o conftest.o",
]  # fmt: skip


def test_questions_of_build_systems(tools: Toolchain, mode: str) -> None:
    write(tools)
    for question, pattern in QUESTIONS.items():
        done = tools.sh(question, mode=mode)
        assert done.status == 0, (question, done)
        assert re.search(pattern, done.out + done.err, re.M), (question, done)
    for question in REFUSED:
        assert tools.sh(question, mode=mode).status not in (0, 2), question
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_linker_is_the_systems(tools: Toolchain, mode: str) -> None:
    """Meson asks for the version of the linker to learn which options it takes."""
    write(tools)
    done = tools.sh("$CC -Wl,--version one.c", mode=mode)
    assert done.status == 0, done
    assert re.search(r"GNU ld|GNU gold|LLD|mold", done.out), done


def test_zigs_own_driver_reads_standard_input(tools: Toolchain) -> None:
    """It is the fallback on machines without gcc."""
    zig = pytest.importorskip("ziglang")
    command = f"{Path(zig.__file__).parent}/zig cc -fno-sanitize=all,undefined"
    done = tools.sh("echo | $CC -E -dM -", mode="plain", WHENCE_CLANG=command)
    assert "#define __clang__ 1" in done.out, done
