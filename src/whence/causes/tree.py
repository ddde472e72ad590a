"""Why did a run fail?  The causes as a tree that grows as it is asked.

Each cause is a proof of a predicate; the predicates that its proof leaves open are its children.
A predicate that came up in many turns of a loop is one question, and what was explained once is
not explained again; a cause that would tell no line that is not in the tree already is left out,
and what lies behind it takes its place.
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
from whence.causes.comparison import Comparison, Lost
from whence.causes.divergence import DivergencePredicates
from whence.causes.observed_failure import ObservedFailure
from whence.causes.precondition import Preconditions
from whence.causes.predicates import CriticalPredicates, Question, sampled
from whence.causes.proof import Proof, Prover
from whence.causes.wording import CauseDescriber
from whence.logic.logic import ALL, Logic
from whence.model import Cause, Influence, Mark, Missing
from whence.trace.alignment import Alignment
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow, Operand
from whence.trace.slice_at import trusted_functions

_MOST_FOLDS = 8  # rounds in which turns of the same loop are taken in
_MOST_ASIDE = 24  # proofs that tell nothing new and are looked behind for the children of one cause
_MOST_STALE = 4  # times that a predicate is explained anew for nothing; then it is as it was
_MOST_TURNS = 4  # of one condition for which the solver is asked
Line = tuple[str, int]
# The fields of a search that say what is explained already; `children` restores them on an error.
_PROGRESS = (
    *("_owner", "_raised", "_stale", "_pending", "_child_for"),
    *("_told", "_lost", "_asked"),
)


@dataclass
class _Entry:
    """A cause, and what it was made from."""

    question: Question
    proof: Proof
    cause: Cause
    also: list[int] = field(default_factory=list)


class CauseSearch:
    """The cause tree of one failing run."""

    def __init__(
        self,
        found: ObservedFailure,
        logic: Logic,
        trust: Sequence[str] = (),
        passing: Flow | None = None,
    ) -> None:
        """`passing`: a run in which all went well, to compare it with."""
        self.found = found
        self.flow = found.flow
        self.thread = found.flow.thread
        self.conditions = Conditions(self.flow)
        self.hidden = _hidden(self.flow, trust)
        self._cancellation = Cancellation()
        self.comparison = Comparison(Alignment(self.flow, passing)) if passing else None
        self.critical = self._critical()
        self.critical.cancellation = self._cancellation
        self.prover = Prover(
            self.flow,
            logic,
            self.critical.is_hidden,
            self.comparison.needs_no_reason if self.comparison else None,
            self._cancellation,
        )
        self.preconditions = Preconditions(self.flow, logic, self._cancellation)
        self.teller = CauseDescriber(self.flow, self.conditions, self.comparison)
        self.marks: dict[int, Mark] = {}
        self._entries: list[_Entry] = []
        self._owner: dict[tuple[bool, int, int, int], int] = {}  # who explains a predicate
        # For each step that was asked about, the causes below.
        self._raised: dict[int, frozenset[int]] = {}
        self._stale: Counter[tuple[bool, int, int]] = Counter()  # asked again, with nothing new
        self._pending: dict[int, list[tuple[Question, Proof]]] = {}  # to look at below a cause
        self._child_for: dict[tuple[bool, int], int] = {}  # by what was raised
        self._told: set[Line] = set()  # the lines that some cause has
        self._lost: dict[int, list[Lost]] = {}  # what the passing run had, by cause
        self._asked: set[tuple[bool, int, int]] = set()  # what has a cause
        first, proof = self._explained(found.question)
        self._add(first, proof, None, 0)

    def _critical(self) -> CriticalPredicates:
        if self.comparison is not None:
            return DivergencePredicates(self.flow, self.conditions, self.hidden, self.comparison)
        return CriticalPredicates(
            self.flow, self.conditions, self.thread.image.relevance(), self.hidden
        )

    # --- what is asked from outside --------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    def cause(self, number: int) -> Cause:
        entry = self._entries[number]
        return replace(entry.cause, also=tuple(entry.also), missing=self._missing(number))

    def _missing(self, number: int) -> tuple[Missing, ...]:
        """What the passing run did and this one did not; known once the children are."""
        beside = self.teller.beside
        if beside is None:
            return ()
        told = (beside.missing(lost) for lost in self._lost.get(number, ()))
        by_line = {(one.statement.file, one.statement.line): one for one in told if one is not None}
        return tuple(by_line.values())

    def children(self, number: int) -> tuple[int, ...]:
        entry = self._entries[number]
        if self._is_pruned(number):
            return ()
        if entry.cause.children is None:
            with self._cancellation.computing(), self._undone_on_error():
                children = tuple(self._grow(number))
            entry.cause = replace(entry.cause, children=children)
        return entry.cause.children or ()

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
        raised_before = set(self.critical.raised_before)
        try:
            yield
        except BaseException:
            del self._entries[len(also) :]
            for entry, causes in zip(self._entries, also, strict=True):
                entry.also = causes
            vars(self).update(before)
            self.critical.raised_before = raised_before
            self.critical.repeated.clear()
            if isinstance(self.critical, DivergencePredicates):
                self.critical.lost.clear()
            raise

    def mark(self, number: int, mark: Mark | None) -> None:
        if mark is None:
            self.marks.pop(number, None)
        else:
            self.marks[number] = mark

    def source(self, file: str) -> list[str]:
        return self.thread.recording.lines.of(file)

    def steps(self, number: int, lines: Collection[Line] | None = None) -> npt.NDArray[np.uint32]:
        """The executed instructions of a cause, all or those on some lines."""
        steps = self._steps(self._entries[number].proof)
        if lines is None:
            return steps
        image = self.thread.image
        numbers = {name: number for number, name in enumerate(image.file_names)}
        wanted = [numbers[file] << 32 | line for file, line in lines if file in numbers]
        ops = self.teller.narrator.ops(steps)
        places = image.files[ops].astype(np.int64) << 32 | image.rows[ops]
        return steps[np.isin(places, wanted)]

    def grow(self, depth: int) -> None:
        """Compute the causes down to this level."""
        work = deque([0])
        while work:
            number = work.popleft()
            if self._entries[number].cause.level < depth:
                work.extend(self.children(number))

    # --- growing ---------------------------------------------------------------------------------

    def _is_pruned(self, number: int | None) -> bool:
        while number is not None:
            if self.marks.get(number) is Mark.BENIGN:
                return True
            number = self._entries[number].cause.parent
        return False

    def _grow(self, number: int) -> list[int]:
        """Explain what the proof of a cause leaves open.

        What its steps ask for is asked once: where another cause has the same step, the causes
        that it led to bear on this one as well.
        """
        entry = self._entries[number]
        work = deque([(entry.question, entry.proof), *self._pending.pop(number, ())])
        found: list[int] = []
        looked = 0
        while work and (looked < _MOST_ASIDE or not found) and looked < 8 * _MOST_ASIDE:
            self._cancellation.check()
            question, proof = work.popleft()
            looked += 1
            for asked in self._asks(question, proof, number):
                for piece in self._new(asked, number):
                    if self._stale[piece.identity] >= _MOST_STALE:
                        self._own(piece)
                        continue
                    explained, proof_of_it = self._explained(piece)
                    if self._is_news(explained, proof_of_it):
                        child = self._add(explained, proof_of_it, number, entry.cause.level + 1)
                        found.append(child)
                        self._note(asked, child)
                        self._stale[piece.identity] = 0
                    else:
                        self._stale[piece.identity] += 1
                        work.append((explained, proof_of_it))
        if found and work:
            self._pending[found[-1]] = list(work)
        return found

    def _asks(self, question: Question, proof: Proof, number: int) -> list[Question]:
        """What the steps of a proof ask for that none did before."""
        self._share(proof.steps, number)
        fresh = proof.steps.difference(self._raised)
        self._raised.update(dict.fromkeys(fresh, frozenset()))
        asks = self.critical.of(fresh, question, proof.premises)
        for raw in sorted(self.critical.repeated):
            if raw in self._child_for:
                self._also(self._child_for[raw], number)
        self.critical.repeated.clear()
        if isinstance(self.critical, DivergencePredicates):
            self._lost[number] = [*self._lost.get(number, ()), *self.critical.lost]
            self.critical.lost.clear()
        return asks

    def _share(self, steps: set[int], number: int) -> None:
        for step in steps & self._raised.keys():
            for child in self._raised[step]:
                self._also(child, number)

    def _note(self, question: Question, child: int) -> None:
        for step in question.bears_on:
            self._raised[step] = self._raised.get(step, frozenset()) | {child}
        is_address = question.influence is Influence.ADDRESS
        self._child_for.update(((is_address, step), child) for step in question.raw)

    def _also(self, child: int, parent: int) -> None:
        known = self._entries[child]
        if child != parent and parent not in (*known.also, known.cause.parent):
            known.also.append(parent)

    def _is_news(self, question: Question, proof: Proof) -> bool:
        """Does it tell a condition, or a line, that is not in the tree yet?"""
        if question.influence is not Influence.ADDRESS and question.identity not in self._asked:
            return True
        return any(line not in self._told for line in self._lines(proof, question))

    def _new(self, question: Question, parent: int) -> Iterator[Question]:
        """The question without what is explained already, if that leaves any of it."""
        owners = {step: self._owner.get((*question.identity, step)) for step in question.steps}
        for owner in {owner for owner in owners.values() if owner is not None}:
            if owner < len(self._entries):
                self._also(owner, parent)
                self._note(question, owner)
        left = frozenset(step for step, owner in owners.items() if owner is None)
        if left:
            yield self.critical.narrowed(question, left)

    def _explained(self, question: Question) -> tuple[Question, Proof]:
        """The proof of a predicate; turns of the same loop that it rests on are taken in."""
        proof = Proof()
        fresh = question
        for _ in range(_MOST_FOLDS):
            self._own(fresh)
            known = set(proof.steps)
            self._extend(proof, fresh)
            if question.influence in (Influence.FAILURE, Influence.ADDRESS):
                break
            again = [
                branch
                for branch in self.critical.deciders(proof.steps - known, fresh)
                if self.critical.is_same(question, branch)
            ]
            turns = sorted(
                branch
                for branch in self.critical.turns(again)
                if (*question.identity, branch) not in self._owner
            )
            if not turns:
                break
            steps = frozenset(sampled(turns))
            self._own(replace(question, steps=frozenset(turns)))
            more = question.turns + len(turns)
            question = replace(question, steps=question.steps | steps, turns=more)
            fresh = replace(question, steps=steps)
        return question, proof

    def _own(self, question: Question) -> None:
        for step in question.steps:
            self._owner.setdefault((*question.identity, step), len(self._entries))

    def _extend(self, proof: Proof, question: Question) -> None:
        """Add the proof of a question to a proof."""
        self._take(proof, self.prover.prove(self._seeds(question)), question)

    def _seeds(self, question: Question) -> Collection[tuple[Operand, int]]:
        """What is to be shown."""
        if question.seeds or question.influence is Influence.ADDRESS:
            return question.seeds
        steps = sorted(question.steps)
        return [(branch, ALL) for step in steps for branch in self.conditions.settled_by(step)]

    def _refined(self, question: Question, proof: Proof) -> Proof:
        """The proof, no longer than the solver says it must be.

        It is asked about each turn apart, so about few; and not about addresses, which are what
        they are.
        """
        if len(question.steps) > _MOST_TURNS or question.influence is Influence.ADDRESS:
            return proof
        refined = Proof()
        turns = [question] if question.seeds else [
            replace(question, steps=frozenset({step})) for step in sorted(question.steps)
        ]  # fmt: skip
        for turn in turns:
            self._take(refined, self._shortest(self._seeds(turn)), question)
        return refined

    def _take(self, proof: Proof, found: Proof, question: Question) -> None:
        """Add to a proof, with what belongs to it beside its values."""
        proof.steps |= found.steps
        proof.inputs |= found.inputs
        proof.premises |= found.premises
        if question.influence is not Influence.ADDRESS:
            proof.steps |= question.steps
        else:  # what a call was given may be constants, and then the call says it all
            proof.steps |= {s for s in question.steps if self.flow.node(s).pointer is None}
        if question.influence is Influence.FAILURE:
            proof.steps |= question.bears_on
        if self.comparison is not None:
            proof.steps |= {by for step in found.steps for by in self.comparison.entered_by(step)}
        pointed = {self._set_pointer(step) for step in found.steps if self.flow.is_load(step)}
        proof.steps |= {step for step in pointed if step is not None}

    def _shortest(self, seeds: Collection[tuple[Operand, int]]) -> Proof:
        """The shortest proof that we can find that the seeds are what they are."""
        found = self.prover.prove(seeds)
        goals = [(step, self.flow.value(step)) for step, _ in seeds if isinstance(step, int)]
        if len(goals) < len(seeds) or not goals:
            return found
        core = self.preconditions.core(goals, found.steps)
        if core is None:
            return found
        through = {call for step in core.steps for call in self.flow.node(step).through}
        shorter = Proof({*core.steps, *through}, set(), set(core.premises))
        # A premise is one more thing to read and to follow: it has to save more than that.
        if core.premises and 2 * len(self._lines(shorter)) > len(self._lines(found)):
            return found
        return shorter

    def _set_pointer(self, load: int) -> int | None:
        """The store that set the pointer that a load went through.

        It shows why what was written under one name was read under another; what it was set to
        is a question of its own.
        """
        pointer = self.flow.node(load).pointer
        while isinstance(pointer, int) and not self.flow.is_load(pointer):
            operands = self.flow.node(pointer).operands
            pointer = operands[0] if operands else None
        if not isinstance(pointer, int):
            return None
        made = self.flow.node(pointer).operands[0]
        return made if isinstance(made, int) else None

    def _add(self, question: Question, proof: Proof, parent: int | None, level: int) -> int:
        number = len(self._entries)
        gave_up = self.preconditions.cost.gave_up
        proof = self._refined(question, proof)
        steps = self._steps(proof)
        told = self.teller.told(question, steps, self.found)
        cause = Cause(
            id=number,
            key=f"{question.influence.value}:{question.op}:{question.side}:{max(question.steps)}",
            parent=parent,
            level=level,
            influence=question.influence,
            predicate=told.predicate,
            because=told.because,
            statements=told.statements,
            instances=len(steps),
            times=min(question.turns, max(len(self.critical.executions(question.op)), 1)),
            is_proved=self.preconditions.cost.gave_up == gave_up,
        )
        self._asked.add(question.identity)
        self._told |= self._lines(proof, question)
        self._entries.append(_Entry(question, proof, cause))
        return number

    # --- inside ----------------------------------------------------------------------------------

    def _steps(self, proof: Proof) -> npt.NDArray[np.uint32]:
        """The steps of a proof that are shown: of what is hidden, the call around it."""
        steps = {self._shown(step) for step in proof.steps} if self.hidden else proof.steps
        return np.array(sorted(steps), np.uint32)

    def _shown(self, step: int) -> int:
        while self.critical.is_hidden(step):
            call = self.flow.call_of(step)
            if call is None:
                break
            step = call
        return step

    def _lines(self, proof: Proof, question: Question | None = None) -> set[Line]:
        """The lines of a proof, and of the predicate that a question is about."""
        image = self.thread.image
        own = [] if question is None else [self.flow.op_of(max(question.steps))]
        ops = np.unique(np.append(self.teller.narrator.ops(self._steps(proof)), own)).astype(int)
        rows, files = image.rows[ops], image.files[ops]
        return {
            (image.file_names[file], row)
            for file, row in zip(files.tolist(), rows.tolist(), strict=True)
            if row and file < len(image.file_names)
        }


def _hidden(flow: Flow, trust: Sequence[str]) -> set[int]:
    """The activations of functions that are taken as a whole, and of what they called.

    Those are the ones that the user trusts, and those from outside of the program's tree that
    were called from within it, such as what a header of a library defines; a test that lives
    elsewhere and calls what is in the tree is shown.
    """
    image = flow.thread.image
    outside = image.is_library
    trusted = trusted_functions(image, trust) if trust else np.zeros(len(outside), bool)
    if not (outside | trusted).any():
        return set()
    activations = flow.thread.stream.activations
    functions, parents = activations["function"].tolist(), activations["parent"].tolist()
    hidden: set[int] = set()
    caller: set[int] = set()  # activations of the tree, and what they called
    for number, (function, parent) in enumerate(zip(functions, parents, strict=True)):
        is_known = function < len(outside)
        is_outside = is_known and bool(outside[function])
        if parent in caller or (is_known and not is_outside):
            caller.add(number)
        if (
            parent in hidden
            or (number and is_known and bool(trusted[function]))
            or (parent in caller and is_outside)
        ):
            hidden.add(number)
    return hidden
