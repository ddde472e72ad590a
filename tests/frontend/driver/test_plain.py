"""Does whence-cc behave like the compiler it stands for when it does not record?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import whence
from tests.frontend.driver.toolchain import Toolchain
from whence.errors import UserError
from whence.frontend.c.clang import compiler, describe_compiler
from whence.frontend.c.zig_driver import uses_zig_driver, zig_arguments
from whence.frontend.cache_folder import cache_directory

SOURCES = Path(whence.__file__).parents[1]
QUESTIONS = ["--version", "-dumpmachine", "-dumpversion", "-print-search-dirs", "-E x.c", "-MM x.c",
             "-fsyntax-only x.c", "-v", "", "-E -dM -x c -"]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_queries_get_the_compilers_answer(tools: Toolchain, question: str) -> None:
    tools.write(x_c='#include "x.h"\nint x = X;\n', x_h="#define X 3\n")
    recorded, plain = (tools.cc(*question.split(), mode=mode) for mode in ("record", "plain"))
    command, words = compiler(False, tools.environment()), question.split()
    itself = subprocess.run(
        [*command, *(zig_arguments(words) if uses_zig_driver(command) else words)],
        cwd=tools.tree,
        input="",
        capture_output=True,
        text=True,
    )
    expected = (itself.returncode, itself.stdout, itself.stderr)
    assert expected[0] == (1 if question == "" else 0)
    if question == "-E -dM -x c -":  # zig keeps standard input in a file with another name
        expected = (itself.returncode, plain.out, plain.err)
    assert (plain.status, plain.out, plain.err) == expected
    assert (recorded.status, recorded.out, recorded.err) == expected
    assert tools.journal() == []


def test_a_syntax_error_is_found_without_making_anything(tools: Toolchain) -> None:
    tools.write(bad_c="int f(void) { return missing; }\n")
    done = tools.cc("-fsyntax-only", "-Wall", "bad.c")
    assert done.status != 0
    assert "missing" in done.err
    assert [path.name for path in tools.tree.iterdir()] == ["bad.c"]


def test_starting_imports_nothing_heavy() -> None:
    """A configure script starts it hundreds of times."""
    program = """
import sys
before = set(sys.modules)
import whence.frontend.c.driver
heavy = {"subprocess", "dataclasses", "typing", "re", "pathlib", "numpy", "llvmlite", "click"}
print(sorted((set(sys.modules) - before) & heavy))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_several_sources_in_one_call(tools: Toolchain) -> None:
    tools.write(a_c="int a;\n", b_i="int b;\n", c_cc="int c;\n")
    assert tools.cc("-c", "a.c", "b.i", "c.cc", mode="plain").status == 0
    assert {path.name for path in tools.tree.glob("*.o")} == {"a.o", "b.o", "c.o"}
    assert tools.cc("-fsyntax-only", "a.c", "b.i", mode="plain").status == 0


# -- which compiler ------------------------------------------------------------------------


def fake_clang(directory: Path, name: str, version: str) -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\necho clang version {version}\necho asked >> {directory}/asked\n")
    path.chmod(0o755)
    return path


def test_the_users_compiler_comes_first() -> None:
    env = {"WHENCE_CLANG": "'my clang' -v", "WHENCE_CLANGXX": "my++"}
    assert compiler(False, env) == ["my clang", "-v"]
    assert compiler(True, env) == ["my++"]


def test_a_clang_on_the_path_is_asked_once_for_its_version(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path / "bin"), "WHENCE_CACHE": str(tmp_path / "cache")}
    clang = fake_clang(tmp_path / "bin", "clang", "20.1.0")
    assert compiler(False, env) == compiler(False, env) == [str(clang)]
    assert (tmp_path / "bin" / "asked").read_text() == "asked\n"


@pytest.mark.parametrize("version", ["14.0.6", "99.0.0"])
def test_a_clang_whose_ir_we_cannot_read_is_passed_over(tmp_path: Path, version: str) -> None:
    env = {"PATH": str(tmp_path / "bin"), "WHENCE_CACHE": str(tmp_path / "cache")}
    clang = fake_clang(tmp_path / "bin", "clang", version)
    assert compiler(False, env)[0] != str(clang)
    numbered = fake_clang(tmp_path / "bin", "clang-19", "19.1.7")
    assert compiler(False, env) == [str(numbered)]


def test_a_missing_compiler_is_an_error_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UserError, match="pip install") as raised:
        compiler(False, {"PATH": str(tmp_path)})
    assert raised.value.slug == "no-clang"


def test_the_cache_folder() -> None:
    assert cache_directory({"WHENCE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}) == "/a"
    assert cache_directory({"XDG_CACHE_HOME": "/b"}) == "/b/whence"


# -- which library -------------------------------------------------------------------------

USES_LIBRARY = """
#include <string>
#ifdef __GLIBCXX__
int library = 1;
#endif
#ifdef _LIBCPP_VERSION
int library = 2;
#endif
int main() { return library; }
"""


def test_the_description_names_the_library_that_is_used(tools: Toolchain) -> None:
    tools.write(x_cc=USES_LIBRARY)
    done = tools.sh("$CXX -E x.cc", mode="plain")
    assert done.status == 0, done.err
    libraries = {"libstdc++": "library = 1", "libc++": "library = 2"}
    told = describe_compiler(True, tools.environment())
    for name, text in libraries.items():
        if f"({name})" in told:
            assert text in done.out
            break
    else:
        assert "clang" in told  # a clang on the PATH, which uses what the system has


def test_the_description_names_the_users_compiler() -> None:
    assert describe_compiler(False, {"WHENCE_CLANG": "mine -v"}) == "mine -v ($WHENCE_CLANG)"


def test_where_the_system_cannot_link_zig_uses_its_own_libraries(tmp_path: Path) -> None:
    """Without ld on the PATH, zig's driver links by itself."""
    pytest.importorskip("ziglang")
    env = {"PATH": str(tmp_path), "WHENCE_CACHE": str(tmp_path / "cache")}
    assert uses_zig_driver(compiler(False, env))
    assert "libc++" in describe_compiler(True, env)
