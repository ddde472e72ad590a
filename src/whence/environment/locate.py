"""Which answers of the system make a command fail here that passed where it was recorded?

1. The command fails here, twice: once plain and once under the tracer.
2. What the command inherits (variables, limits, ...) is put in as recorded.  If that suffices,
   the smallest part of it that does is the cause.
3. All calls get the recorded answers where the live ones differ.  What was replaced, and what is
   inherited, are the candidates.  The smallest set of them with which the command passes is the
   cause.  Volatile subjects (times, /proc, the clock) count only if the others do not suffice.
4. Of a file, the smallest set of lines with which the command passes.
5. The command fails once more, and the line of the program that asks for the difference is noted.
6. The difference alone is put into a private view of the files, where the system allows one, and
   the command runs there without the tracer.
"""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from whence.environment.caller import (
    TELLS_WHERE,
    CallSite,
    compiled_call_site,
    is_python,
    python_call_site,
)
from whence.environment.differing import (
    Answered,
    LineChange,
    answer_words,
    line_changes,
    live_content,
    recorded_status,
    shown_name,
    with_changes,
)
from whence.environment.inherited import (
    Inherited,
    differences,
    inherit,
    out_of_reach,
    variables_of,
)
from whence.environment.log import Handling, SystemCall
from whence.environment.minimise import minimal
from whence.environment.plan import TIMED, Planner, Subject, subject_of, subjects_of
from whence.environment.recording import EnvironmentRecording, now
from whence.environment.tracing import CommandEnd, TracedRun, run_traced, run_untraced
from whence.environment.view import run_in_view
from whence.errors import UserError

Say = Callable[[str], None]
CLOCK = Subject("system", "clock")
Candidate = Inherited | Subject


@dataclass(frozen=True, slots=True)
class Culprit:
    """A part of the environment that makes the difference."""

    candidate: Candidate
    answered: tuple[Answered, ...] = ()  # of a subject: the answers that were replaced
    lines: tuple[LineChange, ...] = ()  # of a text file: the lines that matter
    viewed: bool = False  # the command also passes, untraced, in a private view with the difference
    called_from: CallSite | None = None  # the line of the program that made the first such call


@dataclass(slots=True)
class Located:
    """What `locate` found.  `culprits` is empty if there is no answer; `reason` then says why."""

    culprits: list[Culprit] = field(default_factory=list)
    reason: str | None = None
    notes: list[str] = field(default_factory=list)
    calls: int = 0  # of the recording
    candidates: int = 0
    runs: int = 0
    failing: CommandEnd | None = None


class Locator:
    """Runs a command with parts of a recording.  It counts its runs."""

    def __init__(
        self,
        recording: EnvironmentRecording,
        command: Sequence[str],
        folder: Path,
        timeout: float,
        say: Say,
    ) -> None:
        self._recording = recording
        self._command = tuple(command)
        self._folder = folder
        self._timeout = timeout
        self._say = say
        self._planner = Planner(recording, folder / "contents")
        self._offset = 0
        self._known: dict[frozenset[Candidate], bool] = {}
        self.result = Located(calls=recording.log.seen)
        self._stdin = folder / "stdin"
        self._stdin.write_bytes(recording.stdin)

    # --- runs ------------------------------------------------------------------------------------

    def _plain(self, chosen: Sequence[Candidate] = ()) -> CommandEnd:
        self.result.runs += 1
        kept = [one for one in chosen if isinstance(one, Inherited)]
        command, setting = inherit(kept, self._command, os.environ)
        return run_untraced(command, setting, stdin=self._stdin, timeout=self._timeout)

    def replay(
        self,
        chosen: Sequence[Candidate],
        edits: dict[str, bytes] | None = None,
        options: Sequence[str] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> TracedRun:
        """Run the command with the recorded values and answers that were chosen."""
        self.result.runs += 1
        kept = [one for one in chosen if isinstance(one, Inherited)]
        subjects = {one for one in chosen if isinstance(one, Subject)}
        command, setting = inherit(kept, self._command, {**os.environ, **variables})
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        plan = folder / "plan"
        self._planner.write(plan, subjects, edits)
        clock = [f"clock={self._offset}"] if CLOCK in subjects and self._offset else []
        return run_traced(
            command, folder, setting, stdin=self._stdin, plan=plan,
            options=(*clock, *options), timeout=self._timeout,
        )  # fmt: skip

    def _passes(self, chosen: Sequence[Candidate]) -> bool:
        key = frozenset(chosen)
        if key not in self._known:
            subjects = any(isinstance(one, Subject) for one in chosen)
            ended = self.replay(chosen).ended if subjects else self._plain(chosen)
            self._known[key] = ended.passes
            self._say(f"run {self.result.runs}: {len(chosen)} answers, "
                      f"{'passes' if ended.passes else 'fails'}")  # fmt: skip
        return self._known[key]

    # --- the search ------------------------------------------------------------------------------

    def locate(self) -> Located:
        """Find the smallest set of differences that makes the command pass."""
        inherited = self._fails_here()
        self._known[frozenset()] = False
        if inherited and self._passes(inherited):
            chosen: list[Candidate] = list(minimal(inherited, self._passes))
            self.result.candidates = len(inherited)
            self.result.culprits = [Culprit(one) for one in chosen]
            return self.result
        everything = self._replay_all(inherited)
        if everything is None:
            return self.result
        run, full = everything
        answered = self._answered(run, full)
        subjects = sorted(answered, key=lambda one: (one.is_volatile, one.name.startswith("/usr/")))
        clock = [CLOCK] if CLOCK in full else []
        candidates: list[Candidate] = [*subjects, *inherited, *clock]
        self.result.candidates = len(candidates)
        if not candidates or not self._passes(candidates):
            self.result.reason = (
                "With all recorded answers the command passes, but not with only those that were "
                "seen to differ: it does not behave the same in each run."
            )
            return self.result
        chosen = minimal(candidates, self._passes)
        culprits = [self._culprit(one, chosen, answered) for one in chosen]
        self.result.culprits = self._viewed([self._with_caller(one, chosen) for one in culprits])
        return self.result

    def _fails_here(self) -> list[Inherited]:
        """Check that the command fails here; return what it inherits with other values."""
        self._say("running the command as it is")
        plain = self._plain()
        self.result.failing = plain
        if plain.passes:
            raise UserError(
                "The command passes here too, so there is no difference to look for.\n"
                "Run whence environment locate where the command fails.",
                slug="passes-here",
            )
        traced = self.replay([])
        if traced.ended.passes:
            again = self._plain()
            raise UserError(
                "The command does not behave the same in each run: it fails plain "
                f"(exit status {plain.status}), passes under the tracer, and then "
                f"{'passes' if again.passes else 'fails'} plain.\n"
                "Make it deterministic first: fix seeds, remove what earlier runs left behind.",
                slug="not-deterministic",
            )
        if traced.ended.status != plain.status:
            self.result.notes.append(
                f"the command ends with exit status {plain.status} plain, and with "
                f"{traced.ended.status} under the tracer"
            )
        if traced.log.seen and not traced.log.starts:
            return []
        names = variables_of(self._recording.start)
        redacted = [name for name in names if self._recording.is_redacted(name)]
        return differences(self._recording.start, traced.log.starts[0], redacted)

    def _replay_all(self, inherited: list[Inherited]) -> tuple[TracedRun, list[Candidate]] | None:
        """Replay all answers, the volatile ones only if need be; None: the command still fails."""
        subjects = subjects_of(self._recording)
        stable = sorted(one for one in subjects if not one.is_volatile)
        self._offset = self._recording.clock - now()
        for chosen in (stable, [*sorted(subjects), CLOCK]):
            full: list[Candidate] = [*chosen, *inherited]
            run = self.replay(full)
            self._say(f"run {self.result.runs}: all {len(full)} recorded answers, "
                      f"{'passes' if run.ended.passes else 'fails'}")  # fmt: skip
            if run.ended.passes:
                return run, full
        unable = sorted({call.name for call in run.log.calls if call.flags & Handling.UNABLE})
        self.result.reason = (
            "The command fails even with all recorded answers that could be replayed: "
            "what makes the difference is not in the recording"
            + (
                f", or is one of those that could not be replayed: {', '.join(unable[:5])}"
                if unable
                else ""
            )
            + "."
        )
        self.result.notes += [
            f"{one.words}; this user may not raise it, so its effect was not tested"
            for one in out_of_reach(inherited)
        ]
        return None

    def _answered(self, run: TracedRun, full: list[Candidate]) -> dict[Subject, list[Answered]]:
        """Return the answers that were replaced in a run, with the recorded ones, by subject."""
        recorded: dict[str, SystemCall] = {}
        for call in self._recording.log.calls:
            recorded.setdefault(call.question, call)
        found: dict[Subject, list[Answered]] = {}
        for call in run.log.calls:
            good, subject = recorded.get(call.question), subject_of(call)
            if not call.flags & Handling.REPLACED or good is None or subject is None:
                continue
            times = Subject("times", call.name)
            if times in full and good.group in TIMED and answer_words(good) == answer_words(call):
                subject = times
            checksum = self._recording.content_of(good)
            found.setdefault(subject, []).append(
                Answered(
                    subject, run.log.roles[call.process], good, call,
                    self._recording.read_content(checksum) if checksum else None,
                    live_content(call, run.spool),
                )
            )  # fmt: skip
        return found

    def _culprit(
        self,
        candidate: Candidate,
        chosen: list[Candidate],
        answered: dict[Subject, list[Answered]],
    ) -> Culprit:
        if isinstance(candidate, Inherited) or candidate not in answered:
            return Culprit(candidate)
        found = answered[candidate]
        text = next((one for one in found if one.is_text and one.good.group != "exec"), None)
        if text is None or text.good_content is None or text.bad_content is None:
            return Culprit(candidate, tuple(found))
        good, bad = text.good_content, text.bad_content
        changes = line_changes(good, bad)

        known: dict[tuple[LineChange, ...], bool] = {}

        def passes(some: Sequence[LineChange]) -> bool:
            if tuple(some) in known:
                return known[tuple(some)]
            run = self.replay(chosen, {candidate.name: with_changes(bad, some)})
            known[tuple(some)] = run.ended.passes
            self._say(f"run {self.result.runs}: {len(some)} lines of {candidate.name}, "
                      f"{'passes' if run.ended.passes else 'fails'}")  # fmt: skip
            return run.ended.passes

        if len(changes) == 1 or not passes(changes):  # another property than its lines matters
            return Culprit(candidate, tuple(found), tuple(changes[:1] if len(changes) == 1 else ()))
        lines = minimal(changes, passes)
        return Culprit(candidate, tuple(found), tuple(lines))

    # --- the line of the program ------------------------------------------------------------------

    def _with_caller(self, culprit: Culprit, chosen: Sequence[Candidate]) -> Culprit:
        """Run the command as it fails, but for the other culprits; note who asks for this one."""
        if not culprit.answered:
            return culprit
        others = [one for one in chosen if one != culprit.candidate]
        watch = f"watch={culprit.answered[0].bad.question}"
        run = self.replay(others, options=(watch,))
        if not run.log.stacks:
            return culprit
        [stack] = run.log.stacks
        programs = [start.path for start in run.log.starts if start.process == stack.process]
        if programs and is_python(os.path.realpath(programs[-1])):
            aborted = self.replay(
                others, options=(watch, f"signal={signal.SIGABRT.value}"), variables=TELLS_WHERE
            )
            return replace(culprit, called_from=python_call_site(aborted.ended.output))
        return replace(culprit, called_from=compiled_call_site(stack))

    # --- the private view ------------------------------------------------------------------------

    def _viewed(self, culprits: list[Culprit]) -> list[Culprit]:
        """Run the command in a private view with the difference alone, if it is one path."""
        subjects = [one for one in culprits if isinstance(one.candidate, Subject)]
        if len(subjects) != 1:
            return culprits
        [culprit] = subjects
        seen = _content_and_status(culprit)
        if seen is None:
            return culprits
        content, status = seen
        kept = [one.candidate for one in culprits if isinstance(one.candidate, Inherited)]
        command, setting = inherit(kept, self._command, os.environ)
        name = shown_name(culprit.candidate.name)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        ended = run_in_view(
            command, setting, name, content, status, folder,
            stdin=self._stdin, timeout=self._timeout,
        )  # fmt: skip
        self.result.runs += ended is not None
        if ended is not None and not ended.passes:
            self.result.notes.append(
                f"with {name} changed in a private view the command fails; the answer rests on the "
                "replay alone"
            )
        is_viewed = ended is not None and ended.passes
        return [replace(one, viewed=is_viewed) if one is culprit else one for one in culprits]


def _content_and_status(culprit: Culprit) -> tuple[bytes | None, tuple[int, int, int]] | None:
    """Return what a view must show at the path of a culprit; None if a view cannot show it."""
    if not isinstance(culprit.candidate, Subject) or culprit.candidate.kind != "path":
        return None
    for one in culprit.answered:
        status = recorded_status(one.good)
        if one.good.result < 0 or status is None or one.good.group == "exec":
            continue
        if stat.S_ISDIR(status[0]):
            return None, status
        if culprit.lines and one.bad_content is not None:
            return with_changes(one.bad_content, culprit.lines), status
        if one.good_content is not None:
            return one.good_content, status
    return None
