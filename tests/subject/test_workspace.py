"""Is a workspace exactly the variant, with the files of builds but not those of tests?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import Reverted
from whence.subject.no_sources import find_made
from whence.subject.workspace import Workspace

BAD: Reverted = frozenset()
Text = dict[str, str | None]  # path -> text, `-> target`, or None for an empty directory


class VariantWorkspace:
    """A workspace for two versions."""

    def __init__(self, folder: Path, good: Text, bad: Text) -> None:
        for name, files in (("good", good), ("bad", bad)):
            (folder / name).mkdir()
            for path, text in files.items():
                write(folder / name / path, text)
        self.changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
        self.workspace = Workspace(folder / "work", self.changes)
        self.tree = self.workspace.tree

    def good(self) -> None:
        self.workspace.become(self.changes.everything)

    def bad(self) -> None:
        self.workspace.become(BAD)

    def seen(self) -> Text:
        return {path: read(self.tree / path) for path in read_tree(self.tree).entries}

    def test_run(self, what: Callable[[Path], object]) -> None:
        """Run `what` as a test that changes the tree, then clear up."""
        before = self.workspace.files()
        what(self.tree)
        self.workspace.clear_up(before)


def write(path: Path, text: str | None) -> None:
    if text is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if text.startswith("-> "):
        path.symlink_to(text.removeprefix("-> "))
    else:
        path.write_text(text)


def read(path: Path) -> str | None:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return None if path.is_dir() else path.read_text()


GOOD_FILES: Text = {"same": "s", "d/same": "ds", "changed": "old", "gone/x": "x", "hollow": None}
BAD_FILES: Text = {"same": "s", "d/same": "ds", "changed": "new", "hollow": None, "l": "-> same"}


@pytest.fixture
def bench(tmp_path: Path) -> VariantWorkspace:
    return VariantWorkspace(tmp_path, GOOD_FILES, BAD_FILES)


def test_a_workspace_becomes_the_good_and_the_bad_version(bench: VariantWorkspace) -> None:
    bench.good()
    assert bench.seen() == GOOD_FILES
    bench.bad()
    assert bench.seen() == BAD_FILES


def test_files_that_do_not_change_are_not_written_again(tmp_path: Path) -> None:
    bench = VariantWorkspace(
        tmp_path, {"a": "1", "b": "1", "c": "c"}, {"a": "2", "b": "2", "c": "c"}
    )
    bench.bad()
    times = {path: (bench.tree / path).stat().st_mtime_ns for path in "abc"}
    bench.workspace.become(frozenset({bench.changes.changes[0].id}))
    changed = {p for p, time in times.items() if (bench.tree / p).stat().st_mtime_ns != time}
    assert changed == {"a"}


def test_a_source_written_after_a_build_is_newer_than_what_was_built(
    bench: VariantWorkspace,
) -> None:
    bench.bad()
    product = bench.tree / "changed.o"
    for become in (bench.good, bench.bad) * 5:
        product.write_text("built")
        bench.workspace.finished()
        become()
        assert (bench.tree / "changed").stat().st_mtime_ns > product.stat().st_mtime_ns


def test_files_of_a_build_survive_tests_and_variants(bench: VariantWorkspace) -> None:
    bench.good()
    made: Text = {"changed.o": "1", "gone/x.o": "2", "hollow/out": "3", "new/deep": "4"}
    for path, text in made.items():
        write(bench.tree / path, text)
    bench.test_run(lambda tree: (tree / "changed").unlink())
    bench.bad()
    bench.good()
    assert made.items() <= bench.seen().items()
    assert {path: text for path, text in bench.seen().items() if path not in made} == {
        path: text for path, text in GOOD_FILES.items() if path != "hollow"
    }


def test_a_file_replaces_a_directory_with_files_of_a_build(tmp_path: Path) -> None:
    bench = VariantWorkspace(tmp_path, {"d": None, "e/x": "x"}, {"d": "file", "e": "-> d"})
    bench.good()
    write(bench.tree / "d/x.o", "built")
    write(bench.tree / "e/x.o", "built")
    bench.bad()
    assert bench.seen() == {"d": "file", "e": "-> d"}


def test_files_of_a_build_stay_in_a_directory_that_was_emptied(tmp_path: Path) -> None:
    bench = VariantWorkspace(tmp_path, {"d/x": "x"}, {"d": None})
    bench.good()
    write(bench.tree / "d/x.o", "built")
    bench.bad()
    assert bench.seen() == {"d/x.o": "built"}


def _replace_by_directory(tree: Path) -> None:
    (tree / "changed").unlink()
    write(tree / "changed/inside", "x")


def _replace_by_file(tree: Path) -> None:
    shutil.rmtree(tree / "d")
    write(tree / "d", "file")


def _replace_by_link(tree: Path) -> None:
    shutil.rmtree(tree / "d")
    (tree / "d").symlink_to("..")


def _delete_all(tree: Path) -> None:
    for path in tree.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.mark.parametrize(
    "what",
    [
        lambda tree: write(tree / "changed", "longer than before"),
        lambda tree: write(tree / "same", "longer than before"),
        lambda tree: (tree / "changed").unlink(),
        lambda tree: (tree / "d/same").unlink(),
        lambda tree: (tree / "same").chmod(0o755),
        lambda tree: (tree / "changed").chmod(0o600),
        lambda tree: write(tree / "new/deep/file", "x"),
        lambda tree: write(tree / "new/deep/empty", None),
        lambda tree: write(tree / "built/out", "x"),
        lambda tree: write(tree / "hollow/out", "x"),
        lambda tree: (tree / "hollow").rmdir(),
        lambda tree: (tree / "built").rmdir(),
        lambda tree: (tree / "built").chmod(0o700),
        lambda tree: (tree / "hollow").chmod(0o700),
        lambda tree: os.mkfifo(tree / "pipe"),
        lambda tree: (tree / "link").symlink_to(tree.parent),
        lambda tree: (tree / "l").unlink(),
        lambda tree: (tree / "d").rename(tree / "e"),
        _replace_by_directory,
        _replace_by_file,
        _replace_by_link,
        _delete_all,
    ],
)
def test_changes_by_a_test_are_undone(
    bench: VariantWorkspace, what: Callable[[Path], object]
) -> None:
    bench.bad()
    (bench.tree / "built").mkdir()  # a build may leave an empty directory for the test
    before = bench.seen()
    modes = {path: value[-1] for path, value in bench.workspace.files().items()}
    bench.test_run(what)
    assert bench.seen() == before
    assert {path: value[-1] for path, value in bench.workspace.files().items()} == modes


def test_an_executable_stays_executable(tmp_path: Path) -> None:
    for name, text in (("good", "echo good"), ("bad", "echo bad")):
        for file, what in (("run", text), ("same", "echo same")):
            write(tmp_path / name / file, f"#!/bin/sh\n{what}\n")
            (tmp_path / name / file).chmod(0o755)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    workspace = Workspace(tmp_path / "work", changes)

    def outputs() -> list[str]:
        commands = (workspace.tree / "run", workspace.tree / "same")
        return [subprocess.check_output([c], text=True).strip() for c in commands]

    workspace.become(changes.everything)
    assert outputs() == ["good", "same"]
    before = workspace.files()
    (workspace.tree / "run").unlink()
    (workspace.tree / "same").chmod(0o644)
    workspace.clear_up(before)
    assert outputs() == ["good", "same"]
    workspace.become(BAD)
    assert outputs() == ["bad", "same"]


def test_compiled_python_is_never_that_of_another_variant(tmp_path: Path) -> None:
    """Python uses a compiled file if its source has the recorded size and second."""
    bench = VariantWorkspace(tmp_path, {"p/m.py": "x = 'good'"}, {"p/m.py": "x = 'evil'"})

    def imported() -> str:
        # Both versions get the same second.
        os.utime(bench.tree / "p/m.py", (1_000_000_000, 1_000_000_000))
        command = [sys.executable, "-c", "import p.m; print(p.m.x)"]
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return subprocess.check_output(command, cwd=bench.tree, env=env, text=True).strip()

    for _ in range(2):
        bench.good()
        assert imported() == "good"
        assert list(bench.tree.glob("p/__pycache__/m.*.pyc"))
        bench.bad()
        assert imported() == "evil"


def test_compiled_python_of_a_module_that_a_test_wrote_is_removed(bench: VariantWorkspace) -> None:
    def work(tree: Path) -> None:
        write(tree / "made.py", "")
        write(tree / "__pycache__/made.cpython-311.pyc", "")
        write(tree / "__pycache__/other.cpython-311.pyc", "")
        write(tree / "made/__pycache__/x.cpython-311.pyc", "")

    bench.bad()
    bench.test_run(work)
    assert set(bench.seen()) - set(BAD_FILES) == {"__pycache__/other.cpython-311.pyc"}


def test_a_removed_package_is_removed_with_its_compiled_files(tmp_path: Path) -> None:
    bench = VariantWorkspace(tmp_path, {"p/q/m.py": "", "a": "1"}, {"a": "2"})
    bench.good()
    write(bench.tree / "p/q/__pycache__/m.cpython-311.pyc", "")
    write(bench.tree / "p/__pycache__/__init__.cpython-311.pyc", "")
    bench.bad()
    assert bench.seen() == {"a": "2"}


def modified(path: Path) -> int:
    return path.stat().st_mtime_ns


def test_before_the_first_build_files_have_the_times_of_their_version(tmp_path: Path) -> None:
    """A release holds generated files, which must not look older than their sources."""
    same: Text = {"z.h": "h", "a": "a"}
    good: Text = {"parse.y": "1\nsame\n1\n", "parse.c": "c1", "z.w": "z1", **same}
    bad: Text = {"parse.y": "2\nsame\n2\n", "parse.c": "c2", "z.w": "z2", **same}
    bench = VariantWorkspace(tmp_path, good, bad)
    ages = {"good": {"parse.y": 10, "parse.c": 20, "z.w": 5, "z.h": 6, "a": 7}}
    ages["bad"] = {"parse.y": 30, "parse.c": 40, "z.w": 50, "z.h": 60, "a": 70}
    for version, times in ages.items():
        for name, when in times.items():
            os.utime(tmp_path / version / name, ns=(when * 10**9, when * 10**9))
    workspace = Workspace(tmp_path / "again", bench.changes)

    def seconds() -> dict[str, int]:
        return {name: modified(workspace.tree / name) // 10**9 for name in bad}

    for _ in range(2):
        workspace.become(BAD)
        assert seconds() == ages["bad"]
        workspace.become(bench.changes.everything)
        assert seconds() == ages["good"]
    first = next(change.id for change in bench.changes.changes if change.file == "parse.y")
    workspace.become(frozenset({first}))
    kept = seconds()
    assert kept.pop("parse.y") > max(kept.values())
    assert kept == {n: when for n, when in ages["bad"].items() if n != "parse.y"}


def test_after_a_build_what_is_written_looks_new(tmp_path: Path) -> None:
    bench = VariantWorkspace(tmp_path, {"a.c": "old"}, {"a.c": "new"})
    os.utime(tmp_path / "good" / "a.c", ns=(10**9, 10**9))
    bench.bad()
    bench.workspace.begin_build()
    (bench.tree / "a.o").write_text("made from new")
    bench.workspace.finished()
    bench.good()
    assert modified(bench.tree / "a.c") > modified(bench.tree / "a.o")


def test_files_that_are_written_together_have_one_time(tmp_path: Path) -> None:
    """Else `configure`, written before `configure.ac`, would be generated again after a build."""
    names = [f"{number:03}" for number in range(300)]
    bench = VariantWorkspace(tmp_path, dict.fromkeys(names, "old"), dict.fromkeys(names, "new"))
    bench.bad()
    bench.workspace.begin_build()
    bench.workspace.finished()
    bench.good()
    assert len({modified(bench.tree / name) for name in names}) == 1


def test_a_source_of_configure_that_is_restored_looks_as_old_as_it_is(tmp_path: Path) -> None:
    """Else make would call autoconf from then on, in each variant."""
    bad: Text = {"configure": "same\n", "aclocal.m4": "new\n", "a.texi": "new\n", "b.c": "new\n"}
    bench = VariantWorkspace(tmp_path, {"configure": "same\n", "b.c": "old\n"}, bad)
    for become in (bench.bad, bench.good):
        become()
        bench.workspace.begin_build()
        bench.workspace.finished()
    bench.bad()
    times = {path: (bench.tree / path).stat().st_mtime_ns for path in bad}
    assert times["aclocal.m4"] == (tmp_path / "bad" / "aclocal.m4").stat().st_mtime_ns
    assert times["b.c"] > times["aclocal.m4"]
    assert times["a.texi"] == times["b.c"]  # the build may make something of it


def test_what_is_made_of_a_file_is_looked_for_in_the_version() -> None:
    made = find_made(["src/a.texi", "src/a.info", "b.texi", "c.m4", "c.c"])
    assert made == {"src/a.texi", "src/a.info"}
    assert find_made(["configure", "m4/c.m4", "x/configure.in", "c.c", "c.h"]) == {
        "m4/c.m4", "x/configure.in"
    }  # fmt: skip
