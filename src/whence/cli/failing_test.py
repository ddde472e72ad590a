"""`python -m whence.cli.failing_test`: why does this test of a pytest run fail?

For the pytest plugin alone.  The argument is what it knows (`PytestRequest`), as JSON.  The answer is put
into answer.json in the current directory, whatever happens.  When standard input ends, the plugin
has had enough, or is gone: what is known by then is the answer.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shlex
import signal
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from whence.cli.progress import watcher_for
from whence.errors import UserError
from whence.explain.session import ExplainRequest, explain_failure
from whence.model import Explanation
from whence.report.explain_html import explain_page
from whence.report.story import explain_story
from whence.service.pytest_request import PytestRequest, request_of

_LINES = 30  # of what is told
_LONGEST = 120  # characters of a page's name
_CONFIRM = 3  # runs in a row of a test that failed and then passed
_FOR_ALL = ("no-git", "not-a-repository", "no-such-revision", "git-failed", "disk-full")
_ELSEWHERE = {"--patch has them all": "the page has them all", "in --html or --json": "in the page"}


@dataclass
class _Stopped:
    """Has the plugin had enough, and why?"""

    yes: bool = False
    why: str = ""

    def watch(self) -> None:
        while words := os.read(0, 1000):  # not sys.stdin: Python could not end while it is read
            self.why += words.decode()
        self.yes = True
        ident = threading.main_thread().ident
        assert ident is not None
        signal.pthread_kill(ident, signal.SIGINT)

    def said(self, seconds: float) -> str:
        return f"stopped after {seconds:g} s (--whence-time)" if self.why else "interrupted"


def main() -> None:
    asked = PytestRequest(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
    stopped = _Stopped()
    threading.Thread(target=stopped.watch, daemon=True).start()
    is_last = False
    try:
        text = _told(asked, stopped)
    except KeyboardInterrupt:
        text = f"{stopped.said(asked.seconds)}, before anything was found"
    except UserError as error:
        text, is_last = _one_line(error, asked), error.slug in _FOR_ALL
    except Exception as error:  # our bug; but it is the user's test run that this would spoil
        text = f"whence itself failed: {type(error).__name__}: {error}"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Path("answer.json").write_text(json.dumps({"text": text, "is_last": is_last}))


def _told(asked: PytestRequest, stopped: _Stopped) -> str:
    explanation = _explained(ExplainRequest(request_of(asked), trust=tuple(asked.trust)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reason = explanation.result.reason
    if stopped.yes and reason:
        reason = reason.replace("interrupted", stopped.said(asked.seconds), 1)
        explanation = replace(explanation, result=replace(explanation.result, reason=reason))
    return f"{short_story(explanation, asked)}\n{page_at(explanation, asked)}"


def _explained(wish: ExplainRequest) -> Explanation:
    """The explanation; whatever goes wrong with it, the changes at least."""
    watcher = watcher_for(quiet=not sys.stderr.isatty())
    try:
        return explain_failure(wish, watcher)[0]
    except UserError as error:
        if error.slug != "bad-passes" or wish.isolate.commands.confirm > 1:
            raise
    except Exception as error:
        if wish.frontend == "none":
            raise
        found = _explained(replace(wish, frontend="none"))
        reason = f"whence itself failed ({type(error).__name__}: {error})"
        return replace(found, result=replace(found.result, reason=reason))
    # It did fail, so perhaps it does so now and then.
    recipe = replace(wish.isolate.commands, confirm=_CONFIRM)
    return _explained(replace(wish, isolate=replace(wish.isolate, commands=recipe)))


def short_story(explanation: Explanation, asked: PytestRequest) -> str:
    console = Console(
        file=io.StringIO(),
        width=asked.width,
        force_terminal=asked.colour,
        color_system="standard" if asked.colour else None,
        highlight=False,
        soft_wrap=True,
    )
    with console.capture() as captured:
        for line in explain_story(explanation, width=asked.width, most=_LINES):
            console.print(line)
    text = captured.get().rstrip("\n")
    for here, there in _ELSEWHERE.items():
        text = text.replace(here, there)
    return text


def page_at(explanation: Explanation, asked: PytestRequest) -> str:
    """Write the page and say where it is."""
    folder = Path(asked.html)
    page = folder / f"{page_name(asked.test)}.html"
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / ".gitignore").write_text("*\n")  # or it would be a change the next time
        page.write_text(explain_page(explanation), "utf-8")
    except OSError as error:
        return f"The page {page} cannot be written: {error.strerror or error}"
    return f"The whole of it: {os.path.relpath(page, asked.here)}"


def page_name(test: str) -> str:
    """A file name for a test; no two tests have the same."""
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", test).strip("-.")
    if "[" not in test and test.isascii() and len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"


def _one_line(error: UserError, asked: PytestRequest) -> str:
    """What is wrong, to somebody who has said nothing but GOOD."""
    good = asked.good
    if error.slug == "bad-passes":
        whole = shlex.join(["python", "-m", "pytest", os.path.relpath(asked.file, asked.here)])
        return (
            "passes alone but failed in the suite: it depends on tests that ran before it, or on "
            f"files that git ignores; try its whole file: git whence {good} -- {whole}"
        )
    if error.slug == "no-changes":
        return (
            f"nothing but tests differs from {good} (and what whence_keep names), so no change "
            "to the program has broken it"
        )
    if error.slug == "good-is-broken" and " skipped" in str(error):
        return f"it is skipped on {good}, so it never passed there"
    offline = "; tests that need the network cannot be compared offline"
    return str(error).partition("\n")[0] + offline * (error.slug == "needs-network")


if __name__ == "__main__":
    main()
