"""Is the compiled code the same without one of several changes?

The compiler simplifies whole source files.  If other changes of the file make a difference, both
versions say nothing about this one; the bad version with and without it does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from whence.augment.attribution import Attribution
from whence.augment.given_tests import OpenedTest
from whence.errors import UserError
from whence.explain.meeting.version_index import Ids
from whence.languages import language_of
from whence.paths.program import InputProgram

OpenProgram = Callable[[Path, str], InputProgram]  # of a tree, with the command of a test


class ChangeAlone:
    """Compares the bad version with the one in which a change alone is reverted."""

    def __init__(self, due: Attribution, open_program: OpenProgram) -> None:
        self._due, self._open = due, open_program

    def is_same_code(self, changes: Ids, test: OpenedTest, file: str) -> bool:
        """Is the compiled code of the bad version the same if these changes are reverted?

        A change that others need cannot be reverted alone, and nothing is known of it.
        """
        bad = test.bad.run(test.first, changes).run.thread
        same_form = language_of(bad.recording).same_form
        tree = self._due.tree_without(changes) if same_form is not None else None
        if same_form is None or tree is None:
            return False
        try:
            program = self._open(tree, test.given.command)
        except UserError:
            return False  # it does not build, or the test reads no input there
        try:
            return same_form(bad.image, program.run(test.first).path.thread.image, file)
        finally:
            program.close()
