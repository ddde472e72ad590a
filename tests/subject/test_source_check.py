"""Are variants rejected before the build only if a clean build would not give an answer either?"""

from __future__ import annotations

import random
import shutil
import textwrap
from pathlib import Path

import pytest

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId, Outcome, Reverted, Run
from whence.subject.trial import BuildAndTest, Trial

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("make")), reason="needs a C compiler and make"
)

MAKEFILE = """
prog: a.o b.o
\t$(CC) -o $@ a.o b.o
a.o: a.c a.h config.h
\t$(CC) -c -o $@ a.c
b.o: b.c a.h config.h
\t$(CC) -c -o $@ b.c
"""
CONFIGURE = """#!/bin/sh
echo run >>../configured
echo "#define STEP $(cat step)" >config.h
"""


def write_project(folder: Path, files: dict[str, str]) -> Path:
    for name, text in ({"Makefile": MAKEFILE, "configure": CONFIGURE, "step": "1"} | files).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
        (folder / name).chmod(0o755 if name == "configure" else 0o644)
    return folder


def changes_of(tmp_path: Path, good: dict[str, str], bad: dict[str, str]) -> ChangeSet:
    return compare_trees(
        read_tree(write_project(tmp_path / "good", good)),
        read_tree(write_project(tmp_path / "bad", bad)),
        (),
    )


def trial_of(tmp_path: Path, changes: ChangeSet, name: str) -> Trial:
    (tmp_path / name).mkdir()
    return Trial(tmp_path / name / "worker", changes)


COMMANDS = BuildAndTest("./prog", build="./configure && make", timeout=60)

POINTER_GOOD = {
    "a.h": "int total(int *from, int *end);\n",
    "a.c": """\
        #include "a.h"
        int total(int *from, int *end) {
          int sum = 0;
          while (from != end)
            sum += *from++;
          return sum;
        }
        """,
    "b.c": """\
        #include "a.h"
        int main(void) {
          int numbers[3] = {1, 2, 3};
          return total(numbers, numbers + 3) != 6;
        }
        """,
}
POINTER_BAD = {
    "a.h": "int total(int *from, long end);\n",
    "a.c": """\
        #include "a.h"
        int total(int *from, long end) {
          int sum = 0;
          while (--end)
            sum += *from++;
          return sum;
        }
        """,
    "b.c": """\
        #include "a.h"
        int main(void) {
          int numbers[3] = {1, 2, 3};
          return total(numbers, 3) != 6;
        }
        """,
}


def changes_in(changes: ChangeSet, file: str, text: str) -> Reverted:
    """Return the changes of a file whose old lines hold a text."""
    found = [c.id for c in changes.changes if c.file == file and text.encode() in c.removed]
    assert found
    return frozenset(found)


def test_a_pointer_compared_with_a_number_is_not_built(tmp_path: Path) -> None:
    """`from != end` compiles with a warning if only the loop is reverted; neither version warns."""
    changes = changes_of(tmp_path, POINTER_GOOD, POINTER_BAD)
    trial = trial_of(tmp_path, changes, "warm")
    assert trial.run(frozenset(), COMMANDS).outcome is Outcome.FAIL
    run = trial.run(changes_in(changes, "a.c", "from != end"), COMMANDS)
    assert run.outcome is Outcome.BROKEN
    assert run.rejected
    assert "comparison between pointer and integer" in run.note
    assert "end" in run.complaints[0].names
    assert trial.run(changes.everything, COMMANDS).outcome is Outcome.PASS


def test_a_warning_that_a_version_gives_itself_rejects_nothing(tmp_path: Path) -> None:
    warns = '#include <stdio.h>\nvoid noise(void) { printf("%s", 3); }\n'
    good = POINTER_GOOD | {"a.c": warns + textwrap.dedent(POINTER_GOOD["a.c"])}
    bad = POINTER_GOOD | {
        "a.c": good["a.c"].replace("sum = 0", "sum = 1").replace("*from++", "*from++ + 0")
    }
    changes = changes_of(tmp_path, good, bad)
    trial = trial_of(tmp_path, changes, "warm")
    assert trial.run(frozenset(), COMMANDS).outcome is Outcome.FAIL
    assert trial.run(changes_in(changes, "a.c", "sum = 0"), COMMANDS).outcome is Outcome.PASS
    assert not trial.run(changes_in(changes, "a.c", "*from++"), COMMANDS).rejected


def test_an_unset_variable_does_not_pass_with_filled_memory(tmp_path: Path) -> None:
    """Only `keep` is reverted: it reads a field that nothing sets, and passes if that holds 0."""
    common = "struct options { int verbose; unsigned limit; };\n"
    good = {
        "a.h": common,
        "a.c": """\
            #include "a.h"
            void init(struct options *o) {
              o->verbose = 0;
              o->limit = 3;
            }
            int keep(struct options *o, int n) {
              return (unsigned)n >= o->limit;
            }
            """,
        "b.c": """\
            #include <stdlib.h>
            #include "a.h"
            void init(struct options *o);
            int keep(struct options *o, int n);
            int main(void) {
              struct options *o = malloc(sizeof *o);
              init(o);
              return !keep(o, 7);
            }
            """,
    }
    bad = good | {
        "a.c": """\
            #include "a.h"
            void init(struct options *o) {
              o->verbose = 0;
            }
            int keep(struct options *o, int n) {
              return n >= 10 + o->verbose;
            }
            """
    }
    changes = changes_of(tmp_path, good, bad)
    trial = trial_of(tmp_path, changes, "warm")
    reverted = changes_in(changes, "a.c", ">= o->limit")
    assert trial.run(frozenset(), COMMANDS).outcome is Outcome.FAIL
    assert trial.run(reverted, COMMANDS).outcome is Outcome.PASS
    assert trial.run(reverted, COMMANDS, filled=True).outcome is Outcome.FAIL
    assert trial.run(changes.everything, COMMANDS, filled=True).outcome is Outcome.PASS
    assert trial.run(reverted, COMMANDS).outcome is Outcome.PASS  # compiled again without filling


def test_configure_runs_again_only_if_its_inputs_change(tmp_path: Path) -> None:
    bad = POINTER_BAD | {"step": "2", "README": "new\n"}
    changes = changes_of(tmp_path, POINTER_GOOD | {"README": "old\n"}, bad)
    trial = trial_of(tmp_path, changes, "warm")

    def configured() -> int:
        file = tmp_path / "warm" / "worker" / "configured"
        return len(file.read_text().split())

    of_sources = frozenset(c.id for c in changes.changes if c.file.endswith((".c", ".h")))
    of_readme = frozenset(c.id for c in changes.changes if c.file == "README")
    assert trial.run(frozenset(), COMMANDS).outcome is Outcome.FAIL
    assert trial.run(of_sources, COMMANDS).outcome is Outcome.PASS
    assert trial.run(of_readme, COMMANDS).outcome is Outcome.FAIL
    assert configured() == 1
    assert trial.run(changes.everything, COMMANDS).outcome is Outcome.PASS
    assert configured() == 2


# --- random projects ------------------------------------------------------------------------------


def random_version(random: random.Random, *, base: dict[str, str] | None = None) -> dict[str, str]:
    """Return a small project; given `base`, one with some of its lines replaced."""
    types = ("int", "long", "int *", "const char *")

    def functions(file: str) -> str:
        lines = [f'#include "{header}"' for header in ("a.h", "config.h")]
        for name in range(3):
            result, parameter = random.choice(types[:2]), random.choice(types)
            lines += [
                f"{result} {file}{name}({parameter} x) {{",
                f"  int y{'' if random.random() < 0.3 else ' = STEP'};",
                f"  if (x != {random.choice(('0', '0', '3', 'y'))})",
                f"    y = {random.choice(('1', '2', 'LIMIT', 'SIZE'))};",
                "  return y;",
                "}",
            ]
        return "\n".join(lines) + "\n"

    made = {
        "a.h": f"#define {random.choice(('LIMIT', 'SIZE'))} {random.randrange(3)}\n",
        "a.c": functions("a"),
        "b.c": functions("b") + "int main(void) {\n  return b0(0) + b1(0) > 2;\n}\n",
        "step": str(random.randrange(3)),
        "notes": "text\n",
    }
    if base is None:
        return made
    mixed = {}
    for name, text in base.items():
        old, new = text.split("\n"), made[name].split("\n")
        lines = [
            new[i] if i < len(new) and random.random() < 0.3 else line for i, line in enumerate(old)
        ]
        mixed[name] = "\n".join(lines)
    return mixed


@pytest.mark.parametrize("seed", range(4))
def test_warm_and_checked_runs_end_as_clean_builds_do(tmp_path: Path, seed: int) -> None:
    """The oracle is a build in a new tree, which checks nothing and skips no step."""
    chance = random.Random(seed)
    good = random_version(chance)
    changes = changes_of(tmp_path, good, random_version(chance, base=good))
    if not changes.changes:
        return
    warm, clean = (trial_of(tmp_path, changes, name) for name in ("warm", "clean"))
    sizes = (1, 2, len(changes.changes) // 2, len(changes.changes) - 1)
    sets: list[Reverted] = [frozenset(), changes.everything]
    for size in sizes * 2:
        chosen = chance.sample(range(len(changes.changes)), min(size, len(changes.changes)))
        sets.append(frozenset(map(ChangeId, chosen)))
    for reverted in sets:
        compare(warm.run(reverted, COMMANDS), clean.run(reverted, COMMANDS, clean=True))


def compare(fast: Run, oracle: Run) -> None:
    if not fast.rejected:
        assert fast.outcome is oracle.outcome
    elif "only by accident" not in fast.note:
        assert oracle.outcome is Outcome.BROKEN
