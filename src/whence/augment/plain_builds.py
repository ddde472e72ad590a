"""How does a version end with a test, built and run without whence?

What is said about a test rests on these runs: nothing of whence is in the program.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from whence.errors import UserError
from whence.file_trees import copy_tree
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.test_execution import run_in_tree
from whence.subject.build_errors import first_error
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, environment

_OUTCOMES = rb"passed|failed|error|skipped|deselected|xfailed|xpassed|warning"
_DURATION = re.compile(
    rb"(?m)^((?:=+ )?\d+ (?:" + _OUTCOMES + rb")\b.*) in \d+\.\d+s(?: \([\d:]+\))?((?: =+)?)$"
    rb"|^(Ran \d+ tests?) in \d+\.\d+s$"  # unittest; the line before is pytest's
    rb"|^(Total Test time \(real\)) = .*$|^(.*Test\s+#\d+:.*?)\s+\d+\.\d+ sec$"  # CTest
)


def without_durations(printed: bytes, tree: Path) -> bytes:
    """Return what a test printed without the path of its tree and without how long tests took."""
    for root in {os.fsencode(tree), os.fsencode(tree.resolve())}:
        printed = printed.replace(root, b"{tree}")
    return _DURATION.sub(lambda match: b"".join(one for one in match.groups() if one), printed)


@dataclass
class PlainBuild:
    """One version, built once; each run finds the tree as the build left it."""

    tree: Path
    commands: BuildAndTest
    built: BuiltTree
    runs: int = 0

    def run(self, command: str) -> Ended:
        """Run a test command in the built tree.

        What is not about the program is taken out of its output: where the tree is, and how long
        the tests took.
        """
        self.runs += 1
        self.built.restore()
        ended = run_in_tree(command, self.tree, environment(self.tree), self.commands)
        return replace(ended, stdout=without_durations(ended.stdout, self.tree))


def build_version(source: Path, folder: Path, commands: BuildAndTest, name: str) -> PlainBuild:
    """Copy and build a version below the new `folder`; raise a UserError if it does not build."""
    tree = folder / "tree"
    copy_tree(source, tree)
    if commands.build is not None:
        ended = run_in_tree(commands.build, tree, environment(tree), commands)
        if ended.status:
            raise UserError(
                f"The {name} version does not build: {first_error(ended.text, tree)}\n"
                f"We ran: {commands.build} (exit status {ended.status})\n"
                "Both versions must build without whence; check --build.",
                slug="version-does-not-build",
            )
    return PlainBuild(tree, commands, BuiltTree(tree, folder / "kept"))
