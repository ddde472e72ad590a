"""What does the search for the branches say to a user?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whence.darwin.changed_lines import ChangedLines
from whence.darwin.decisions import decided_at
from whence.darwin.describing import (
    BranchPlace,
    Evaluation,
    RunDescriber,
    both_decisions,
    both_ended_words,
    both_evaluations,
    ended_words,
    same_evaluation,
)
from whence.darwin.same_input import looked_at
from whence.darwin.search import (
    MAX_RUNS,
    CodeParting,
    Parting,
    PartingSearch,
    SharedParting,
    ValueParting,
)
from whence.model import DarwinResult, MadeTest, Suspect, VersionName
from whence.paths.conditions import ConditionKind
from whence.program.ids import Step
from whence.program.operations import COp
from whence.subject.command import Ended

_ADVICE = (
    "Give another test that fails, or let more inputs change with --input; whence explain names "
    "the changes that the failure needs."
)
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
        failure=both_ended_words(good, bad),
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
    everything: list[Parting | ValueParting | CodeParting | SharedParting] = []
    everything += [*search.found, *search.values, *search.codes]
    everything += [] if search.shared is None else [search.shared]
    number = 0
    for one in sorted(everything, key=lambda one: one.rank):
        side, shown = search.bad, one.step
        if isinstance(one, Parting):
            side, shown = one.leaving, _decision(one)
        elif isinstance(one, CodeParting):
            side = one.side
        elif isinstance(one, SharedParting):
            shown = _shared_decision(one, search)
        else:
            shown = _shown_step(one, search, changed)
        place = RunDescriber(side.run).place(shown)
        key = side.version, place.file, place.line
        if key in seen or number >= MAX_SUSPECTS:
            continue
        number += 1
        name = f"suspect{number}"
        if isinstance(one, Parting):
            suspect = _suspect(one, changed, folder, name)
        elif isinstance(one, CodeParting):
            suspect = _code_suspect(one, changed, folder, name)
        elif isinstance(one, SharedParting):
            suspect = _shared_suspect(one, search, changed, folder, name)
        else:
            suspect = _value_suspect(one, search, changed, folder, name)
        if isinstance(one, CodeParting) and (VersionName.BAD, *(suspect.in_bad or ())) in seen:
            number -= 1
            continue  # the line of the bad version is shown
        seen.add(key)
        if suspect.is_changed and suspect.in_bad is not None:
            seen.add((VersionName.BAD, *suspect.in_bad))  # it is the same line
        yield suspect


def _suspect_at(
    version: VersionName, place: BranchPlace, changed: ChangedLines, good: Ended, bad: Ended,
    test: MadeTest,
) -> Suspect:  # fmt: skip
    """Return a suspect of which only the place, the test and how both versions end are known."""
    return Suspect(
        version=version,
        file=place.file,
        line=place.line,
        function=place.function,
        text=place.text,
        condition=place.text.strip(),
        because="",
        is_changed=changed.has(version, place.file, place.line),
        in_bad=_in_bad(changed, version, place),
        failing={},
        alternate={},
        test=test,
        agrees=False,
        good=ended_words(good),
        bad=ended_words(bad),
        edited=0,
    )


def _value_suspect(
    one: ValueParting, search: PartingSearch, changed: ChangedLines, folder: Path, name: str
) -> Suspect:
    """Describe a place where the failing program computes another value than the reference."""
    bad, good = RunDescriber(search.bad.run), RunDescriber(search.good.run)
    place = bad.place(_shown_step(one, search, changed))
    own, other = bad.value(one.step), good.value(one.origin.counterpart)
    what = f" for `{own.name}`" if own.name else ""
    parts = [
        f"With the failing test the bad version computes {own.value}{what} here, and the good "
        f"version {other.value}, from equal values."
    ]
    if one.alternate is None:
        parts.append("No other input was found with which both versions do the same.")
    else:
        parts += _agreeing(one, search)
    test = search.bad.program.write_test(one.trial.contents, folder, name)
    suspect = _suspect_at(VersionName.BAD, place, changed, one.trial.kept, one.trial.left, test)
    return replace(
        suspect,
        condition=own.name or suspect.condition,
        because=" ".join(parts),
        failing={own.name or "value": own.value},
        alternate=_alternate_value(one, bad, good, own.name or "value"),
        agrees=one.trial.agrees,
        edited=one.edited,
    )


def _shown_step(one: ValueParting, search: PartingSearch, changed: ChangedLines) -> Step:
    """Return the step that a value is computed at: one in a change, if the expression has one.

    A step that only passes a value on is not the place, if there is another one.
    """
    bad = RunDescriber(search.bad.run)
    steps = [one.step, *one.origin.inside]
    in_change = [step for step in steps if _is_changed(bad.place(step), changed)] or [one.step]
    computing = (step for step in in_change if not _is_copy(bad, step))
    return next(computing, in_change[-1])


def _is_changed(place: BranchPlace, changed: ChangedLines) -> bool:
    return changed.has(VersionName.BAD, place.file, place.line)


def _is_copy(describer: RunDescriber, step: Step) -> bool:
    return describer.flow.node(step).operation.op is COp.COPY


def _code_suspect(one: CodeParting, changed: ChangedLines, folder: Path, name: str) -> Suspect:
    """Describe code that only one version has."""
    describer, version = RunDescriber(one.side.run), one.side.version
    place, about = describer.place(one.step), describer.place(one.code.about)
    other = "good" if version is VersionName.BAD else "bad"
    parts = [f"Only the {version.value} version has this code, and the failure goes back to it."]
    if about.line != place.line:
        parts.append(f"It led to {about.file}:{about.line}, `{about.text.strip()}`.")
    parts.append(f"The {other} version may {'lack' if other == 'bad' else 'be right without'} it.")
    parts.append("No other input was found with which both versions do the same.")
    test = one.side.program.write_test(one.trial.contents, folder, name)
    suspect = _suspect_at(version, place, changed, one.trial.kept, one.trial.left, test)
    return replace(suspect, because=" ".join(parts))


def _shared_decision(one: SharedParting, search: PartingSearch) -> Step:
    """Return the step that decided which way a branch of both versions goes."""
    bad, good = RunDescriber(search.bad.run), RunDescriber(search.good.run)

    def other_value(step: Step) -> object:
        other = same_evaluation(bad, good, step)
        return None if other is None else good.flow.value(other)

    return decided_at(bad.flow, one.step, other_value)


def _shared_suspect(
    one: SharedParting, search: PartingSearch, changed: ChangedLines, folder: Path, name: str
) -> Suspect:
    """Describe a branch that both versions have and that went another way."""
    bad, good = RunDescriber(search.bad.run), RunDescriber(search.good.run)
    decision = _shared_decision(one, search)
    place = bad.place(decision)
    if place == bad.place(one.step):
        own = bad.evaluation(one.step, ConditionKind.BRANCH)
        other = good.evaluation(one.branch.counterpart, ConditionKind.BRANCH)
    else:
        own, found = both_decisions(bad, good, decision)
        other = found or own
    tested = f"`{own.condition}`" if own.condition else f"`{place.text.strip()}`"
    parts = [f"Both versions have this branch, and it goes another way: {tested}"]
    if own.outcome and other.outcome != own.outcome:
        parts[0] += f" is {own.outcome} in the bad version and {other.outcome} in the good one"
    parts[0] += ", because of the values that it reads."
    parts.append("A change may only have woken a fault that is here.")
    test = search.bad.program.write_test(one.trial.contents, folder, name)
    suspect = _suspect_at(VersionName.BAD, place, changed, one.trial.kept, one.trial.left, test)
    return replace(
        suspect,
        condition=own.condition or suspect.condition,
        because=" ".join(parts),
        failing=own.values,
    )


def _agreeing(one: ValueParting, search: PartingSearch) -> Iterator[str]:
    if one.tested_by is None:
        yield "With the other input both take the same way as before."
    else:
        side = one.tested_by.leaving
        tested = RunDescriber(side.run).place(one.tested_by.step)
        of = "" if side is search.bad else f" of the {side.version.value} version"
        yield f"The branch at {tested.file}:{tested.line}{of} tests it."
    yield f"With the other input both {_plural(ended_words(one.trial.left))}."


def _alternate_value(
    one: ValueParting, bad: RunDescriber, good: RunDescriber, name: str
) -> dict[str, str]:
    """Return the value with the other input."""
    if one.alternate is None:
        return {}
    is_bad = one.side.version is VersionName.BAD
    failing, step = (bad, one.step) if is_bad else (good, one.origin.counterpart)
    alternate = RunDescriber(one.alternate)
    then = same_evaluation(failing, alternate, step)
    return {} if then is None else {name: alternate.value(then).value}


def _suspect(one: Parting, changed: ChangedLines, folder: Path, name: str) -> Suspect:
    trial, version = one.trial, one.leaving.version
    assert one.alternate is not None, "it was validated"
    failing, alternate = RunDescriber(one.leaving.run), RunDescriber(one.alternate)
    decision = _decision(one)
    place = failing.place(decision)
    if place == failing.place(one.step):
        own, other = both_evaluations(failing, alternate, one.condition)
    else:
        own, other = both_decisions(failing, alternate, decision)
    is_bad = version is VersionName.BAD
    good, bad = (trial.kept, trial.left) if is_bad else (trial.left, trial.kept)
    test = one.leaving.program.write_test(trial.contents, folder, name)
    suspect = _suspect_at(version, place, changed, good, bad, test)
    return replace(
        suspect,
        condition=own.condition,
        because=_because(one, place, own, other, good, bad),
        in_bad=suspect.in_bad or _looked_at(one),
        failing=own.values,
        alternate=other.values if other else {},
        agrees=trial.agrees,
        edited=one.edited,
    )


def _looked_at(one: Parting) -> tuple[str, int] | None:
    """Return where the bad version, which is another program, looks at the same input."""
    found = looked_at(one.condition, one.leaving.run, one.keeping.run)
    return None if found is None else (found.file, found.line)


def _decision(one: Parting) -> Step:
    """Return the step that decided which way the branch of a suspect goes."""
    assert one.alternate is not None, "it was validated"
    failing, alternate = RunDescriber(one.leaving.run), RunDescriber(one.alternate)

    def other_value(step: Step) -> object:
        other = same_evaluation(failing, alternate, step)
        return None if other is None else alternate.flow.value(other)

    return decided_at(failing.flow, one.step, other_value)


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
    then = other.outcome if other else ""
    if not own.outcome or not then:
        parts = [f"In the {version} version {tested} goes another way with the other input."]
    elif own.outcome == then:
        parts = [f"In the {version} version a part of {tested} differs with the other input."]
    else:
        was = f"is {own.outcome} with the failing test and {then} with the other input"
        parts = [f"In the {version} version {tested} {was}."]
    tested_at = RunDescriber(one.leaving.run).place(one.step)
    if tested_at != place:
        parts.append(f"The branch at {tested_at.file}:{tested_at.line} tests it.")
    parts.append(f"The {kept} version takes the same way with both inputs.")
    if one.is_shared:
        parts.append(
            f"The {kept} version has this test, and goes the same way; it matters less there."
        )
    elif version == VersionName.GOOD.value:
        parts.append("The bad version may lack this test.")
    if one.trial.agrees:
        parts.append(f"With the other input both {_plural(ended_words(good))}.")
    else:
        parts.append(f"With the other input they still differ: {both_ended_words(good, bad)}.")
    return " ".join(parts)


def _plural(words: str) -> str:
    return words.replace("prints", "print", 1).replace("does not end", "do not end", 1)


def _reason(search: PartingSearch) -> str:
    if search.dropped:
        return (
            f"{search.dropped} inputs that should lead the programs apart did not do so when they "
            f"were run, and there was no other. {_ADVICE}"
        )
    if search.counts.unknown:
        unknown = search.counts.unknown
        return f"The solver gave up on {unknown} questions; it said no to the others. {_ADVICE}"
    return (
        "Both programs demand the same of the input on their paths, so no branch tells them apart: "
        f"the fault is in a value that no branch tests. {_ADVICE}"
    )


def _notes(search: PartingSearch) -> list[str]:
    found = []
    if search.is_stopped:
        what = "runs" if search.runs >= MAX_RUNS else "questions that the solver gives up"
        found.append(f"the limit on {what} was reached before all branches were looked at")
    if search.is_interrupted:
        found.append("it was interrupted before all branches were looked at")
    return found
