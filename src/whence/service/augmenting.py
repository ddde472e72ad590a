"""What does `whence augment` do?  Two versions and some tests in, a test for each change out."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from whence.augment.attribution import Attribution
from whence.augment.changed_code import ChangedCode
from whence.augment.effects import change_effect, where_it_stops
from whence.augment.equality import EqualityProof, prove_equal
from whence.augment.given_tests import GivenTest, OpenedTest, run_given
from whence.augment.hinted_inputs import Hints
from whence.augment.nearby import Vocabulary
from whence.augment.pair import RunPair
from whence.augment.plain_builds import PlainBuild, build_version
from whence.augment.questions import QuestionAsker
from whence.augment.search import ChangeSearch, EndDifference, SearchState, ends_differently
from whence.augment.seen_runs import VersionRuns
from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.same_code import same_code
from whence.changes.syntax import grammar_of
from whence.changes.tree import read_tree
from whence.darwin.describing import both_ended_words
from whence.errors import UserError
from whence.explain.meeting import Meeting
from whence.explain.meeting.version_index import Ids
from whence.file_trees import copy_tree
from whence.model import (
    AugmentedChange,
    AugmentResult,
    ChangeKind,
    ChangeStatus,
    MadeTest,
    Reported,
)
from whence.paths.input_spec import InputSpec
from whence.paths.made_test import remove_test
from whence.paths.program import Contents, InputProgram
from whence.paths.solver import Solver
from whence.search.grouping import grouped_hunks
from whence.search.isolate import units_of
from whence.service.change_alone import ChangeAlone
from whence.service.input_programs import open_program
from whence.service.meant_differences import MeantDifferences
from whence.service.recording import Say
from whence.subject.command import Ended, readable
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest

# Names for the folders of the good and of the bad version, of one length: a program has the path of
# its folder on the stack, and what both versions keep there is to have the same addresses.
_ALIKE = ("old", "new")
_ALONE = "alone"  # names the folders of programs without one change
_EARLY_SHARE, _LATE_SHARE = 0.1, 0.5  # of a change's time for a proof of equality; guessed


@dataclass(frozen=True)
class AugmentRequest:
    """What a user asks `whence augment` to do."""

    good: str
    bad: str
    commands: BuildAndTest  # with the first test
    more_tests: tuple[str, ...] = ()
    repo: Path = Path()
    chosen: tuple[str, ...] = ()  # changes, by number or FILE:LINE; empty: all
    contracts: tuple[Path, ...] = ()  # files of contracts: what they allow is not to be shown
    specs: tuple[InputSpec, ...] = ()
    seconds: float = 60.0  # for each change
    frontend: str = "auto"
    clock: Callable[[], float] = time.monotonic  # what `seconds` counts


def augment_tests(request: AugmentRequest, out: Path, say: Say) -> AugmentResult:
    """Return what the tests show of each change; new tests are written into `out`."""
    started = time.monotonic()
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        session = AugmentSession(request, folder, out, say, stack)
        found, reason = session.run()
        return AugmentResult(
            changes=tuple(found),
            is_done=reason is None,
            reason=reason,
            folder=str(out),
            notes=tuple(session.notes),
            runs=session.runs,
            builds=session.builds,
            solver_calls=session.solver.calls,
            seconds={"total": time.monotonic() - started},
        )


class AugmentSession:
    """One augmentation; it holds what was found so far."""

    def __init__(
        self, request: AugmentRequest, folder: Path, out: Path, say: Say, stack: ExitStack
    ) -> None:
        self._request, self._folder, self._out, self._say = request, folder, out, say
        self._stack = stack
        self.solver = Solver()
        self.notes: dict[str, None] = {}
        self.builds = 0
        self._versions: list[VersionRuns] = []
        self._opened: dict[str, OpenedTest] = {}
        self._fixed: dict[str, UserError] = {}  # given tests without inputs, and what was said
        self._meant: dict[Ids, str] = {}  # a test that shows only what contracts allow

    @property
    def runs(self) -> int:
        return sum(version.recorded + version.plain for version in self._versions)

    def run(self) -> tuple[list[AugmentedChange], str | None]:
        """Return what is known of each change, and why it is not all."""
        self._changes = self._compared()
        self._meeting = Meeting(self._changes)
        self._codes = (
            ChangedCode(self._meeting, of_good=True),
            ChangedCode(self._meeting, of_good=False),
        )
        chosen = self._chosen()
        self._contracts = MeantDifferences(
            (self._changes.good.root, self._changes.bad.root), self._request.commands,
            self._request.contracts, self._folder, self._say,
        )  # fmt: skip
        self._contracts.has_contracts  # noqa: B018 - a mistake in one is an error at once
        self._say("building both versions")
        self._plain_good = self._build(self._changes.good.root, "good")
        self._plain_bad = self._build(self._changes.bad.root, "bad")
        commands = (self._request.commands.test, *self._request.more_tests)
        self._due = Attribution(
            self._changes, self._plain_bad, self._folder, self._request.commands
        )
        self._given = [run_given(one, self._plain_good, self._plain_bad) for one in commands]
        found: list[AugmentedChange] = []
        try:
            for change in chosen:
                self._say(f"change {change.id}, {change.file}:{change.new.start}")
                found.append(self._augmented(change))
        except KeyboardInterrupt:
            rest = chosen[len(found) :]
            found += [AugmentedChange(one, ChangeStatus.UNKNOWN, "Not looked at.") for one in rest]
            return found, "it was interrupted"
        return found, None

    # --- versions --------------------------------------------------------------------------------

    def _compared(self) -> ChangeSet:
        request = self._request
        self._say("getting the two versions")
        good, bad = (
            read_tree(fetch(source, repo=request.repo, into=self._folder / name))
            for name, source in (("good", request.good), ("bad", request.bad))
        )
        changes = compare_trees(good, bad)
        if not changes.changes:
            raise UserError(
                f"{request.good} and {request.bad} have the same files, so there is no change to "
                "test.\nCheck --good, --bad and --repo.",
                slug="no-changes",
            )
        return changes

    def _chosen(self) -> list[Reported]:
        """Return the changes that the user asks for, as reports show them."""
        changes = self._changes
        units = units_of(changes.changes, changes.everything)
        reported = grouped_hunks(changes.changes, units)
        found = [one for one in reported if self._is_chosen(one)]
        if not found:
            listed = ", ".join(f"{one.id} ({one.file}:{one.new.start})" for one in reported[:10])
            raise UserError(
                f"--change {', '.join(self._request.chosen)}: there is no such change.\n"
                f"The changes are: {listed}{', …' if len(reported) > 10 else ''}.",
                slug="no-such-change",
            )
        return found

    def _is_chosen(self, change: Reported) -> bool:
        wanted = self._request.chosen
        lines = [f"{change.file}:{line}" for line in (*change.new.lines, change.new.start)]
        return not wanted or any(one in (str(change.id), *lines) for one in wanted)

    def _build(self, source: Path, name: str) -> PlainBuild:
        self.builds += 1
        return build_version(source, self._folder / f"plain-{name}", self._request.commands, name)

    def _open_all(self) -> list[OpenedTest]:
        """Return the given tests that have inputs, with their programs open in both versions."""
        if len(self._opened) + len(self._fixed) < len(self._given):
            for given in self._given:
                try:
                    self._open(given)
                except UserError as error:
                    if error.slug != "no-free-input":
                        raise
                    self._fixed[given.command] = error
                    self.notes[
                        f"`{given.command}` gives the program no input that could be another one, "
                        "so no test is made from it."
                    ] = None
            if not self._opened:
                raise next(iter(self._fixed.values()))
        return list(self._opened.values())

    def _open(self, given: GivenTest) -> OpenedTest:
        """Return a given test, with its program open in both versions."""
        if given.command not in self._opened:
            number = len(self._opened) + len(self._fixed)
            good, bad = (
                self._program(tree.root, f"{name}-{number}", given.command)
                for name, tree in zip(_ALIKE, (self._changes.good, self._changes.bad), strict=True)
            )
            opened = OpenedTest(given, good, bad, self._codes)
            self._versions += [opened.good, opened.bad]
            self._stack.callback(opened.close)
            self._opened[given.command] = opened
        return self._opened[given.command]

    def _program(self, source: Path, name: str, test: str) -> InputProgram:
        self.builds += 1
        tree = self._folder / f"tree-{name}"
        copy_tree(source, tree)
        commands = replace(self._request.commands, test=test)
        opened = open_program(
            tree, commands, self._folder / f"program-{name}", self._request.specs,
            self._request.frontend,
        )  # fmt: skip
        self.notes.update(dict.fromkeys(opened.notes))
        return opened

    # --- one change ------------------------------------------------------------------------------

    def _augmented(self, change: Reported) -> AugmentedChange:
        why_not = self._not_code(change)
        if why_not:
            return AugmentedChange(change, ChangeStatus.UNKNOWN, why_not)
        ids = frozenset(change.ids)
        if self._is_layout(change):
            return AugmentedChange(
                change, ChangeStatus.EQUAL, "It changes nothing but comments and blanks."
            )
        tests = self._open_all()
        exposing = self._exposed_by_given(ids)
        if exposing is not None:
            return self._given_result(change, exposing)
        if not any(run.targets for test in tests for run in test.seen(ids)):
            return AugmentedChange(
                change,
                ChangeStatus.UNKNOWN,
                "No code of the recorded program lies in it or uses a name that it declares.",
            )
        return self._searched(change, ids, sorted(tests, key=lambda test: test.distance(ids)))

    def _is_layout(self, change: Reported) -> bool:
        """Is the code of the bad version the same if this change is reverted?"""
        without = self._changes.nodes(frozenset(change.ids)).get(change.file)
        whole = self._changes.nodes(frozenset()).get(change.file)
        return (
            without is not None
            and whole is not None
            and same_code(change.file, without.content, whole.content)
        )

    @staticmethod
    def _not_code(change: Reported) -> str | None:
        if change.kind in (ChangeKind.RENAME, ChangeKind.MODE, ChangeKind.REPLACE):
            return "This change touches no lines of code."
        if grammar_of(change.file) is None:
            return f"{change.file} is no source file in C, C++ or Python."
        return None

    def _exposed_by_given(self, ids: Ids) -> GivenTest | None:
        """Return a given test that shows a change; one without inputs need not be recorded."""
        for given in self._given:
            opened = self._opened.get(given.command)
            if (
                given.differs
                and (opened is None or opened.reaches(ids))
                and self._due.is_due(ids, given.command)
                and not self._is_meant(ids, given.command, is_given=True)
            ):
                return given
        return None

    @staticmethod
    def _given_result(change: Reported, given: GivenTest) -> AugmentedChange:
        return AugmentedChange(
            change,
            ChangeStatus.EXPOSED,
            f"A given test shows it: {both_ended_words(given.good, given.bad)}.",
            test=MadeTest(given.command, ()),
            outputs=(_shown(given.good), _shown(given.bad)),
        )

    # --- the search ------------------------------------------------------------------------------

    def _searched(self, change: Reported, ids: Ids, tests: list[OpenedTest]) -> AugmentedChange:
        began, calls = self._request.clock(), self.solver.calls
        test = tests[0]
        bad = test.bad
        runs = bad.recorded
        name = f"change-{change.id}"

        def is_shown(difference: EndDifference) -> bool:
            return self._checked(ids, test, difference.contents, name) is not None

        hints = Hints.of((one.removed, one.added) for one in change.hunks)
        # A refactoring is often proved to be one faster than a search for a difference ends.
        proof = self._proof(change, test, _EARLY_SHARE)
        state = SearchState(difference=self._shown_by(proof, test, is_shown))
        if not proof.is_proved and state.difference is None:
            state = ChangeSearch(
                test.good, bad, ids, QuestionAsker(self.solver),
                lambda: self._request.clock() - began > self._request.seconds, is_shown,
                hints, self._vocabulary(change, hints), self._request.clock,
            ).run([test.first])  # fmt: skip
            if state.difference is None and state.reached is not None and not proof.is_final:
                proof = self._proof(change, test, _LATE_SHARE)
                state.difference = self._shown_by(proof, test, is_shown)
        if state.difference is None and not proof.is_proved:
            proof = self._proof_alone(change, ids, test) or proof
        found = self._result(change, test, state, proof, name)
        return replace(
            found,
            runs=bad.recorded - runs,
            runs_to_reach=state.runs_to_reach,
            solver_calls=self.solver.calls - calls,
            seconds=self._request.clock() - began,
        )

    @staticmethod
    def _shown_by(
        proof: EqualityProof, test: OpenedTest, is_shown: Callable[[EndDifference], bool]
    ) -> EndDifference | None:
        """Return the difference that an attempt to prove equality found."""
        if proof.shown_by is None:
            return None
        ends = [one.run_plain(proof.shown_by) for one in (test.good, test.bad)]
        difference = EndDifference(proof.shown_by, *ends)
        return difference if is_shown(difference) else None

    def _vocabulary(self, change: Reported, hints: Hints) -> Vocabulary:
        """Return the constants of the changed file: what an input may be compared with."""
        files = [tree.root / change.file for tree in (self._changes.bad, self._changes.good)]
        return Vocabulary.of(hints, [file.read_bytes() for file in files if file.is_file()])

    def _proof(self, change: Reported, test: OpenedTest, share: float) -> EqualityProof:
        end = self._request.clock() + share * self._request.seconds
        return prove_equal(
            test.good, test.bad, frozenset(change.ids), test.first, QuestionAsker(self.solver),
            lambda: self._request.clock() > end, change.file,
        )  # fmt: skip

    def _proof_alone(self, change: Reported, ids: Ids, test: OpenedTest) -> EqualityProof | None:
        """Return that a change among several leaves the code the same; None: it is not known."""
        if all(one.id in ids for one in self._changes.changes if one.file == change.file):
            return None  # the proof was about this change alone
        alone = ChangeAlone(
            self._due, lambda tree, command: self._program(tree, f"{_ALONE}-{change.id}", command)
        )
        if not alone.is_same_code(ids, test, change.file):
            return None
        return EqualityProof(
            True,
            "Without it, the bad version is the same code once the compiler has simplified both.",
        )

    def _checked(
        self, ids: Ids, test: OpenedTest, contents: Contents, name: str
    ) -> tuple[MadeTest, Ended, Ended] | None:
        """Write a test and run it in both plain builds; None if they end the same way."""
        made = test.good.program.write_test(contents, self._out, name)
        if made.module is not None:
            self._mark(self._out / made.module, ids)
        good, bad = self._plain_good.run(made.command), self._plain_bad.run(made.command)
        if not ends_differently(good, bad) or not self._due.is_due(ids, made.command):
            remove_test(made, self._out)
            return None
        return None if self._is_meant(ids, made.command) else (made, good, bad)

    def _is_meant(self, ids: Ids, command: str, *, is_given: bool = False) -> bool:
        """Do contracts allow what a test shows of a change?"""
        is_meant = self._contracts.is_meant(command, None if is_given else ids)
        if is_meant:
            self._meant.setdefault(ids, command)
        return is_meant

    def _mark(self, module: Path, ids: Ids) -> None:
        """Say at the top of a test module which change it shows."""
        places = ", ".join(f"{one.file}:{one.new.start}" for one in self._chosen() if one.id in ids)
        text = module.read_text("utf-8")
        module.write_text(f"# Shows the change at {places}: it passes before it.\n{text}", "utf-8")

    def _result(
        self, change: Reported, test: OpenedTest, state: SearchState, proof: EqualityProof,
        name: str,
    ) -> AugmentedChange:  # fmt: skip
        ids = frozenset(change.ids)
        if state.difference is not None:
            checked = self._checked(ids, test, state.difference.contents, name)
            assert checked is not None, "the search stops at a difference that was checked"
            made, good, bad = checked
            contents = state.difference.contents
            pair = RunPair(test.bad.run(contents, ids), test.good.run(contents, ids))
            return AugmentedChange(
                change,
                ChangeStatus.EXPOSED,
                f"T{both_ended_words(good, bad)[1:]}.",
                is_made=True,
                test=made,
                outputs=(_shown(good), _shown(bad)),
                effect=change_effect(pair),
            )
        if proof.is_proved:
            return AugmentedChange(change, ChangeStatus.EQUAL, proof.because)
        why = self._stopped(state)
        if ids in self._meant:
            return AugmentedChange(
                change, ChangeStatus.MEANT,
                f"Contracts allow every difference that was found: {why}.",
                test=MadeTest(self._meant[ids], ()),
            )  # fmt: skip
        if state.reached is None:
            return AugmentedChange(change, ChangeStatus.UNREACHED, f"No test reaches it: {why}.")
        is_made = state.reached != test.first
        made_test = MadeTest(test.given.command, ())
        if is_made:
            made_test = test.bad.program.write_test(state.reached, self._out, name)
        effect = change_effect(state.pair) if state.pair else ()
        because = f"{where_it_stops(effect)} No test was found that shows it: {why}."
        because += f" It is not known to be equal: {proof.because}"
        return AugmentedChange(
            change, ChangeStatus.REACHED, because.strip(), is_made, made_test, None, effect
        )

    def _stopped(self, state: SearchState) -> str:
        inputs = "1 input" if state.inputs == 1 else f"{state.inputs} inputs"
        nearby = f", and {state.nearby} close to them" if state.nearby else ""
        if state.is_over:
            return f"the search stopped after {self._request.seconds:g} s and {inputs}{nearby}"
        unknown = f"; the solver left {state.unknown} open" if state.unknown else ""
        return f"all questions about {inputs} were asked{unknown}{nearby}"


def _shown(ended: Ended) -> str:
    """Return the output of a run, and its exit status if it is not 0."""
    text = readable(ended.stdout)
    return text if not ended.status else f"{text}(exit status {ended.status})"
