"""`python -m whence.cli.failing_test`: why does this test of a pytest run fail?

Only the pytest plugin starts this module.  The argument is a `PytestRequest` as JSON.  The answer
is written to answer.json in the current directory, whatever happens.  The plugin closes standard
input when time is up or when the user interrupts; the answer is then what is known so far.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import signal
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from whence.cli.console import VisibleConsole
from whence.cli.progress import watcher_for
from whence.errors import UserError
from whence.model import Explanation
from whence.report.explain_html import explain_page
from whence.report.story import explain_story
from whence.service.failing_test import error_line, explain_test
from whence.service.pytest_request import PytestRequest

_MAX_LINES = 30  # of the story in the terminal; guessed
_MAX_NAME = 120  # characters of a page's file name; file systems allow 255
# Errors that every other failing test would run into as well.
_SAME_FOR_ALL = ("no-git", "not-a-repository", "no-such-revision", "git-failed", "disk-full")
# Where the story refers to options of `whence explain`, a user of pytest has the page.
_REFER_TO_PAGE = {"--patch has them all": "the page has them all", "in --html or --json": "in the page"}  # fmt: skip


@dataclass
class _Stop:
    """Whether the plugin has told this process to stop, and why."""

    is_requested: bool = False
    reason: str = ""  # empty if the user interrupted

    def watch(self) -> None:
        """Wait until standard input ends, then interrupt the main thread."""
        while words := os.read(0, 1000):  # Python could not exit while sys.stdin is being read
            self.reason += words.decode()
        self.is_requested = True
        ident = threading.main_thread().ident
        assert ident is not None
        signal.pthread_kill(ident, signal.SIGINT)

    def in_words(self, seconds: float) -> str:
        return f"stopped after {seconds:g} s (--whence-time)" if self.reason else "interrupted"


def main() -> None:
    request = PytestRequest(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
    stop = _Stop()
    threading.Thread(target=stop.watch, daemon=True).start()
    is_last = False
    try:
        text = _answer(request, stop)
    except KeyboardInterrupt:
        text = f"{stop.in_words(request.seconds)}, before anything was found"
    except UserError as error:
        text, is_last = error_line(error, request), error.slug in _SAME_FOR_ALL
    except Exception as error:  # a bug of whence must not spoil the user's test run
        text = f"whence itself failed: {type(error).__name__}: {error}"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Path("answer.json").write_text(json.dumps({"text": text, "is_last": is_last}))


def _answer(request: PytestRequest, stop: _Stop) -> str:
    explanation = explain_test(request, watcher_for(quiet=not sys.stderr.isatty()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reason = explanation.result.reason
    if stop.is_requested and reason:
        reason = reason.replace("interrupted", stop.in_words(request.seconds), 1)
        explanation = replace(explanation, result=replace(explanation.result, reason=reason))
    return f"{short_story(explanation, request)}\n{page_at(explanation, request)}"


def short_story(explanation: Explanation, request: PytestRequest) -> str:
    """Return the explanation for the terminal of the pytest run."""
    console = VisibleConsole(
        file=io.StringIO(),
        width=request.width,
        force_terminal=request.colour,
        color_system="standard" if request.colour else None,
        highlight=False,
        soft_wrap=True,
    )
    with console.capture() as captured:
        for line in explain_story(explanation, width=request.width, most=_MAX_LINES):
            console.print(line)
    text = captured.get().rstrip("\n")
    for option, page in _REFER_TO_PAGE.items():
        text = text.replace(option, page)
    return text


def page_at(explanation: Explanation, request: PytestRequest) -> str:
    """Write the page; return a sentence that names it."""
    folder = Path(request.html)
    page = folder / f"{page_name(request.test)}.html"
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            # Without this, the pages would be changes of the next run.
            (folder / ".gitignore").write_text("*\n")
        page.write_text(explain_page(explanation), "utf-8")
    except OSError as error:
        return f"The page {page} cannot be written: {error.strerror or error}"
    return f"Full explanation: {os.path.relpath(page, request.started_in)}"


def page_name(test: str) -> str:
    """Return a file name for a test; no two tests have the same."""
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", test).strip("-.")
    if "[" not in test and test.isascii() and len(name) <= _MAX_NAME:
        return name
    return f"{name[:_MAX_NAME]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"


if __name__ == "__main__":
    main()
