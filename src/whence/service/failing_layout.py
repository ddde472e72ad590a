"""With which contents of unset memory does a test fail that passes when it is recorded?"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.frontend.warm_tree import WarmTree
from whence.languages import LANGUAGES, open_recording
from whence.languages.language import Language
from whence.model import Outcome
from whence.service.recording import RecordRequest, Say, clear
from whence.subject.layouts import LAYOUTS, build_variables
from whence.subject.one_version import OneVersion
from whence.subject.sources import fetch
from whence.trace.summary import summarise

_MAX_SECONDS = 60.0  # a run that takes longer is not repeated with other layouts; guessed


def record_failing_layout(
    out: Path, request: RecordRequest, scratch: Path, seconds: float, say: Say
) -> None:
    """Replace a recorded run that passes by one that fails with other contents of unset memory.

    If the run fails with no layout, or fails sometimes without one, keep the run that passes.
    """
    passing = open_recording(out)
    language = LANGUAGES[passing.document["frontend"]]
    if not language.is_compiled or seconds > _MAX_SECONDS:
        return
    # If the test failed when it ran once more, is that due to chance, or to recording it?
    is_doubtful = passing.again is not None and passing.again.outcome is not Outcome.PASS
    trials = _Trials(request, language, scratch)
    for name in ([""] if is_doubtful else []) + list(LAYOUTS):
        words = LAYOUTS[name].words if name else "memory is as it was"
        say(f"the test passes; trying a layout in which {words}")
        try:
            found = trials.record(name)
            if found is not None and name:
                summarise(open_recording(found), trials.tree, max_trace=request.max_trace, say=say)
        except UserError:
            continue
        if found is not None:
            if name:
                clear(out)
                for path in found.iterdir():
                    shutil.move(path, out)
            return


class _Trials:
    """Records the test under one layout after another, in one tree.

    Only the sources of the version are compiled again, and only if the layout has an option of the
    compiler: sources that the build generates keep the memory that they were compiled for.
    """

    def __init__(self, request: RecordRequest, language: Language, scratch: Path) -> None:
        self._request, self._language = request, language
        self._folder = scratch / "layouts"
        source = fetch(request.source, repo=request.repo, into=self._folder / "source")
        self._version = OneVersion(read_tree(source))
        self._warm: WarmTree | None = None
        self._built: dict[str, str] = {}  # the variables of the last build
        self._count = 0

    @property
    def tree(self) -> Path:
        assert self._warm is not None, "`record` comes first"
        return self._warm.path

    def record(self, name: str) -> Path | None:
        """Return a trace of the failing test, run twice; None if it does not fail."""
        if self._record(name) is not Outcome.FAIL:
            return None
        # The tree of a test that runs twice cannot be used again.
        return self._trace if self._record(name, twice=True) is Outcome.FAIL else None

    def _record(self, name: str, *, twice: bool = False) -> Outcome:
        commands = replace(self._request.commands, layout=name)
        warm, self._warm = self._warm, None  # a build that fails leaves the tree half built
        if warm is None or not warm.is_usable or commands.build is None:
            warm = WarmTree(self._folder / "built", self._version)
        elif build_variables(name) != self._built:
            warm.outdate(self._version.touched)
        warm.become(frozenset())
        self._count += 1
        self._trace = self._folder / f"trace-{self._count}"
        self._trace.mkdir(parents=True)
        assert self._language.record_warm is not None, "compiled programs are built for recording"
        found = self._language.record_warm(
            warm.path, commands, self._trace, max_trace=self._request.max_trace,
            twice=twice, warm=warm,
        )  # fmt: skip
        self._built = build_variables(name)
        warm.trace, self._warm = self._trace, warm
        if not twice:
            warm.clear_up()
        return found.run.outcome
