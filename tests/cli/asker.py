"""A user with a C program whose run fails, who asks why."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .prompt import Said, User

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
# Kept from one test to the next: it takes a quarter of a minute to make it.
COMPILED = ("whence/modules", "whence/native", "whence/objects", "whence/runtime", "zig")


class Asker(User):
    """Has a program in `project`; what whence keeps of its runs is in a cache of the test's own."""

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
        """The command; each build is noted in a file."""
        build = f"echo built >> {self.kept}/builds; {build or BUILD}"
        return ("why", "--source", "project", "--build", build, "--test", test)

    def why(self, test: str, *arguments: object, build: str | None = None, **env: str) -> Said:
        return self.whence(*self.asking(test, build), *arguments, **env)

    def why_in(self, folder: Path, *arguments: object) -> Said:
        return self.whence("why", folder, *arguments)

    @property
    def builds(self) -> int:
        noted = self.kept / "builds"
        return noted.read_text().count("built") if noted.exists() else 0

    @property
    def kept_runs(self) -> list[Path]:
        return sorted(self.runs.iterdir()) if self.runs.exists() else []


def document(said: Said) -> dict[str, Any]:
    """The JSON that a command printed, and nothing else."""
    assert said.err == "", said
    found: dict[str, Any] = json.loads(said.out)
    assert (found["whence"], found["command"]) == (1, "why")
    return found


def explained(said: Said) -> list[str]:
    """The predicates of the tree that a command printed as JSON, by level."""
    assert said.status == 0, said
    return [
        f"{'  ' * cause['level']}{cause['predicate']['text']}: {cause['predicate']['outcome']}"
        for cause in document(said)["causes"]
    ]
