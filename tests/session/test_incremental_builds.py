"""Does a build compile only what changed?  Only references and the check build from nothing."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from tests.compiling import CC
from tests.session.projects import Project

MODULES = "abcdef"
MAKEFILE = """\
prog: main.o {0}
\t$(CC) -o $@ main.o {0}
%.o: %.c
\t$(CC) -c -o $@ $<
""".format(" ".join(f"{module}.o" for module in MODULES))
MAIN = "".join(f"int {module}(void);\n" for module in MODULES) + (
    "int main(void)\n{\n    return "
    + " + ".join(f"{m}() * 0" for m in "abcf")
    + " + d() + e();\n}\n"
)

COMPILER = """\
#!/bin/sh
for word do case $word in
    *functions.c) ;;
    *.c) echo "$word" >>{log} ;;
esac; done
exec {compiler} "$@"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Six files with a change in each; the change in d.c is the fault."""
    sources = {f"{m}.c": f"int {m}(void)\n{{\n    return RESULT;\n}}\n" for m in MODULES} | {
        "main.c": MAIN,
        "Makefile": MAKEFILE,
    }
    good = {name: text.replace("RESULT", "0") for name, text in sources.items()}
    bad = {name: text.replace("RESULT", "1 - 1") for name, text in sources.items()}
    bad["d.c"] = bad["d.c"].replace("1 - 1", "2 - 1")
    compiler, log = tmp_path / "cc", tmp_path / "compiled"
    compiler.write_text(COMPILER.format(log=log, compiler=shlex.join(CC)))
    compiler.chmod(0o755)
    test = f"echo : $(grep -l ' - ' *.c) >>{log}; ./prog; ends $?"
    return Project(tmp_path, good, bad, test, ("--build", "make -s prog"), {"CC": str(compiler)})


Built = tuple[set[str], set[str]]  # (compiled files, files that were as in bad)


def builds(project: Project) -> list[Built]:
    found: list[Built] = []
    compiled: set[str] = set()
    for line in (project.folder / "compiled").read_text().splitlines():
        if line.startswith(":"):
            found.append((compiled, set(line.split()[1:])))
            compiled = set()
        else:
            assert line not in compiled
            compiled.add(line)
    return found


def test_only_what_differs_from_the_last_variant_is_compiled(project: Project) -> None:
    ended = project.found("--method", "after")
    assert [root["file"] for root in ended.document["root"]] == ["d.c"]
    everything = {*(f"{module}.c" for module in MODULES), "main.c"}
    good, *searched, check, filled = builds(project)
    assert good == (everything, set())
    assert searched[0] == (everything, everything - {"main.c"})  # bad, also built from nothing
    assert len(searched) > 3
    for (_, before), (compiled, now) in pairwise(searched):
        assert compiled == before ^ now
    assert check == (everything, everything - {"main.c", "d.c"})
    assert filled == ({"d.c"}, check[1])  # only what is not as in the bad version
