"""How is a question answered by a proof that is as short as possible?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from whence.causes.cancellation import Cancellation
from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints
from whence.causes.precondition import Preconditions
from whence.causes.proof import Proof, Prover
from whence.causes.questions import AddressQuestion, ConditionQuestion, FailureQuestion, Question
from whence.logic.logic import ALL, Logic
from whence.program.ids import Step
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow, Operand
from whence.trace.statements import StepDescriber

_MAX_REFINED = 4  # limit on steps of one question for which the solver is asked; guessed
Line = tuple[str, int]


class QuestionProofs:
    """Proves the predicates of questions about one run."""

    def __init__(
        self,
        flow: Flow,
        logic: Logic,
        conditions: Conditions,
        is_hidden: Callable[[Step], bool] | None,
        comparison: Comparison | None,
        describer: StepDescriber,
        cancellation: Cancellation,
    ) -> None:
        """Answer questions about the run `flow`.

        `is_hidden(step)`: is the step inside a function that is taken as a whole?  None: none is.
        """
        self.flow, self.conditions, self.is_hidden = flow, conditions, is_hidden
        needs_none = comparison.needs_no_reason if comparison else None
        self._points = DivergencePoints(comparison) if comparison else None
        unwritten = self._unwritten if comparison and is_hidden else None
        revision = (lambda: comparison.revision) if comparison else None
        self._prover = Prover(flow, logic, is_hidden, needs_none, cancellation, unwritten, revision)
        self._describer = describer
        self.preconditions = Preconditions(flow, logic, cancellation)

    def extend(self, proof: Proof, question: Question) -> None:
        """Add the proof of a question to a proof."""
        self._add(proof, self._prover.prove(self._seeds(question)), question)

    def _seeds(self, question: Question) -> Collection[tuple[Operand, int]]:
        """Return the operands, each with a mask, whose values are to be proved."""
        if question.seeds or isinstance(question, AddressQuestion):
            return question.seeds
        steps = sorted(question.steps)
        return [(branch, ALL) for step in steps for branch in self.conditions.settled_by(step)]

    def refined(self, question: Question, proof: Proof) -> Proof:
        """Return a proof without the steps that the solver shows to be unnecessary.

        The solver is asked about each step of the question separately, so only about questions
        with few steps.  It is not asked about addresses.
        """
        if isinstance(question, AddressQuestion) or len(question.steps) > _MAX_REFINED:
            return proof
        found = Proof()
        for part in _by_step(question):
            self._add(found, self._shortest(self._seeds(part)), question)
        return found

    def _add(self, proof: Proof, found: Proof, question: Question) -> None:
        """Add to a proof another one, with the steps that a reader needs beside its values."""
        proof.steps |= found.steps
        proof.inputs |= found.inputs
        proof.premises |= found.premises
        proof.is_cut |= found.is_cut
        if isinstance(question, AddressQuestion):
            # If all arguments of a call are constants, the call itself is the whole proof.
            proof.steps |= {s for s in question.steps if self.flow.node(s).pointer is None}
        else:
            proof.steps |= question.steps
        if isinstance(question, FailureQuestion):
            proof.steps |= question.bears_on
        if self._points is not None:
            proof.steps |= {by for step in found.steps for by in self._points.entered_by(step)}
            proof.steps |= {by for step in found.steps for by in self._points.generated_by(step)}
        definitions = {self._pointer_store(s) for s in found.steps if self.flow.is_load(s)}
        proof.steps |= {step for step in definitions if step is not None}

    def _shortest(self, seeds: Collection[tuple[Operand, int]]) -> Proof:
        """Return the shortest proof that we can find for the values of the seeds."""
        found = self._prover.prove(seeds)
        if found.is_cut:
            return found
        goals = [(step, self.flow.value(step)) for step, _ in seeds if isinstance(step, int)]
        if len(goals) < len(seeds) or not goals:
            return found
        core = self.preconditions.core(goals, found.steps)
        if core is None:
            return found
        through = {call for step in core.steps for call in self.flow.node(step).through}
        shorter = Proof({*core.steps, *through}, set(), set(core.premises))
        # Each premise is one more cause to read, so the shorter proof must save half the lines.
        if core.premises and 2 * len(self.lines(shorter)) > len(self.lines(found)):
            return found
        return shorter

    def _unwritten(self, load: Step) -> Iterator[Operand]:
        """Yield what in hidden code prevented a definition that the passing run's load read.

        That is a branch that went another way, or the pointer of a store that went elsewhere.
        """
        assert self._points is not None
        assert self.is_hidden is not None
        comparison = self._points.comparison
        for definition in comparison.read_instead(load):
            own = comparison.alignment.failing_counterpart(definition)
            if own is None:
                branch = self._points.lost(definition, load)[1]
                if branch is not None and self.is_hidden(branch):
                    yield branch
            elif self.is_hidden(own):
                yield from self.flow.node(own).pointers

    def _pointer_store(self, load: Step) -> Step | None:
        """Return the store that set the pointer of a load.

        It shows why a value that was written under one name was read under another.  Why the
        pointer had this value is a question of its own.
        """
        pointer = self.flow.node(load).pointer
        while isinstance(pointer, int) and not self.flow.is_load(pointer):
            operands = self.flow.node(pointer).operands
            pointer = operands[0] if operands else None
        if not isinstance(pointer, int):
            return None
        # The load of a builtin, such as that of `str` in `table[str]`, has no operand.
        definition = next(iter(self.flow.node(pointer).operands), None)
        return definition if isinstance(definition, int) else None

    # --- what is shown of a proof --------------------------------------------------------------

    def shown_steps(self, proof: Proof) -> npt.NDArray[np.uint32]:
        """Return the steps of a proof; a hidden step is replaced by the call around it."""
        steps = {self._shown(step) for step in proof.steps} if self.is_hidden else proof.steps
        return np.array(sorted(steps), np.uint32)

    def _shown(self, step: Step) -> Step:
        while self.is_hidden is not None and self.is_hidden(step):
            call = self.flow.call_of(step)
            if call is None:
                break
            step = call
        return step

    def lines(self, proof: Proof, question: Question | None = None) -> set[Line]:
        """Return the lines of a proof, and the line of the predicate of a question."""
        image = self.flow.thread.image
        own = [] if question is None else [self.flow.op_of(max(question.steps))]
        shown = self._describer.ops(self.shown_steps(proof))
        ops = np.unique(np.append(shown, own)).astype(int)
        rows, files = image.rows[ops], image.files[ops]
        return {
            (image.file_names[file], row)
            for file, row in zip(files.tolist(), rows.tolist(), strict=True)
            if row and file < len(image.file_names)
        }


def _by_step(question: Question) -> list[Question]:
    """Return one question for each step of a condition, or the question itself."""
    if not isinstance(question, ConditionQuestion):
        return [question]
    return [replace(question, steps=frozenset({step})) for step in sorted(question.steps)]
