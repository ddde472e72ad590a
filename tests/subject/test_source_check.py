"""Are variants rejected before the build only if a clean build would not give an answer either?"""

from __future__ import annotations

import random
import shutil
import subprocess
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import Outcome, Reverted
from whence.search.session import IsolateRequest, Watcher, run_request
from whence.subject.build_steps import notes_reads
from whence.subject.trial import BuildAndTest, RunWay, Trial
from whence.subject.workspace import Workspace

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


GENERATING = """
prog: a.o b.o
\t$(CC) -o $@ a.o b.o
a.o: a.c
\t$(CC) -c -o $@ a.c
words.h: {inputs}
\t{command}
b.o: b.c words.h
\t$(CC) -c -o $@ b.c
"""
BY_TOOL = GENERATING.format(inputs="words", command="sed 's/^/#define /' words >$@")
BY_PROGRAM = GENERATING.format(inputs="make.c", command="$(CC) make.c -o make && ./make >$@")


@pytest.mark.parametrize(
    ("makefile", "is_checked"),
    [pytest.param(BY_TOOL, True, id="tool"), pytest.param(BY_PROGRAM, False, id="own program")],
)
def test_a_header_that_the_project_itself_generates_is_not_trusted(
    tmp_path: Path, makefile: str, is_checked: bool
) -> None:
    """The header is written after the first source was compiled, in both cases."""
    shared = {
        "Makefile": makefile,
        "words": "LIMIT 3\n",
        "make.c": '#include <stdio.h>\nint main(void) { puts("#define LIMIT 3"); return 0; }\n',
        "a.c": "int one(void) { return 1; }\n",
    }
    lines = '#include "words.h"\nint one(void);\n'
    good = shared | {
        "b.c": lines + "int main(void) {\n  int low = one();\n\n\n  return low > LIMIT;\n}\n"
    }
    bad = shared | {
        "b.c": lines + "int main(void) {\n  int high = one();\n\n\n  return high < LIMIT;\n}\n"
    }
    changes = changes_of(tmp_path, good, bad)
    commands = BuildAndTest("./prog", build="make", timeout=60)
    trial = trial_of(tmp_path, changes, "warm")
    assert trial.run(changes.everything, commands).outcome is Outcome.PASS
    run = trial.run(changes_in(changes, "b.c", "int low"), commands)
    assert run.outcome is Outcome.BROKEN
    assert run.rejected == is_checked


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
    assert trial.run(reverted, COMMANDS, way=RunWay.FILLED).outcome is Outcome.FAIL
    assert trial.run(changes.everything, COMMANDS, way=RunWay.FILLED).outcome is Outcome.PASS
    assert trial.run(reverted, COMMANDS).outcome is Outcome.PASS  # compiled again without filling


def test_configure_runs_again_only_if_its_inputs_change(tmp_path: Path) -> None:
    if not notes_reads(tmp_path):
        pytest.skip("this file system does not note when a file is read")
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

ARGUMENTS = {"int": "v", "long": "7L", "int *": "&v"}  # by type of the parameter
VALUES = {"int": "x", "long": "x", "int *": "*x"}


@dataclass(frozen=True)
class Function:
    """One function of a random project, and how its parts are named and typed."""

    number: int
    name: str
    parameter: str
    macro: str
    variable: str
    limit: int
    added: int = 0  # 1000 makes the test fail

    @property
    def header(self) -> str:
        return f"#define {self.macro} {self.limit}\nint {self.name}({self.parameter} x, int y);\n"

    @property
    def text(self) -> str:
        added = f" + {self.added}" if self.added else ""
        return (
            f"int {self.name}({self.parameter} x, int y) {{\n"
            f"  int {self.variable} = {self.macro} + STEP;\n"
            f"  if ({VALUES[self.parameter]} > {self.limit})\n"
            f"    {self.variable} += y;\n"
            f"  return {self.variable}{added};\n"
            "}\n"
        )

    def edited(self, chance: random.Random) -> Function:
        """Return the function after some consistent edits."""
        edits: dict[str, str] = {
            "name": f"renamed{self.number}",
            "parameter": chance.choice(sorted(ARGUMENTS)),
            "macro": f"OTHER{self.number}",
            "variable": "result",
        }
        chosen = {key: value for key, value in edits.items() if chance.random() < 0.3}
        return replace(self, **chosen)  # type: ignore[arg-type]  # all of these are texts


def project_of(functions: list[Function], step: int) -> dict[str, str]:
    includes = '#include "a.h"\n#include "config.h"\n'
    half = len(functions) // 2
    calls = "".join(
        f"  sum += {f.name}({ARGUMENTS[f.parameter]}, {f.number});\n" for f in functions
    )
    main = f"int main(void) {{\n  int v = 3, sum = 0;\n{calls}  return sum > 500;\n}}\n"
    return {
        "a.h": "".join(function.header for function in functions),
        "a.c": includes + "".join(function.text for function in functions[:half]),
        "b.c": includes + "".join(function.text for function in functions[half:]) + main,
        "step": f"{step}\n",
        "notes": f"step {step}\n",
    }


def random_versions(seed: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return a version that passes and one that fails; both build, most mixtures do not."""
    chance = random.Random(seed)
    good = [
        Function(
            n, f"f{n}", chance.choice(sorted(ARGUMENTS)), f"LIMIT{n}", "sum", chance.randrange(5)
        )
        for n in range(6)
    ]
    bad = [function.edited(chance) for function in good]
    for number in chance.sample(range(len(bad)), chance.choice((1, 1, 2))):
        bad[number] = replace(bad[number], added=1000)
    return project_of(good, 1), project_of(bad, 1 + seed % 2)


def in_clean_tree(changes: ChangeSet, reverted: Reverted, folder: Path) -> Outcome:
    """Build and test a variant without whence."""
    Workspace(folder, changes).become(reverted)
    assert COMMANDS.build is not None
    built = subprocess.run(COMMANDS.build, shell=True, cwd=folder, capture_output=True)
    if built.returncode != 0:
        return Outcome.BROKEN
    tested = subprocess.run(COMMANDS.test, shell=True, cwd=folder, capture_output=True)
    return Outcome.FAIL if tested.returncode else Outcome.PASS


@pytest.mark.parametrize("seed", range(3))
def test_warm_and_checked_runs_end_as_clean_builds_do(tmp_path: Path, seed: int) -> None:
    changes = changes_of(tmp_path, *random_versions(seed))
    chance = random.Random(seed)
    ids = [change.id for change in changes.changes]
    warm = trial_of(tmp_path, changes, "warm")
    sets: list[Reverted] = [frozenset(), changes.everything]
    sets += [frozenset(chance.sample(ids, size)) for size in (1, 1, 2, len(ids) // 2, len(ids) - 1)]
    for number, reverted in enumerate((*sets, *sets[:2])):
        run = warm.run(reverted, COMMANDS)
        oracle = in_clean_tree(changes, reverted, tmp_path / f"clean{number}" / "tree")
        if not run.rejected:
            assert run.outcome is oracle
        elif "only by accident" not in run.note:
            assert oracle is Outcome.BROKEN


@pytest.mark.parametrize("seed", range(3, 6))
def test_an_answer_passes_in_a_clean_tree(tmp_path: Path, seed: int) -> None:
    good, bad = random_versions(seed)
    changes = changes_of(tmp_path, good, bad)
    request = IsolateRequest(str(tmp_path / "good"), str(tmp_path / "bad"), COMMANDS)
    result, _ = run_request(request, Watcher())
    assert result.status == "isolated"
    found = frozenset(i for change in (*result.root, *result.auxiliary) for i in change.ids)
    assert in_clean_tree(changes, found, tmp_path / "clean" / "tree") is Outcome.PASS
    assert b"1000" in b"".join(hunk.added for change in result.root for hunk in change.hunks)


def test_the_root_is_the_changed_loop_and_not_the_changed_call(tmp_path: Path) -> None:
    """Whichever change is left in, the program does not compile, or only by accident."""
    changes_of(tmp_path, POINTER_GOOD, POINTER_BAD)
    request = IsolateRequest(str(tmp_path / "good"), str(tmp_path / "bad"), COMMANDS)
    result, _ = run_request(request, Watcher())
    assert result.status == "isolated"
    removed = [hunk.removed for change in result.root for hunk in change.hunks]
    assert any(b"from != end" in text for text in removed)
    assert not any(b"main" in (change.function or "").encode() for change in result.root)
