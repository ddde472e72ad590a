"""What caused the failure of a recorded run?  Opens its cause tree, with the user's session.

The tree of a run that does not show its failure cannot be opened.  The answer then is a result
without causes that says why.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.causes.result import result_of, unexplained
from whence.causes.tree import CauseSearch
from whence.errors import UserError
from whence.frontend.recorded_run import RUN
from whence.languages import language_of, open_search
from whence.model import Failure, Outcome, WhyResult
from whence.service import recorded_runs
from whence.service.recording import Say
from whence.service.tree_session import SavedTree, TreeSession
from whence.subject.layouts import LAYOUTS
from whence.trace.recording import Recording
from whence.trace.summary import endings

_SECONDS_BETWEEN_REPORTS = 2.0  # of progress; guessed


@dataclass(frozen=True)
class WhyRequest:
    """Which failure of a recorded run a user wants explained."""

    expect: bytes | None = None  # the output that the test should have printed
    trust: Sequence[str] = ()  # functions that are taken to be correct
    process: str | None = None  # the id of a recorded process; None: the last that failed


@dataclass(frozen=True)
class FailureTree:
    """The cause tree of one failure; the user's marks are saved beside the recording."""

    recording: Recording
    request: WhyRequest
    search: CauseSearch
    saved: SavedTree

    def compute_again(self) -> None:
        """Compute what earlier sessions computed, in the same order.

        The order decides which of two parents a cause is shown below, and so where its mark is.
        """
        numbers = {self.saved.cause(0).key: 0}
        for key in self.saved.session.computed:
            if key in numbers:
                children = self.saved.children(numbers[key])
                numbers |= {self.saved.cause(number).key: number for number in children}

    def grow(self, depth: int, say: Say) -> None:
        """Compute the causes down to level `depth`."""
        level, known, reported = [0], 1, time.monotonic()
        for number in range(1, depth + 1):
            below: list[int] = []
            for done, cause in enumerate(level):
                if not done or time.monotonic() - reported > _SECONDS_BETWEEN_REPORTS:
                    reported = time.monotonic()
                    progress = f", {done} of {len(level)} expanded" if done else ""
                    say(f"level {number} of {depth}: {_causes(known + len(below))}{progress}")
                below += self.saved.children(cause)
            level, known = below, known + len(below)

    def result(self, *, was_interrupted: bool) -> WhyResult:
        """Return what is known so far."""
        expect = self.request.expect
        notes = _layout(self.recording) + _stability(self.recording, expect)
        if was_interrupted:
            notes.append("interrupted: this is what was known by then")
        unseen = len(self.saved.session.marks) - len(self.saved.marks)
        if unseen > 0:
            marks = f"{unseen} mark{'s' * (unseen != 1)}"
            notes.append(f"{marks} of causes that are not in this part of the tree")
        return result_of(self.search, seconds={}, notes=notes, is_output=expect is not None)


def open_tree(recording: Recording, request: WhyRequest) -> FailureTree | WhyResult:
    """Open the cause tree of a failure; return a result without causes if that is impossible."""
    expect = request.expect
    try:
        search = open_search(recording, expect, request.trust, request.process)
    except UserError as error:
        if error.slug == "nothing-fails":
            raise _comes_and_goes(recording) or error from None
        if error.slug != "failure-not-recorded":
            raise
        return _unexplained(recording, expect, str(error))
    session = TreeSession.load(_session_file(recording, search, expect), _fingerprint(recording))
    saved = SavedTree(search, session, recorded_runs.source_of(recording.folder))
    return FailureTree(recording, request, search, saved)


def _unexplained(recording: Recording, expect: bytes | None, message: str) -> WhyResult:
    reason, _, advice = message.partition("\n")
    kept = f"the run is in {recording.folder}: whence slice answers questions about any line of it"
    about = (*_layout(recording), *_stability(recording, expect))
    notes = (advice, *endings(recording), *about, kept)
    return unexplained(recording, reason, seconds={}, notes=notes, is_output=expect is not None)


def _causes(number: int) -> str:
    return f"{number} cause{'s' * (number != 1)}"


# --- is the failure always the same? --------------------------------------------------------------


def _stability(recording: Recording, expect: bytes | None) -> list[str]:
    """Return a note if the test ended differently when it ran once more."""
    again = recording.again
    if again is None:
        return []
    if expect is not None:
        if again.same_output:
            return []
        return [
            "the output is not always the same: run once more, the test printed something else; "
            "this explains the recorded run"
        ]
    if (again.outcome, _signature(again.failure)) == (
        recording.outcome,
        _signature(recording.failure),
    ):
        return []
    ending = "passes" if again.outcome is Outcome.PASS else "fails differently"
    if again.failure:
        ending += f" ({again.failure.message})"
    return [
        f"the failure comes and goes: run once more, the test {ending}; "
        "this explains the recorded run"
    ]


def _layout(recording: Recording) -> list[str]:
    """Return notes on the layout of memory, if the test passes without it."""
    name = recording.document.get("layout")
    if not name:
        return []
    return [
        f"in this run {LAYOUTS[name].words} (layout {name})",
        "otherwise the build that is recorded passes: the program reads memory that it has not set",
    ]


def _signature(failure: Failure | None) -> str | None:
    return failure.signature if failure else None


def _comes_and_goes(recording: Recording) -> UserError | None:
    """Return the error for a run that passed when recorded and failed when run once more."""
    again = recording.again
    if again is None or again.failure is None or recording.outcome is not Outcome.PASS:
        return None
    layouts = " Other contents of unset memory made no difference."
    tried = layouts if language_of(recording).is_compiled else ""
    return UserError(
        "The failure comes and goes: the test passed while it was recorded, and failed when it "
        f"ran once more ({again.failure.message}).{tried}\n"
        "Run the same command again until a failing run is recorded, or make the test fail "
        "always: a loop around it, a fixed seed, a longer delay.",
        slug="comes-and-goes",
    )


# --- where the session is saved -------------------------------------------------------------------


def _fingerprint(recording: Recording) -> str:
    return hashlib.sha256((recording.folder / RUN).read_bytes()).hexdigest()


def _session_file(recording: Recording, search: CauseSearch, expect: bytes | None) -> Path:
    """Return the file for the session; each failure of a run has its own."""
    thread = search.thread
    failure = [thread.image.process.folder.name, thread.log.number, (expect or b"").hex()]
    name = hashlib.sha256(json.dumps(failure).encode()).hexdigest()[:12]
    return recording.folder / f"session-{name}.json"
