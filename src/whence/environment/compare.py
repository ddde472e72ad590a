"""What differs between two recordings, without running anything?"""

from __future__ import annotations

from whence.environment.differing import Answered, answer_words, is_folder, line_changes, names_in
from whence.environment.inherited import differences, user_of, variables_of
from whence.environment.locate import Culprit
from whence.environment.log import SystemCall
from whence.environment.plan import subject_of
from whence.environment.recording import EnvironmentRecording
from whence.environment.words import inherited_words, subject_words
from whence.model import EnvironmentAnswer, EnvironmentResult


def compare(good: EnvironmentRecording, bad: EnvironmentRecording) -> EnvironmentResult:
    """Return all inherited values and first answers that differ."""
    hidden = [name for name in {**variables_of(good.start), **variables_of(bad.start)}
              if good.is_redacted(name) or bad.is_redacted(name)]  # fmt: skip
    answers = [
        _unverified(inherited_words(one, alone=True))
        for one in differences(good.start, bad.start, hidden)
    ]
    theirs, ours = _first_answers(good), _first_answers(bad)
    seen = set()
    for question in ours:
        if question not in theirs:
            continue
        subject = subject_of(theirs[question])
        if subject is None or subject in seen or subject.is_volatile:
            continue
        found = _answered(good, bad, theirs[question], ours[question])
        if found is not None:
            seen.add(subject)
            answers.append(_unverified(subject_words(found, alone=True)))
    notes = [f"{len(ours.keys() - theirs.keys())} questions were asked only in {bad.path.name}, "
             f"{len(theirs.keys() - ours.keys())} only in {good.path.name}"]  # fmt: skip
    if user_of(good.start) != user_of(bad.start):
        notes.append(f"there: {user_of(good.start)}; here: {user_of(bad.start)}")
    notes += [f"{one.path.name}: exit status {one.status}" for one in (good, bad)]
    return EnvironmentResult(
        tuple(answers), None, tuple(notes), good.log.seen,
        is_located=False, empty_status="different" if answers else "same",
    )  # fmt: skip


def _unverified(answer: EnvironmentAnswer) -> EnvironmentAnswer:
    from dataclasses import replace

    what = answer.path or answer.variable or answer.call
    return replace(answer, sentence=what, verified=False, verified_by="")


def _first_answers(recording: EnvironmentRecording) -> dict[str, SystemCall]:
    found: dict[str, SystemCall] = {}
    for call in recording.log.calls:
        if recording.role(call) is not None:
            found.setdefault(call.question, call)
    return found


def _answered(
    good: EnvironmentRecording, bad: EnvironmentRecording, there: SystemCall, here: SystemCall
) -> Culprit | None:
    subject = subject_of(there)
    assert subject is not None
    checksums = good.content_of(there), bad.content_of(here)
    contents = [
        recording.read_content(checksum) if checksum else None
        for recording, checksum in zip((good, bad), checksums, strict=True)
    ]
    answered = Answered(subject, "0", there, here, *contents)
    is_error = there.result < 0 or here.result < 0
    if is_error:
        same = there.result == here.result
    elif there.opens and None not in contents:
        if is_folder(there) and contents[0] is not None and contents[1] is not None:
            same = names_in(contents[0]) == names_in(contents[1])
        else:
            same = checksums[0] == checksums[1]
    else:
        same = answer_words(there) == answer_words(here) or there.group in (
            "write",
            "socket",
            "read",
        )
    if same:
        return None
    lines = (
        tuple(line_changes(contents[0] or b"", contents[1] or b""))
        if answered.is_text and not is_folder(there)
        else ()
    )
    return Culprit(subject, (answered,), lines)
