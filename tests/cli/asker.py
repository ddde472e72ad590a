"""A user with a C program whose run fails, for tests of `whence why`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .prompt import CommandResult, User

PROGRAM = """\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum kind { SCALENE, RIGHT, EQUILATERAL };

static int area(int a, int b, int c) {
    enum kind kind = SCALENE;
    if (a * a != b * b + c * c)
        kind = RIGHT;
    if (a == b && b == c)
        kind = EQUILATERAL;
    if (kind == RIGHT)
        return b * c / 2;
    return 9;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 3;
    int found = area(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    printf("area %d\\n", found);
    fflush(stdout);
    while (found == 77)
        usleep(10000);
    assert(found != 10);
    return 0;
}
"""
BUILD = "$CC -o triangle triangle.c"
FAILS = "./triangle 6 5 4"  # the fault is in line 10: != should be ==
PASSES = "./triangle 5 5 5"
# Shared by all tests: making it takes a quarter of a minute.
COMPILED = ("whence/modules", "whence/native", "whence/objects", "whence/runtime", "zig")


class Asker(User):
    """A user with a program in `project`; whence keeps runs in a cache of this test."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        real = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        for name in COMPILED:
            (real / name).mkdir(parents=True, exist_ok=True)
            (self.cache / name).parent.mkdir(parents=True, exist_ok=True)
            (self.cache / name).symlink_to(real / name)
        self.runs = self.cache / "whence" / "recorded"
        (self.here / "project").mkdir()
        self.write("project/triangle.c", PROGRAM)

    def asking(self, test: str, build: str | None = None) -> tuple[str, ...]:
        """Return the arguments of `whence why`; each build is noted in a file."""
        build = f"echo built >> {self.kept}/builds; {build or BUILD}"
        return ("why", "--source", "project", "--build", build, "--test", test)

    def why(
        self, test: str, *arguments: object, build: str | None = None, **env: str
    ) -> CommandResult:
        return self.whence(*self.asking(test, build), *arguments, **env)

    def why_in(self, folder: Path, *arguments: object) -> CommandResult:
        return self.whence("why", folder, *arguments)

    @property
    def builds(self) -> int:
        noted = self.kept / "builds"
        return noted.read_text().count("built") if noted.exists() else 0

    @property
    def kept_runs(self) -> list[Path]:
        return sorted(self.runs.iterdir()) if self.runs.exists() else []


def document(result: CommandResult) -> dict[str, Any]:
    """Return the JSON that a command printed; check that it printed nothing else."""
    assert result.err == "", result
    found: dict[str, Any] = json.loads(result.out)
    assert (found["whence"], found["command"]) == (1, "why")
    return found


def explained(result: CommandResult) -> list[str]:
    """Return the predicates, by level, of the tree that a command printed as JSON."""
    assert result.status == 0, result
    return [
        f"{'  ' * cause['level']}{cause['predicate']['text']}: {cause['predicate']['outcome']}"
        for cause in document(result)["causes"]
    ]
