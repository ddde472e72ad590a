"""Is a difference between the versions due to one change, or to another one?

If there are several changes, a test shows one of them if the bad version ends differently when that
change alone is reverted, with the changes that need it.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from whence.augment.plain_builds import PlainBuild, build_version
from whence.augment.search import ends_differently
from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.meeting.version_index import Ids
from whence.search.dependencies import Knowledge, read_dependencies, read_words
from whence.search.isolate import units_of
from whence.subject.trial import BuildAndTest
from whence.subject.workspace import Workspace


class Attribution:
    """Builds the bad version without a change, once for each change."""

    def __init__(
        self, changes: ChangeSet, bad: PlainBuild, folder: Path, commands: BuildAndTest
    ) -> None:
        self._changes, self._bad, self._folder = changes, bad, folder
        self._commands = commands
        self._without: dict[Ids, PlainBuild | None] = {}
        self._workspaces: dict[Ids, Workspace] = {}
        self.inseparable: set[Ids] = set()  # changes without which the bad version does not build

    @cached_property
    def _is_single(self) -> bool:
        return len(units_of(self._changes.changes, self._changes.everything)) == 1

    @cached_property
    def _knowledge(self) -> Knowledge:
        return Knowledge(read_words(self._changes.changes), read_dependencies(self._changes))

    def tree_without(self, changes: Ids) -> Path | None:
        """Return the sources of the bad version without some changes.

        None: there are no others, or some need these and would have to be reverted too.
        """
        if self._is_single or self._knowledge.closure(changes) != changes:
            return None
        return self._workspace(changes).tree

    def is_due(self, changes: Ids, command: str) -> bool:
        """Does the bad version end differently with a test if these changes are reverted?"""
        if self._is_single:
            return True
        without = self._build_without(changes)
        if without is None:
            return True  # nothing tells these changes from those that need them
        return ends_differently(without.run(command), self._bad.run(command))

    def _build_without(self, changes: Ids) -> PlainBuild | None:
        if changes not in self._without:
            number = len(self._without)
            try:
                self._without[changes] = build_version(
                    self._workspace(changes).tree, self._folder / f"without-{number}",
                    self._commands, "other",
                )  # fmt: skip
            except UserError:
                self._without[changes] = None
                self.inseparable.add(changes)
        return self._without[changes]

    def _workspace(self, changes: Ids) -> Workspace:
        if changes not in self._workspaces:
            folder = self._folder / f"variant-{len(self._workspaces)}"
            self._workspaces[changes] = Workspace(folder, self._changes)
            self._workspaces[changes].become(self._knowledge.closure(changes))
        return self._workspaces[changes]
