"""Is a source compiled once, and again whenever that matters?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.frontend.driver.toolchain import Toolchain
from whence.frontend.c.cache import Cache, Compiled

COMPILED = Compiled(b"object", b"id", b"npz", b"gz", b"warning", b"{}")
SOURCE = '#include "x.h"\n#warning careful\nint f(void) { return X; }\n'


def was_cached(tools: Toolchain, *arguments: str, mode: str = "record", **env: str) -> bool:
    """Compile x.c; did it come from the cache?"""
    env = {"WHENCE_TREE": str(tools.tree)} | env
    done = tools.cc("-c", *arguments, f"{tools.tree}/x.c", mode=mode, **env)
    assert done.status == 0, done.err
    assert done.err.count("careful [-W#warnings]") == 1
    cached = tools.journal()[-1]["cached"]
    assert isinstance(cached, bool)
    return cached


@pytest.fixture
def twins(tools: Toolchain, tmp_path: Path) -> tuple[Toolchain, Toolchain]:
    """The same source in two trees, compiled in the first."""
    other = tools.elsewhere(tmp_path / "a longer name")
    for place in (tools, other):
        place.write(x_c=SOURCE, x_h="#define X 3\n")
    assert not was_cached(tools, f"-I{tools.tree}")
    return tools, other


def test_another_tree_takes_the_same_object(twins: tuple[Toolchain, Toolchain]) -> None:
    one, other = twins
    assert was_cached(other, f"-I{other.tree}", "-MD")
    assert (one.tree / "x.o").read_bytes() == (other.tree / "x.o").read_bytes()
    assert "x.h" in (other.tree / "x.d").read_text()  # written although nothing was compiled
    assert len({entry["module"] for entry in other.journal()}) == 1


def test_relevant_changes_make_another_object(twins: tuple[Toolchain, Toolchain]) -> None:
    one, other = twins
    assert was_cached(one, "-O2", "-Wno-error") is False
    assert was_cached(one, "-O1", "-Wno-error")  # recording does not optimise anyway
    assert not was_cached(one, "-fPIC")
    assert not was_cached(one, mode="check")
    other.write(x_h="#define X 4\n")
    assert not was_cached(other)


def test_a_changed_header_is_seen_and_its_modules_are_written_anew(
    twins: tuple[Toolchain, Toolchain], tmp_path: Path
) -> None:
    _, other = twins
    modules = tmp_path / "other modules"
    done = other.cc("-c", "x.c", WHENCE_MODULES=str(modules), WHENCE_TREE=str(other.tree))
    assert done.status == 0
    assert len(list(modules.glob("*.npz"))) == len(list(modules.glob("*.ll.gz"))) == 1


def test_a_source_whose_ir_is_the_same_is_instrumented_once(
    twins: tuple[Toolchain, Toolchain],
) -> None:
    """A comment in the header changes the text, but neither the IR nor a line number."""
    one, _ = twins
    before = (one.tree / "x.o").read_bytes()
    one.write(x_h="#define X 3 /* three */\n#define UNUSED 4\n")
    assert not was_cached(one, "-Wno-unused")
    assert (one.tree / "x.o").read_bytes() == before
    assert len(list((one.home / "cache" / "instrumented").glob("*/*"))) == 1


def test_a_header_that_the_debug_information_names_may_have_another_comment(
    tools: Toolchain,
) -> None:
    """The debug information of a type names its file, but no checksum of the file."""
    tools.write(x_c='#include "x.h"\n#warning careful\nint f(struct s *s) { return s->a; }\n')
    for header in ("struct s { int a; };\n", "struct s { int a; }; /* another comment */\n"):
        tools.write(x_h=header)
        was_cached(tools)
    assert len({entry["module"] for entry in tools.journal()}) == 1
    assert len(list((tools.home / "cache" / "instrumented").glob("*/*"))) == 1


def test_a_file_name_in_the_program_is_that_of_its_tree(tools: Toolchain, tmp_path: Path) -> None:
    other = tools.elsewhere(tmp_path / "other")
    for place in (tools, other):
        place.write(x_c="#warning careful\nconst char *f(void) { return __FILE__; }\n")
        assert not was_cached(place)
        assert str(place.tree).encode() in (place.tree / "x.o").read_bytes()


def test_a_damaged_entry_is_ignored(twins: tuple[Toolchain, Toolchain]) -> None:
    one, _ = twins
    (entry,) = (one.home / "cache" / "objects").glob("*/*")
    good = entry.read_bytes()
    for bad in (good[:-1], good[:20], b"", good[:-1] + bytes([good[-1] ^ 1])):
        entry.write_bytes(bad)
        assert not was_cached(one)
        assert entry.read_bytes() == good


# -- the store itself ----------------------------------------------------------------------


def test_stored_entries_are_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.find("abcd") is None
    cache.store("abcd", COMPILED)
    assert cache.find("abcd") == COMPILED
    assert [path.name for path in tmp_path.glob("*/*")] == ["cd"]


def test_the_least_used_goes_first(tmp_path: Path) -> None:
    size = len(COMPILED.pack()) + 40
    cache = Cache(tmp_path, 2 * size)
    for age, key in enumerate(("aaa1", "bbb1", "ccc1")):
        cache.store(key, COMPILED)
        os.utime(tmp_path / key[:2] / key[2:], (age, age))
    assert cache.find("aaa1")  # now the most recently used
    cache.prune()
    assert [bool(cache.find(key)) for key in ("aaa1", "bbb1", "ccc1")] == [True, False, True]


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Cache(tmp_path / "file").store("abcd", COMPILED)


@pytest.mark.parametrize(
    ("setting", "size"), [("500M", 500 << 20), ("7", 7), ("", 4 << 30), ("x", 4 << 30)]
)
def test_the_size_setting(setting: str, size: int, tmp_path: Path) -> None:
    assert Cache.of(tmp_path, {"WHENCE_CACHE_SIZE": setting}).size == size
