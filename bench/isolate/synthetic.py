"""Which generated projects have a known cause?

`write_c_project`: two changes in different files cause the failure, among 100 changes of which
half do not compile without others.  `write_scale_project`: one culprit among 10,000 changes.
"""

from __future__ import annotations

import random
import shlex
from pathlib import Path

from bench.isolate.cases import Case
from bench.isolate.score import Place

VARIANTS = ("either", "both")  # how many of the two culprits must be reverted

Piece = str | tuple[str, str]
"""Lines that both versions have, or the old and the new lines of one change.

Pieces that are changes never follow each other, so each is one change of the diff."""

MODULES: tuple[str, ...] = ("batch", "cache", "clock", "crypt", "index", "input")
MODULES += ("parse", "queue", "route", "store", "table", "token")
# A coupling is three changes in different files or functions, a renamed local is two changes; the
# parts do not all compile alone.  3 per module and 7 * 2 make 50, as many as the free changes.
COUPLINGS = ("renamed", "signature", "field", "added")
RENAMED_LOCALS = 7
EXPECTED = 220  # the sum that `main` computes; harmless changes do not alter it

LIMIT = ("    return 8;\n", "    return 16;\n")
ROOM = ("    return 20;\n", "    return 12;\n")
# With `either`, 16 does not fit 12, but it fits 20, and 8 fits 12.  With `both`, a reserve of
# 12 makes each new value too large for the other's old value.
RESERVE = {"either": 0, "both": 12}

BUILD = 'make -s CC="$CC"'
MAKEFILE = """\
CC ?= cc
CFLAGS = -O0 -g -Werror=implicit-function-declaration
OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))

app: $(OBJECTS)
\t$(CC) -o $@ $(OBJECTS)

$(OBJECTS): $(wildcard *.h)

%.o: %.c
\t$(CC) $(CFLAGS) -c -o $@ $<
"""


def write_c_project(env: Path, variant: str, seed: int = 1) -> Case:
    """Write good/ and bad/ into `env`: 13 C files and 12 headers that differ in 100 changes."""
    files, culprits = _c_project(variant, random.Random(seed))
    for side, tree in enumerate(("good", "bad")):
        _write(env / tree, {name: _version(pieces, side) for name, pieces in files.items()})
    return Case(f"synthetic-{variant}", "synthetic", env, "./app", BUILD, culprits, ())


def _c_project(
    variant: str, rng: random.Random
) -> tuple[dict[str, list[Piece]], tuple[Place, ...]]:
    couplings = list(COUPLINGS) * (len(MODULES) // len(COUPLINGS))
    rng.shuffle(couplings)
    renames_local = set(rng.sample(MODULES, RENAMED_LOCALS))
    limit_in, room_in = rng.sample(MODULES, 2)
    files: dict[str, list[Piece]] = {"Makefile": [MAKEFILE]}
    call: Piece = "    sum += 1;\n"  # how the code uses the previous module
    included = ""
    for name, coupling in zip(MODULES, couplings, strict=True):
        header, definition, next_call = _coupled(name, coupling)
        body: list[Piece] = [f'#include "{name}.h"\n{included}\n', *_free_changes(name)]
        body += definition
        body += _local(name, renames_local)
        body += [f"\nint {name}_check(void) {{\n    int sum = 0;\n", call]
        body += [f"    sum += {name}_twice(2) + {name}_total(4) + {name}_clip(-3);\n"]
        body += [f"    return sum + {name}_area(3);\n}}\n"]
        if name == limit_in:
            body += ["\nint batch_limit(void) {\n", LIMIT, "}\n"]
        if name == room_in:
            body += ["\nint queue_room(void) {\n", ROOM, "}\n"]
        files[f"{name}.c"], files[f"{name}.h"] = body, header
        call, included = next_call, f'#include "{name}.h"\n'
    files["main.c"] = _main(variant, call)
    culprits = (_place(files, f"{limit_in}.c", LIMIT), _place(files, f"{room_in}.c", ROOM))
    return files, culprits


def _free_changes(name: str) -> list[Piece]:
    """Return functions with four changes that are independent of each other."""
    return [
        f"int {name}_twice(int n) {{\n",
        ("    return n * 2;\n", "    return n + n;\n"),
        "}\n\n",
        (f"/* Sums up for {name}. */\n", f"/* The sum of 0 to n - 1, for {name}. */\n"),
        f"int {name}_total(int n) {{\n    int i, total = 0;\n",
        ("    for (i = 0; i < n; i++)\n", "    for (i = 0; i != n; i += 1)\n"),
        "        total += i;\n    return total;\n}\n\n",
        f"int {name}_clip(int n) {{\n",
        ("", "    if (n < -100)\n        n = -100;\n"),
        "    return n < 0 ? 0 : n;\n}\n\n",
    ]


def _coupled(name: str, coupling: str) -> tuple[list[Piece], list[Piece], Piece]:
    """Return a header, a definition and a use in another file; the change needs all three."""
    guard = f"{name.upper()}_H"
    top = f"#ifndef {guard}\n#define {guard}\nint {name}_check(void);\n"
    end = "#endif\n"
    if coupling == "renamed":
        old, new = f"int {name}_get(int n)", f"int {name}_fetch(int n)"
        use = (f"    sum += {name}_get(1);\n", f"    sum += {name}_fetch(1);\n")
        return [top, (f"{old};\n", f"{new};\n"), end], _function(old, new, "n + 1"), use
    if coupling == "signature":
        old, new = f"int {name}_put(int n)", f"int {name}_put(int n, int more)"
        use = (f"    sum += {name}_put(1);\n", f"    sum += {name}_put(1, 0);\n")
        return [top, (f"{old};\n", f"{new};\n"), end], _function(old, new, "n + 2"), use
    if coupling == "field":
        struct = f"struct {name}_state"
        header: list[Piece] = [top, f"{struct} {{\n    int first;\n"]
        header += [("    int len;\n", "    int length;\n"), "    int last;\n};\n"]
        header += [f"{struct} {name}_state(int n);\n", end]
        definition: list[Piece] = [f"{struct} {name}_state(int n) {{\n    {struct} s;\n"]
        definition += ["    s.first = n;\n", ("    s.len = n;\n", "    s.length = n;\n")]
        definition += ["    s.last = n;\n    return s;\n}\n\n"]
        use = (f"    sum += {name}_state(1).len;\n", f"    sum += {name}_state(1).length;\n")
        return header, definition, use
    new = f"int {name}_extra(int n)"
    use = ("    sum += 3;\n", f"    sum += {name}_extra(3);\n")
    added: list[Piece] = [("", f"{new} {{\n    return n;\n}}\n\n")]
    return [top, ("", f"{new};\n"), end], added, use


def _function(old: str, new: str, value: str) -> list[Piece]:
    return [(f"{old} {{\n", f"{new} {{\n"), f"    return {value};\n}}\n\n"]


def _local(name: str, renames_local: set[str]) -> list[Piece]:
    declared = ("    int w = n;\n", "    int width = n;\n")
    used = ("    return w * 2;\n", "    return width * 2;\n")
    pieces: list[Piece] = [f"int {name}_area(int n) {{\n", declared]
    pieces += ["    if (n < 0)\n        return 0;\n", used, "}\n"]
    if name in renames_local:
        return pieces
    return [piece if isinstance(piece, str) else piece[0] for piece in pieces]


def _main(variant: str, call: Piece) -> list[Piece]:
    pieces: list[Piece] = ["#include <stdio.h>\n"]
    pieces += [f'#include "{name}.h"\n' for name in MODULES]
    pieces += ["\nint batch_limit(void);\nint queue_room(void);\n\n"]
    pieces += ["int main(void) {\n    int sum = 0;\n", call]
    pieces += [f"    sum += {name}_check();\n" for name in MODULES]
    pieces += ['    printf("sum %d\\n", sum);\n']
    pieces += [f"    if (sum != {EXPECTED})\n        return 2;\n"]
    pieces += [f"    if (batch_limit() + {RESERVE[variant]} > queue_room()) {{\n"]
    pieces += ['        fprintf(stderr, "the batch does not fit the queue\\n");\n']
    return [*pieces, "        return 1;\n    }\n    return 0;\n}\n"]


def _place(files: dict[str, list[Piece]], file: str, culprit: Piece) -> Place:
    """Return the place of a change that replaces one line by one line."""
    before = files[file][: files[file].index(culprit)]
    old, new = (_version(before, side).count("\n") + 1 for side in (0, 1))
    return Place(file, (old, 1), (new, 1))


def write_scale_project(env: Path, python: str, files: int = 100, per_file: int = 100) -> Case:
    """Write good/ and bad/ into `env`: Python files with one changed line in each function.

    One function, in the middle, changes its result; the test calls all of them.
    """
    culprit = (files // 2, per_file // 3)
    trees: tuple[dict[str, str], dict[str, str]] = ({"__init__.py": ""}, {"__init__.py": ""})
    for f in range(files):
        for side, tree in enumerate(trees):
            tree[f"m{f:03}.py"] = "\n".join(
                f"def f{i}(x):\n    return {_sum(side == 1, (f, i) == culprit)}\n"
                for i in range(per_file)
            )
    for tree, name in zip(trees, ("good", "bad"), strict=True):
        _write(env / name / "pkg", tree)
    (env / "test.py").write_text(
        f"import importlib\n\ntotal = 0\nfor f in range({files}):\n"
        '    module = importlib.import_module(f"pkg.m{f:03}")\n'
        f'    total += sum(getattr(module, f"f{{i}}")(1) for i in range({per_file}))\n'
        f"assert total == {2 * files * per_file}\n"
    )
    line = 3 * culprit[1] + 2
    place = Place(f"pkg/m{culprit[0]:03}.py", (line, 1), (line, 1))
    script = shlex.quote(str(env / "test.py"))
    test = f"PYTHONPATH={{tree}} {shlex.quote(python)} {script}"
    return Case("scale", "scale", env, test, None, (place,), ())


def _sum(is_new: bool, is_culprit: bool) -> str:
    if not is_new:
        return "x + 1"
    return "x + 2" if is_culprit else "1 + x"


def _version(pieces: list[Piece], side: int) -> str:
    """Return the text of the old (0) or the new (1) version."""
    return "".join(piece if isinstance(piece, str) else piece[side] for piece in pieces)


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
