"""Are the executed lines found, without an effect on the program?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiling import AR
from whence.subject.coverage import Coverage
from whence.subject.definitions import demangled_name

Result = tuple[int, str, str]


class Project:
    """A tree whose commands run with and without coverage."""

    def __init__(self, root: Path) -> None:
        self.tree = root / "tree"
        self.tree.mkdir()
        self.scratch = root / "scratch"
        self.scratch.mkdir()
        self.coverage = Coverage(self.scratch)
        keep = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        # A directory on the PATH in which `python3` is the Python that runs these tests.
        (root / "bin").mkdir()
        (root / "bin/python3").symlink_to(sys.executable)
        self.env = {
            **keep,
            "PATH": f"{root / 'bin'}{os.pathsep}{keep['PATH']}",
            "WHENCE_TREE": str(self.tree),
        }

    def write(self, **files: str) -> None:
        for name, text in files.items():
            stem, _, suffix = name.rpartition("_")
            self.tree.joinpath(f"{stem}.{suffix}").write_text(text)

    def run(self, command: str, env: dict[str, str] | None = None) -> Result:
        done = subprocess.run(
            command, shell=True, cwd=self.tree, env=env or self.env, capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    def watch(self, command: str) -> dict[str, list[int]] | None:
        """Check that `command` behaves the same with coverage; return its executed lines."""
        plain = self.run(command)
        assert self.run(command, self.coverage.environment(self.env)) == plain
        seen = self.coverage.read(self.tree)
        return {file: sorted(lines) for file, lines in seen.items()} if seen else None


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


TWO_WAYS = """\
def pick(x):
    if x:
        return 1
    return 2

def never():
    return 3
"""


# --- Python ---


def test_a_body_is_executed_only_when_it_is_called(project: Project) -> None:
    project.write(a_py=TWO_WAYS, test_py="import a\na.pick(0)\n")
    assert project.watch("python3 test.py") == {"a.py": [1, 2, 4, 6], "test.py": [1, 2]}


def test_a_command_that_sets_pythonpath_is_covered(project: Project) -> None:
    project.write(a_py=TWO_WAYS)
    command = "cd / && PYTHONPATH=$WHENCE_TREE python3 -c 'import a; a.pick(1)'"
    assert project.watch(command) == {"a.py": [1, 2, 3, 6]}


@pytest.mark.parametrize("ending", ["1 / 0", "raise SystemExit(3)", "os._exit(4)", "os.abort()"])
def test_functions_are_covered_however_a_process_ends(project: Project, ending: str) -> None:
    project.write(t_py=f"import os\ndef f():\n    g()\ndef g():\n    {ending}\nf()\n")
    seen = project.watch("python3 t.py")
    assert seen is not None
    assert {1, 2, 3, 4, 6} <= set(seen["t.py"])


def test_threads_forks_and_children_are_covered(project: Project) -> None:
    project.write(
        a_py=TWO_WAYS,
        b_py=TWO_WAYS,  # equal to a.py: equal code objects from two files
        c_py="import a\na.pick(1)\n",
        t_py="""\
import os, subprocess, sys, threading
import a, b; a.pick(1)
thread = threading.Thread(target=b.pick, args=(0,))
thread.start()
thread.join()
subprocess.run([sys.executable, "c.py"], check=True)
if os.fork() == 0:
    b.never()
    def last(): pass
    last()
    os._exit(0)
os.wait()
""",
    )
    seen = project.watch("python3 t.py")
    assert seen is not None
    assert seen["a.py"] == [1, 2, 3, 6]
    assert seen["b.py"] == [1, 2, 4, 6, 7]
    assert seen["c.py"] == [1, 2]


def test_the_program_behaves_the_same_with_coverage(project: Project) -> None:
    project.write(
        t_py="""\
import os, sys
print(sys.path, sys.argv, sys.executable, sys.prefix, sorted(os.listdir("/proc/self/fd")))
print("sitecustomize" in sys.modules, "whence_lines" in sys.modules)
def deep(n):
    raise ValueError(n) if n == 0 else deep(n - 1)
try:
    deep(3)
except ValueError as error:
    raise KeyError("later") from error
"""
    )
    assert project.watch("PYTHONPATH=x:y python3 t.py one 'two  three'") is not None


def test_a_hidden_sitecustomize_is_run(project: Project) -> None:
    project.write(sitecustomize_py="print('theirs', __file__)\n")
    assert project.watch("PYTHONPATH=$PWD python3 -c 'import sitecustomize'") is not None


def test_a_broken_sitecustomize_fails_as_without_coverage(project: Project) -> None:
    project.write(sitecustomize_py="import no_such_module\n")
    assert project.watch("PYTHONPATH=$PWD python3 -c 'print(1)'") is not None


def test_a_program_can_trace_itself(project: Project) -> None:
    project.write(
        t_py="""\
import sys
def tracer(frame, event, arg):
    print(event, frame.f_lineno)
    return tracer
def f():
    return 1
sys.settrace(tracer)
f()
sys.settrace(None)
"""
    )
    assert project.watch("python3 t.py") is not None


def test_a_dispatcher_that_searches_the_path_does_not_find_the_shim(project: Project) -> None:
    """Version managers put a script `python3` on the PATH that searches for the next `python3`."""
    project.write(a_py="print(1)\n")
    manager = project.tree.parent / "manager"
    manager.mkdir()
    script = manager / "python3"
    script.write_text(f'#!/bin/sh\nPATH=$(echo "$PATH" | sed s,{manager}:,,)\nexec python3 "$@"\n')
    script.chmod(0o755)
    project.env["PATH"] = f"{manager}:{project.env['PATH']}"
    assert project.watch("PYTHONPATH=. timeout 20 python3 a.py") == {"a.py": [1]}


def test_no_coverage_is_none(project: Project) -> None:
    assert project.watch("echo no Python here") is None
    assert Coverage(project.scratch / "unused").read(project.tree) is None


def test_an_unset_search_path_does_not_become_the_current_directory(tmp_path: Path) -> None:
    assert Coverage(tmp_path / "s").environment({"PYTHONPATH": ""})["PYTHONPATH"][-1] != ":"


# --- C and C++ ---

COMPILERS = {
    "gcc": ("gcc", "g++"),
    "zig": tuple(f"{sys.executable} -m ziglang {c} -fno-sanitize=all" for c in ("cc", "c++")),
}


@pytest.fixture(params=sorted(COMPILERS))
def native(request: pytest.FixtureRequest, project: Project) -> Project:
    cc, cxx = COMPILERS[request.param]
    if sys.platform != "linux" or not shutil.which(cc.split()[0]):
        pytest.skip("only for ELF, and only if there is such a compiler")
    project.env |= {"CC": cc, "CXX": cxx}
    return project


MAIN_C = """\
#include <stdio.h>
int used(int);
static int helper(void)
{
    return 7;
}
int main(void) {
    printf("%d\\n", used(helper()));
    return 3;
}
"""
LIB_C = """\
static int helper(int x) { return x; }
int used(int x) {
    return x ? x + 1 : helper(x);
}
int unused(int x) {
    return helper(x);
}
"""


@pytest.mark.parametrize(
    "build",
    [
        "$CC -O2 lib.c main.c -o t -lm",
        "$CC -c lib.c && $CC -g -c main.c && $CC lib.o main.o -o t",
        "$CC -fPIC -shared lib.c -o liblib.so && $CC main.c ./liblib.so -o t",
        f"$CC -fPIC -c lib.c && {AR} rc lib.a lib.o && $CC main.c lib.a -o t",
    ],
)
def test_all_lines_of_entered_functions_are_covered(native: Project, build: str) -> None:
    native.write(main_c=MAIN_C, lib_c=LIB_C)
    assert native.watch(f"{build} && ./t") == {
        "lib.c": [2, 3, 4],
        "main.c": [3, 4, 5, 6, 7, 8, 9, 10],
    }


def test_methods_are_found_by_their_own_name(native: Project) -> None:
    native.write(
        t_cc="""\
template <class T> struct Box {
    T value;
    T get() const {
        return value;
    }
    T other() const {
        return value;
    }
};
namespace far { namespace off {
int away(Box<int> const &b) {
    return b.get();
}
} }
int main() {
    return far::off::away(Box<int>{0});
}
"""
    )
    assert native.watch("$CXX -fno-exceptions -c t.cc && $CC t.o -o t && ./t") == {
        "t.cc": [3, 4, 5, 11, 12, 13, 15, 16, 17]
    }


def test_a_crash_loses_nothing(native: Project) -> None:
    native.write(t_c="#include <stdlib.h>\nvoid f(void) {\n  abort();\n}\nint main() { f(); }\n")
    assert native.watch("$CC -w t.c -o t && ./t") == {"t.c": [2, 3, 4, 5]}


def test_a_configure_script_gets_the_same_answers(native: Project) -> None:
    native.write(
        ok_c="int main(void) { return 0; }\n", bad_c="int main(void) { return nosuch(; }\n"
    )
    asked = "for a in --version -dumpmachine '-E ok.c' '-M ok.c' '-c bad.c' 'ok.c -lnosuch' ''"
    native.watch(f'{asked}; do $CC $a; echo "$?"; done; echo "int x;" | $CC -x c -c - -o x.o')


def test_a_program_without_a_runtime_is_not_instrumented(native: Project) -> None:
    native.write(t_c="int f(void) { return 1; }\n")
    native.watch("$CC -nostdlib -ffreestanding -c t.c && nm t.o 2>&1")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("f.part.0", "f"),
        ("_Z4pushi", "push"),
        ("_ZN5space3VecIiE4pushEi", "push"),
        ("_ZNK3VecIN1a1bELi12EE4sizeEv", "size"),
        ("_ZN3VecC2Ei", "Vec"),
        ("_ZN3VecD1Ev", "~Vec"),
        ("_Z3maxIiET_S0_S0_", "max"),
        ("_ZL6helperv", "helper"),
        ("_ZN12_GLOBAL__N_13fooENS_3BarE", "foo"),
        ("_ZZ4mainENKUlvE_clEv", "main"),  # a lambda in main
    ],
)
def test_a_symbol_gives_the_name_in_the_source(symbol: str, name: str) -> None:
    assert demangled_name(symbol) == name
