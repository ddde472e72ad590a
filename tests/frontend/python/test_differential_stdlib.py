"""Do tests of the standard library have the same outcomes when they are recorded?

The tested modules are recorded too.  This file runs a few quick tests;
`bench/python/differential.py` runs many more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.isolate.cases import NotInstallableError
from bench.python.comparing import compare
from bench.python.suites import Library, prepare_library, suites

QUICK = ("textwrap", "shlex", "bisect", "copy", "string", "html", "graphlib", "match", "generators",
         "comprehensions")  # fmt: skip


@pytest.mark.parametrize(
    "suite",
    [suite for suite in suites() if isinstance(suite, Library) and suite.name in QUICK],
    ids=lambda suite: suite.name,
)
def test_recorded_tests_end_as_plain_ones(suite: Library, tmp_path: Path) -> None:
    try:
        prepared = prepare_library(suite, sys.executable, tmp_path / "place")
    except NotInstallableError as error:
        pytest.skip(str(error))
    row = compare(suite.name, prepared, tmp_path / "runs", 60)
    messages = {name: row.recorded.told.get(name, "") for name in row.unknown}
    assert row.unknown == {}, messages
    assert row.unseen == ()
    assert row.is_same
