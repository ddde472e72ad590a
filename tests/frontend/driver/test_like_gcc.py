"""Does whence-cc accept what gcc accepts?

Each row is a program, options, and whether gcc 12 compiles it.  A gcc on this machine confirms the
rows: its verdict is the oracle.  Newer versions make errors of the faults in ACCEPTED_BY_GCC_12.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontend.driver.toolchain import Toolchain
from whence.frontend.c.like_gcc import ACCEPTED

# A program a warning group of clang; clang alone rejects each.
FAULTS = {
    "implicit-function-declaration": "int f(void) { return g(1); }\n",
    "implicit-int": "static x;\nf(a) { return a + x; }\n",
    "incompatible-pointer-types": "int *f(char *p) { int *q = p; return q; }\n",
    "incompatible-function-pointer-types": "int g(int);\nvoid (*h)(void) = g;\n",
    "int-conversion": "char *f(int a) { return a; }\nint g(char *p) { return p; }\n",
    "return-mismatch": "int f(void) { return; }\nvoid g(void) { return 1; }\n",
}
FAULTS_CXX = {
    "c++11-narrowing": "int f(long a) { int x[] = {a}; return x[0]; }\n",
    "missing-template-arg-list-after-template-kw": "template <class T> struct B"
    " { template <class U> static int v(U); };\n"
    "template <class T> int g() { return B<T>::template v(1); }\n",
    "non-pod-varargs": "struct S { S(const S &); };\nvoid g(int, ...);\n"
    "void f(S s) { if (false) g(1, s); }\n",
    "register": "int f() { register int x = 1; return x; }\n",
    "reserved-user-defined-literal": '#define X "b"\nconst char *s = "a"X;\n',
}
# Old C that clang accepts with the right options only, or by itself.
OLD_C = {
    "K&R definitions": 'f(a, b) int a; char *b; { return a + *b; }\nint g() { return f(1, ""); }',
    "K&R call with too few arguments": "f(a, b) int a, b; { return a; }\nint g() { return f(1); }",
    "library functions without header": 'int f(char *p) { exit(printf("%d", strlen(p))); }',
    "own declaration of malloc": "char *malloc();\nchar *f() { return malloc(3); }",
    "void main": "void main() { }",
    "gnu89 inline": "inline int f(void) { return 1; }\nint g(void) { return f(); }",
    "text after #endif": "#ifdef X\n#else X\n#endif X\nint x;",
    "old initialisers": "struct s { int a, b; } x = { a: 1, b: 2 };",
    "pointer and integer compared": "int f(char *p, int *q) { return p == 3 || p == q; }",
    "cast of a pointer to a short": "short f(char *p) { return (short)p; }",
    "tentative definitions": "int x; int x;\nextern int x;",
    "implicit declaration, then void": "int g(void) { f(1); return 0; }\nvoid f(int x) { }",
    "implicit declaration, then K&R void": "g() { f(1); return 0; }\nvoid f(x) int x; { }",
    "library functions with too few arguments": "main() { strcasecmp(); isalpha(); f(); }",
    "library functions with too many arguments": "main() { return toupper(1, 2) + abs(1, 2); }",
    "variables named like library functions": "int log, exp;\nchar *round;",
    "an array in registers": "int f() { register int a[3]; a[0] = 1; return a[0]; }",
    "both faults": "main() { abs(); f(1); }\nvoid f(x) { }",
}
# What clang cannot do, so gcc does it.  If a clang learns one, move it to OLD_C.
LEFT_TO_GCC = {
    "nested function": "int f(int x) { int g(int y) { return x + y; } return g(1); }",
    "variable array in a struct": "int f(int n) { struct { int a[n]; } s; return sizeof s; }",
    "odd main": "int main(int a, char **b, char **c, char **d) { return 0; }",
    "global register variable": 'register int x asm("r12"); int f(void) { return x; }',
    "decimal floats": "_Decimal64 x = 1.0dd;",
}
POINTER, CALL = FAULTS["incompatible-pointer-types"], FAULTS["implicit-function-declaration"]
# (program, options, does gcc 12 compile it?)
OPTIONS = [
    (POINTER, "-w", True),
    (POINTER, "-Wall -Wextra -pedantic", True),
    (POINTER, "-pedantic-errors", False),
    (POINTER, "-pedantic-errors -w", True),
    (POINTER, "-Werror=incompatible-pointer-types", False),
    (POINTER, "-Werror=incompatible-pointer-types -w", True),
    (POINTER, "-Werror=incompatible-pointer-types -Wno-error=incompatible-pointer-types", True),
    (POINTER, "-Wno-error=incompatible-pointer-types -Werror=incompatible-pointer-types", False),
    (POINTER, "-Werror=incompatible-pointer-types -Wno-incompatible-pointer-types", True),
    (POINTER, "-Wno-incompatible-pointer-types", True),
    (CALL, "-std=c90", True),
    (CALL, "-std=c99", True),
    (CALL, "-std=c11 -pedantic", True),
    (CALL, "-std=c99 -pedantic-errors", False),
    (CALL, "-std=c90 -pedantic-errors", True),
    (CALL, "-Werror=implicit", False),
    (CALL, "-Werror=implicit-function-declaration", False),
    (FAULTS["implicit-int"], "-std=c99 -pedantic-errors", False),
    (FAULTS["implicit-int"], "-std=c90 -pedantic-errors", True),
    (FAULTS["int-conversion"], "-Werror=int-conversion", False),
    # options that only gcc has, or whose names only gcc knows
    ("int x;", "-fconserve-stack -fno-var-tracking -fanalyzer -fno-tree-loop-im", True),
    ("int x;", "-Wlogical-op -Wduplicated-cond -Wno-maybe-uninitialized -Werror", True),
    ("int x;", "-Werror -Wno-such-warning -fipa-pta -mno-fancy-math-387", True),
    ("int x;", "-gstabs", True),
    ("int x;", "-Werror -Ofast -finline-limit=3 -fexpensive-optimizations -falign-loops", True),
    ("int x;", "-fcommon -fgnu89-inline -fno-strict-aliasing -funsigned-char", True),
    ("int x;", "-fno-such-option", False),
    ("int f(void); int f;", "", False),
    # clang warns about this, gcc does not
    ("static inline int f(void) { return 1; }", "-Wall -Wextra -Werror", True),
    ("int f(a) int a; { return a; }\nint g() { return f(1); }", "-Wall -Wextra -Werror", True),
]
# The same for a configure script, which asks for exact answers.
PROBES = [
    (POINTER, "", True),
    (POINTER, "-Werror", False),
    (POINTER, "-Werror -w", True),
    (POINTER, "-Werror -Wno-error", True),
    (CALL, "-Werror", False),
    ("static int f(void) { return 1; }", "-Wall -Werror", False),
    ("int x;", "-Werror -fexpensive-optimizations -Wl,-z,defs", True),
    ("int x;", "-fno-such-option", False),
]
ROWS = [
    *((program, "", True) for program in (*FAULTS.values(), *OLD_C.values())),
    (OLD_C["gnu89 inline"], "-fgnu89-inline", True),
    *OPTIONS,
]


def compiles(tools: Toolchain, program: str, options: str, name: str, mode: str) -> bool:
    (tools.tree / name).write_text(program)
    (tools.tree / "x.o").unlink(missing_ok=True)
    compiler = "$CXX" if name.endswith("cc") else "$CC"
    done = tools.sh(f"{compiler} {options} -c {name} -o x.o", mode=mode)
    assert (done.status == 0) == (tools.tree / "x.o").exists()
    assert "Traceback" not in done.err
    return done.status == 0


def verdicts(
    tools: Toolchain, rows: list[tuple[str, str, bool]], name: str, mode: str
) -> list[tuple[str, str, bool]]:
    return [
        (program, options, compiles(tools, program, options, name, mode))
        for program, options, _ in rows
    ]


@pytest.mark.parametrize("mode", ["plain", "record"])
def test_what_gcc_accepts_is_accepted(tools: Toolchain, mode: str) -> None:
    assert verdicts(tools, ROWS, "x.c", mode) == ROWS


@pytest.mark.parametrize("mode", ["plain", "record"])
def test_what_gxx_accepts_is_accepted(tools: Toolchain, mode: str) -> None:
    rows = [(program, "", True) for program in FAULTS_CXX.values()]
    assert verdicts(tools, rows, "x.cc", mode) == rows


def test_a_probe_gets_the_answer_of_gcc(tools: Toolchain) -> None:
    assert verdicts(tools, PROBES, "conftest.c", "plain") == PROBES


def test_clang_alone_rejects_these_faults(tools: Toolchain) -> None:
    """Each group of `ACCEPTED` is there for a reason, with its own program."""
    assert {*FAULTS, *FAULTS_CXX} == set(ACCEPTED)
    for name, program in (FAULTS | FAULTS_CXX).items():
        source = "x.cc" if name in FAULTS_CXX else "x.c"
        assert not compiles(tools, program, f"-Werror={name}", source, "plain"), name


needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


@needs_gcc
@pytest.mark.parametrize("mode", ["plain", "record"])
def test_gcc_compiles_what_clang_cannot(tools: Toolchain, mode: str) -> None:
    rows = [(program, "-O1 -flto", True) for program in LEFT_TO_GCC.values()]
    assert verdicts(tools, rows, "x.c", mode) == rows


def test_without_gcc_clang_reports_its_error(tools: Toolchain, tmp_path: Path) -> None:
    tools.write(x_c=LEFT_TO_GCC["nested function"])
    for name in ("sh", "ld"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = tools.sh("$CC -c x.c", PATH=str(tmp_path))  # $CC is a path
    assert done.status != 0
    assert "function definition is not allowed here" in done.err


@needs_gcc
@pytest.mark.parametrize("in_one_call", [False, True])
def test_a_source_left_to_gcc_is_linked_with_recorded_ones(
    tools: Toolchain, in_one_call: bool
) -> None:
    tools.write(
        main_c='#include <stdio.h>\nint f(int);\nint main(void) { printf("%d\\n", f(41)); }\n',
        f_c=LEFT_TO_GCC["nested function"],
    )
    separate = "$CC -O2 -c main.c && $CC -O2 -c f.c && $CC main.o f.o -o prog"
    built = tools.sh("$CC -O2 main.c f.c -o prog" if in_one_call else separate)
    assert (built.status, built.err) == (0, "")
    assert tools.sh("./prog", SHOW="1").out == "registered\n42\n"
    assert list(tools.compiled()) == ["main.c"]
    (entry,) = tools.journal("unrecorded")
    assert entry["source"] == f"{tools.tree}/f.c"
    assert "gcc compiled it" in entry["reason"]
    assert "function definition is not allowed here" in entry["reason"]


@needs_gcc
def test_what_neither_compiles_has_the_message_of_clang_once(tools: Toolchain) -> None:
    tools.write(x_c="int f(int x) { int g(void) { return y; } return g() }\n")
    for mode in ("plain", "record"):
        done = tools.cc("-c", "x.c", mode=mode)
        assert done.status != 0
        assert done.err.count("function definition is not allowed here") == 1
        assert "In function" not in done.err  # a line of gcc


@needs_gcc
def test_a_probe_is_not_left_to_gcc(tools: Toolchain) -> None:
    program = LEFT_TO_GCC["nested function"]
    assert not compiles(tools, program, "", "conftest.c", "plain")


def gcc_version(command: str) -> int:
    if not shutil.which(command):
        return 0
    asked = subprocess.run([command, "-dumpversion"], capture_output=True, text=True)
    found = re.match(r"\d+", asked.stdout)
    return int(found[0]) if found else 0


@pytest.mark.parametrize(
    ("compiler", "name", "rows"),
    [
        ("gcc", "x.c", [*ROWS, *PROBES, *((p, "", True) for p in LEFT_TO_GCC.values())]),
        ("g++", "x.cc", [(program, "", True) for program in FAULTS_CXX.values()]),
    ],
)
def test_gcc_gives_the_recorded_verdicts(
    tmp_path: Path, compiler: str, name: str, rows: list[tuple[str, str, bool]]
) -> None:
    if not 10 <= gcc_version(compiler) <= 13:
        pytest.skip("no gcc here whose rules are those of gcc 12")
    given = []
    for program, options, _ in rows:
        (tmp_path / name).write_text(program)
        done = subprocess.run(
            [compiler, *options.split(), "-c", name], cwd=tmp_path, capture_output=True
        )
        given.append((program, options, done.returncode == 0))
    assert given == rows
