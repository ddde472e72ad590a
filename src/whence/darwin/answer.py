"""What does the search for the branches say to a user?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from whence.darwin.changed_lines import ChangedLines
from whence.darwin.describing import (
    BranchPlace,
    Evaluation,
    RunDescriber,
    both_evaluations,
    ended_words,
    same_evaluation,
)
from whence.darwin.search import Parting, PartingSearch, ValueParting
from whence.model import DarwinResult, Suspect, VersionName
from whence.subject.command import Ended

MAX_SUSPECTS = 20  # in an answer; guessed


def darwin_result(
    search: PartingSearch, changed: ChangedLines, folder: Path, notes: Sequence[str], by: str,
    seconds: Mapping[str, float],
) -> DarwinResult:  # fmt: skip
    """Return the answer; the tests of its suspects are written into `folder`."""
    suspects = tuple(_suspects(search, changed, folder))
    good, bad = search.good.run.ended, search.bad.run.ended
    return DarwinResult(
        suspects=suspects,
        reason=None if suspects else _reason(search),
        failure=f"the good version {ended_words(good)}; the bad version {ended_words(bad)}",
        notes=(*notes, *_notes(search)),
        by=by,
        conditions={
            side.version.value: len(side.chosen.conditions) for side in (search.good, search.bad)
        },
        questions={part.name.lower(): count for part, count in search.counts.ended.items()},
        dropped=search.dropped,
        disagreeing=search.disagreeing,
        runs=search.runs,
        solver_calls=search.solver.calls,
        seconds=dict(seconds),
    )


def _suspects(search: PartingSearch, changed: ChangedLines, folder: Path) -> Iterator[Suspect]:
    """Yield the suspects, the likeliest first, each line of the source once."""
    seen: set[tuple[VersionName, str, int]] = set()
    everything: list[Parting | ValueParting] = [*search.found, *search.values]
    for one in sorted(everything, key=lambda one: one.rank):
        side = one.leaving if isinstance(one, Parting) else search.bad
        place = RunDescriber(side.run).place(one.step)
        key = side.version, place.file, place.line
        if key in seen or len(seen) >= MAX_SUSPECTS:
            continue
        seen.add(key)
        name = f"suspect{len(seen)}"
        if isinstance(one, Parting):
            yield _suspect(one, changed, folder, name)
        else:
            yield _value_suspect(one, search, changed, folder, name)


def _value_suspect(
    one: ValueParting, search: PartingSearch, changed: ChangedLines, folder: Path, name: str
) -> Suspect:
    """Describe a place where the failing program computes another value than the reference."""
    bad, good = RunDescriber(search.bad.run), RunDescriber(search.good.run)
    alternate = RunDescriber(one.alternate)
    place = bad.place(one.step)
    own, other = bad.value(one.step), good.value(one.origin.counterpart)
    then = same_evaluation(bad, alternate, one.step)
    value = alternate.value(then).value if then is not None else "?"
    what = f"`{own.name}`" if own.name else "a value"
    parts = [
        f"With the failing test the bad version computes {own.value} for {what} here, and the good "
        f"version {other.value}, from equal values."
    ]
    if one.tested_by is None:
        parts.append("With the other input both take the same way as before.")
    else:
        tested = bad.place(one.tested_by.step)
        parts.append(f"The branch at {tested.file}:{tested.line} tests it.")
    parts.append(f"With the other input both {_plural(ended_words(one.trial.left))}.")
    return Suspect(
        version=VersionName.BAD,
        file=place.file,
        line=place.line,
        function=place.function,
        text=place.text,
        condition=own.name or place.text.strip(),
        because=" ".join(parts),
        is_changed=changed.has(VersionName.BAD, place.file, place.line),
        in_bad=(place.file, place.line),
        failing={own.name or "value": own.value},
        alternate={own.name or "value": value},
        test=search.bad.program.write_test(one.trial.contents, folder, name),
        agrees=True,
        good=ended_words(one.trial.kept),
        bad=ended_words(one.trial.left),
        edited=one.edited,
    )


def _suspect(one: Parting, changed: ChangedLines, folder: Path, name: str) -> Suspect:
    trial, version = one.trial, one.leaving.version
    assert one.alternate is not None, "it was validated"
    failing, alternate = RunDescriber(one.leaving.run), RunDescriber(one.alternate)
    place = failing.place(one.condition.step)
    own, other = both_evaluations(failing, alternate, one.condition)
    is_bad = version is VersionName.BAD
    good, bad = (trial.kept, trial.left) if is_bad else (trial.left, trial.kept)
    return Suspect(
        version=version,
        file=place.file,
        line=place.line,
        function=place.function,
        text=place.text,
        condition=own.condition,
        because=_because(one, place, own, other, good, bad),
        is_changed=changed.has(version, place.file, place.line),
        in_bad=_in_bad(changed, version, place),
        failing=own.values,
        alternate=other.values if other else {},
        test=one.leaving.program.write_test(trial.contents, folder, name),
        agrees=trial.agrees,
        good=ended_words(good),
        bad=ended_words(bad),
        edited=one.edited,
    )


def _in_bad(
    changed: ChangedLines, version: VersionName, place: BranchPlace
) -> tuple[str, int] | None:
    if version is VersionName.BAD:
        return place.file, place.line
    return changed.in_bad(place.file, place.line)


def _because(
    one: Parting, place: BranchPlace, own: Evaluation, other: Evaluation | None, good: Ended,
    bad: Ended,
) -> str:  # fmt: skip
    """Return a sentence that says what the branch does with both inputs."""
    version, kept = one.leaving.version.value, one.keeping.version.value
    tested = f"`{own.condition}`" if own.condition else f"`{place.text.strip()}`"
    was = f" is {own.outcome} with the failing test" if own.outcome else " goes one way"
    turns = f" and {other.outcome} with the other input" if other and other.outcome else (
        " and goes another way with the other input"
    )  # fmt: skip
    parts = [f"In the {version} version {tested}{was}{turns}."]
    parts.append(f"The {kept} version takes the same way with both inputs.")
    if version == VersionName.GOOD.value:
        parts.append("The bad version may lack this test.")
    if one.trial.agrees:
        parts.append(f"With the other input both {_plural(ended_words(good))}.")
    else:
        words = f"the good version {ended_words(good)}, the bad version {ended_words(bad)}"
        parts.append(f"With the other input they still differ: {words}.")
    return " ".join(parts)


def _plural(words: str) -> str:
    return words.replace("prints", "print", 1).replace("does not end", "do not end", 1)


def _reason(search: PartingSearch) -> str:
    if search.dropped:
        return (
            f"{search.dropped} inputs that should lead the programs apart did not do so when they "
            "were run, and there was no other."
        )
    if search.counts.unknown:
        return f"The solver gave up on {search.counts.unknown} questions; it said no to the others."
    return (
        "Both programs demand the same of the input on their paths, so no branch tells them apart: "
        "the fault is in a value that no branch tests."
    )


def _notes(search: PartingSearch) -> list[str]:
    found = []
    if search.is_stopped:
        found.append("the limit on runs was reached before all branches were looked at")
    if search.is_interrupted:
        found.append("it was interrupted before all branches were looked at")
    return found
