"""`pytest --whence GOOD`: why do tests fail that passed on GOOD?

pytest loads this module in every run, so it imports nothing else of whence.  The plugin notes the
tests that fail.  After the run, a separate process explains each of them
(whence.cli.failing_test), because the tests may have left this process in any state.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_GRACE = 30.0  # seconds that a stopped process gets to write its answer; guessed
_CANNOT_JUDGE = 125  # exit status, as for git bisect
# Plugins that need other options in a run of one test.
_TUNED_PLUGINS = ("xdist", "pytest_cov", "cacheprovider")

# Copies from before tests, conftests and plugins may change them.
_ENVIRONMENT = dict(os.environ)
_PATH = tuple(sys.path)


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.getgroup("whence", "explaining failures (whence)").addoption
    explains = "explain which changes since GOOD, a git revision, broke the failing tests, and how"
    add("--whence", metavar="GOOD", help=f"after the run, {explains} (--whence= turns it off)")
    compares = "say which functions behave differently than in GOOD although no contract says so"
    add("--whence-contract", metavar="GOOD", help=f"after the run, {compares}")
    add("--whence-max", type=int, metavar="N", help="explain at most N failing tests")
    add("--whence-time", type=float, metavar="SECONDS", help="time limit for all explanations")
    add("--whence-html", metavar="DIR", help="write a page for each explained test to this folder")
    add(
        "--whence-run", action="store_true", help=argparse.SUPPRESS
    )  # set in runs that whence starts
    parser.addini("whence_good", "default of --whence")
    parser.addini("whence_max", "default of --whence-max", default="3")
    parser.addini("whence_time", "default of --whence-time", default="300")
    parser.addini("whence_html", "default of --whence-html", default=".whence")
    parser.addini(
        "whence_keep", "globs of files that belong to the tests and do not count as changes", "args"
    )
    parser.addini(
        "whence_trust",
        "functions to treat as correct: their calls are shown, not their bodies",
        "args",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.option.whence_run:
        config.pluginmanager.register(_Judge(), "whence-judge")
    elif "WHENCE_TREE" in _ENVIRONMENT or hasattr(config, "workerinput"):
        pass  # whence started this run, or it is an xdist worker whose controller explains
    elif good := _setting(config, "good"):
        config.pluginmanager.register(_Explainer(config, str(good)), "whence-explainer")
    if _is_users_run(config) and (good := config.option.whence_contract):
        config.pluginmanager.register(_Comparer(config, str(good)), "whence-comparer")


def _is_users_run(config: pytest.Config) -> bool:
    """Was this run started by the user, and is it no worker of xdist?"""
    is_ours = config.option.whence_run or "WHENCE_TREE" in _ENVIRONMENT
    return not is_ours and not hasattr(config, "workerinput")


def _setting(config: pytest.Config, name: str) -> Any:
    option = "whence" if name == "good" else f"whence_{name}"
    given = getattr(config.option, option)
    return config.getini(f"whence_{name}") if given is None else given


def _number(config: pytest.Config, name: str) -> float:
    given = _setting(config, name)
    try:
        return float(given)
    except ValueError:
        raise pytest.UsageError(f"whence_{name} must be a number, not {given!r}") from None


class _Judge:
    """Used in runs that whence starts: makes a skipped test a test that cannot be judged."""

    def __init__(self) -> None:
        self.ran = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran = self.ran or (report.when == "call" and not _is_skip(report))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if (
            exitstatus == pytest.ExitCode.OK
            and not self.ran
            and not session.config.option.collectonly
        ):
            session.exitstatus = _CANNOT_JUDGE


def _is_skip(report: pytest.TestReport) -> bool:
    return report.skipped and not hasattr(report, "wasxfail")


class _Explainer:
    """Notes the failing tests, and has them explained after the run."""

    _module = "whence.cli.failing_test"

    def __init__(self, config: pytest.Config, good: str) -> None:
        self._config, self._good = config, good
        self._most, self._seconds = int(_number(config, "max")), _number(config, "time")
        self._failed: dict[
            str, bool
        ] = {}  # by node id: whether it is a file that could not be collected
        self._was_stopped = False

    # -- failing tests -----------------------------------------------------------------------

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when != "teardown":
            self._failed.setdefault(self._own_id(report.nodeid), False)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.nodeid:
            self._failed.setdefault(report.nodeid, True)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        # Only by the user: pytest and xdist raise subclasses, on collection errors and for -x.
        self._was_stopped = type(excinfo.value) in (KeyboardInterrupt, pytest.exit.Exception)

    def _own_id(self, test: str) -> str:
        """Return the id without the group that xdist appends to it."""
        at = test.rfind("@")
        is_grouped = getattr(self._config.option, "dist", "no") == "loadgroup"
        return test[:at] if is_grouped and at > test.rfind("]") else test

    # -- explanations ------------------------------------------------------------------------

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._was_stopped:
            return
        say, tests = terminalreporter.write_line, list(self._failed)
        deadline = time.monotonic() + self._seconds
        for number, test in enumerate(tests[: self._most]):
            left = deadline - time.monotonic()
            if left <= 0:
                say(
                    f"whence: no time left to explain {_tests(len(tests) - number)} (--whence-time)"
                )
                return
            terminalreporter.section(f"whence: why {test} fails")
            terminalreporter.flush()
            text, is_last = self._answer(test, left)
            for line in text.splitlines():
                say(line)
            if is_last:
                return
        if len(tests) > self._most:
            say(f"whence: {_tests(len(tests) - self._most)} more not explained (--whence-max)")

    def _answer(self, test: str, seconds: float) -> tuple[str, bool]:
        """Return the answer, and whether to stop, because every other answer would be the same."""
        with tempfile.TemporaryDirectory(prefix="whence-pytest-") as folder:
            is_last = False
            with self._explaining(test, folder) as process:
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    _stop(process, b"time")
                except KeyboardInterrupt:
                    is_last = True
                    _stop(process, b"")
            try:
                answer = json.loads(Path(folder, "answer.json").read_bytes())
            except (OSError, ValueError):
                return "stopped, before anything was found", is_last
        return answer["text"], is_last or answer["is_last"]

    def _explaining(self, test: str, folder: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", self._module, json.dumps(self._request(test))],
            cwd=folder,  # empty: `python -m` imports from the current directory
            # pytest keeps few temporary folders; runs of variants must not replace the tests' own.
            env=_ENVIRONMENT | {"PYTEST_DEBUG_TEMPROOT": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None if sys.stderr.isatty() else subprocess.DEVNULL,  # for progress
            start_new_session=True,  # Ctrl-C must reach only this process
        )

    def _request(self, test: str) -> dict[str, Any]:
        config, writer = self._config, self._config.get_terminal_writer()
        return {
            "test": test,
            "collects": self._failed.get(test, False),
            "good": self._good,
            "root": str(config.rootpath),
            "started_in": str(config.invocation_params.dir),
            "arguments": [str(argument) for argument in config.invocation_params.args],
            "named": getattr(config.option, "file_or_dir", []),
            "plugins": [name for name in _TUNED_PLUGINS if config.pluginmanager.has_plugin(name)],
            "path": [*_PATH, *_editable()],
            "keep": config.getini("whence_keep"),
            "trust": config.getini("whence_trust"),
            "html": str(config.rootpath / _setting(config, "html")),
            "width": writer.fullwidth,
            "colour": writer.hasmarkup,
            "seconds": self._seconds,
        }


class _Comparer(_Explainer):
    """Has the calls of all tests compared with those of the good version, after the run."""

    _module = "whence.cli.compared_tests"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._was_stopped:
            return
        terminalreporter.section(f"whence: what behaves differently than in {self._good}")
        terminalreporter.flush()
        text, _ = self._answer("", self._seconds)
        for line in text.splitlines():
            terminalreporter.write_line(line)


def _tests(count: int) -> str:
    return f"{count} failing test{'s' * (count != 1)}"


def _editable() -> list[str]:
    """Return the folders of projects that setuptools installed in place without a path entry."""
    found = (
        getattr(module, "MAPPING", {})  # package -> its folder
        for name, module in list(sys.modules.items())
        if name.startswith("__editable__")
    )
    return sorted({os.path.dirname(place) for mapping in found for place in mapping.values()})


def _stop(process: subprocess.Popen[bytes], why: bytes) -> None:
    """Make the process write what it knows; a second Ctrl-C kills it."""
    assert process.stdin is not None
    try:
        with suppress(OSError):
            process.stdin.write(why)
            process.stdin.close()  # the process waits for this
        process.wait(_GRACE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
