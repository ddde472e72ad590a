"""What can a user run next, if the changes do not name the fault?"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from whence.explain.session import ExplainRequest
from whence.languages import fitting
from whence.model import Explanation

_MANY = (
    5  # changes of a root that only together break the test, of which few are the fault; guessed
)


def with_next_command(
    explanation: Explanation, request: ExplainRequest, files: Iterable[str]
) -> Explanation:
    """Add a note that names `whence darwin`, if it can go on; `files` are the changed files."""
    why = _why(explanation)
    if why is None or request.frontend == "none" or not fitting((), files):
        return explanation
    result = explanation.result
    note = (
        f"{why}: whence darwin compares what both versions demand of the input: {_command(request)}"
    )
    return replace(explanation, result=replace(result, notes=(*result.notes, note)))


def _why(explanation: Explanation) -> str | None:
    """Return why the changes may not name the fault; None if they do."""
    if explanation.result.status == "unexplained":  # perhaps the search was only stopped
        return "no set of changes is known yet that explains the failure"
    if explanation.result.status == "isolated":  # perhaps stopped, too
        return "it is not known how the changes lead to the failure"
    if explanation.dodged:
        return "the fault may be in code that no change touches"
    if len(explanation.result.root) >= _MANY:
        return "only many changes together break the test"
    return None


def _command(request: ExplainRequest) -> str:
    asked = request.isolate
    words = ["whence", "darwin", "--good", asked.good, "--bad", asked.bad]
    words += ["--build", asked.commands.build] if asked.commands.build else []
    words += ["--repo", str(asked.repo)] if asked.repo != Path() else []
    return shlex.join([*words, "--test", asked.commands.test])
