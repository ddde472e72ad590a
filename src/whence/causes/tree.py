"""Why did a run fail?  The causes form a tree that grows when its children are asked for.

Each cause is a proof of a predicate; the questions that the proof leaves open are its children.
A predicate that held in many iterations of a loop is one question.  A question that was answered
once is not answered again.  A cause without a line that is new in the tree is left out, and the
causes behind it take its place.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from whence.causes.cancellation import Cancellation
from whence.causes.comparison import Comparison
from whence.causes.divergence import DivergencePredicates
from whence.causes.divergence_points import Lost
from whence.causes.hidden import hidden_activations
from whence.causes.observed_failure import ObservedFailure
from whence.causes.open_questions import QuestionFinder, sampled
from whence.causes.precondition import SolverCost
from whence.causes.predicates import CriticalPredicates
from whence.causes.proof import Proof
from whence.causes.question_proofs import Line, QuestionProofs
from whence.causes.questions import (
    AddressQuestion,
    ConditionQuestion,
    Identity,
    OpenQuestion,
    Question,
)
from whence.causes.wording import CauseDescriber
from whence.logic.logic import Logic
from whence.model import Cause, Mark, Missing, Statement
from whence.program.ids import Step
from whence.trace.alignment import Alignment
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow

_MAX_FOLDS = 8  # limit on rounds that add iterations of the same loop to a question; guessed
_MAX_ASIDE = 24  # limit on left-out causes behind which the children of one cause lie; guessed
_MAX_STALE = 4  # answers without a new line after which a predicate is not asked again; guessed
# The fields of a search that say what is explained already; `children` restores them on an error.
_PROGRESS = (
    *("_owner", "_asked_for", "_stale", "_pending", "_child_for"),
    *("_covered", "_lost", "_identities"),
)


@dataclass
class _Entry:
    """A cause, and the question and the proof that it was made from."""

    question: Question
    proof: Proof
    cause: Cause
    also: list[int] = field(default_factory=list)  # further causes that it is a child of


class CauseSearch:
    """The cause tree of one failing run."""

    def __init__(
        self,
        failure: ObservedFailure,
        logic: Logic,
        trust: Sequence[str] = (),
        passing: Flow | None = None,
    ) -> None:
        """Explain `failure`; `trust` names functions that are correct.

        `passing` is a passing run that the failing run is compared with.
        """
        self.failure = failure
        self.flow = failure.flow
        self.thread = failure.flow.thread
        self.conditions = Conditions(self.flow)
        self.hidden = hidden_activations(self.flow, trust)
        self.comparison = Comparison(Alignment(self.flow, passing)) if passing else None
        self.marks: dict[int, Mark] = {}
        self._cancellation = Cancellation()
        self._finder = self._question_finder()
        is_hidden = self._finder.is_hidden if self.hidden else None
        self._describer = CauseDescriber(self.flow, self.conditions, self.comparison)
        self._proofs = QuestionProofs(
            self.flow, logic, self.conditions, is_hidden, self.comparison,
            self._describer.steps, self._cancellation,
        )  # fmt: skip
        self._entries: list[_Entry] = []
        self._owner: dict[tuple[bool, int, int, int], int] = {}  # the cause of each predicate
        # The steps whose open questions were found, each with the causes that answer them.
        self._asked_for: dict[Step, frozenset[int]] = {}
        self._stale: Counter[Identity] = Counter()  # answers in a row without a new line
        self._pending: dict[int, list[tuple[Question, Proof]]] = {}  # left-out causes, by cause
        self._child_for: dict[tuple[bool, int], int] = {}  # by raised predicate: the cause
        self._covered: set[Line] = set()  # the lines of all causes
        self._lost: dict[int, list[Lost]] = {}  # by cause: what only the passing run did
        self._identities: set[Identity] = set()  # predicates that have a cause
        first, proof = self._explained(failure.question)
        self._add(first, proof, None, 0)

    def _question_finder(self) -> QuestionFinder:
        if self.comparison is not None:
            return DivergencePredicates(
                self.flow, self.conditions, self.hidden, self.comparison, self._cancellation
            )
        relevance = self.thread.image.relevance()
        return CriticalPredicates(
            self.flow, self.conditions, relevance, self.hidden, self._cancellation
        )

    # --- reading the tree ------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    def observed(
        self, wanted: Collection[tuple[str, int]], most: int
    ) -> tuple[list[Statement], list[Statement]]:
        """Return the statements that ran on the wanted lines, and the first that differ later."""
        return self._describer.observed(wanted, most)

    @property
    def solver_cost(self) -> SolverCost:
        """What the solver has cost so far."""
        return self._proofs.preconditions.cost

    def cause(self, number: int) -> Cause:
        """Return a cause that was computed; the tree may grow afterwards."""
        entry = self._entries[number]
        return replace(entry.cause, also=tuple(entry.also), missing=self._missing(number))

    def _missing(self, number: int) -> tuple[Missing, ...]:
        """Return what only the passing run did; known once the children are."""
        passing = self._describer.passing
        if passing is None:
            return ()
        found = (passing.missing(lost) for lost in self.lost(number))
        by_line = {
            (missing.statement.file, missing.statement.line): missing
            for missing in found
            if missing
        }
        return tuple(by_line.values())

    def source(self, file: str) -> list[str]:
        """Return the lines of a source file of the failing version."""
        return self.thread.recording.lines.of(file)

    def steps(self, number: int, lines: Collection[Line] | None = None) -> npt.NDArray[np.uint32]:
        """Return the steps of a cause, or only those on some lines."""
        steps = self._proofs.shown_steps(self._entries[number].proof)
        if lines is None:
            return steps
        image = self.thread.image
        numbers = {name: number for number, name in enumerate(image.file_names)}
        wanted = [numbers[file] << 32 | line for file, line in lines if file in numbers]
        ops = self._describer.steps.ops(steps)
        places = image.files[ops].astype(np.int64) << 32 | image.rows[ops]
        return steps[np.isin(places, wanted)]

    def asked_of(self, number: int) -> frozenset[Step]:
        """Return the steps at which the predicate of a cause held."""
        return self._entries[number].question.steps

    def lost(self, number: int) -> Sequence[Lost]:
        """Return the steps that only the passing run has; known once the children are."""
        return self._lost.get(number, ())

    def mark(self, number: int, mark: Mark | None) -> None:
        """Note what the user thinks of a cause; None removes the note."""
        if mark is None:
            self.marks.pop(number, None)
        else:
            self.marks[number] = mark

    # --- growing ---------------------------------------------------------------------------------

    def children(self, number: int) -> tuple[int, ...]:
        """Return the causes below a cause; they are computed the first time."""
        entry = self._entries[number]
        if self._is_pruned(number):
            return ()
        if entry.cause.children is None:
            with self._cancellation.computing(), self._undone_on_error():
                children = tuple(self._grow(number))
            entry.cause = replace(entry.cause, children=children)
        return entry.cause.children or ()

    def grow(self, depth: int) -> None:
        """Compute the causes down to this level."""
        work = deque([0])
        while work:
            number = work.popleft()
            if self._entries[number].cause.level < depth:
                work.extend(self.children(number))

    def cancel(self) -> None:
        """Make `children`, under way in another thread, raise `Cancelled` soon.

        The tree is then as it was before that call.
        """
        self._cancellation.request()

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Undo what the block added to the tree if it raises."""
        also = [list(entry.also) for entry in self._entries]
        before = {name: copy(getattr(self, name)) for name in _PROGRESS}
        raised_before = set(self._finder.raised_before)
        try:
            yield
        except BaseException:
            del self._entries[len(also) :]
            for entry, causes in zip(self._entries, also, strict=True):
                entry.also = causes
            vars(self).update(before)
            self._finder.raised_before = raised_before
            raise

    def _is_pruned(self, number: int | None) -> bool:
        """Did the user mark the cause, or one above it, as benign?"""
        while number is not None:
            if self.marks.get(number) is Mark.BENIGN:
                return True
            number = self._entries[number].cause.parent
        return False

    def _grow(self, number: int) -> list[int]:
        """Answer the questions that the proof of a cause leaves open; return the new causes.

        The questions of a step are asked once: if another cause has the same step, its children
        become children of this cause as well.
        """
        entry = self._entries[number]
        work = deque([(entry.question, entry.proof), *self._pending.pop(number, ())])
        found: list[int] = []
        looked = 0
        while work and (looked < _MAX_ASIDE or not found) and looked < 8 * _MAX_ASIDE:
            self._cancellation.check()
            question, proof = work.popleft()
            looked += 1
            for asked in self._open_questions(question, proof, number):
                for piece in self._unanswered(asked, number):
                    if self._stale[piece.identity] >= _MAX_STALE:
                        self._own(piece)
                        continue
                    answered, its_proof = self._explained(piece)
                    if self._is_news(answered, its_proof):
                        child = self._add(answered, its_proof, number, entry.cause.level + 1)
                        found.append(child)
                        self._note(asked, child)
                        self._stale[piece.identity] = 0
                    else:
                        self._stale[piece.identity] += 1
                        work.append((answered, its_proof))
        if found and work:
            self._pending[found[-1]] = list(work)
        return found

    def _open_questions(self, question: Question, proof: Proof, number: int) -> list[OpenQuestion]:
        """Return the questions of the steps of a proof that no proof had before."""
        self._share(proof.steps, number)
        fresh = proof.steps.difference(self._asked_for)
        self._asked_for.update(dict.fromkeys(fresh, frozenset()))
        found = self._finder.of(fresh, question, proof.premises)
        for predicate in sorted(found.repeated):
            if predicate in self._child_for:
                self._also(self._child_for[predicate], number)
        if found.lost:
            self._lost[number] = [*self._lost.get(number, ()), *found.lost]
        return found.questions

    def _share(self, steps: set[Step], number: int) -> None:
        """Make the causes that steps led to before children of this cause as well."""
        for step in steps & self._asked_for.keys():
            for child in self._asked_for[step]:
                self._also(child, number)

    def _note(self, question: OpenQuestion, child: int) -> None:
        """Note which cause answers a question."""
        for step in question.bears_on:
            self._asked_for[step] = self._asked_for.get(step, frozenset()) | {child}
        is_address = isinstance(question, AddressQuestion)
        self._child_for.update(((is_address, step), child) for step in question.raised_for)

    def _also(self, child: int, parent: int) -> None:
        known = self._entries[child]
        if child != parent and parent not in (*known.also, known.cause.parent):
            known.also.append(parent)

    def _is_news(self, question: Question, proof: Proof) -> bool:
        """Does a cause show a condition or a line that is not in the tree yet?"""
        if not isinstance(question, AddressQuestion) and question.identity not in self._identities:
            return True
        return any(line not in self._covered for line in self._proofs.lines(proof, question))

    def _unanswered(self, question: OpenQuestion, parent: int) -> Iterator[OpenQuestion]:
        """Yield the question about the steps that have no cause yet, if there are any."""
        owners = {step: self._owner.get((*question.identity, step)) for step in question.steps}
        for owner in {owner for owner in owners.values() if owner is not None}:
            if owner < len(self._entries):
                self._also(owner, parent)
                self._note(question, owner)
        left = frozenset(step for step, owner in owners.items() if owner is None)
        if left:
            yield self._finder.narrowed(question, left)

    # --- one cause -------------------------------------------------------------------------------

    def _explained(self, question: Question) -> tuple[Question, Proof]:
        """Return the proof of a predicate, and the question with all iterations that it needs."""
        if isinstance(question, ConditionQuestion):
            return self._explained_condition(question)
        proof = Proof()
        self._own(question)
        self._proofs.extend(proof, question)
        return question, proof

    def _explained_condition(self, question: ConditionQuestion) -> tuple[Question, Proof]:
        """Return the proof of a condition; iterations of the same loop become one question."""
        proof = Proof()
        fresh = question  # the question about the steps that are not proved yet
        for _ in range(_MAX_FOLDS):
            self._own(fresh)
            known = set(proof.steps)
            self._proofs.extend(proof, fresh)
            again = [
                branch
                for branch in self._finder.controlling(proof.steps - known, fresh)
                if self._finder.is_same(question, branch)
            ]
            iterations = sorted(
                branch
                for branch in self._finder.iterations(again)
                if (*question.identity, branch) not in self._owner
            )
            if not iterations:
                break
            sample = frozenset(sampled(iterations))
            self._own(replace(question, steps=frozenset(iterations)))
            times = question.times + len(iterations)
            question = replace(question, steps=question.steps | sample, times=times)
            fresh = replace(question, steps=sample)
        return question, proof

    def _own(self, question: Question) -> None:
        """Note that the next cause answers a question."""
        for step in question.steps:
            self._owner.setdefault((*question.identity, step), len(self._entries))

    def _add(self, question: Question, proof: Proof, parent: int | None, level: int) -> int:
        """Add the cause that answers a question to the tree; return its number."""
        number = len(self._entries)
        gave_up = self.solver_cost.gave_up
        inputs, proof = proof.inputs, self._proofs.refined(question, proof)
        steps = self._proofs.shown_steps(proof)
        description = self._describer.describe(question, steps, self.failure)
        cause = Cause(
            id=number,
            key=f"{question.influence.value}:{question.op}:{question.side}:{max(question.steps)}",
            parent=parent,
            level=level,
            influence=question.influence,
            predicate=description.predicate,
            because=description.because,
            statements=description.statements,
            instances=len(steps),
            times=min(question.times, max(len(self._finder.executions(question.op)), 1)),
            is_proved=self.solver_cost.gave_up == gave_up,
            is_cut=proof.is_cut,
            about=self._describer.file_and_line(question.about),
            static_reads=self._describer.static_reads(inputs, proof.steps),
        )
        self._identities.add(question.identity)
        self._covered |= self._proofs.lines(proof, question)
        self._entries.append(_Entry(question, proof, cause))
        return number
