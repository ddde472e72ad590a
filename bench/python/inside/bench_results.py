"""A pytest plugin for the interpreter under test: `pytest -p bench_results`.

Writes to the file $BENCH_RESULTS, as JSON, how each test ended.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

OUT = os.environ.pop("BENCH_RESULTS", "")
ended: dict[str, str] = {}
told: dict[str, str] = {}


def _keep(name: str, how: str, text: str) -> None:
    name = re.sub(r"0x[0-9a-f]+|\d\d:\d\d:\d\d", "0", name)  # addresses and times differ
    if ended.get(name) in (None, "ok"):  # a failing teardown outweighs a passing test
        ended[name] = how
        if text:
            told[name] = text


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        how = {"passed": "ok", "failed": "fail", "skipped": "skip"}[report.outcome]
        how = "error" if how == "fail" and report.when != "call" else how
        how = f"expected {how}" if hasattr(report, "wasxfail") else how
        _keep(report.nodeid, how, report.longreprtext if report.failed else "")


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _keep(report.nodeid, "not collected", report.longreprtext)


def pytest_sessionfinish() -> None:
    with open(OUT, "w", encoding="utf-8") as sink:
        json.dump({"ended": ended, "told": told}, sink, indent=0)
