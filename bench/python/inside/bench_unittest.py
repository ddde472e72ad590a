"""Run in the interpreter under test: `python -m bench_unittest OUT MODULE...`.

Runs the tests of the modules and writes to OUT, as JSON, how each of them ended.  It uses only the
standard library, and must not lie in the recorded tree.
"""

from __future__ import annotations

import json
import re
import sys
import unittest
from typing import Any


class Kept(unittest.TestResult):
    """Stores how each test ended; printing is unchanged."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: dict[str, str] = {}
        self.told: dict[str, str] = {}

    def _end(self, test: unittest.TestCase, how: str, told: str = "") -> None:
        name = first = re.sub(r"0x[0-9a-f]+", "0x", test.id())  # addresses differ
        number = 1
        while name in self.ended:  # doctests may share their names
            number += 1
            name = f"{first} #{number}"
        self.ended[name] = how
        if told:
            self.told[name] = told

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addSuccess(test)
        self._end(test, "ok")

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._end(test, "error", self.errors[-1][1])

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._end(test, "fail", self.failures[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self._end(test, "skip")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addExpectedFailure(test, err)
        self._end(test, "expected failure")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._end(test, "unexpected success")

    def addSubTest(  # noqa: N802
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any
    ) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            is_failure = issubclass(err[0], test.failureException)
            kept = self.failures if is_failure else self.errors
            self._end(subtest, "fail" if is_failure else "error", kept[-1][1])


def main() -> None:
    out, modules = sys.argv[1], sys.argv[2:]
    sys.argv[1:] = []
    from test import support  # type: ignore[import-not-found]  # has no types

    support.use_resources = []  # no network, no gigabytes, no hours
    loader, kept = unittest.TestLoader(), Kept()
    for module in modules:
        loader.loadTestsFromName(module).run(kept)
    with open(out, "w", encoding="utf-8") as sink:
        json.dump({"ended": kept.ended, "told": kept.told}, sink, indent=0)


if __name__ == "__main__":
    main()
