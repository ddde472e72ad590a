"""How does a test write two versions of a small program and have their calls compared?"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from whence.contract.session import ContractRequest, check_contracts
from whence.model import ContractFunction, ContractResult, ContractVerdict
from whence.subject.trial import BuildAndTest


class TwoVersions:
    """A module `shop.py` in two versions, and a script that uses it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(
        self, good: str, bad: str, test: str, contracts: str | None = None,
        command: str = "python test.py",
    ) -> ContractResult:  # fmt: skip
        """Return the verdicts on the functions of `bad`."""
        self.write(good, bad, test)
        files = () if contracts is None else (self.contracts(contracts),)
        request = ContractRequest(*self.names, BuildAndTest(test=command), contracts=files)
        return check_contracts(request, lambda _: None)

    @property
    def names(self) -> tuple[str, str]:
        return str(self.folder / "good"), str(self.folder / "bad")

    def contracts(self, text: str) -> Path:
        """Write a file of contracts."""
        path = self.folder / "contracts.txt"
        path.write_text(dedent(text))
        return path

    def write(self, good: str, bad: str, test: str) -> None:
        """Write both versions."""
        for version, module in (("good", good), ("bad", bad)):
            tree = self.folder / version
            tree.mkdir(exist_ok=True)
            (tree / "shop.py").write_text(dedent(module))
            (tree / "test.py").write_text(dedent(test))

    def verdict(self, good: str, bad: str, test: str, function: str) -> ContractFunction:
        """Return the verdict on one function."""
        return verdict_on(self.check(good, bad, test), function)


def verdict_on(result: ContractResult, function: str) -> ContractFunction:
    return next(each for each in result.functions if each.function == function)


def origins(result: ContractResult) -> list[str]:
    """Return the functions where a difference arises, in order."""
    wrong = (ContractVerdict.CHANGED, ContractVerdict.BROKEN)
    return [
        each.function for each in result.functions if each.verdict in wrong and not each.through
    ]
