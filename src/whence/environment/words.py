"""What does a difference of the environment stand for, in words?"""

from __future__ import annotations

from whence.environment.differing import (
    Answered,
    answer_words,
    is_folder,
    names_in,
    shown_name,
)
from whence.environment.inherited import Inherited
from whence.environment.locate import CLOCK, Culprit, Located
from whence.environment.plan import Subject
from whence.environment.recording import EnvironmentRecording
from whence.model import EnvironmentAnswer, EnvironmentResult

_REPLAYED = "with that answer replayed alone, the command passes."
_TOGETHER = "with these answers replayed, the command passes; without any one of them, it fails."
_MAX_NAMES = 5  # names of a folder that are listed; guessed


def located_result(
    located: Located, recording: EnvironmentRecording, seconds: float
) -> EnvironmentResult:
    """Return what was found, in words."""
    alone = len(located.culprits) == 1
    return EnvironmentResult(
        answers=tuple(
            culprit_words(culprit, recording, alone=alone) for culprit in located.culprits
        ),
        reason=located.reason,
        notes=tuple(located.notes),
        calls=located.calls,
        runs=located.runs,
        seconds=seconds,
    )


def culprit_words(
    culprit: Culprit, recording: EnvironmentRecording, *, alone: bool
) -> EnvironmentAnswer:
    """Return one culprit in words; `alone`: it suffices by itself."""
    candidate = culprit.candidate
    if isinstance(candidate, Inherited):
        return inherited_words(candidate, alone=alone)
    if candidate == CLOCK or not culprit.answered:
        return EnvironmentAnswer(
            sentence=f"The command passes when {candidate.name} answers as recorded.",
            call=candidate.name, path=None, variable=None, process="0",
            good=f"{recording.clock / 1e9:.0f} seconds since 1970" if candidate == CLOCK else "",
            bad="now" if candidate == CLOCK else "",
            difference="the time of day" if candidate == CLOCK else f"times of {candidate.name}",
            verified=True, verified_by=_verified(culprit, alone),
        )  # fmt: skip
    return subject_words(culprit, alone=alone)


def inherited_words(one: Inherited, *, alone: bool) -> EnvironmentAnswer:
    """Return an inherited value that differs in words."""
    others = "" if alone else " (together with the other answers)"
    return EnvironmentAnswer(
        sentence=f"The command passes when {one.subject} is as recorded{others}.",
        call=one.kind, path=one.good if one.kind == "folder" else None,
        variable=one.name if one.kind == "variable" else None, process="0",
        good=one.shown(one.good), bad=one.shown(one.bad), difference=one.words, verified=True,
        verified_by=f"with {one.subject} set to the recorded value{' alone' * alone}, "
        "the command passes.",
    )  # fmt: skip


def subject_words(culprit: Culprit, *, alone: bool) -> EnvironmentAnswer:
    """Return a subject with other answers in words."""
    one = _main(culprit)
    assert isinstance(culprit.candidate, Subject)
    name = shown_name(culprit.candidate.name)
    good = answer_words(one.good, one.good_content)
    bad = answer_words(one.bad, one.bad_content)
    difference, line = _difference(culprit, one, name, good, bad)
    if culprit.lines:
        good, bad = (
            "\n".join(
                (text or b"(no such line)").decode(errors="backslashreplace").rstrip("\n")
                for text in texts
            )
            for texts in ([c.good for c in culprit.lines], [c.bad for c in culprit.lines])
        )
    others = "" if alone else " (together with the other answers)"
    return EnvironmentAnswer(
        sentence=f"The command passes when {one.good.group.partition(':')[0]} of {name} answers as "
        f"recorded{others}.",
        call=one.good.group.partition(":")[0],
        path=name if culprit.candidate.kind in ("path", "times") else None,
        variable=None, process=one.role, good=good, bad=bad, difference=difference, line=line,
        called_from=culprit.called_from.words if culprit.called_from else None,
        verified=True, verified_by=_verified(culprit, alone),
    )  # fmt: skip


def _main(culprit: Culprit) -> Answered:
    """Return the answer that says most: a content that differs, else the first."""
    texts = (one for one in culprit.answered if one.good_content is not None)
    return next(texts, culprit.answered[0])


def _difference(
    culprit: Culprit, one: Answered, name: str, good: str, bad: str
) -> tuple[str, int | None]:
    if culprit.lines:
        first = culprit.lines[0]
        where = (
            f"line {first.at + 1}"
            if len(culprit.lines) == 1
            else "lines " + ", ".join(str(change.at + 1) for change in culprit.lines)
        )
        return f"the difference is {where} of {name}", first.at + 1
    if one.good_content is not None and one.bad_content is not None and is_folder(one.good):
        theirs, ours = names_in(one.good_content), names_in(one.bad_content)
        parts = [
            f"{words} {', '.join(sorted(names)[:_MAX_NAMES])}"
            for words, names in (("only there:", theirs - ours), ("only here:", ours - theirs))
            if names
        ]
        return f"the folder has other names: {'; '.join(parts)}", None
    if one.good_content is not None and one.bad_content is not None:
        return f"{name} has another content", None
    if one.bad.result < 0 <= one.good.result:
        return f"{name}: there it works ({good}), here it fails: {bad}", None
    if one.good.result < 0 <= one.bad.result:
        return f"{name}: here it works ({bad}), there it failed: {good}", None
    return f"{name}: {good} there, {bad} here", None


def _verified(culprit: Culprit, alone: bool) -> str:
    if culprit.viewed:
        what = "that line" if len(culprit.lines) == 1 else "that"
        return f"with {what} changed alone, in a private view, the untraced command passes."
    return (
        _REPLAYED
        if alone
        else "with these answers replayed, the command passes; without any one, it fails."
    )
