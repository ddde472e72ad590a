"""Can no input make a difference?

The changed code is what the compiled versions do not have in common, wherever the changed lines
are.  The inputs are divided into classes.  A class is what the relevant slices of the changed code,
in both versions, demand of the inputs (thesis, 6.4.3, with the changed code in place of the
output): inputs of one class come to the changed code in the same way and compute there by the same
formulas.  In each class, what other code reads from changed code must be the same in both versions.
The classes are complete when no input is outside all of them: the solver says so, or gives one that
is.

Before that, the compiler simplifies both versions: if this leaves the same code, they do the same.
The proof by classes is about inputs of the shape of the test: the same number of arguments.  It is
tried only for C programs whose inputs are whole numbers: the conditions of other inputs are about
texts of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import z3

from whence.augment.pair import BAD, GOOD, RunPair
from whence.augment.questions import InputQuestion, QuestionAsker
from whence.augment.search import ends_differently
from whence.augment.seen_runs import SeenRun, VersionRuns
from whence.explain.meeting.version_index import Ids
from whence.languages import language_of
from whence.paths.conditions import ConditionKind
from whence.paths.program import Contents
from whence.paths.solver import LIMIT, Verdict
from whence.paths.terms import Fact, NumberText, Pinned, What
from whence.program.ids import Step
from whence.trace.flow import Operand, StoredBits

_MAX_CLASSES = 64  # guessed
_MAX_STEPS = 30_000  # of a run that is compared; guessed
_MAX_POINTS = 400  # executions of changed code and of branches towards it; guessed


@dataclass(frozen=True)
class EqualityProof:
    """Whether no input makes a difference, and a sentence that says why or why not."""

    is_proved: bool
    because: str
    shown_by: Contents | None = None  # inputs with which the versions end differently
    is_final: bool = True  # would more time give the same answer?


class _NotProved(Exception):
    """The text is a clause that says what is missing."""

    def __init__(
        self, text: str, shown_by: Contents | None = None, *, is_final: bool = True
    ) -> None:
        super().__init__(text)
        self.shown_by, self.is_final = shown_by, is_final


def prove_equal(
    good: VersionRuns, bad: VersionRuns, changes: Ids, first: Contents, asker: QuestionAsker,
    is_over: Callable[[], bool], file: str = "",
) -> EqualityProof:  # fmt: skip
    """Try to prove that no input of the shape of `first` makes a difference.

    `file`: where the changes are.
    """
    if _have_same_form(good, bad, changes, first, file):
        return EqualityProof(
            True, "Both versions are the same code once the compiler has simplified them."
        )
    classes = _Classes(first)
    contents: Contents | None = first
    count = 0
    is_reached = False
    try:
        while contents is not None:
            if is_over() or count >= _MAX_CLASSES:
                text = f"the exploration stopped after {count} classes of inputs"
                raise _NotProved(text, is_final=False)
            if ends_differently(good.run_plain(contents), bad.run_plain(contents)):
                raise _NotProved("an input shows a difference", contents)
            pair = _seen_from_code(bad.run(contents, changes), good.run(contents, changes))
            if not any(run.targets for run in pair.runs):
                return EqualityProof(True, "Both versions are compiled to the same code.")
            is_reached |= any(run.first is not None for run in pair.runs)
            classes.add(_checked_class(pair, asker), contents)
            contents = classes.outside()
            count += 1
        if not is_reached:
            raise _NotProved("no input of the test's shape reaches it")
    except _NotProved as reason:
        return EqualityProof(False, f"{reason}.", reason.shown_by, reason.is_final)
    what = "ways" if count == 1 else f"{count} ways"
    return EqualityProof(
        True,
        f"All {what} to the changed code and through it were explored, for inputs of the test's "
        "shape (any numbers as arguments); what it computes is the same in both versions.",
    )


def _have_same_form(
    good: VersionRuns, bad: VersionRuns, changes: Ids, first: Contents, file: str
) -> bool:
    own, theirs = (version.run(first, changes).run.thread for version in (bad, good))
    same_form = language_of(own.recording).same_form
    return same_form is not None and same_form(own.image, theirs.image, file)


# --- one class -----------------------------------------------------------------------------------


def _seen_from_code(bad: SeenRun, good: SeenRun) -> RunPair:
    """Return a pair of runs, seen from all code that is not the same in both versions."""
    compare = language_of(bad.flow.thread.recording).code_difference
    if compare is None:
        raise _NotProved("this is not proved for programs in Python")
    difference = compare(bad.flow.thread.image, good.flow.thread.image)
    if difference.beyond is not None:
        raise _NotProved(difference.beyond)
    # Steps are aligned by source lines: what these pair in another way counts as changed, too.
    pairing = RunPair(bad, good).comparison.alignment.pairing
    own = {op for op, other in difference.same.items() if pairing.good_op(op) != other}
    theirs = {difference.same[op] for op in own}
    return RunPair(
        SeenRun(bad.run, difference.bad | own, bad.calls),
        SeenRun(good.run, difference.good | theirs, good.calls),
    )


@dataclass(frozen=True)
class _ClassFact:
    fact: Fact
    of: SeenRun
    kind: ConditionKind


def _checked_class(pair: RunPair, asker: QuestionAsker) -> list[_ClassFact]:
    """Return the conditions of a class in which both versions compute the same."""
    found: list[_ClassFact] = []
    kept: list[Fact] = []
    for of, run in enumerate(pair.runs):
        numbers = _behind_change(run)
        own = [run.conditions[at] for at in numbers]
        found += [_ClassFact(one.fact, run, one.kind) for one in own]
        kept += [pair.facts[of][at] for at in numbers]
    for read, other, place in _read_from_change(pair):
        wanted = _unequal(pair, read, other, place)
        if wanted is None:
            continue
        question = InputQuestion(pair.joint.unknowns, kept, wanted, pair.contents)
        verdict = asker.ask(question).verdict
        if verdict is not Verdict.INFEASIBLE:
            how = "may differ" if verdict is Verdict.FEASIBLE else "is too hard to compare"
            raise _NotProved(f"what {place} reads from it {how}")
    if not found:
        raise _NotProved("no condition over the inputs was found that leads to it")
    return found


def _behind_change(run: SeenRun) -> list[int]:
    """Return the conditions in the relevant slice of changed code and of what leads to it."""
    points = [*run.changed_steps(_MAX_POINTS), *run.branches_towards(run.to_change)]
    if not points:
        return []
    if len(points) > _MAX_POINTS:
        raise _NotProved("the changed code, or a branch towards it, runs too often")
    thread = run.flow.thread
    analysis = language_of(thread.recording).analysis
    members = set(analysis.slice(thread, points, thread.image.relevance(), None).tolist())
    return [number for number, one in enumerate(run.conditions) if one.step in members]


def _read_from_change(pair: RunPair) -> Iterator[tuple[Operand, Operand, str]]:
    """Yield what other code reads from changed code in both runs, and where."""
    for of, run in enumerate(pair.runs):
        if run.first is None:
            continue
        flow = run.flow
        steps = flow.thread.stream.steps
        if steps - run.first > _MAX_STEPS:
            raise _NotProved("the run is too long to be compared")
        for step in map(Step, range(run.first, steps + 1)):
            if flow.op_of(step) in run.targets:
                _check_stays_inside(run, step)
                continue
            node = flow.node(step)
            operands = (*node.operands, *node.pointers)
            if any(_is_changed(run, each) for each in operands) or _is_controlled(run, step):
                yield from _paired(pair, of, step, operands)


def _check_stays_inside(run: SeenRun, step: Step) -> None:
    """Raise _NotProved if a changed operation does something that no other operation reads."""
    place = run.flow.thread.line_at(step)
    if run.flow.is_call(step):
        raise _NotProved(f"changed code at {place} calls a function")
    ends = run.flow.thread.ending("exit")
    if ends is not None and step in ends.criteria:
        raise _NotProved(f"changed code at {place} is the end of the run")


def _is_changed(run: SeenRun, operand: Operand) -> bool:
    step = operand.step if isinstance(operand, StoredBits) else operand
    return isinstance(step, int) and run.flow.op_of(step) in run.targets


def _is_controlled(run: SeenRun, step: Step) -> bool:
    branch = run.flow.controlling_step(step)
    return branch is not None and run.flow.op_of(branch) in run.targets


def _paired(
    pair: RunPair, of: int, step: Step, operands: tuple[Operand, ...]
) -> Iterator[tuple[Operand, Operand, str]]:
    place = pair.runs[of].flow.thread.line_at(step)
    other = pair.counterpart(of, step)
    if other is None:
        raise _NotProved(f"{place} runs in one version only")
    node = pair.runs[1 - of].flow.node(other)
    theirs = (*node.operands, *node.pointers)
    if len(theirs) != len(operands):
        raise _NotProved(f"{place} is another operation in the other version")
    for own, their in zip(operands, theirs, strict=True):
        yield (own, their, place) if of == BAD else (their, own, place)


def _unequal(pair: RunPair, own: Operand, theirs: Operand, place: str) -> Fact | None:
    """Return that two operands differ; None if they cannot."""
    left, right = pair.operand_term(BAD, own), pair.operand_term(GOOD, theirs)
    if left is None and right is None and own == theirs:
        return None
    if left is None or right is None:
        if pair.is_same_origin(own, theirs):
            return None
        raise _NotProved(f"what {place} reads from it has no formula")
    if left.unknowns == right.unknowns == 0:
        if left.formula != right.formula:
            raise _NotProved(f"what {place} reads from it differs")
        return None
    for one in pair.joint.unknowns.members(left.unknowns | right.unknowns):
        if isinstance(one.what, Pinned):
            raise _NotProved(f"{one.what.by or 'an operation'} has no formula")
    return pair.unequal(left, right)


# --- all classes ---------------------------------------------------------------------------------


class _Classes:
    """The classes found so far, as formulas over inputs that all runs share."""

    def __init__(self, first: Contents) -> None:
        self._first = first
        self._inputs: dict[str, What] = {}
        self._solver = z3.Solver()
        self._solver.set("rlimit", LIMIT)

    def add(self, facts: list[_ClassFact], contents: Contents) -> None:
        """Note a class: an input outside it fulfils not all of its conditions."""
        formulas = []
        for one in facts:
            unknowns = one.of.run.unknowns
            closed, given = unknowns.closed(one.fact.unknowns)
            pairs = []
            for unknown in unknowns.members(closed):
                name = self._named(unknown.what, contents)
                pairs.append((unknown.term, z3.Const(name, unknown.term.sort())))
            # What holds of the inputs of this shape is no condition of the class.
            self._solver.add(*(z3.substitute(fact.formula, *pairs) for fact in given))
            formula = z3.substitute(one.fact.formula, *pairs)
            if one.kind is ConditionKind.SHAPE:
                self._solver.add(formula)
            else:
                formulas.append(formula)
        self._solver.add(z3.Not(z3.And(formulas)) if formulas else z3.BoolVal(False))

    def _named(self, what: What, contents: Contents) -> str:
        """Return the name of an input in the formulas of all classes."""
        if isinstance(what, Pinned):
            raise _NotProved(f"{what.by or 'an operation'} has no formula")
        length = len(contents[what.source])
        if isinstance(what, NumberText):
            if (what.start, what.stop) != (0, length):
                raise _NotProved("a number is a part of an input")
            name = f"number {what.source}"
        else:
            raise _NotProved("an input is read byte by byte, so that its length counts")
        self._inputs[name] = what
        return name

    def outside(self) -> Contents | None:
        """Return inputs outside all classes; None if there are none."""
        verdict = self._solver.check()
        if verdict == z3.unsat:
            return None
        if verdict == z3.unknown:
            raise _NotProved("the solver cannot tell whether all inputs were explored")
        model = self._solver.model()
        found = dict(self._first)
        for constant in model.decls():
            what = self._inputs.get(constant.name())
            value = model[constant]
            if isinstance(what, NumberText):
                number = value.as_signed_long() if z3.is_bv(value) else value.as_long()
                found[what.source] = b"%d" % number
        return found
