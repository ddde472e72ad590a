"""Is our C code compiled once, by the available compiler?"""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.program import native
from whence.program.native import library

CODE = '#include "seven.h"\n__attribute__((visibility("default"))) int f(void) { return SEVEN; }'


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "seven.h").write_text("#define SEVEN 7\n")
    path = tmp_path / "f.c"
    path.write_text(CODE)
    return path


def test_a_library_is_compiled_once(source: Path) -> None:
    made = library([source])
    assert ctypes.CDLL(str(made)).f() == 7
    assert library([source]) == made


def test_another_header_makes_another_library(source: Path) -> None:
    before = library([source])
    (source.parent / "seven.h").write_text("#define SEVEN 8\n")
    assert library([source]) != before
    assert ctypes.CDLL(str(library([source]))).f() == 8


def test_a_missing_compiler_is_an_error_with_a_hint(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "compilers", lambda _env: {})
    with pytest.raises(UserError) as error:
        library([source])
    assert error.value.slug == "no-c-compiler"


def test_compiler_errors_are_passed_on(source: Path) -> None:
    source.write_text("int f(void) { return this_is_nowhere; }")
    with pytest.raises(UserError, match="this_is_nowhere"):
        library([source])
