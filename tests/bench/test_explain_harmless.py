"""Are harmless changes harmless, separate, and the same each time?"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.explain import features, filler, refactorings, renames, reorderings
from bench.explain.desk import Desk, Fault, Recipe, Rewrite
from bench.explain.harmless import MOST, hide
from bench.explain.pairs import complaints
from bench.why.suite import PROGRAMS, load
from tests.compiling import CC

PROGRAM = b"""\
#include <stdio.h>
#include <stdlib.h>

struct box {
    int width;
    int height;
};

static int total;

/* The larger one. */
static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int area(const struct box *box)
{
    int sum = 0;
    int i, turns = 10;
    if (box == NULL)
        return 100;
    for (i = 0; i < box->height; i++) {
        sum += box->width;
    }
    if (sum > 12)
        sum = larger(sum, 12) + turns;
    else
        sum = 12;
    total++;
    return sum + i;
}

int main(void)
{
    struct box box = {3, 4};
    struct box flat;
    flat.width = 7;
    flat.height = !total;
    printf("%d %d %d\\n", area(&box), area(&flat), area(NULL));
    return total;
}
"""

RECIPES = (
    renames.local, renames.shared, renames.field, *reorderings.REORDERINGS, *reorderings.LAYOUT,
    *refactorings.RECIPES, *features.RECIPES,
)  # fmt: skip


def desk_for(text: bytes, *faults: Fault, tangled: bool = False) -> Desk:
    return Desk({"box.c": text}, list(faults), random.Random(1), tangled)


def output(files: dict[str, bytes], folder: Path) -> tuple[int, bytes]:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text)
    sources = sorted(name for name in files if name.endswith(".c"))
    subprocess.run([*CC, "-std=c99", "-O0", "-w", *sources, "-o", "box"], cwd=folder, check=True)
    done = subprocess.run(["./box"], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout


def rewrites(desk: Desk, recipe: Recipe) -> Iterator[Rewrite]:
    return (each for each in recipe(desk.sources["box.c"], desk) if desk.admits(each))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.__name__)
def test_a_rewritten_program_does_what_it_did(recipe: Recipe, tmp_path: Path) -> None:
    """Apply every rewrite that a recipe finds, all at once if they do not collide."""
    desk = desk_for(PROGRAM)
    count = 0
    while rewrite := next(rewrites(desk, recipe), None):
        desk.apply(rewrite)
        count += 1
        if count == 6:  # names can be changed without end
            break
    assert count
    assert desk.files != {"box.c": PROGRAM}
    assert output(desk.files, tmp_path / "new") == output({"box.c": PROGRAM}, tmp_path / "old")


def one(recipe: Recipe, text: str) -> str:
    """Return what a recipe makes of a function with one statement that it can rewrite."""
    desk = desk_for(f"static int f(int a, int b)\n{{\n{text}}}\n".encode())
    desk.apply(next(rewrites(desk, recipe)))
    return desk.files["box.c"].decode().partition("{\n")[2].removesuffix("}\n")


def test_code_is_rewritten_with_the_same_meaning() -> None:
    assert one(refactorings.mirror, "    a = a + b < 7;\n") in (
        "    a = 7 > (a + b);\n",
        "    a = b + a < 7;\n",
    )
    assert one(refactorings.spell_assignment, "    a -= b - 1;\n") == "    a = a - (b - 1);\n"
    assert one(refactorings.spell_assignment, "    a++;\n") == "    a += 1;\n"
    assert one(refactorings.extract_result, "    return a + 1;\n") == (
        "    int result_1 = a + 1;\n    return result_1;\n"
    )
    assert one(refactorings.loop_with_while, "    for (a = 0; a < b; a++)\n        b--;\n") == (
        "    a = 0;\n    while (a < b) {\n        b--;\n        a++;\n    }\n"
    )
    assert one(refactorings.invert_condition, "    if (a == b)\n        a = 1;\n    else\n"
               "        b = 2;\n") == (
        "    if (a != b) {\n        b = 2;\n    } else {\n        a = 1;\n    }\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("recipe", "text"),
    [
        (refactorings.mirror, "    a = next() + next();\n"),
        (refactorings.loop_with_while, "    for (a = 0; a < b; a++) {\n        continue;\n    }\n"),
        (refactorings.spell_assignment, "    *next() += 1;\n"),
        (refactorings.extract_helper, "    return f(a, b) + 1;\n"),
        (refactorings.extract_condition, "    if (setjmp(next))\n        a++;\n"),
        (reorderings.swap_statements, "    int c = 1;\n    int d = c;\n"),
        (reorderings.swap_statements, "    a = 1;\n    *p = 2;\n"),
    ],
)
def test_code_that_a_rewrite_could_break_is_left_alone(recipe: Recipe, text: str) -> None:
    desk = desk_for(f"static int f(int a, int b)\n{{\n{text}}}\n".encode())
    assert list(rewrites(desk, recipe)) == []


def test_a_name_that_means_two_things_is_kept() -> None:
    body = b"    { int m = n; }\n    { int m = 2; }\n    return n;\n"
    desk = desk_for(b"static int n;\nint f(int n)\n{\n%s}\n" % body)
    assert list(rewrites(desk, renames.local)) == []
    assert {rewrite.name for rewrite in rewrites(desk, renames.shared)} <= {b"f"}


# --- what may not be touched -------------------------------------------------------------------


def fault_at(line: bytes, old: bytes) -> Fault:
    start = PROGRAM.index(line)
    return Fault("box.c", start, start + len(line), old)


def test_no_change_is_made_on_the_faulty_lines_or_beside_them() -> None:
    line = b"        sum += box->width;\n"
    desk = desk_for(PROGRAM, fault_at(line, b"        sum += box->height;\n"))
    (before, after) = (b"    for (i = 0; i < box->height; i++) {\n", b"    }\n")
    for recipe in RECIPES:
        while rewrite := next(rewrites(desk, recipe), None):
            desk.apply(rewrite)
            if rewrite.kind == "rename":
                break
    assert before + line + after in desk.files["box.c"]
    (fault,) = desk.faults
    assert desk.files["box.c"][fault.start : fault.end] == line
    mended = desk.mended()["box.c"]
    assert mended == desk.files["box.c"].replace(line, b"        sum += box->height;\n")


def test_a_tangled_rename_passes_through_the_fault_and_its_correct_lines() -> None:
    line = b"        sum = larger(sum, 12) + turns;\n"
    desk = desk_for(PROGRAM, fault_at(line, b"        sum = larger(sum, turns);\n"), tangled=True)
    (rename,) = [each for each in rewrites(desk, renames.local) if each.name == b"turns"]
    desk.apply(rename)
    new = rename.new_name
    assert new is not None
    (fault,) = desk.faults
    assert desk.files["box.c"][fault.start : fault.end] == line.replace(b"turns", new)
    assert fault.old == b"        sum = larger(sum, %s);\n" % new


def test_filler_gives_a_number_that_is_not_negative(tmp_path: Path) -> None:
    files = filler.modules(25, random.Random(3))
    main = (
        b'#include "extras.h"\nint main(int argc, char **argv) { return extras_run(argc) < 0; }\n'
    )
    assert output({**files, "main.c": main}, tmp_path / "all") == (0, b"")


# --- all of it ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tangled", [False, True])
def test_a_hidden_fault_is_what_makes_the_program_fail(tangled: bool, tmp_path: Path) -> None:
    program = load(PROGRAMS / "scanner")
    fault = program.faults[0]
    hidden = hide(fault, 50, tangled=tangled)
    assert list(complaints(hidden, program, fault, tmp_path / "pair")) == []
    assert 50 <= hidden.changes <= 50 + MOST
    assert hidden.culprit.file == "scanner.c"
    assert hidden.culprit.old[1] == hidden.culprit.new[1] == 1
    assert hidden.is_alone is not tangled
    assert set(hidden.kinds) == {"rename", "reordering", "refactoring", "feature", "comment"}
    assert hide(fault, 50, tangled=tangled) == hidden, "the same arguments, the same versions"
    assert hide(fault, 50, seed=2).bad != hidden.bad


def test_a_pair_without_the_described_failure_is_reported(tmp_path: Path) -> None:
    program = load(PROGRAMS / "scanner")
    fault = program.faults[0]
    hidden = hide(fault, 10)
    assert list(
        complaints(replace(hidden, bad=hidden.harmless), program, fault, tmp_path / "a")
    ) == [f"bad passes {fault.tests[0].name}"]
    wrong = list(complaints(replace(hidden, harmless=hidden.bad), program, fault, tmp_path / "b"))
    assert any("harmless does not behave as the correct program" in each for each in wrong)
