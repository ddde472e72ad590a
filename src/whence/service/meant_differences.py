"""Is what a test shows a difference that contracts allow?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.model import ContractVerdict
from whence.subject.trial import BuildAndTest

_MAX_CHECKS = 8  # tests made for a change whose calls are compared; each runs thrice; guessed


class MeantDifferences:
    """Compares the calls of tests in both versions, if the bad version has contracts."""

    def __init__(
        self, versions: tuple[Path, Path], commands: BuildAndTest, files: tuple[Path, ...],
        folder: Path, say: Callable[[str], None],
    ) -> None:  # fmt: skip
        good, bad = map(str, versions)
        self._request = ContractRequest(good, bad, commands, contracts=files)
        self._folder, self._say = folder, say
        self._known: dict[str, bool] = {}
        self._checks: Counter[Hashable] = Counter()  # tests made for a change
        self.notes: dict[str, None] = {}

    @cached_property
    def has_contracts(self) -> bool:
        """Is there a contract?  A mistake in one is an error."""
        return bool(self._session("").open().contracts(self._request.contracts))

    def is_meant(self, command: str, change: Hashable | None) -> bool:
        """Does a test show nothing but differences that contracts allow?

        `change` is what the test was made for, None if the user gave the test.  Once contracts
        allow what several tests that were made for a change show, they are not asked about more.
        """
        if not self.has_contracts:
            return False
        is_new = command not in self._known
        if is_new and change is not None and self._checks[change] >= _MAX_CHECKS:
            self.notes[
                f"Contracts were asked about {_MAX_CHECKS} tests of a change; more tests of it "
                "were left out."
            ] = None
            return True
        if is_new:
            self._checks[change] += 1
            self._known[command] = self._compared(command)
        return self._known[command]

    def _session(self, command: str) -> ContractSession:
        folder = self._folder / f"contract-{len(list(self._folder.glob('contract-*')))}"
        folder.mkdir()
        commands = replace(self._request.commands, test=command)
        return ContractSession(replace(self._request, commands=commands), folder, lambda _: None)

    def _compared(self, command: str) -> bool:
        self._say("asking the contracts whether this difference is meant")
        try:
            result = self._session(command).result()
        except UserError as error:
            if error.slug != "nothing-to-watch":
                raise
            return False
        has_kept = any(each.verdict is ContractVerdict.KEPT for each in result.functions)
        return result.is_kept and has_kept
