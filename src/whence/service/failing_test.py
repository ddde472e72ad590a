"""Why does one test of a pytest run fail, however the explanation itself goes wrong?"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from whence.errors import UserError
from whence.explain.session import ExplainRequest, explain_failure
from whence.model import Explanation
from whence.search.session import Watcher
from whence.service.pytest_request import PytestRequest, request_of

_CONFIRM = 3  # passes in a row that a flaky test needs to count as passing; guessed


def explain_test(request: PytestRequest, watcher: Watcher) -> Explanation:
    """Explain the failing test; if whence itself fails, at least find the changes."""
    return _explain(ExplainRequest(request_of(request), trust=tuple(request.trust)), watcher)


def _explain(request: ExplainRequest, watcher: Watcher) -> Explanation:
    try:
        return explain_failure(request, watcher)[0]
    except UserError as error:
        if error.slug != "bad-passes" or request.isolate.commands.confirm > 1:
            raise
    except Exception as error:
        if request.frontend == "none":
            raise
        isolated = _explain(replace(request, frontend="none"), watcher)
        reason = f"whence itself failed ({type(error).__name__}: {error})"
        return replace(isolated, result=replace(isolated.result, reason=reason))
    # The test failed in the user's run and passes now, so it may be flaky.
    confirming = replace(request.isolate.commands, confirm=_CONFIRM)
    return _explain(
        replace(request, isolate=replace(request.isolate, commands=confirming)), watcher
    )


def error_line(error: UserError, request: PytestRequest) -> str:
    """Return the error as one line, for a user who has named nothing but GOOD."""
    good = request.good
    if error.slug == "bad-passes":
        whole = shlex.join(
            ["python", "-m", "pytest", os.path.relpath(request.file, request.started_in)]
        )
        return (
            "passes alone but failed in the suite: it depends on tests that ran before it, or on "
            f"files that git ignores; try its whole file: git whence {good} -- {whole}"
        )
    if error.slug == "no-changes":
        return (
            f"only tests (and files that whence_keep names) differ from {good}, so no change to "
            "the program broke the test"
        )
    if error.slug == "good-is-broken" and " skipped" in str(error):
        return f"the test is skipped on {good}, so it never passed there"
    offline = "; tests that need the network cannot be compared offline"
    return str(error).partition("\n")[0] + offline * (error.slug == "needs-network")
