"""Are the generated rewrites what they claim, and does the search converge on them?"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.isolate.mini_c import complaints_of
from bench.isolate.rewrites import PLACES, RIGHT, WRONG, make_project, write_project
from bench.isolate.simulate import simulate
from tests.compiling import CC
from whence.changes.changeset import compare_trees, function_groups
from whence.changes.tree import read_tree


@pytest.mark.parametrize("place", PLACES)
def test_all_changes_but_the_culprit_are_harmless(tmp_path: Path, place: str) -> None:
    project = make_project(place, 12)
    write_project(project, tmp_path)
    mended = {name: text.replace(f" {WRONG};", f" {RIGHT};") for name, text in project.bad.items()}
    good, bad = printed(tmp_path / "good"), printed(tmp_path / "bad")
    assert good != bad
    assert sum(mended[name] != text for name, text in project.bad.items()) == 1
    write(tmp_path / "bad", mended)
    assert printed(tmp_path / "bad") == good


def test_the_small_compiler_agrees_with_the_real_one(tmp_path: Path) -> None:
    project = make_project("tied", 12)
    write_project(project, tmp_path)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    rng = random.Random(1)
    functions = function_groups(changes.changes)
    single = [frozenset({change.id}) for change in changes.changes]
    outcomes = set()
    for atom in [*rng.sample(functions, 4), *rng.sample(single, 6)]:
        nodes = changes.nodes(atom)
        files = project.bad | {path: node.content.decode() for path, node in nodes.items()}
        write(tmp_path / "bad", files)
        built = compiled(tmp_path / "bad", "-fsyntax-only").returncode == 0
        assert built == (not complaints_of(files)), atom
        outcomes.add(built)
    assert outcomes == {True, False}


@pytest.mark.parametrize("way", ["isolate", "explain"])
@pytest.mark.parametrize("place", PLACES)
def test_a_search_among_rewritten_functions_converges(place: str, way: str) -> None:
    """Without what complaints teach, these took up to 58 runs and 117 rejected variants."""
    row = simulate(place, make_project(place, 48, 1), way)
    assert row.changes > 350
    assert row.found
    assert (row.root, row.auxiliary) == (1, 0)
    assert row.runs <= 20
    assert row.rejected <= 20


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def compiled(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    sources = sorted(path.name for path in folder.glob("*.c"))
    strict = "-Werror=implicit-function-declaration"
    command = [*CC, "-O0", strict, *options, *sources]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def printed(folder: Path) -> str:
    assert compiled(folder, "-o", "app").returncode == 0
    return subprocess.run(["./app"], cwd=folder, capture_output=True, text=True, check=True).stdout
