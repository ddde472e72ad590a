"""Are programs built by whence-cc recorded, and do they behave as before?"""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path

import pytest

from tests.compiling import AR
from tests.frontend.driver.toolchain import Done, Toolchain
from whence.frontend.c.clang import compiler
from whence.frontend.c.zig_driver import uses_zig_driver

MAIN = '#include <stdio.h>\nint twice(int);\nint main(void) { printf("%d\\n", twice(21)); }\n'
TWICE = "int twice(int x) { return 2 * x; }\n"
CLASS = """
#include <stdio.h>
struct Noisy { Noisy(const char *n) { puts(n); } };
template <class T> struct Kept { static Noisy noisy; };
template <class T> Noisy Kept<T>::noisy("template");
inline Noisy shared("inline");
static Noisy plain("plain");
__attribute__((constructor(101))) static void early() { puts("early"); }
__attribute__((destructor)) static void late() { puts("late"); }
void *use() { return &Kept<int>::noisy; }
"""


def check_runs(tools: Toolchain, build: str, output: str, *, registered: int) -> Done:
    """The build succeeds, its ./prog prints `output`, and `registered` modules register."""
    built = tools.sh(build)
    assert (built.status, built.out) == (0, ""), built.err
    assert tools.sh("./prog").out == output
    assert tools.sh("./prog", SHOW="1").out.count("registered\n") == registered
    return built


def test_several_sources_become_one_program(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    check_runs(tools, "$CC -O2 main.c twice.c -o prog", "42\n", registered=2)
    assert set(os.listdir(tools.tree)) == {"main.c", "twice.c", "prog"}
    log = tools.journal()
    assert [Path(entry["source"]).name for entry in log[:2]] == ["main.c", "twice.c"]
    assert log[2] == {"link": f"{tools.tree}/prog"}


CALLER = MAIN.replace("int twice(int);", "")
INLINE_HEADER = """
inline int twice(int x)
{
    return __builtin_expect(x > 100, 0) ? 0 : 2 * x;
}
"""


@pytest.mark.parametrize("word", ["inline", "__inline", "__inline__"])
def test_an_inline_function_without_definition_links_if_the_user_optimises(
    tools: Toolchain, word: str
) -> None:
    """C99 wants a definition in another source; gcc -O1 builds without one."""
    header = INLINE_HEADER.replace("inline", word)
    tools.write(twice_h=header, main_c='#include "twice.h"\n' + CALLER, more_c='#include "twice.h"')
    check_runs(tools, "$CC -O1 main.c more.c -o prog", "42\n", registered=2)
    assert all("@twice" in text for text in module_texts(tools, "main.c"))
    refused = tools.sh("$CC -O1 -O0 main.c more.c -o prog")
    assert "undefined reference" in refused.err


def test_a_definition_of_an_inline_function_in_another_source_is_the_one_that_runs(
    tools: Toolchain,
) -> None:
    other = "int twice(int x) { return 2 * x; }\n"
    tools.write(twice_h=INLINE_HEADER, main_c='#include "twice.h"\n' + CALLER, other_c=other)
    check_runs(tools, "$CC -O2 main.c other.c -o prog", "42\n", registered=2)


def module_texts(tools: Toolchain, source: str) -> list[str]:
    modules = [e["module"] for e in tools.journal() if e.get("source", "").endswith(source)]
    folder = tools.home / "modules"
    return [gzip.decompress((folder / f"{name}.ll.gz").read_bytes()).decode() for name in modules]


def test_a_module_is_stored_with_its_description_and_text(tools: Toolchain) -> None:
    tools.write(twice_c=TWICE)
    assert tools.cc("-c", "twice.c").status == 0
    (entry,) = tools.journal()
    modules = tools.home / "modules"
    assert (modules / f"{entry['module']}.npz").read_bytes() == b"npz of record"
    assert b"define" in gzip.decompress((modules / f"{entry['module']}.ll.gz").read_bytes())


def test_constructors_and_destructors_run_as_in_the_plain_program(tools: Toolchain) -> None:
    """They are in sections that the C library runs, once for the whole program."""
    tools.write(one_cc=CLASS + "int main() { puts(__FILE__); }", two_cc=CLASS.replace("use", "u2"))
    # Linked as C: zig takes a minute to build its C++ library for the first time.
    build = (
        "$CXX -fno-exceptions -fno-threadsafe-statics -c one.cc two.cc && $CC one.o two.o -o prog"
    )
    assert tools.sh(build, mode="plain").status == 0
    plain = tools.sh("./prog").out
    assert plain.count("inline") == 1
    assert plain.splitlines().count("late") == 2
    check_runs(tools, build, plain, registered=0)


def test_archives_shared_and_static_libraries(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    archive = f"{AR} rcs libtwice.a twice.o"
    check_runs(
        tools,
        f"$CC -c twice.c && {archive} && $CC main.c -L. -ltwice -o prog",
        "42\n",
        registered=2,
    )
    shared = "$CC -shared -fPIC -Wl,-z,defs twice.c -o libtwice.so"
    check_runs(
        tools,
        f"rm libtwice.a && {shared} && $CC main.c -L. -ltwice -Wl,-rpath,$PWD -o prog",
        "42\n",
        registered=2,
    )


def test_a_program_linked_statically_holds_the_runtime(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    if tools.cc("-static", "main.c", "twice.c", "-o", "prog", mode="plain").status != 0:
        pytest.skip("no static C library here")
    check_runs(tools, "$CC -static main.c twice.c -o prog", "42\n", registered=2)


def test_a_partial_link_gets_no_runtime(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    build = "$CC -c main.c twice.c && $CC -r main.o twice.o -o both.o && $CC both.o -o prog"
    check_runs(tools, build, "42\n", registered=2)


def test_assembler_preprocessed_and_standard_input(tools: Toolchain) -> None:
    tools.write(
        main_c=MAIN,
        half_S="#define TWICE twice\n.globl TWICE\nTWICE: jmp doubled\n",
        doubled_i="int doubled(int x) { return x + x; }\n",
    )
    check_runs(tools, "$CC -x c - -x none half.S doubled.i -o prog < main.c", "42\n", registered=2)
    built = tools.sh("$CC -c half.S doubled.i && $CC main.c half.o doubled.o -o prog")
    assert (built.status, tools.sh("./prog").out) == (0, "42\n")


def test_assembler_text_on_request(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    check_runs(tools, "$CC -S twice.c && $CC main.c twice.s -o prog", "42\n", registered=2)
    assert "wh_register" in (tools.tree / "twice.s").read_text()


def test_options_that_recording_drops(tools: Toolchain) -> None:
    """Recording does not optimise, and warnings do not fail a build, whatever the options are."""
    tools.write(main_c=MAIN + "static int unused;", twice_c=TWICE)
    flags = "-O3 -g0 -flto -Wall -Werror -D_FORTIFY_SOURCE=2 -fprofile-generate -save-temps -pipe"
    built = check_runs(tools, f"$CC {flags} main.c twice.c -o prog", "42\n", registered=2)
    assert "unused variable" in built.err
    assert set(os.listdir(tools.tree)) == {"main.c", "twice.c", "prog"}


def test_assertions_hold_whatever_the_optimisation(tools: Toolchain) -> None:
    tools.write(main_c="#include <assert.h>\nint main(void) { assert(0); }\n")
    for mode in ("plain", "record"):
        assert tools.cc("-O2", "main.c", "-o", "prog", mode=mode).status == 0
        assert "Assertion" in tools.sh("./prog").err
        assert tools.cc("-O2", "-DNDEBUG", "main.c", "-o", "prog", mode=mode).status == 0
        assert tools.sh("./prog").status == 0


@pytest.mark.parametrize("word", ["CANNOT_INSTRUMENT", "CANNOT_EMIT"])
def test_an_unrecordable_source_is_compiled_plainly(tools: Toolchain, word: str) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE + f"int {word};\n")
    built = tools.sh("$CC main.c twice.c -o prog", WHENCE_VERBOSE="1")
    assert built.status == 0
    assert "twice.c is not recorded" in built.err
    assert tools.sh("./prog", SHOW="1").out == "registered\n42\n"
    (entry,) = tools.journal("unrecorded")
    assert entry["source"] == f"{tools.tree}/twice.c"
    assert ("exotic" if word == "CANNOT_INSTRUMENT" else "instruction") in entry["reason"]


def test_a_function_that_is_not_recorded_is_named_each_time(tools: Toolchain) -> None:
    tools.write(odd_c="int odd(int x) { return x & 1; }\n")
    for _ in range(2):  # the second time from the cache
        assert tools.cc("-c", "odd.c").status == 0
    assert tools.journal("unrecorded") == 2 * [
        {"source": f"{tools.tree}/odd.c", "function": "odd", "reason": "it is odd"}
    ]


@pytest.mark.skipif(
    uses_zig_driver(compiler(True, os.environ)), reason="zig's own C++ library is never recorded"
)
def test_a_cxx_library_that_does_not_compile_is_named(tools: Toolchain) -> None:
    tools.write(main_cc="int main() { return 0; }\n")
    assert tools.sh("$CXX main.cc -o prog").status == 0
    (entry,) = tools.journal("unrecorded")
    assert entry["source"] == "the C++ standard library"


def test_a_program_without_a_c_library_is_not_recorded(tools: Toolchain) -> None:
    tools.write(twice_c=TWICE)
    assert tools.cc("-ffreestanding", "-c", "twice.c").status == 0
    assert "-ffreestanding" in tools.journal("unrecorded")[0]["reason"]
    assert tools.compiled() == {}


def test_compiler_errors_are_passed_on(tools: Toolchain) -> None:
    tools.write(bad_c="int f(void) { return missing; }\n", twice_c=TWICE)
    plain = tools.cc("-c", "bad.c", "twice.c", mode="plain")
    recorded = tools.cc("-c", "bad.c", "twice.c")
    assert plain.status != 0
    assert "missing" in plain.err
    assert recorded == plain
    assert (tools.tree / "twice.o").exists()  # as without recording
    assert tools.journal("unrecorded") == []


def test_a_missing_source_is_reported_by_the_compiler(tools: Toolchain) -> None:
    for name in ("no.c", "no.i"):
        done = tools.cc("-c", name)
        assert done.status != 0
        assert name in done.err
        assert "Traceback" not in done.err


def test_a_device_stays_a_device(tools: Toolchain) -> None:
    tools.write(twice_c=TWICE)
    null = tools.tree / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    for mode in ("plain", "record"):
        assert tools.cc("-c", "twice.c", "-o", "null", mode=mode).status == 0
        assert tools.cc("-E", "twice.c", "-o", "null", mode=mode).status == 0
    assert stat.S_ISCHR(null.stat().st_mode)


def test_a_long_command_line_goes_through_a_response_file(tools: Toolchain) -> None:
    tools.write(main_c=MAIN, twice_c=TWICE)
    words = " ".join(f"-DNAME{i}_{'x' * 90}=1" for i in range(1500))
    (tools.tree / "words").write_text(f"{words} '-DQ=\"a b\"' main.c\n@more")
    (tools.tree / "more").write_text("twice.c\n-o prog")
    check_runs(tools, "$CC @words", "42\n", registered=2)


def test_an_unknown_mode_is_an_error(tools: Toolchain) -> None:
    done = tools.cc("--version", mode="recrod")
    assert done.status == 2
    assert "WHENCE_MODE=recrod" in done.err
    assert "[bad-mode]" in done.err
