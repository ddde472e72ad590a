"""Does each link of an explanation's chain hold: does the fixed value, put in there, mend the run?

A link shows a statement whose values differ from those of the fixed run.  A rerun of the bad
version gives the statement the fixed values, each time that it ran with other ones.  If the test
then passes, the damage went through this statement.  If the root has several changes, each of which
breaks the test, a link is tested with the values of the other changed lines put right as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints
from whence.changes.changeset import ChangeSet
from whence.errors import UserError
from whence.explain.recorder import counterpart
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import open_recording
from whence.languages.language import Language
from whence.model import Failure, Link, LinkKind, Outcome, Run
from whence.program.ids import Op, Step
from whence.subject.trial import BuildAndTest, Reference
from whence.subject.workspace import Workspace
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow, Left, StoredBits
from whence.trace.recording import Recording, Thread
from whence.trace.rerunning import Alteration, BuiltTest, Force, Replace, StepRerunner
from whence.trace.summary import summarise

_MAX_EXECUTIONS = 40  # executions of one statement that are altered in one rerun; guessed
_MAX_AHEAD = 3000  # steps after a value within which it must be stored; guessed
_MAX_WALKED = 200  # operations between a value and the store of its result; guessed
_MAX_BACK = 8  # operations behind a value that cannot be put in that are followed; guessed
_MAX_TOGETHER = 100  # executions of several statements that are altered in one rerun; guessed
_MAX_ROUNDS = 6  # executions of a statement that are altered one after another; guessed
_HOLDS = "with the {label} values put in here, the test passes"
_HOLDS_BEHIND = "with the {label} values put in that this is made from, the test passes"
_HOLDS_FORCED = "with the condition {where} forced the other way, the test passes"
_DECIDES = "that decides whether this runs"
_FAILS = "not proved: with the {label} values put in here, the test still fails"
_OTHERWISE = "not proved: with the {label} values put in here, the test fails in another way"
_TOO_OFTEN = "not tested: it ran with other values more often than can be altered together"
_NOTHING = "not tested: there is no value that a rerun could put in here"


Alterations = tuple[Alteration, ...]


@dataclass(frozen=True, slots=True)
class ProvedChain:
    """A chain whose links were tested."""

    links: tuple[Link, ...]
    runs: int


def prove_chain(
    chain: Sequence[Link],
    *,
    language: Language,
    changes: ChangeSet,
    commands: BuildAndTest,
    folder: Path,
    failing: Thread,
    passing: Recording,
    failure: Failure,
    label: str,
) -> ProvedChain | None:
    """Test the links of a chain; None if the failure does not show in the altered build.

    `failing` is the thread that failed, `passing` the recorded fixed run.  `folder` is new.
    """
    tree, kept, trace = folder / "tree", folder / "kept", folder / "trace"
    for each in (folder, kept, trace):
        each.mkdir()
    Workspace(tree, changes).become(frozenset())
    built = language.open_test(tree, commands, kept)
    built.record(trace)
    summarise(open_recording(trace), tree, max_trace=DEFAULT_MAX_TRACE)  # keeps the sources, too
    recording = open_recording(trace)
    own, other = counterpart(failing, recording), counterpart(failing, passing)
    if recording.outcome is Outcome.PASS or own is None or other is None:
        return None
    laboratory = _AlteredRuns(language, built, other, folder)
    return _Prover(laboratory, own, Reference(failure), label).proved(chain)


@dataclass
class _AlteredRuns:
    """What all reruns of one proof share."""

    language: Language
    built: BuiltTest
    passing: Flow
    folder: Path
    runs: int = 0

    def view(self, flow: Flow) -> _StatementValues:
        """Return how the statements of a run can be altered."""
        alignment = Alignment(flow, self.passing)
        rerunner = self.language.rerunner(self.built, flow, alignment)
        return _StatementValues(Comparison(alignment), rerunner)

    def recorded(self, view: _StatementValues, altered: Alterations) -> tuple[Run, Recording]:
        """Run the test with alterations, and record it."""
        self.runs += 1
        out = self.folder / f"altered-{self.runs}"
        out.mkdir()
        run = view.rerunner.rerun(altered, record_into=out).run
        tree = self.folder / "tree"
        summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
        return run, open_recording(out)


class _Prover:
    def __init__(
        self, laboratory: _AlteredRuns, failing: Flow, reference: Reference, label: str
    ) -> None:
        self._laboratory, self._failing = laboratory, failing
        self._view = laboratory.view(failing)
        self._reference, self._label = reference, label
        self._outcomes: dict[Alterations, Outcome] = {}

    def proved(self, chain: Sequence[Link]) -> ProvedChain:
        altered = [self._view.alterations(link) for link in chain]
        links = [self._tested(n, chain, altered) for n in range(len(chain))]
        return ProvedChain(tuple(links), self._laboratory.runs)

    def _tested(self, number: int, chain: Sequence[Link], altered: Sequence[Alterations]) -> Link:
        link, own = chain[number], altered[number]
        if link.step is LinkKind.FAILURE:
            return link
        if not own:
            return replace(link, proof=_NOTHING)
        outcome = self._outcome(own)
        is_cut = len(own) >= _MAX_EXECUTIONS
        if outcome is Outcome.FAIL:
            everywhere = self._everywhere(link, own)
            is_cut = is_cut or everywhere is None
            outcome = everywhere or Outcome.FAIL
        others = self._of_other_changes(number, chain, altered)
        together = tuple(dict.fromkeys((*own, *others)))
        is_cut = is_cut or len(together) > _MAX_TOGETHER
        is_possible = bool(others) and len(together) <= _MAX_TOGETHER
        if outcome is Outcome.FAIL and is_possible and self._outcome(others) is Outcome.FAIL:
            outcome = self._outcome(together)
        is_behind = not self._view.behind.isdisjoint(own)
        is_forced = not self._view.forced.keys().isdisjoint(own)
        if outcome is not Outcome.PASS and (is_behind or is_forced):
            # The value here may have stayed what it was; and a changed condition that is forced
            # has no value of the fixed run.
            return replace(link, proof=_NOTHING)
        if outcome is Outcome.FAIL and is_cut:
            return replace(link, proof=_TOO_OFTEN)
        holds = _HOLDS_BEHIND if is_behind else _HOLDS
        if is_forced:
            where = next(self._view.forced[each] for each in own if each in self._view.forced)
            holds = _HOLDS_FORCED.replace("{where}", where)
        words = {Outcome.PASS: holds, Outcome.FAIL: _FAILS}.get(outcome, _OTHERWISE)
        proof = words.format(label=self._label)
        return replace(link, proved=outcome is Outcome.PASS, proof=proof)

    @staticmethod
    def _of_other_changes(
        number: int, chain: Sequence[Link], altered: Sequence[Alterations]
    ) -> Alterations:
        """Return the alterations of lines with other changes of the root than the link's own way.

        The way of a link begins at the last changed line up to it.
        """
        before = [n for n in range(number + 1) if chain[n].changes]
        own = frozenset(chain[before[-1]].changes) if before else frozenset()
        others = [n for n, link in enumerate(chain) if link.changes and not own & set(link.changes)]
        return tuple(dict.fromkeys(each for n in others for each in altered[n]))

    def _outcome(self, alterations: Alterations) -> Outcome:
        if alterations not in self._outcomes:
            self._laboratory.runs += 1
            run = self._view.rerunner.rerun(alterations).run
            self._outcomes[alterations] = self._reference.judge(run).outcome
        return self._outcomes[alterations]

    def _everywhere(self, link: Link, first: Alterations) -> Outcome | None:
        """Alter a statement also where only an altered run comes to it, execution by execution.

        The first alteration may change the way of the run.  So each altered run is recorded, and
        compared with the fixed run again: up to the last alteration its steps are those of the run
        before it, and after that the next execution with other values is looked for.  None: there
        may be more of them.
        """
        view, altered = self._view, first[:1]
        for _ in range(_MAX_ROUNDS):
            try:
                run, recording = self._laboratory.recorded(view, altered)
                outcome = self._reference.judge(run).outcome
                flow = counterpart(self._failing.thread, recording)
            except UserError:  # nothing was recorded
                return Outcome.FAIL
            if outcome is not Outcome.FAIL or flow is None:
                return outcome
            view = self._laboratory.view(flow)
            last = _altered_step(altered[-1])
            later = [each for each in view.alterations(link) if _altered_step(each) > last]
            if not later:
                return Outcome.FAIL
            altered = (*altered, later[0])
        return None


def _altered_step(alteration: Alteration) -> Step:
    return alteration.branch if isinstance(alteration, Force) else alteration.definition


class _StatementValues:
    """Finds what gives the statements of a run their values in the fixed run."""

    def __init__(self, comparison: Comparison, rerunner: StepRerunner) -> None:
        self._comparison, self.rerunner = comparison, rerunner
        self._flow = comparison.failing
        self.behind: set[Alteration] = set()  # of values that a statement is made from
        self.forced: dict[Alteration, str] = {}  # branches without a value of the fixed run

    def alterations(self, link: Link) -> Alterations:
        """Return the alterations that give a statement its fixed values."""
        if link.step is LinkKind.FAILURE:
            return ()
        if not any(self._steps(link)):
            return tuple(dict.fromkeys(self._avoiding(link)))[:_MAX_EXECUTIONS]
        if link.step is LinkKind.MISSING:
            return ()
        branches = [*self._branches(link)]
        if link.step is LinkKind.BRANCH and branches:
            return tuple(branches[:_MAX_EXECUTIONS])
        found = [*self._values(link)] or branches or [*self._conditions(link)]
        return tuple(found[:_MAX_EXECUTIONS])

    def _ops(self, link: Link) -> list[Op]:
        """Return the operations of a statement."""
        image = self._flow.thread.image
        rows, files = image.rows, image.files
        names = {number for number, name in enumerate(image.file_names) if name == link.file}
        return [
            Op(op) for op in range(len(rows)) if int(rows[op]) == link.line and files[op] in names
        ]

    def _steps(self, link: Link) -> Iterator[Step]:
        """Yield the steps of a statement, in order."""
        found = [
            Step(step)
            for op in self._ops(link)
            for step in self._flow.executions(op)[:_MAX_AHEAD].tolist()
        ]
        yield from sorted(found)

    def _avoiding(self, link: Link) -> Iterator[Alteration]:
        """Yield what forces the branches that kept a statement from running."""
        comparison, passing = self._comparison, self._comparison.passing
        points = DivergencePoints(comparison)
        for op in self._ops(link):
            good = comparison.alignment.pairing.good_op(op)
            executions = [] if good is None else passing.executions(good)[:_MAX_EXECUTIONS].tolist()
            for step in map(Step, executions):
                branch = points.lost(step, step)[1] or points.added_jump(step)[0]
                if branch is not None:
                    yield from self._forced([branch], _DECIDES)

    def _branches(self, link: Link) -> Iterator[Alteration]:
        for step in self._steps(link):
            other = self._comparison.counterpart(step)
            if other is not None and self._flow.is_branch(step):
                force = Force(step, other)
                if self._comparison.side_differs(step) and self.rerunner.can(force):
                    yield force

    def _conditions(self, link: Link) -> Iterator[Alteration]:
        """Yield what forces the conditions of a changed line the other way, each time.

        They have no value of the fixed run: they are new there, or test something else.  A new
        line without a condition is avoided by the one that led to it.
        """
        if not link.changes:
            return
        steps = [*self._steps(link)]
        own = [step for step in steps if self._flow.is_branch(step)]
        yield from self._forced(own, "here")
        if not own:
            good_op = self._comparison.alignment.pairing.good_op
            added = [step for step in steps if good_op(self._flow.op_of(step)) is None]
            led = (self._led_to(step) for step in added)
            yield from self._forced([each for each in dict.fromkeys(led) if each], _DECIDES)

    def _led_to(self, step: Step) -> Step | None:
        at = self._flow.controlling_step(step)
        while at is not None and not self._flow.is_branch(at):
            at = self._flow.controlling_step(at)
        return at

    def _forced(self, branches: Sequence[Step], where: str) -> Iterator[Alteration]:
        for branch in branches:
            force = Force(branch, self._comparison.counterpart(branch))
            if self._flow.is_branch(branch) and self.rerunner.can(force):
                self.forced[force] = where
                yield force

    def _values(self, link: Link) -> Iterator[Alteration]:
        """Yield what gives each definition of a statement its value in the fixed run.

        A value that the statement does not store, such as one that it returns or passes, is altered
        where it is stored; if it is not stored, as an item that is appended, it is altered itself.
        """
        seen: set[Step] = set()
        for step in self._steps(link):
            if self._flow.is_branch(step) or self._is_right(step):
                continue
            at = step if self._flow.defines(step) else self._stored(step) or step
            other = self._comparison.counterpart(at)
            if other is None or at in seen:
                continue
            seen.add(at)
            right = self._right(at)
            self.behind.update(each for each in right if _altered_step(each) != at)
            yield from right

    def _right(self, step: Step, depth: int = 0) -> list[Alteration]:
        """Return what gives a step its fixed value; none if that is not possible.

        A value that cannot be put in, such as a date, is put right where it was made from.
        """
        other = self._comparison.counterpart(step)
        if other is None:
            return []
        alteration = Replace(step, other)
        if self.rerunner.can(alteration):
            return [alteration]
        found: dict[Alteration, None] = {}
        behind = () if depth >= _MAX_BACK else self._flow.node(step).operands
        for operand in behind:
            at = operand.step if isinstance(operand, StoredBits | Left) else operand
            if not isinstance(at, int) or self._comparison.is_same(Step(at)):
                continue
            right = self._right(Step(at), depth + 1)
            if not right:
                return []
            found.update(dict.fromkeys(right))
        return [*found]

    def _is_right(self, step: Step) -> bool:
        return self._comparison.counterpart(step) is None or self._comparison.is_same(step)

    def _stored(self, value: Step) -> Step | None:
        """Return the next definition that a value goes into without being stored before."""
        last = min(value + _MAX_AHEAD, self._flow.thread.stream.steps)
        for step in map(Step, range(value + 1, last + 1)):
            if self._flow.defines(step) and self._comes_from(step, value):
                return step
        return None

    def _comes_from(self, step: Step, value: Step) -> bool:
        work: list[Step] = [step]
        for _ in range(_MAX_WALKED):
            if not work:
                return False
            at = work.pop()
            if at == value:
                return True
            is_before = at < value and not self._flow.is_call(at)  # a call precedes its result
            if is_before or (at != step and self._flow.is_load(at)):
                continue
            work += [each for each in self._flow.node(at).operands if isinstance(each, int)]
        return False
